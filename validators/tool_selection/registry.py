"""What a contract knows about the tools: names, labels, and which tool of several equivalent ones is the best pick."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.tools import Tool, ToolsSpec
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.schemas import faults, schema_of

_RISK: Final[Mapping[str, int]] = MappingProxyType({"safe": 0, "destructive": 1})
_ACCESS: Final[Mapping[str, int]] = MappingProxyType({"read": 0, "write": 1})


class Registry:
    """The tools of a contract by name and alias, in classes of equivalents.

    Equivalence goes both ways and is passed on: what equals an equal is an equal.
    """

    def __init__(self, tools: list[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._names = {
            name: tool.name for tool in tools for name in (tool.name, *tool.aliases)
        }
        self._classes = _classes(tools, self._names)

    def name(self, called: str) -> str:
        """The registered name of a tool called by a name or an alias; an unknown one keeps its own."""
        return self._names.get(called, called)

    def get(self, name: str) -> Tool | None:
        """The tool of that registered name."""
        return self._tools.get(name)

    def knows(self, name: str) -> bool:
        """Whether an agent could have called it; an empty registry says nothing."""
        return not self._tools or name in self._tools

    def equivalent(self, one: str, two: str) -> bool:
        """Whether both are the same tool, or do the same work."""
        return one == two or (
            one in self._classes and self._classes[one] is self._classes.get(two)
        )

    def class_of(self, name: str) -> str:
        """One name for all equivalents of a tool."""
        members = self._classes.get(name)
        return name if members is None else min(members)

    def better(self, name: str) -> str | None:
        """A safer or cheaper equivalent, the best there is; None when this is the pick.

        Safer goes before cheaper: a cheap tool that destroys is no better than a dear one that does not. Costs are
        compared only where both are known.
        """
        here = self._tools.get(name)
        if here is None:
            return None
        others = [self._tools[other] for other in self._classes[name] if other != name]
        better = [other for other in others if _better(other, here)]
        best = min(better, key=_order, default=None)
        return None if best is None else best.name

    def category_differs(self, one: str, two: str) -> str | None:
        """In which label two tools differ: `write instead of read`; None where they agree or a label is missing."""
        a, b = self._tools.get(one), self._tools.get(two)
        if a is None or b is None:
            return None
        for label, other in ((a.risk, b.risk), (a.access, b.access)):
            if label is not None and other is not None and label != other:
                return f"{label} instead of {other}"
        return None

    def invalid(self, name: str, arguments: Mapping[str, object]) -> str | None:
        """Why the arguments do not fit the tool's schema, in one line; None when they do or no schema is known.

        Raises:
            ValueError: the schema is none.
        """
        tool = self._tools.get(name)
        if tool is None or tool.parameters is None:
            return None
        found = faults(schema_of(tool.parameters), dict(arguments), limit=1)
        return (
            f"{found[0].pointer or 'arguments'}: {found[0].message}" if found else None
        )


def _classes(tools: list[Tool], names: Mapping[str, str]) -> dict[str, set[str]]:
    classes: dict[str, set[str]] = {tool.name: {tool.name} for tool in tools}
    for tool in tools:
        for other in tool.equivalents:
            one, two = classes[tool.name], classes[names[other]]
            if one is not two:
                one |= two
                for member in two:
                    classes[member] = one
    return classes


def _better(other: Tool, here: Tool) -> bool:
    """Safer, else cheaper; a label or cost that one of them lacks says nothing."""
    for mine, theirs, rank in (
        (here.risk, other.risk, _RISK),
        (here.access, other.access, _ACCESS),
    ):
        if mine is not None and theirs is not None and mine != theirs:
            return rank[theirs] < rank[mine]
    return other.cost is not None and here.cost is not None and other.cost < here.cost


def _order(tool: Tool) -> tuple[int, int, bool, float, str]:
    return (
        _RISK.get(tool.risk or "", 1),
        _ACCESS.get(tool.access or "", 1),
        tool.cost is None,
        tool.cost or 0.0,
        tool.name,
    )


registry_of: ByIdentity[ToolsSpec, Registry] = ByIdentity(
    lambda spec: Registry(spec.registry)
)
"""The registry of a contract's `tools` section, built once."""
