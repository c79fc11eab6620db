"""How a tool call of a trace ended: by its status and error, and by what it returned.

A call that returned an answer is done. One that was queued, only tried, refused or done in part is neither done nor
failed: what its result says is its standing. Tools that only read tell of the state of other things, so their words
are no standing of the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

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
from judgemesh.validators._shared.trace.status import Standing, standing
from judgemesh.validators._shared.trace.status_words import REHEARSAL
from judgemesh.validators._shared.trace.transcript import step_failed, step_timed_out
from judgemesh.validators._shared.trace.verbs import (
    kind_words,
    reads,
    stem,
    stems_of,
    verbs_of,
)
from judgemesh.validators._shared.values import as_sequence, flag, is_number, json_text

_TIMEOUT_TEXT = re.compile(
    r"time(?:d[ _-]?)?[ _-]?out|deadline exceeded", re.IGNORECASE
)
_EXCEPTION: Final = re.compile(r"\s*[\w.]*(?:Error|Exception|Timeout)\b\s*:")
"""The name of an exception says that code of the tool broke, which need not have kept the tool from its work."""
_HEAD: Final = re.compile(r"[^.:;,\n(\u2014]*")
_SHARE: Final = re.compile(r"\s*(\d{1,9})\s*(?:of|out of|/)\s*(\d{1,9})\b")
_MAX_WORDS: Final = 3
"""A text says how a call ended where no more words than these stand before its first mark."""
_MAX_KEYS: Final = 8
"""A result with more keys is a record, and its status that of the thing recorded."""
_MAX_DEPTH: Final = 4
_ACCEPTED: Final = "202"
_UNDONE: Final = frozenset({Standing.FAILED, Standing.OPEN, Standing.PARTIAL})
_CONSENTS: Final = frozenset(
    {"approved", "authorised", "authorized", "allowed", "permitted", "confirmed", "granted", "accepted", "executed",
     "completed", "done", "applied", "committed"}
)  # fmt: skip
"""Flags that say, where they are false, that what was asked for did not come about."""
_VERDICTS: Final = STATUS_KEYS | {
    "statuscode",
    "httpstatus",
    "decision",
    "verdict",
    "answer",
    "response",
}
_FAULTS: Final = frozenset({"errors", "error", "failed"})
_EXITS: Final = frozenset({"returncode", "exitcode", "exitstatus", "retcode"})
_NO_EXIT: Final = frozenset({"", "0", "None"})
_SMALL_CODES: Final = range(-100, 100)
_EXAMINING: Final = stems_of("validate verify test lint audit scan review examine")
_REHEARSALS: Final = frozenset(word.replace(" ", "") for word in REHEARSAL)


def call_failed(step: TraceStep) -> bool:
    """Whether a tool call failed, or returned the text of an exception."""
    return step_failed(step) or _is_exception(step.result)


def _is_exception(result: object) -> bool:
    return isinstance(result, str) and _EXCEPTION.match(result) is not None


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
    tool = step.tool_name or ""
    if call_failed(step):
        return None if _tells_of_another(step.result, tool) else False
    if step.tool_name is None:
        return True
    if step.status and standing(step.status, tool) in _UNDONE:
        return None
    signs = _signs(step.result, tool)
    return None if any(says in _UNDONE for says in signs) else True


def _tells_of_another(result: object, tool: str) -> bool:
    """Whether the `failed` in what a reading tool returned may be the state of what it read."""
    if not reads(tool):
        return False
    if isinstance(result, str) and "\n" in result.strip():
        # A file may begin with the words of an error.
        return True
    known = as_object(opened(result))
    if known is None:
        return False
    rest = {
        key: value for key, value in known.items() if folded_key(key) not in STATUS_KEYS
    }
    keys = set(map(folded_key, rest))
    return bool(keys - PROBLEM_KEYS) and not states_error(rest)


def _signs(result: object, tool: str) -> Iterator[Standing]:
    """What a result says of the call, in whatever wrapping."""
    for _ in range(_MAX_DEPTH):
        result = opened(result)
        if isinstance(result, str):
            yield _of_text(result, tool)
            return
        items = as_sequence(result)
        if items is not None and len(items) != 1:
            yield _of_items(items, tool)
            return
        if result is False and not reads(tool):
            yield Standing.FAILED
        known = as_object(result)
        if known is None:
            return
        yield from _of_object(known, tool)
        result = wrapped(known)


def _of_text(text: str, tool: str) -> Standing:
    head = _HEAD.match(text.strip())
    if reads(tool) or head is None:
        return Standing.DONE
    share = _SHARE.match(text)
    if share is not None:
        is_whole = int(share[1]) >= int(share[2])
        return Standing.DONE if is_whole else Standing.PARTIAL
    if len(head[0].split()) > _MAX_WORDS:
        return Standing.DONE
    if head[0][:1].isdecimal():
        return _of_code(head[0].split()[0], tool)
    return standing(text, tool)


def _of_code(code: str, tool: str) -> Standing:
    """An HTTP code that says that something was accepted leaves open whether it is done."""
    is_open = code == _ACCEPTED and standing(code, tool) is Standing.UNKNOWN
    return Standing.OPEN if is_open else Standing.DONE


def _of_items(items: Sequence[object], tool: str) -> Standing:
    """Several results of one call: done in part where some are errors."""
    if reads(tool):
        return Standing.DONE
    return Standing.PARTIAL if any(map(states_error, items)) else Standing.DONE


def _of_object(result: Mapping[str, object], tool: str) -> Iterator[Standing]:
    for key, value in result.items():
        name = folded_key(key)
        raised = flag(value)
        if name in _REHEARSALS or name == "isdryrun":
            yield Standing.OPEN if raised is True else Standing.DONE
        elif (name == "partial" and raised is True) or (
            name in _FAULTS and _holds(value) and not _examines(tool)
        ):
            yield Standing.PARTIAL
        elif name in _EXITS and str(value).strip() not in _NO_EXIT:
            yield Standing.FAILED
        elif name == "code" and _is_small_code(value, result):
            yield Standing.OPEN
        elif not reads(tool):
            yield _of_work(name, value, tool, len(result))


def _of_work(name: str, value: object, tool: str, keys: int) -> Standing:
    """What one value says about the work of a tool that does more than read."""
    if flag(value) is False and (name in _CONSENTS or stem(name) in verbs_of(tool)):
        return Standing.FAILED
    if name.startswith("pending") and _holds(value):
        return Standing.OPEN
    is_word = isinstance(value, str | int) and len(str(value).split()) <= _MAX_WORDS
    if name not in _VERDICTS or not is_word or keys > _MAX_KEYS:
        return Standing.DONE
    code = str(value)
    return _of_code(code, tool) if code.isdecimal() else standing(code, tool)


def _examines(tool: str) -> bool:
    """Whether what fails in the result of a tool is what it was to find."""
    return reads(tool) or not _EXAMINING.isdisjoint(map(stem, kind_words(tool)))


def _is_small_code(value: object, result: Mapping[str, object]) -> bool:
    """Whether `code`, beside a message, is a number of its own that is not the usual 0 of a success."""
    explained = any(folded_key(key) in PROBLEM_KEYS for key in result)
    return explained and is_number(value) and value != 0 and value in _SMALL_CODES


def _holds(value: object) -> bool:
    """Whether a list or a count of what failed is not empty."""
    if isinstance(value, int | float):
        return value > 0
    return bool(value) and str(value).strip().casefold() not in ("none", "null", "no")
