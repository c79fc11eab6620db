"""Which steps of a trace are an `Activity`, and whether two steps agree on their arguments."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, cast

from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.contracts.sections.procedure import Activity
from judgemesh.contracts.sections.section import Matcher
from judgemesh.contracts.text.literal_search import stands_whole
from judgemesh.validators._shared.matching import matches_or_unknown
from judgemesh.validators._shared.regex import search
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.trace.call_outcome import call_succeeded
from judgemesh.validators._shared.trace.tool_calls import argument, calls_tool
from judgemesh.validators._shared.trace.transcript import (
    role_group,
    same_role,
)
from judgemesh.validators._shared.values import ABSENT, UNKNOWN, json_equal, json_text

_BOUNDS: Final = frozenset({"gt", "ge", "lt", "le"})
_EMPHASIS: Final = re.compile(r"\*+|`+|~~|(?<!\w)_+|_+(?!\w)")
_TYPOGRAPHY: Final = str.maketrans(
    "\u2018\u2019\u201c\u201d\u2010\u2011\u2013\u2014\u00a0", "''\"\"---- "
)


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A step in which an activity occurs. `position` counts from 0; `ref` is shown to people."""

    position: int
    ref: str
    step: TraceStep


def occurrences(
    activity: Activity,
    steps: Sequence[TraceStep],
    refs: Sequence[str],
    assumed: Collection[int] = (),
) -> list[Occurrence]:
    """Every occurrence of the activity, in the order of the trace. `refs` names each step.

    A step of which nobody can tell counts where its position is among the `assumed`.
    """
    occurring: list[Occurrence] = []
    for position, step in enumerate(steps):
        occurring_here = occurs(activity, step)
        if occurring_here is None:
            occurring_here = position in assumed
        if occurring_here:
            occurring.append(Occurrence(position, refs[position], step))
    return occurring


def occurs(activity: Activity, step: TraceStep) -> bool | None:
    """Whether the step is an occurrence: all conditions of the activity hold.

    None where that hangs on an argument that cannot be read, or on a call that was neither done nor failed.

    Raises:
        ValueError: a pattern or schema of the contract cannot be compiled.
    """
    if activity.tool is not None and not calls_tool(activity.tool, step):
        return False
    if activity.state is not None and not _same_label(activity.state, step.state_type):
        return False
    if activity.role is not None and not same_role(activity.role, step.role):
        return False
    if activity.says is not None and not _says(activity, step):
        return False
    holds = (_ended(activity, step), _fulfils(activity, step))
    return False if False in holds else None if None in holds else True


def _ended(activity: Activity, step: TraceStep) -> bool | None:
    """Whether the step ended as the activity says; None where nobody can tell."""
    if activity.succeeded is None:
        return True
    succeeded = call_succeeded(step)
    return None if succeeded is None else succeeded is activity.succeeded


def _fulfils(activity: Activity, step: TraceStep) -> bool | None:
    """Whether the arguments of the step fulfil the conditions on them."""
    certain = True
    for name, matcher in activity.where.items():
        holds = _condition(activity, matcher, step, name)
        if holds is False:
            return False
        certain = certain and holds is True
    return True if certain else None


def _condition(
    activity: Activity, matcher: Matcher, step: TraceStep, name: str
) -> bool | None:
    """Whether one argument fulfils its condition.

    A number that the call of a named tool leaves out may be any number. A pattern for many tools is about those that
    have the argument.
    """
    value = argument(step, name)
    is_named = activity.tool is not None and "*" not in activity.tool
    if (value is ABSENT or value is None) and is_named and _is_bounded(matcher):
        return None
    return matches_or_unknown(matcher, value, loose=True)


def _is_bounded(matcher: Matcher) -> bool:
    return not _BOUNDS.isdisjoint(matcher.model_fields_set)


def _same_label(expected: str, actual: str | None) -> bool:
    return (actual or "").casefold() == expected.casefold()


def _says(activity: Activity, step: TraceStep) -> bool:
    """Whether the step's text has the pattern, as written or without marks of emphasis. A tool says nothing."""
    text = step.content
    if text is None or activity.says is None:
        return False
    if activity.role is None and role_group(step.role) == "tool":
        return False
    if search(activity.says, text) is not None:
        return True
    bare = _EMPHASIS.sub("", plain(text)).translate(_TYPOGRAPHY)
    return bare != text and search(activity.says, bare) is not None


def is_unread(step: TraceStep, same: Sequence[str]) -> bool:
    """Whether an argument in which steps must agree cannot be read."""
    return any(argument(step, name) is UNKNOWN for name in same)


def agree(left: TraceStep, right: TraceStep, same: Sequence[str]) -> bool:
    """Whether two steps name the same value for every argument in `same`.

    Two tool calls agree by JSON equality; 441 and "441" are one id. An utterance has no arguments: it agrees when its
    text names the other step's value, as a whole word.
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
    return same_value(left_value, right_value)


def same_value(left: object, right: object) -> bool:
    """Whether two arguments name the same thing: JSON equality, and 441 is the id "441"."""
    return json_equal(left, right, _same_id)


def _same_id(left: object, right: object) -> bool:
    return _id_text(left) == _id_text(right)


def _id_text(value: object) -> object:
    """A scalar by which to compare: whole numbers and texts as texts, everything else as it is, with its type."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (type(value), value)
    if isinstance(value, float) and not value.is_integer():
        return repr(value)
    return str(int(value))


def may_agree(left: TraceStep, right: TraceStep, same: Sequence[str]) -> bool:
    """Whether two calls that do not agree may mean the same: in another case, as one of a list, under another key."""
    return all(
        _agree_on(name, left, right) or _may_agree_on(name, left, right)
        for name in same
    )


def _may_agree_on(name: str, left: TraceStep, right: TraceStep) -> bool:
    values = argument(left, name), argument(right, name)
    if left.tool_name is None or right.tool_name is None or values == (ABSENT, ABSENT):
        return False
    meant = [
        _meant(value, step) for value, step in zip(values, (left, right), strict=True)
    ]
    return not meant[0].isdisjoint(meant[1])


def _meant(value: object, step: TraceStep) -> frozenset[object]:
    """What an argument may stand for: it in any case, the members of a list; any value of a call without it."""
    if value is ABSENT:
        values: Sequence[object] = [*step.arguments.values()]
    elif isinstance(value, list):
        values = cast("list[object]", value)
    else:
        values = [value]
    return frozenset(
        str(_id_text(one)).casefold()
        for one in values
        if isinstance(one, str | int | float) and str(one).strip()
    )


def _utters(step: TraceStep, value: object) -> bool:
    """Whether the step is an utterance that names the value as a whole word."""
    if step.tool_name is not None or not step.content:
        return False
    text = (value if isinstance(value, str) else json_text(value)).strip()
    if not text:
        return False
    return stands_whole(plain(text).casefold(), plain(step.content).casefold())


def binding_key(step: TraceStep, same: Sequence[str]) -> tuple[object, ...] | None:
    """A hashable stand-in for the step's values of `same`: two tool calls agree exactly when their keys are equal.

    None where only `agree` can tell: an utterance, a missing value, or one that is an object or array.
    """
    if step.tool_name is None:
        return None
    key: list[object] = []
    for name in same:
        value = argument(step, name)
        if value is ABSENT or isinstance(value, dict | list):
            return None
        key.append(_id_text(value))
    return tuple(key)
