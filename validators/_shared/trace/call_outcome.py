"""How a tool call of a trace ended: by its status and error, and by what it returned.

A call that returned an answer is done. One that was queued, only tried, refused or done in part is neither done nor
failed: what its result says is its standing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from judgemesh.contracts.result_parts.call_results import (
    PROBLEM_KEYS,
    STATUS_KEYS,
    as_object,
    folded_key,
    opened,
    states_error,
    wrapped,
)
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.validators._shared.exception_names import begins_with_exception
from judgemesh.validators._shared.trace.call_signs import UNDONE, shown, signs
from judgemesh.validators._shared.trace.status import standing
from judgemesh.validators._shared.trace.transcript import (
    failed_status,
    step_failed,
    step_timed_out,
)
from judgemesh.validators._shared.trace.verbs import kind_words, reads
from judgemesh.validators._shared.values import json_text

_TIMEOUT_TEXT = re.compile(
    r"time(?:d[ _-]?)?[ _-]?out|deadline exceeded", re.IGNORECASE
)
_BROKEN: Final = frozenset({"error", "errored", "exception"})
"""States that are those of a call, and not of an order or a payment."""
_WRAPPERS: Final = frozenset(
    {"data", "result", "results", "response", "output", "content", "body", "payload", "text"}
)  # fmt: skip


def call_failed(step: TraceStep) -> bool:
    """Whether a tool call failed, or returned the text of an exception."""
    if _is_exception(step.result):
        return True
    return step_failed(step) and _tells_of_another(step) is not True


def _is_exception(result: object) -> bool:
    """Whether code of the tool broke, which need not have kept the tool from its work."""
    return isinstance(result, str) and begins_with_exception(result)


def call_timed_out(step: TraceStep) -> bool:
    """Whether a failed call failed by running out of time."""
    if step_timed_out(step):
        return True
    if not call_failed(step):
        return False
    return _TIMEOUT_TEXT.search(json_text(step.result)) is not None


def unrecovered(steps: Sequence[TraceStep]) -> list[tuple[int, TraceStep]]:
    """The failed calls that no later successful call of the same tool made good."""
    failed: list[tuple[int, TraceStep]] = []
    for position, step in enumerate(steps):
        if step.tool_name is None:
            continue
        if call_failed(step):
            failed.append((position, step))
        else:
            failed = [entry for entry in failed if entry[1].tool_name != step.tool_name]
    return failed


def call_succeeded(step: TraceStep) -> bool | None:
    """Whether a step went through. None where its result says that the call is open, or was done in part or not at all.

    A step that is no call went through unless its status says otherwise.
    """
    told = _tells_of_another(step)
    if told is not False:
        return told
    if call_failed(step):
        return False
    return None if call_doubt(step) else True


def call_doubt(step: TraceStep) -> str:
    """The part of a call's status or result that says that the call is neither done nor failed; empty without one."""
    tool = step.tool_name
    if tool is None:
        return ""
    if step.status and standing(step.status, tool) in UNDONE:
        return f"status: {shown(step.status)}"
    if _tells_of_another(step) is None:
        return shown(step.result)
    told = signs(step.result, tool, step.arguments)
    return next((sign.part for sign in told if sign.says in UNDONE), "")


def _tells_of_another(step: TraceStep) -> bool | None:
    """Whether the `failed` in what a reading tool returned is the state of what it read; None where nobody can tell."""
    tool = step.tool_name or ""
    if step.error or failed_status(step.status) or not reads(tool):
        return False
    if not (step_failed(step) or _is_exception(step.result)):
        return False
    return _is_of_what_was_read(step.result, tool)


def _is_of_what_was_read(result: object, tool: str) -> bool | None:
    if isinstance(result, str) and "\n" in result.strip():
        # A file may begin with the words of an error.
        return None
    known = as_object(opened(result))
    if known is None or states_error(_without_states(known)):
        return False
    states = {
        str(value).casefold()
        for key, value in known.items()
        if folded_key(key) in STATUS_KEYS
    }
    names = {folded_key(key) for key in known} - STATUS_KEYS - PROBLEM_KEYS
    if not states and names <= _WRAPPERS:
        inside = wrapped(known)
        return False if inside is None else _is_of_what_was_read(inside, tool)
    if not _BROKEN.isdisjoint(states):
        return None if names else False
    is_named = not states or "id" in names or not names.isdisjoint(kind_words(tool))
    return True if is_named else None


def _without_states(value: object) -> object:
    """A value without the states of the objects in it."""
    if isinstance(value, list):
        return [_without_states(item) for item in cast("list[object]", value)]
    if not isinstance(value, dict):
        return value
    known = cast("Mapping[str, object]", value)
    return {
        key: _without_states(item)
        for key, item in known.items()
        if not (folded_key(key) in STATUS_KEYS and isinstance(item, str))
    }
