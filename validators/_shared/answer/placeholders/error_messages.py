"""Messages of errors, and what programs print, in place of a value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from judgemesh.contracts.result_parts.call_results import states_error
from judgemesh.validators._shared.answer.placeholders.words import STATUS_FIELDS
from judgemesh.validators._shared.exception_names import is_exception
from judgemesh.validators._shared.text import fold_name

_ERROR_FIELDS: Final = (
    *STATUS_FIELDS, "error", "errors", "message", "log", "output", "reason", "cause", "fault", "result", "finding",
    "findings", "problem", "symptom", "response", "title", "subject", "diagnosis", "issue", "description", "details",
    "note", "notes", "summary", "comment", "exception",
)  # fmt: skip
_LOOKED_UP: Final = re.compile(
    r"\s*(?:\w+ )?(?:look-?up|search|query|retrieval|fetch|extraction|parsing|calculation|conversion)"
    r" (?:failed|timed out|error)\b",
    re.IGNORECASE,
)
_FAULTS: Final = re.compile(
    r"\s*(?:(?:[a-z]+ )?error(?: code)?[:# ]*\d{2,}(?:\s*[:;,.(\u2013-].*)?"
    r"|failed to (?:fetch|load|connect|parse|read|open|get|resolve|query|reach|retrieve|download|decode|look up"
    r"|find|access"
    r"|obtain)(?!\w).*"
    r"|(?:the )?(?:service|server|host|gateway|database|connection|network|api|endpoint|request|upstream|proxy"
    r"|socket|backend"
    r") (?:is |was |has )?(?:temporarily |currently )?(?:unavailable|unreachable|error|time-?out|timed out|refused"
    r"|reset|down|failed|aborted|overloaded|not responding)(?:\s*[.:;,(\u2013-].*| by peer.*)?"
    r"|(?:bad gateway|gateway time-?out|internal server error|too many requests|request time-?out)[.!]?)",
    re.IGNORECASE | re.DOTALL,
)
_WRITTEN_OBJECT: Final = re.compile(
    r"\s*\{\s*['\"]?(?:errors?|err|exception|fault|traceback)['\"]?\s*[:=]",
    re.IGNORECASE,
)
_ARTEFACT: Final = re.compile(
    r"\[object [A-Z]\w*\]|#(?:REF|VALUE|NAME|DIV/0|NUM|NULL|SPILL|CALC|N/A)[!?]?|#{3,}"
    r"|[Ii]nvalid (?:[Dd]ate(?: ?[Tt]ime)?|time value|[Nn]umber)|%(?:\(\w+\))?[-+0]?[sdfirx]|\\N"
    r"|<(?:function|bound method|[\w.]+ object at 0x).*|System\.(?:Object|String|Byte|Char|(?:\w+\.)+\w+)(?:\[\])?"
    r"|(?:\w+\.)+\w+@[0-9a-f]{6,8}"
)
"""What a program prints in place of a value: `[object Object]`, `#REF!`, `Invalid Date`, `%s`."""
_ERROR_KEYS: Final = frozenset({"error", "errors", "err", "exception", "fault"})
_BESIDE_ERRORS: Final = frozenset(
    {"message", "code", "status", "detail", "details", "type", "reason", "traceback", "ok", "success", "statuscode"}
)  # fmt: skip
"""Keys that say more of an error."""


def is_error_message(text: str, names: frozenset[str]) -> bool:
    """Whether the message of an error stands in place of a value, in a field that is not about errors.

    `Failed: worn tyres` is what an inspection found. What a program prints in place of a value is none in any field.
    """
    if names and _ARTEFACT.fullmatch(text.strip()):
        return True
    if not names or _is_about_errors(names):
        return False
    if is_exception(text) or _FAULTS.fullmatch(text):
        return True
    if _LOOKED_UP.match(text) or _WRITTEN_OBJECT.match(text):
        return True
    return not text.lstrip().casefold().startswith("fail") and states_error(text)


def is_error_object(value: Mapping[str, object], names: frozenset[str]) -> bool:
    """Whether an object in place of a value says nothing but that there was an error: `{"error": "timeout"}`."""
    keys = {fold_name(key) for key in value if value[key]}
    return (
        not keys.isdisjoint(_ERROR_KEYS)
        and keys <= _ERROR_KEYS | _BESIDE_ERRORS
        and not _is_about_errors(names)
    )


def _is_about_errors(names: frozenset[str]) -> bool:
    return any(
        name.endswith(_ERROR_FIELDS) or "error" in name or "exception" in name
        for name in names
    )
