"""Days written in a form that can be read in one way only: `2026-05-03`, `3 May 2026`, `May 3rd, 2026`."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_ISO: Final = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]00:00(?::00)?Z?)?")
_DAY_FIRST: Final = re.compile(
    r"(?:[a-z]+day,?\s+)?(\d{1,2})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?([a-z]{3,9})\.?,?\s+(\d{4})"
)
_MONTH_FIRST: Final = re.compile(
    r"(?:[a-z]+day,?\s+)?([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})"
)


def date_of(text: str) -> date | None:
    """The day that a whole text names, or None."""
    folded = text.strip().casefold()
    iso = _ISO.fullmatch(folded)
    if iso is not None:
        return _date(int(iso[1]), int(iso[2]), int(iso[3]))
    first = _DAY_FIRST.fullmatch(folded)
    if first is not None:
        return _date(int(first[3]), _month(first[2]), int(first[1]))
    second = _MONTH_FIRST.fullmatch(folded)
    if second is not None:
        return _date(int(second[3]), _month(second[1]), int(second[2]))
    return None


def _month(word: str) -> int:
    """The number of a month by its name or the beginning of it; 0 for another word."""
    for number, name in enumerate(_MONTHS, start=1):
        if name.startswith(word):
            return number
    return 0


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
