"""Prerequisites of calls: which calls must stand before another one, as `all` and `any` of bound earlier calls.

An earlier call counts only when it did not fail and its own prerequisites held; a call that holds may stand for others
(`implies`), as a check that cannot succeed unless another one would.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.procedure import Prerequisite, Requirement
from judgemesh.contracts.results import TraceStep
from judgemesh.validators._shared.transcript import step_failed
from judgemesh.validators._shared.values import ABSENT, json_equal
from judgemesh.validators.sop.activities import argument, is_tool
from judgemesh.validators.sop.rules import Violation
from judgemesh.validators.sop.trace import Steps

_SHOWN_STEPS: Final = 10


@dataclass(slots=True)
class _Done:
    """The calls that count so far, by tool: the values of their arguments, as far as they are known."""

    calls: dict[str, list[Mapping[str, object]]] = field(
        default_factory=dict[str, list[Mapping[str, object]]]
    )

    def add(self, tool: str, values: Mapping[str, object]) -> None:
        self.calls.setdefault(tool, []).append(values)

    def of(self, glob: str) -> Iterator[Mapping[str, object]]:
        if "*" not in glob:
            yield from self.calls.get(glob, ())
            return
        for tool, calls in self.calls.items():
            if is_tool(glob, tool):
                yield from calls


def prerequisites(
    specs: Sequence[Prerequisite], steps: Steps
) -> list[tuple[Prerequisite, Violation | None]]:
    """Each prerequisite with the calls that broke it."""
    done = _Done()
    broken: dict[str, list[tuple[str, str]]] = {}
    by_tool: dict[str, list[Prerequisite]] = {}
    for index, step in enumerate(steps.steps):
        tool = step.tool_name
        if tool is None or step_failed(step):
            continue
        known = by_tool.get(tool)
        if known is None:
            known = by_tool[tool] = [spec for spec in specs if is_tool(spec.tool, tool)]
        held = True
        for spec in known:
            lacking = (
                None if spec.requires is None else _lacking(spec.requires, step, done)
            )
            if lacking is not None:
                broken.setdefault(spec.tool, []).append((steps.refs[index], lacking))
                held = False
        if held:
            done.add(tool, step.arguments)
            for spec in known:
                for implied in spec.implies:
                    done.add(
                        implied.call,
                        {
                            name: argument(step, given)
                            for name, given in implied.bind.items()
                        },
                    )
    return [(spec, _violation(spec, broken.get(spec.tool, []))) for spec in specs]


def _lacking(requirement: Requirement, step: TraceStep, done: _Done) -> str | None:
    """What of the requirement is not there, in words; None when it holds."""
    if requirement.call is not None:
        # What the later call does not say binds nothing.
        given = {
            name: argument(step, source) for name, source in requirement.bind.items()
        }
        wanted = {
            name: value
            for name, value in given.items()
            if value is not ABSENT and value not in (None, "")
        }
        if any(
            all(
                name not in call or json_equal(call[name], value)
                for name, value in wanted.items()
            )
            for call in done.of(requirement.call)
        ):
            return None
        bound = f" for the same {', '.join(wanted)}" if wanted else ""
        return f"{requirement.call}{bound}"
    if requirement.all is not None:
        return next(
            (
                lack
                for part in requirement.all
                if (lack := _lacking(part, step, done)) is not None
            ),
            None,
        )
    lacks: list[str] = []
    for part in requirement.any or ():
        lack = _lacking(part, step, done)
        if lack is None:
            return None
        lacks.append(lack)
    return " or ".join(lacks)


def _violation(spec: Prerequisite, found: list[tuple[str, str]]) -> Violation | None:
    if not found:
        return None
    return Violation(
        f"{spec.tool} was called without {found[0][1]} before it",
        tuple(ref for ref, _ in found[:_SHOWN_STEPS]),
    )
