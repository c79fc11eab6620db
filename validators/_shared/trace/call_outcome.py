"""Whether a tool call of a trace failed: by its status and error, or by an error that stands in its result."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from judgemesh.contracts.result_parts.call_results import ERROR_STATUSES, has_error_code
from judgemesh.contracts.result_parts.trace import TraceStep
from judgemesh.validators._shared.json_answers import parse_json
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.transcript import step_failed, step_timed_out
from judgemesh.validators._shared.values import as_mapping, json_text

_ERROR_TEXT = re.compile(
    r"\s*(?:\[?(?:error|exception|fatal|traceback|failed|failure|fehler)\b\]?\s*(?:[:(\-\u2014]|$|"
    r"\d)|traceback \(most recent|"
    r"(?:http\s*(?:error\s*)?)?[45]\d\d\s+(?:error|internal|bad|not found|forbidden|unauthori[sz]ed|"
    r"service|gateway|too many)|"
    r"\w+(?:error|exception):|(?:the )?(?:request|call|connection|operation|tool) (?:has )?(?:failed|"
    r"timed out|was refused))",
    re.IGNORECASE,
)
_TIMEOUT_TEXT = re.compile(
    r"time(?:d[ _-]?)?[ _-]?out|deadline exceeded", re.IGNORECASE
)
_ERROR_KEYS: Final = frozenset(
    {"error", "errors", "errormessage", "exception", "traceback"}
)
_FLAGS: Final = {
    "success": False,
    "ok": False,
    "succeeded": False,
    "iserror": True,
    "failed": True,
}
_EMPTY: Final = frozenset({"", "none", "null", "false", "0", "ok", "{}", "[]"})
_ERROR_STATUSES: Final = ERROR_STATUSES | {"timeout"}


def call_failed(step: TraceStep) -> bool:
    """Whether a tool call failed."""
    return step_failed(step) or _is_error(step.result)


def call_timed_out(step: TraceStep) -> bool:
    """Whether a failed call failed by running out of time."""
    if step_timed_out(step):
        return True
    if step_failed(step) or not _is_error(step.result):
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


def _is_error(result: object) -> bool:
    if isinstance(result, str):
        if _ERROR_TEXT.match(result) is not None:
            return True
        if not result.lstrip().startswith("{"):
            return False
        try:
            result = parse_json(result)
        except ValueError:
            return False
    mapping = as_mapping(result)
    return mapping is not None and _says_error(mapping)


def _says_error(result: Mapping[str, object]) -> bool:
    for key, value in result.items():
        name = fold_name(key)
        if name in _ERROR_KEYS and str(value).strip().casefold() not in _EMPTY:
            return True
        if name in _FLAGS and value is _FLAGS[name]:
            return True
    status = result.get("status")
    if isinstance(status, str) and status.casefold() in _ERROR_STATUSES:
        return True
    return str(result.get("type")).casefold() in _ERROR_KEYS or has_error_code(result)
