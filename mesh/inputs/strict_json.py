r"""JSON of files and pages as values, strictly: no NaN, no infinities, bounded nesting.

Programs that cut a text in the middle of an emoji write half of it (`"\ud83d"`). The grammar of JSON allows that, and
no text can hold it. It is read as U+FFFD, the sign for what cannot be read: one such character must not make the whole
line unreadable.
"""

from __future__ import annotations

import re
from typing import Any, Final

_HALF: Final = b"\\ud"
_ESCAPES: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])"
)
"""Every escape of a JSON text; group 1: one of half a character."""
_PLACE: Final = re.compile(r" at line (?P<line>\d+) column (?P<column>\d+)$")
_FOREIGN: Final = re.compile(
    rb"[^-\w]?(?P<word>NaN|nan|-?Infinity|-?inf|None|True|False|undefined)(?!\w)"
)
"""Words that programs write where JSON has another."""
_MEANT: Final = {"True": "true", "False": "false"}
_REPLACEMENT: Final = rb"\ufffd"


def from_json(data: bytes, *, unique_keys: bool = True) -> Any:
    """The value of a JSON text.

    Args:
        data: UTF-8 without a byte order mark.
        unique_keys: whether a key that occurs twice in an object is an error.

    Raises:
        ValueError: it is no JSON; the message names line and column.
    """
    import jiter

    try:
        return jiter.from_json(
            data, allow_inf_nan=False, catch_duplicate_keys=unique_keys
        )
    except ValueError as error:
        if _HALF not in data.lower():
            raise _explained(error, data) from None
    whole = _ESCAPES.sub(_whole, data)
    try:
        return jiter.from_json(
            whole, allow_inf_nan=False, catch_duplicate_keys=unique_keys
        )
    except ValueError as error:
        raise _explained(error, whole) from None


def _explained(error: ValueError, data: bytes) -> ValueError:
    """The fault with the word that stands there, where programs write it and JSON has none such."""
    place = _PLACE.search(str(error))
    if place is None:
        return error
    lines = data.split(b"\n")
    at = max(0, int(place["column"]) - 1)
    # The parser points at the second character of `-Infinity` and `nan`.
    rest = lines[int(place["line"]) - 1][max(0, at - 1) :]
    word = _FOREIGN.match(rest)
    if word is None:
        return error
    name = word["word"].decode()
    meant = _MEANT.get(name, "null")
    return ValueError(f"{name} is no value of JSON (write {meant}){place[0]}")


def _whole(match: re.Match[bytes]) -> bytes:
    return match[0] if match[1] is None else _REPLACEMENT
