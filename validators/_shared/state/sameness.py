"""When two values of state are one though they are not equal: last bits of numbers, line ends of files."""

from __future__ import annotations

from math import isclose
from typing import Final

from judgemesh.validators._shared.values import is_number

_LAST_BITS: Final = 1e-14


def same_number(left: object, right: object) -> bool:
    """Whether two numbers are one but for the last bits of their binary form: 59.97 and 59.970000000000006."""
    if not (is_number(left) and is_number(right)):
        return False
    if not (isinstance(left, float) or isinstance(right, float)):
        return False
    return isclose(float(str(left)), float(str(right)), rel_tol=_LAST_BITS, abs_tol=0.0)


def same_text(left: object, right: object) -> bool:
    """Whether two texts of a file are one but for line endings and the end of the last line, or one number."""
    if isinstance(left, str) and isinstance(right, str):
        return _lines(left) == _lines(right)
    return same_number(left, right)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").removesuffix("\n")
