"""The steps of a graded conversation, with those that verdicts refer to. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

_TRACE: Final = "trace:"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationStep:
    """One step: something said, a tool call with its result, or both. All texts may be hostile.

    number: from 1. ref: how verdicts name it (`trace:7`).
    kind: `said`, `called` or `state`. role: who spoke; empty for a call without one.
    arguments: JSON-ready, or the text of arguments that are no object. result: JSON-ready; None where there is none.
    verdicts: positions of the verdicts that refer to it. decides: one of them decided the gate.
    """

    number: int
    ref: str
    kind: str
    role: str
    text: str
    tool: str | None
    arguments: object
    result: object
    status: str | None
    error: str | None
    state_type: str | None
    verdicts: tuple[int, ...] = ()
    decides: bool = False


def conversation_of(
    trace: Mapping[str, Any],
    refs: Mapping[str, Sequence[int]],
    deciding: frozenset[int],
) -> tuple[ConversationStep, ...]:
    """The steps of a stored trace.

    Args:
        trace: as the content of a result has it (`result.trace`).
        refs: the positions of the verdicts that name a reference.
        deciding: the positions of the verdicts that decided the gate.
    """
    named = _by_step(refs)
    return tuple(
        _step(step, index, named, deciding) for index, step in enumerate(_steps(trace))
    )


def _steps(trace: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    steps = trace.get("steps")
    if not isinstance(steps, list):
        return
    for step in cast("list[object]", steps):
        if isinstance(step, dict):
            yield cast("Mapping[str, Any]", step)


def _by_step(refs: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """The positions by the step that a reference begins with: `trace:7:120` is a place in `trace:7`."""
    found: dict[str, list[int]] = {}
    for ref, positions in refs.items():
        if ref.startswith(_TRACE):
            found.setdefault(ref, []).extend(positions)
            step, _, place = ref.removeprefix(_TRACE).rpartition(":")
            if step and place.isdigit():
                found.setdefault(f"{_TRACE}{step}", []).extend(positions)
    return found


def _step(
    step: Mapping[str, Any],
    index: int,
    named: Mapping[str, Sequence[int]],
    deciding: frozenset[int],
) -> ConversationStep:
    step_id = step.get("step_id")
    ref = f"{_TRACE}{index + 1 if step_id is None else step_id}"
    verdicts = tuple(sorted(set(named.get(ref, ()))))
    tool = _text(step.get("tool_name")) or None
    arguments = step.get("arguments") or step.get("arguments_text")
    error = step.get("error")
    return ConversationStep(
        number=index + 1,
        ref=ref,
        kind=_kind(step, tool),
        role=_text(step.get("role")),
        text=_text(step.get("content")),
        tool=tool,
        arguments=arguments or None,
        result=step.get("result"),
        status=_text(step.get("status")) or None,
        error=None if error in (None, False) else _text(error),
        state_type=_text(step.get("state_type")) or None,
        verdicts=verdicts,
        decides=not deciding.isdisjoint(verdicts),
    )


def _kind(step: Mapping[str, Any], tool: str | None) -> str:
    if tool is not None:
        return "called"
    return "said" if step.get("content") else "state"


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else str(value)
