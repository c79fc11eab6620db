"""Whether what a tool call returned is the message of an error. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, cast

ERROR_STATUSES: Final = frozenset({"error", "failed", "failure"})
"""What `status` says of a call that failed."""
_OPENERS: Final = (
    "error:",
    "error executing",
    "error calling",
    "error while",
    "traceback (most recent",
)
_CODE_KEYS: Final = frozenset(
    {"status", "code", "statuscode", "httpstatus", "httpcode", "errorcode"}
)
_PROBLEM_KEYS: Final = frozenset(
    {"message", "msg", "title", "detail", "details", "reason", "error"}
)
_BARE_CODES: Final = frozenset({"statuscode", "httpstatus", "httpcode"})
"""Keys whose numbers are codes of HTTP whatever stands beside them."""
_CODES: Final = range(400, 600)
_MAX_KEYS: Final = 8
"""A record with more keys is an answer, and its `code` is one of its values."""


def states_error(result: object) -> bool:
    """Whether a result is nothing but the message of an error, as text or as an object."""
    if isinstance(result, str):
        text = result.lstrip()
        if not text.startswith("{"):
            return text.casefold().startswith(_OPENERS)
        try:
            result = json.loads(text)
        except (ValueError, RecursionError):
            return False
    if not isinstance(result, dict):
        return False
    known = cast("Mapping[str, object]", result)
    if known.get("error") and known.get("success") is not True:
        return True
    status = known.get("status")
    if isinstance(status, str) and status.strip().casefold() in ERROR_STATUSES:
        return True
    return known.get("type") == "error" or has_error_code(known)


def has_error_code(result: Mapping[str, object]) -> bool:
    """Whether an object gives an HTTP status from 400 to 599, alone or with a message (RFC 9457 names such keys)."""
    if len(result) > _MAX_KEYS:
        return False
    keys = {key.replace("_", "").replace("-", "").casefold(): key for key in result}
    is_message = len(keys) == 1 or not _PROBLEM_KEYS.isdisjoint(keys)
    return any(
        _is_code(result[key]) and (is_message or name in _BARE_CODES)
        for name, key in keys.items()
        if name in _CODE_KEYS
    )


def _is_code(value: object) -> bool:
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 5:
        value = int(value)
    return isinstance(value, int) and value in _CODES
