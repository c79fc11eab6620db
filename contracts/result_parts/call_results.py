"""Whether what a tool call returned is an error. Pure.

One reading for all who ask: the checks of a trace, and the converter of transcripts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

ERROR_WORDS: Final = frozenset(
    {"error", "errored", "failed", "failure", "fail", "timeout", "timed_out", "exception"}
)  # fmt: skip
"""What `status` says of a call that failed."""
STATUS_KEYS: Final = frozenset({"status", "result", "outcome", "state"})
PROBLEM_KEYS: Final = frozenset(
    {"message", "msg", "title", "detail", "details", "reason", "error"}
)  # fmt: skip
"""Keys of words that explain an error."""
_ERROR_TEXT: Final = re.compile(
    r"\s*(?:\[?(?:error|exception|fatal|failed|failure|fehler)\b\]?\s*(?:[:(\-\u2014]|$|\d)"
    r"|error (?:executing|calling|while)\b|traceback \(most recent"
    r"|[45]\d\d[ :\-]+(?:error|internal error|(?:client|server) error|bad request|unauthori[sz]ed|payment required"
    r"|forbidden|not (?:found|acceptable|implemented|allowed)"
    r"|method not allowed|proxy authentication required|request time-?out"
    r"|conflict|gone|(?:length|precondition|upgrade) required|(?:precondition|expectation) failed|failed dependency"
    r"|(?:payload|content|request entity|request header fields|uri|request-uri) too (?:large|long)"
    r"|unsupported media type|(?:requested )?range not satisfiable|unprocessable (?:entity|content)|locked|too early"
    r"|too many requests|unavailable for legal reasons|internal server error|bad gateway"
    r"|service (?:temporarily )?unavailable"
    r"|gateway time-?out|insufficient storage|loop detected)\s*(?:$|\n|[:.,;(\-\u2014]|for url\b)"
    r"|http(?:/[\d.]+)?[ :]*(?:(?:error|status)[ :]*)?[45]\d\d\b"
    r"|<(?:\w+:)?(?:error|fault|exception)\b"
    r"|(?:permission|access) denied\b"
    r"|(?:the )?(?:(?!no )\w+ )?(?:request|call|connection|operation|tool|execution)(?: execution)? (?:has )?"
    r"(?:failed|timed out|was refused|refused))",
    re.IGNORECASE,
)
_ERROR_KEYS: Final = frozenset(
    {"error", "errors", "err", "errormessage", "exception", "traceback"}
)
_FLAGS: Final = {
    "success": False,
    "successful": False,
    "succeeded": False,
    "ok": False,
    "iserror": True,
    "haserror": True,
    "haserrors": True,
    "failed": True,
}
_NO_ERROR: Final = frozenset(
    {"", "none", "null", "false", "0", "ok", "no", "n/a", "success", "{}", "[]"}
)
_CODE_KEYS: Final = frozenset(
    {"status", "code", "statuscode", "httpstatus", "httpcode", "errorcode"}
)
_BODY_KEYS: Final = frozenset({"body", "headers"})
"""Keys of an answer of HTTP."""
_CLASS: Final = re.compile(r"(?:\w+[.#])*\w+(?:Exception|Error|Fault)$")
"""The type of an error in the answer of a service: `ThrottlingException`."""
_BARE_CODES: Final = frozenset({"statuscode", "httpstatus", "httpcode"})
"""Keys whose numbers are codes of HTTP whatever stands beside them."""
_CODES: Final = range(400, 600)
_MAX_KEYS: Final = 8
"""A record with more keys is an answer, and its `code` is one of its values."""
_MAX_DEPTH: Final = 4
"""Wrappings that are opened around what a tool returned."""


def states_error(result: object) -> bool:
    """Whether a result is the message of an error, as text or as an object, in whatever wrapping."""
    for _ in range(_MAX_DEPTH):
        result = opened(result)
        if isinstance(result, str):
            return _ERROR_TEXT.match(result) is not None
        known = as_object(result)
        if known is None:
            return False
        if _says_error(known):
            return True
        result = wrapped(known)
    return False


def opened(result: object) -> object:
    """The JSON that a text writes; any other result as it is."""
    if not isinstance(result, str) or result.lstrip()[:1] not in ("{", "["):
        return result
    try:
        return cast("object", json.loads(result))
    except (ValueError, RecursionError):
        return result


def as_object(result: object) -> Mapping[str, object] | None:
    """The result as an object: itself, or the only block of a list."""
    if isinstance(result, list):
        items = cast("Sequence[object]", result)
        result = items[0] if len(items) == 1 else None
    return cast("Mapping[str, object]", result) if isinstance(result, dict) else None


def wrapped(result: Mapping[str, object]) -> object:
    """What an object is the wrapping of: its only value, or the only one that is an object or a list."""
    if len(result) == 1:
        return next(iter(result.values()))
    inside: list[object] = [
        cast("object", value)
        for value in result.values()
        if isinstance(value, dict | list)
    ]
    if len(inside) == 1 and len(result) <= _MAX_KEYS:
        return inside[0]
    if result.get("type") == "text":
        return result.get("text")
    return None


def folded_key(key: str) -> str:
    """A key without marks and case."""
    return key.replace("_", "").replace("-", "").casefold()


def _says_error(result: Mapping[str, object]) -> bool:
    keys = {folded_key(key): value for key, value in result.items()}
    if any(keys.get(name) is value for name, value in _FLAGS.items()):
        return True
    raised = [
        keys[name]
        for name in _ERROR_KEYS & keys.keys()
        if name != "errors" or _has_nothing_else(keys)
    ]
    if any(map(_is_error, raised)):
        # What a call that went through says beside its errors is a warning.
        return keys.get("success") is not True and keys.get("ok") is not True
    words = [keys[name] for name in STATUS_KEYS & keys.keys()]
    if any(isinstance(word, str) and word.strip().casefold() in ERROR_WORDS for word in words):  # fmt: skip
        return True
    return _has_error_type(keys) or has_error_code(result)


def _has_error_type(keys: Mapping[str, object]) -> bool:
    """Whether the type of an object is that of an error: `error`, or a class alone or with a message."""
    kind = keys.get("type")
    if not isinstance(kind, str):
        return False
    explained = len(keys) == 1 or not PROBLEM_KEYS.isdisjoint(keys)
    return kind.casefold() in _ERROR_KEYS or (
        explained and len(keys) <= _MAX_KEYS and _CLASS.match(kind) is not None
    )


def _has_nothing_else(keys: Mapping[str, object]) -> bool:
    """Whether a list of errors stands alone: beside an answer it may be what was found, or only a part failed."""
    return all(
        value in (None, [], {})
        for name, value in keys.items()
        if name not in PROBLEM_KEYS | STATUS_KEYS | {"errors"}
    )


def _is_error(value: object) -> bool:
    return value is not None and str(value).strip().casefold() not in _NO_ERROR


def has_error_code(result: Mapping[str, object]) -> bool:
    """Whether an object gives an HTTP status from 400 to 599, alone or with a message (RFC 9457 names such keys)."""
    if len(result) > _MAX_KEYS:
        return False
    keys = {folded_key(key): key for key in result}
    is_message = len(keys) == 1 or not (PROBLEM_KEYS | _BODY_KEYS).isdisjoint(keys)
    if is_message and "errorcode" in keys and _is_error(result[keys["errorcode"]]):
        return True
    return any(
        _is_code(result[key]) and (is_message or name in _BARE_CODES)
        for name, key in keys.items()
        if name in _CODE_KEYS
    )


def _is_code(value: object) -> bool:
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 5:
        value = int(value)
    return isinstance(value, int) and value in _CODES
