"""Prerequisites of calls: which calls must come before another one, as `all` and `any` of bound earlier calls.

An earlier call counts only when it did not fail and its own prerequisites held. Where what a call returned leaves open
whether it went through, the prerequisites are tried both ways, and decide nothing where that makes a difference. A
call that counts may stand for others (`implies`), for example a check that cannot succeed unless another one would.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import Prerequisite, Requirement
from judgemesh.validators._shared.trace.call_outcome import call_doubt, call_succeeded
from judgemesh.validators._shared.trace.tool_calls import argument
from judgemesh.validators._shared.trace.tool_names import tool_matches
from judgemesh.validators._shared.trace.transcript import step_failed
from judgemesh.validators._shared.values import ABSENT
from judgemesh.validators.sop.activities import same_value
from judgemesh.validators.sop.trace import Steps
from judgemesh.validators.sop.violations import MAX_STEPS, Violation


@dataclass(frozen=True, slots=True)
class Checked:
    """A prerequisite after its check: kept, broken (`violation`), or open, with what cannot be told (`unseen`)."""

    spec: Prerequisite
    violation: Violation | None
    unseen: str = ""


def check_prerequisites(specs: Sequence[Prerequisite], steps: Steps) -> list[Checked]:
    """Each prerequisite with the calls that broke it."""
    doubtful = [
        position
        for position, step in enumerate(steps.steps)
        if step.tool_name is not None and _is_doubtful(step)
    ]
    strict = _violations(specs, steps, frozenset(doubtful))
    if not doubtful:
        return list(map(Checked, specs, strict))
    lenient = _violations(specs, steps, frozenset())
    first = doubtful[0]
    unseen = f"whether step {steps.refs[first]} went through cannot be told ({call_doubt(steps.steps[first])})"
    return [
        Checked(spec, one, "" if (one is None) is (other is None) else unseen)
        for spec, one, other in zip(specs, strict, lenient, strict=True)
    ]


def _is_doubtful(step: TraceStep) -> bool:
    """Whether a call was neither done nor failed; a bare `false` is the answer of a tool that examines."""
    return not isinstance(step.result, bool) and call_succeeded(step) is None


def _violations(
    specs: Sequence[Prerequisite], steps: Steps, void: Collection[int]
) -> list[Violation | None]:
    """How each prerequisite was broken. The calls at the positions in `void` do not count as earlier calls."""
    earlier = _EarlierCalls()
    # Tool pattern -> the calls that broke its prerequisite: step and what was lacking.
    broken: dict[str, list[tuple[str, str]]] = {}
    specs_of_tool: dict[str, list[Prerequisite]] = {}
    for index, step in enumerate(steps.steps):
        tool = step.tool_name
        if tool is None or step_failed(step):
            continue
        if tool not in specs_of_tool:
            specs_of_tool[tool] = _applicable(specs, tool)
        applicable = specs_of_tool[tool]
        held = index not in void
        for spec in applicable:
            lacking = _lacking(spec.requires, step, earlier)
            if lacking is not None:
                broken.setdefault(spec.tool, []).append((steps.refs[index], lacking))
                held = False
        if held:
            earlier.add(tool, step.arguments)
            earlier.add_implied(applicable, step)
    return [_violation(spec, broken.get(spec.tool)) for spec in specs]


def _applicable(specs: Sequence[Prerequisite], tool: str) -> list[Prerequisite]:
    """The prerequisites of the tool's calls."""
    return [spec for spec in specs if tool_matches(spec.tool, tool)]


class _EarlierCalls:
    """The calls that count so far, by tool: the values of their arguments, as far as they are known."""

    def __init__(self) -> None:
        self._calls: dict[str, list[Mapping[str, object]]] = {}

    def add(self, tool: str, values: Mapping[str, object]) -> None:
        self._calls.setdefault(tool, []).append(values)

    def add_implied(self, specs: Sequence[Prerequisite], step: TraceStep) -> None:
        """Add the calls that `step` stands for."""
        for spec in specs:
            for implied in spec.implies:
                self.add(implied.call, _bound_values(implied.bind, step))

    def of(self, pattern: str) -> Iterator[Mapping[str, object]]:
        for tool, calls in self._calls.items():
            if tool_matches(pattern, tool):
                yield from calls


def _bound_values(bind: Mapping[str, str], step: TraceStep) -> dict[str, object]:
    return {name: argument(step, source) for name, source in bind.items()}


def _lacking(
    requirement: Requirement | None, step: TraceStep, earlier: _EarlierCalls
) -> str | None:
    """The part of the requirement that does not hold, in words; None when all of it holds."""
    if requirement is None:
        return None
    if requirement.call is not None:
        return _lacking_call(requirement.call, requirement.bind, step, earlier)
    if requirement.all is not None:
        for part in requirement.all:
            lacking = _lacking(part, step, earlier)
            if lacking is not None:
                return lacking
        return None
    alternatives: list[str] = []
    for part in requirement.any or ():
        lacking = _lacking(part, step, earlier)
        if lacking is None:
            return None
        alternatives.append(lacking)
    return " or ".join(alternatives)


def _lacking_call(
    pattern: str, bind: Mapping[str, str], step: TraceStep, earlier: _EarlierCalls
) -> str | None:
    # An argument that the later call leaves out or empty binds nothing.
    values = {
        name: value
        for name, value in _bound_values(bind, step).items()
        if value is not ABSENT and value not in (None, "")
    }
    if any(_fits(call, values) for call in earlier.of(pattern)):
        return None
    bound = f" for the same {', '.join(values)}" if values else ""
    return f"{pattern}{bound}"


def _fits(call: Mapping[str, object], values: Mapping[str, object]) -> bool:
    """Whether an earlier call has these values, as far as its values are known."""
    return all(
        name not in call or same_value(call[name], value)
        for name, value in values.items()
    )


def _violation(
    spec: Prerequisite, broken: Sequence[tuple[str, str]] | None
) -> Violation | None:
    if not broken:
        return None
    _, lacking = broken[0]
    refs = tuple(ref for ref, _ in broken[:MAX_STEPS])
    return Violation(f"{spec.tool} was called without {lacking} before it", refs)
