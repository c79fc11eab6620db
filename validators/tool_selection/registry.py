"""What a contract knows about the tools: names, labels, and which tool of several equivalent ones is the best pick."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.sections.tools import Tool, ToolsSpec
from judgemesh.validators._shared.memo import ByIdentity
from judgemesh.validators._shared.schemas import faults, schema_of
from judgemesh.validators._shared.trace.tool_names import same_tool

_RISK: Final[Mapping[str, int]] = MappingProxyType({"safe": 0, "destructive": 1})
_ACCESS: Final[Mapping[str, int]] = MappingProxyType({"read": 0, "write": 1})


class ToolRegistry:
    """The tools of a contract by name and alias, in classes of equivalents.

    Equivalence is symmetric and transitive.
    """

    def __init__(self, tools: list[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._names: dict[str, str] = {}
        for tool in tools:
            for name in (tool.name, *tool.aliases):
                self._names[name] = tool.name
        self._classes = _classes(tools, self._names)

    def name(self, called: str) -> str:
        """The registered name of a tool called by a name or an alias, in any spelling; an unknown one keeps its own."""
        if called in self._names:
            return self._names[called]
        return one_name(called, self._names, self._names)

    def get(self, name: str) -> Tool | None:
        """The tool of that registered name."""
        return self._tools.get(name)

    def knows(self, name: str) -> bool:
        """Whether the agent had such a tool. An empty registry says nothing, so any name is known."""
        return not self._tools or name in self._tools

    def class_of(self, name: str) -> str:
        """One name for all equivalents of a tool."""
        members = self._classes.get(name)
        return name if members is None else min(members)

    def better(self, name: str) -> str | None:
        """The best safer or cheaper equivalent; None when this is the pick.

        Safer goes before cheaper: a cheap tool that destroys is no better than an expensive one that does not. Costs
        are compared only where both are known.
        """
        tool = self._tools.get(name)
        if tool is None:
            return None
        better: list[Tool] = []
        for equivalent in self._classes[name]:
            other = self._tools[equivalent]
            if _is_better(other, tool):
                better.append(other)
        best = min(better, key=_preference, default=None)
        return None if best is None else best.name

    def invalid(self, name: str, arguments: Mapping[str, object]) -> str | None:
        """Why the arguments do not fit the tool's schema, in one line; None when they do or no schema is known.

        Raises:
            ValueError: the schema cannot be compiled.
        """
        tool = self._tools.get(name)
        if tool is None or tool.parameters is None:
            return None
        for fault in faults(schema_of(tool.parameters), dict(arguments), limit=1):
            return f"{fault.pointer or 'arguments'}: {fault.message}"
        return None


def one_name(called: str, known: Iterable[str], names: Mapping[str, str]) -> str:
    """The one name that is the called tool's in another spelling or with a prefix; else its own."""
    found = {names[name] for name in known if same_tool(name, called)}
    return found.pop() if len(found) == 1 else called


def _classes(tools: list[Tool], names: Mapping[str, str]) -> dict[str, set[str]]:
    """The names of the equivalents of each tool, itself included."""
    classes: dict[str, set[str]] = {tool.name: {tool.name} for tool in tools}
    for tool in tools:
        for equivalent in tool.equivalents:
            members, others = classes[tool.name], classes[names[equivalent]]
            if members is others:
                continue
            members |= others
            for other in others:
                classes[other] = members
    return classes


def _is_better(other: Tool, tool: Tool) -> bool:
    """Whether `other` is safer, else cheaper. A label or cost that one of them lacks says nothing."""
    for label, other_label, rank in (
        (tool.risk, other.risk, _RISK),
        (tool.access, other.access, _ACCESS),
    ):
        if label is not None and other_label is not None and label != other_label:
            return rank[other_label] < rank[label]
    return other.cost is not None and tool.cost is not None and other.cost < tool.cost


def _preference(tool: Tool) -> tuple[int, int, bool, float, str]:
    """A sort key: safest, then cheapest first; an unknown label counts as the worse one."""
    return (
        _RISK.get(tool.risk or "", 1),
        _ACCESS.get(tool.access or "", 1),
        tool.cost is None,
        tool.cost or 0.0,
        tool.name,
    )


registry_of: ByIdentity[ToolsSpec, ToolRegistry] = ByIdentity(
    lambda spec: ToolRegistry(spec.registry)
)
"""The registry of a contract's `tools` section, built once."""
