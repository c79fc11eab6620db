"""Dates as people write them: `2021-05-03`, `3 May 2021`, `May 3rd`, `May 2021`, `25/12/2021`, `25.12.2021`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from judgemesh.validators._shared.numbers.months import MONTH_NUMBERS

_MONTH = "|".join(sorted(MONTH_NUMBERS, key=len, reverse=True))
_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])"
_NUMBERED = r"(?P<m>0?[1-9]|1[0-2])"
_YEAR = r"(?P<y>[12]\d{3})"
_DATES: Final = (
    re.compile(rf"\b{_YEAR}-{_NUMBERED}-{_DAY}\b"),
    re.compile(rf"(?<![\w.]){_DAY}\.\s?{_NUMBERED}\.\s?{_YEAR}\b"),
    # With slashes, only where the day cannot be a month.
    re.compile(rf"(?<![\w/])(?P<d>1[3-9]|2\d|3[01])/{_NUMBERED}/{_YEAR}\b"),
    re.compile(rf"(?<![\w/]){_NUMBERED}/(?P<d>1[3-9]|2\d|3[01])/{_YEAR}\b"),
    re.compile(
        rf"\b{_DAY}(?:st|nd|rd|th)?(?: of)? (?P<n>{_MONTH})\.?,? {_YEAR}\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<n>{_MONTH})\.? {_DAY}(?:st|nd|rd|th)?,? {_YEAR}\b", re.IGNORECASE
    ),
    re.compile(rf"\b(?P<n>{_MONTH})\.?,? (?:of )?{_YEAR}\b", re.IGNORECASE),
)
_WITHOUT_YEAR: Final = (
    re.compile(
        rf"(?<![\w.,]){_DAY}(?:st|nd|rd|th)?(?: of)? (?P<n>{_MONTH})\b(?!\s\d)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<n>{_MONTH})\.? {_DAY}(?:st|nd|rd|th)?\b(?![\w.,:/]*\d)", re.IGNORECASE
    ),
)
"""As names of months are words too (`may`, `march`), these need a capital letter."""


@dataclass(frozen=True, slots=True)
class Day:
    """A date: its year, month and day, as far as they are given."""

    year: int | None
    month: int | None
    day: int | None
    start: int
    end: int


def days_in(text: str) -> list[Day]:
    """The dates of a text, in order."""
    days: list[Day] = []
    for pattern in _DATES:
        _add(pattern, text, days)
    for pattern in _WITHOUT_YEAR:
        _add(pattern, text, days, capital=True)
    return sorted(days, key=lambda day: day.start)


def _add(
    pattern: re.Pattern[str], text: str, days: list[Day], *, capital: bool = False
) -> None:
    taken = [(day.start, day.end) for day in days]
    for match in pattern.finditer(text):
        named = match.groupdict().get("n") or ""
        if capital and not named[:1].isupper():
            continue
        if not _overlaps(match.start(), match.end(), taken):
            days.append(_day(match))


def _overlaps(start: int, end: int, taken: Iterable[tuple[int, int]]) -> bool:
    return any(start < other_end and other < end for other, other_end in taken)


def _day(match: re.Match[str]) -> Day:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else MONTH_NUMBERS[parts["n"].lower()]
    day = int(parts["d"]) if parts.get("d") else None
    year = int(parts["y"]) if parts.get("y") else None
    return Day(year, month, day, match.start(), match.end())


def same_day(left: Day, right: Day) -> bool:
    """Whether two dates agree on every part that both give, and share one."""
    pairs = (
        (left.year, right.year),
        (left.month, right.month),
        (left.day, right.day),
    )
    given = [
        (one, other) for one, other in pairs if one is not None and other is not None
    ]
    return bool(given) and all(one == other for one, other in given)


def is_finer(left: Day, right: Day) -> bool:
    """Whether the left date gives a part that the right one leaves out."""
    return (
        (left.year is not None and right.year is None)
        or (left.month is not None and right.month is None)
        or (left.day is not None and right.day is None)
    )
