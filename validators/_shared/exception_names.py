"""Names of exceptions: `KeyError: 'lot'`. Letter case counts."""

from __future__ import annotations

import re
from typing import Final

_KINDS: Final = r"(?:Error|Exception|Timeout)"
_OPENING: Final = re.compile(rf"\s*[\w.]*{_KINDS}\b\s*:")
_WHOLE: Final = re.compile(rf"\s*(?:\w+\.)*[A-Z]\w*{_KINDS}\s*(?:[:(].*)?", re.DOTALL)


def begins_with_exception(text: str) -> bool:
    """Whether a text begins with the name of an exception and a colon: `Error: no seat`, `db.TimeoutError: 30 s`."""
    return _OPENING.match(text) is not None


def is_exception(text: str) -> bool:
    """Whether a text is the name of a class of exceptions, with its message or without one: `KeyError('lot')`."""
    return _WHOLE.fullmatch(text) is not None
