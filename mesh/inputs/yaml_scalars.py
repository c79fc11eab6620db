"""Plain YAML scalars as values, by the core schema of YAML 1.2.

`no` stays a word and `12:30` a time of day, which YAML 1.1 would turn into false and a number. Numbers that JSON does
not have are faults.
"""

from __future__ import annotations

import re
from math import isinf
from typing import Any, Final

_INT: Final = re.compile(r"[-+]?[0-9]{1,300}\Z")
_OCT_HEX: Final = re.compile(r"0o[0-7]{1,300}\Z|0x[0-9a-fA-F]{1,300}\Z")
_FLOAT: Final = re.compile(
    r"[-+]?(\.[0-9]{1,300}|[0-9]{1,300}(\.[0-9]{0,300})?)([eE][-+]?[0-9]{1,5})?\Z"
)
_NOT_JSON: Final = re.compile(r"[-+]?\.(inf|Inf|INF)\Z|\.(nan|NaN|NAN)\Z")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


class ScalarFault(ValueError):
    """A scalar that is no value; `hint` says how to correct it."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


def scalar_value(text: str) -> Any:
    """The value of a plain (unquoted) scalar.

    Raises:
        ScalarFault: it is a number that JSON does not have.
    """
    if text in _WORDS:
        return _WORDS[text]
    if _INT.match(text):
        return int(text)
    if _OCT_HEX.match(text):
        return int(text, 0)
    if _NOT_JSON.match(text):
        message = f"{text} is not a number JSON knows"
        raise ScalarFault(message, "quote it if it is meant as text")
    if not _FLOAT.match(text):
        return text
    number = float(text)
    if isinf(number):
        raise ScalarFault(f"{text} is too large a number")
    return number
