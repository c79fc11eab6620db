"""Numbers with units, and dates, as people write them: `3,900 DKK`, `65-billion`, `about 12 %`, `3 May 2021`.

Two quantities agree when the coarser one is the finer one rounded, or when a word such as `about` says that it is near.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.sentences import stem
from judgemesh.validators.claims.units import (
    CURRENCIES,
    MONTHS,
    NUMBER_WORDS,
    SCALES,
    UNITS,
)

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DATES = (
    re.compile(
        r"\b(?P<y>[12]\d{3})-(?P<m>0?[1-9]|1[0-2])-(?P<d>0?[1-9]|[12]\d|3[01])\b"
    ),
    re.compile(
        rf"\b(?P<d>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?: of)? (?P<n>{_MONTH})\.?,? (?P<y>[12]\d{{3}})\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<n>{_MONTH})\.? (?P<d>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?,? (?P<y>[12]\d{{3}})\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<n>{_MONTH})\.?,? (?P<y>[12]\d{{3}})\b", re.IGNORECASE),
)
_WORD_NUMBERS = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_NUMBER = re.compile(
    r"(?<![\w.,/#:-])(?P<sign>[-\u2212+]?)(?P<cur>US\$|[$\u20ac\u00a3\u00a5]|(?:USD|EUR|GBP|JPY|CHF|DKK)(?=\s?\d))?\s?"
    rf"(?:(?P<num>\d{{1,3}}(?:,\d{{3}}){{1,6}}(?:\.\d{{1,12}})?|\d{{1,18}}(?:\.\d{{1,12}})?)|(?P<word>\b(?:{_WORD_NUMBERS})\b))"
    r"(?:[\s-]?(?P<scale>hundred|thousand|millions?|billions?|trillion|bn|mn|tn)\b|(?P<short>[kmb])\b)?"
    r"(?P<ord>st|nd|rd|th)?(?![\w]*\d|[.:]\d)"
    r"(?:[\s-]?(?P<unit>%|\u00b0\s?[CF]\b|[A-Za-z\u00b5][A-Za-z/\u00b2\u00b3]{0,23}))?",
    re.IGNORECASE,
)
_APPROXIMATE = re.compile(
    r"\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|some|circa|ca\.?|over|under|more than|less than"
    r"|fewer than|at least|at most|up to|above|below|range from|between|or so)\b|[~\u2248<>\u2264\u2265]",
    re.IGNORECASE,
)
_MAX_RELATIVE_GAP: Final = Decimal("0.05")
_YEARS: Final = range(1000, 2101)


_APPROXIMATE_WINDOW_CHARS: Final = 24
_MAX_APPROXIMATE_DISTANCE_CHARS: Final = 3
_MIN_NOUN_CHARS: Final = 3


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number: its value in the base of its unit, how fine it is written, and the word that follows it.

    `unit` is a known unit's base or empty; `noun` the stem of an unknown following word (`employe` of `40 employees`);
    `end` is behind the scale and a known unit, before an unknown word.
    """

    value: Decimal
    step: Decimal
    unit: str
    noun: str
    approximate: bool
    ordinal: bool
    text: str
    start: int
    end: int

    @property
    def is_year(self) -> bool:
        """Whether it may be a year: four digits without unit, comma or fraction."""
        if self.unit or not self.text.isdigit() or len(self.text) != 4:
            return False
        return int(self.value) in _YEARS


@dataclass(frozen=True, slots=True)
class Day:
    """A date: a year, with month and day where they are given."""

    year: int
    month: int | None
    day: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The dates and numbers of a text; numbers inside dates are not counted again."""

    numbers: tuple[Quantity, ...]
    days: tuple[Day, ...]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.numbers) + len(self.days)


@lru_cache(maxsize=2_048)
def figures(text: str) -> Figures:
    """The figures of a sentence."""
    shown = plain(text)
    days = tuple(_days(shown))
    return Figures(tuple(_numbers(shown, days)), days)


def agree(left: Quantity, right: Quantity) -> bool:
    """Whether both say the same number, up to rounding."""
    if left.unit != right.unit and left.unit and right.unit:
        return False
    gap = abs(left.value - right.value)
    rounding = max(left.step, right.step) / 2
    if gap <= rounding and (left.value == 0) == (right.value == 0):
        return True
    if not left.approximate and not right.approximate:
        return False
    return gap <= _MAX_RELATIVE_GAP * max(abs(left.value), abs(right.value))


def comparable(left: Quantity, right: Quantity) -> bool:
    """Whether both measure the same: the same known unit, or the same noun counted, or both are years."""
    if left.is_year != right.is_year or left.ordinal != right.ordinal:
        return False
    if left.unit or right.unit:
        return left.unit == right.unit
    return left.is_year or (left.noun != "" and left.noun == right.noun)


def same_day(left: Day, right: Day) -> bool:
    """Whether two dates agree on every part that both give."""
    if left.year != right.year:
        return False
    if left.month is None or right.month is None:
        return True
    if left.month != right.month:
        return False
    return left.day is None or right.day is None or left.day == right.day


def _days(text: str) -> Iterator[Day]:
    days: list[Day] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if not _is_inside(match.start(), days):
                days.append(_day(match))
    return iter(days)


def _day(match: re.Match[str]) -> Day:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else MONTHS[parts["n"].lower()]
    day = int(parts["d"]) if parts.get("d") else None
    return Day(int(parts["y"]), month, day, match.start(), match.end())


def _is_inside(offset: int, days: Iterable[Day]) -> bool:
    return any(day.start <= offset < day.end for day in days)


def _numbers(text: str, days: Sequence[Day]) -> Iterator[Quantity]:
    """The numbers that are no part of a date."""
    for match in _NUMBER.finditer(text):
        value = _written_value(match)
        if value is not None and not _is_inside(match.start(), days):
            yield _quantity(match, text, value)


def _written_value(match: re.Match[str]) -> Decimal | None:
    if not match["num"]:
        return Decimal(NUMBER_WORDS[match["word"].lower()])
    try:
        return Decimal(match["num"].replace(",", ""))
    except InvalidOperation:
        return None


def _quantity(match: re.Match[str], text: str, value: Decimal) -> Quantity:
    exponent = value.as_tuple().exponent
    step = Decimal(1)
    if isinstance(exponent, int):
        step = step.scaleb(exponent)
    power = _power(match)
    unit, noun, factor = _unit(match)
    if match["sign"] in ("-", "\u2212"):
        value = -value
    if unit == "%" and text[match.end() :].lstrip()[:5].casefold() == "point":
        unit = "%points"
    ends_before_noun = match["unit"] and not unit
    return Quantity(
        value=value.scaleb(power) * factor,
        step=step.scaleb(power) * factor,
        unit=unit,
        noun=noun,
        approximate=_is_approximate(text, match.start()),
        ordinal=match["ord"] is not None,
        text=match["num"] or match["word"],
        start=match.start(),
        end=match.start("unit") if ends_before_noun else match.end(),
    )


def _power(match: re.Match[str]) -> int:
    """The power of ten of `million` or `k`."""
    short = (match["short"] or "").lower()
    if match["scale"]:
        return SCALES[match["scale"].lower()]
    # `5k` is always a scale; `3m` and `2b` only of money, where they cannot be metres or bytes.
    if short == "k" or (short and match["cur"]):
        return SCALES[short]
    return 0


def _is_approximate(text: str, start: int) -> bool:
    """Whether a word such as `about` is right before a number."""
    before = text[max(0, start - _APPROXIMATE_WINDOW_CHARS) : start]
    earliest_end = len(before) - _MAX_APPROXIMATE_DISTANCE_CHARS
    return any(match.end() >= earliest_end for match in _APPROXIMATE.finditer(before))


def _unit(match: re.Match[str]) -> tuple[str, str, Decimal]:
    """The base of a known unit or the stem of an unknown word, and the factor of the unit to its base."""
    if match["cur"]:
        return CURRENCIES[match["cur"].lower()], "", Decimal(1)
    word = (match["unit"] or match["short"] or "").lower()
    known = UNITS.get(word)
    if known is None and word.endswith("s"):
        known = UNITS.get(word[:-1])
    if known is not None:
        base, factor = known
        return base, "", factor
    if word.startswith("\u00b0"):
        return word.replace(" ", ""), "", Decimal(1)
    noun = stem(word) if len(word) >= _MIN_NOUN_CHARS else ""
    return "", noun, Decimal(1)
