"""Which steps of a trace are an `Activity`, and whether two steps agree on their arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from judgemesh.contracts.procedure import Activity
from judgemesh.contracts.results import TraceStep
from judgemesh.validators._shared.matching import matches
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.tool_calls import argument, tool_matches
from judgemesh.validators._shared.transcript import step_failed
from judgemesh.validators._shared.values import ABSENT, json_equal, json_text


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A step in which an activity occurs. `position` counts from 0; `ref` is shown to people."""

    position: int
    ref: str
    step: TraceStep


def occurrences(
    activity: Activity, steps: Sequence[TraceStep], refs: Sequence[str]
) -> list[Occurrence]:
    """Every occurrence of the activity, in the order of the trace. `refs` names each step."""
    occurring: list[Occurrence] = []
    for position, step in enumerate(steps):
        if occurs(activity, step):
            occurring.append(Occurrence(position, refs[position], step))
    return occurring


def occurs(activity: Activity, step: TraceStep) -> bool:
    """Whether the step is an occurrence: all conditions of the activity hold.

    Raises:
        ValueError: a pattern or schema of the contract cannot be compiled.
    """
    tool = step.tool_name
    if activity.tool is not None and (
        tool is None or not tool_matches(activity.tool, tool)
    ):
        return False
    if activity.state is not None and not _same_label(activity.state, step.state_type):
        return False
    if activity.role is not None and not _same_label(activity.role, step.role):
        return False
    if activity.succeeded is not None and activity.succeeded is step_failed(step):
        return False
    if activity.says is not None and not _says(step, activity.says):
        return False
    return all(
        matches(matcher, argument(step, name))
        for name, matcher in activity.where.items()
    )


def _same_label(expected: str, actual: str | None) -> bool:
    return (actual or "").casefold() == expected.casefold()


def _says(step: TraceStep, pattern: str) -> bool:
    return step.content is not None and search(pattern, step.content) is not None


def agree(left: TraceStep, right: TraceStep, same: Sequence[str]) -> bool:
    """Whether two steps name the same value for every argument in `same`.

    Two tool calls agree by JSON equality. An utterance has no arguments: it agrees when its text names the other
    step's value, as a whole word.
    """
    return all(_agree_on(name, left, right) for name in same)


def _agree_on(name: str, left: TraceStep, right: TraceStep) -> bool:
    left_value, right_value = argument(left, name), argument(right, name)
    if left_value is ABSENT and right_value is ABSENT:
        return False
    if left_value is ABSENT:
        return _utters(left, right_value)
    if right_value is ABSENT:
        return _utters(right, left_value)
    return json_equal(left_value, right_value)


def _utters(step: TraceStep, value: object) -> bool:
    """Whether the step is an utterance that names the value as a whole word."""
    if step.tool_name is not None or not step.content:
        return False
    text = (value if isinstance(value, str) else json_text(value)).strip()
    if not text:
        return False
    whole_word = rf"(?<!\w){re.escape(plain(text))}(?!\w)"
    return re.search(whole_word, plain(step.content), re.IGNORECASE) is not None


def binding_key(
    step: TraceStep, same: Sequence[str]
) -> tuple[tuple[bool, object], ...] | None:
    """A hashable stand-in for the step's values of `same`: two tool calls agree exactly when their keys are equal.

    None where only `agree` can tell: an utterance, a missing value, or one that is an object or array.
    """
    if step.tool_name is None:
        return None
    key: list[tuple[bool, object]] = []
    for name in same:
        value = argument(step, name)
        if value is ABSENT or isinstance(value, dict | list):
            return None
        # True equals 1 in Python and not in JSON.
        key.append((isinstance(value, bool), value))
    return tuple(key)
