"""Which steps of a trace are an `Activity`, and whether two of them agree on their arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from judgemesh.contracts.procedure import Activity
from judgemesh.contracts.results import TraceStep
from judgemesh.validators._shared.fields import parse_json
from judgemesh.validators._shared.matching import matches
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.transcript import step_failed
from judgemesh.validators._shared.values import (
    ABSENT,
    dig,
    json_equal,
    json_text,
    pointer_segments,
)

_RESULT = "result"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A step in which an activity occurs. `position` counts from 0, `ref` is what people are shown."""

    position: int
    ref: str
    step: TraceStep


@lru_cache(maxsize=1024)
def tool_pattern(glob: str) -> re.Pattern[str]:
    """A tool name in which `*` stands for any run of characters."""
    parts = [re.escape(part) for part in re.sub(r"\*+", "*", glob).split("*")]
    return re.compile(".*".join(parts), re.DOTALL)


def is_tool(glob: str, name: str) -> bool:
    """Whether a tool's name fits."""
    return (
        glob == name
        if "*" not in glob
        else tool_pattern(glob).fullmatch(name) is not None
    )


def occurs(activity: Activity, step: TraceStep) -> bool:
    """Whether the step is an occurrence: all conditions of the activity hold.

    Raises:
        ValueError: a pattern or schema of the contract is none.
    """
    return (
        (
            activity.tool is None
            or (step.tool_name is not None and is_tool(activity.tool, step.tool_name))
        )
        and (
            activity.state is None
            or (step.state_type or "").casefold() == activity.state.casefold()
        )
        and (
            activity.role is None
            or (step.role or "").casefold() == activity.role.casefold()
        )
        and (activity.succeeded is None or activity.succeeded is not step_failed(step))
        and (
            activity.says is None
            or (
                step.content is not None
                and search(activity.says, step.content) is not None
            )
        )
        and all(
            matches(matcher, argument(step, name))
            for name, matcher in activity.where.items()
        )
    )


def argument(step: TraceStep, name: str) -> object:
    """The value of an argument: by key, by dotted path or pointer; `result` and `result.x` look into the result."""
    if name in step.arguments:
        return step.arguments[name]
    path = pointer_segments(name)
    if path[:1] == (_RESULT,):
        return (
            ABSENT
            if step.result is None
            else dig(
                _result_data(step.result) if len(path) > 1 else step.result, path[1:]
            )
        )
    return dig(step.arguments, path[1:] if path[:1] == ("arguments",) else path)


def _result_data(result: object) -> object:
    """Tools often return JSON as text."""
    if not isinstance(result, str):
        return result
    try:
        found: object = parse_json(result)
    except ValueError:
        return result
    return found


def agree(one: TraceStep, two: TraceStep, same: Sequence[str]) -> bool:
    """Whether two steps name the same value for every argument in `same`.

    Two tool calls agree by JSON equality. An utterance has no arguments: it agrees when its text names the other
    step's value, as a whole word.
    """
    return all(_agree_on(one, two, name) for name in same)


def binding_key(
    step: TraceStep, same: Sequence[str]
) -> tuple[tuple[bool, object], ...] | None:
    """A hashable stand-in for the step's values of `same`: two tool calls agree exactly when their keys are equal.

    None where only `agree` can tell: an utterance, a missing value, or one that is an object or array.
    """
    if step.tool_name is None:
        return None
    values = [argument(step, name) for name in same]
    if any(value is ABSENT or isinstance(value, dict | list) for value in values):
        return None
    return tuple((isinstance(value, bool), value) for value in values)


def _agree_on(one: TraceStep, two: TraceStep, name: str) -> bool:
    left, right = argument(one, name), argument(two, name)
    if left is not ABSENT and right is not ABSENT:
        return json_equal(left, right)
    if left is ABSENT and one.tool_name is None and right is not ABSENT:
        return _mentions(one.content, right)
    if right is ABSENT and two.tool_name is None and left is not ABSENT:
        return _mentions(two.content, left)
    return False


def _mentions(content: str | None, value: object) -> bool:
    named = (value if isinstance(value, str) else json_text(value)).strip()
    if not content or not named:
        return False
    return (
        re.search(
            rf"(?<!\w){re.escape(plain(named))}(?!\w)", plain(content), re.IGNORECASE
        )
        is not None
    )


def occurrences(
    activity: Activity,
    steps: Sequence[TraceStep],
    refs: Mapping[int, str] | Sequence[str],
) -> list[Occurrence]:
    """Every occurrence of the activity, in the order of the trace."""
    return [
        Occurrence(index, refs[index], step)
        for index, step in enumerate(steps)
        if occurs(activity, step)
    ]
