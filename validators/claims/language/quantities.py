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
from judgemesh.validators.claims.language.bounds import Bound, bound_of
from judgemesh.validators.claims.language.dates import Day, days_in, same_day
from judgemesh.validators.claims.language.number_words import (
    NUMBER_IN_WORDS,
    value_in_words,
)
from judgemesh.validators.claims.language.sentences import stem
from judgemesh.validators.claims.language.units import CURRENCIES, SCALES, UNITS

__all__ = [
    "Bound",
    "Day",
    "Figures",
    "Quantity",
    "agree",
    "comparable",
    "figures",
    "restates",
    "same_day",
]

_CODES = "|".join(sorted((code for code in CURRENCIES if code.isalpha()), key=len))
_NUMBER = re.compile(
    r"(?<![\w.,/#:$-])(?P<sign>[-\u2212+]|(?<![\d%]\s)(?:minus\s|(?<![^\s(])\u2013))?"
    rf"(?P<cur>(?:US|AU|CA|NZ|HK|[ACSR])?\$|[\u20ac\u00a3\u00a5\u20b9]|(?:{_CODES})(?=\s?\d))?\s?"
    r"(?:(?P<num>\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,12})?|\d{1,3}(?:[ '\u2019]\d{3}){1,6}(?!\d)"
    r"|\d{1,3}(?:\.\d{3}){1,6},\d{1,2}(?!\d)|\d{1,9},\d{1,2}(?!\d)|\d{1,18}(?:\.\d{1,12})?)"
    rf"|(?P<word>{NUMBER_IN_WORDS}))"
    r"(?:[\s-]?(?P<scale>hundred|thousand|millions?|billions?|trillion|bn|mn|tn)\b|(?P<short>[kmb])\b)?"
    r"(?P<ord>st|nd|rd|th)?(?![\w]*\d|[.:]\d)"
    r"(?:[\s-]?(?P<unit>%|\u00b0\s?[CF]\b|[\u20ac\u00a3$](?!\d)|[A-Za-z\u00b5\u03bc][A-Za-z/]{0,23}(?:[23](?!\w))?))?",
    re.IGNORECASE,
)
_EUROPEAN = re.compile(r"\d{1,3}(?:\.\d{3})+,\d{1,2}|\d+,\d{1,2}")
_POINTS = re.compile(r"\s?points?\b", re.IGNORECASE)
_MAX_RELATIVE_GAP: Final = Decimal("0.05")
_YEARS: Final = range(1000, 2101)
_MIN_NOUN_CHARS: Final = 3


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number: its value in the base of its unit, how fine it is written, its bound, and the word that follows it.

    `unit` is a known unit's base or empty; `noun` the stem of an unknown following word (`employe` of `40 employees`).
    `start` and `end` enclose it with its bound, its scale and a known unit, but without an unknown word.
    """

    value: Decimal
    step: Decimal
    unit: str
    noun: str
    bound: Bound
    ordinal: bool
    text: str
    start: int
    end: int

    @property
    def approximate(self) -> bool:
        """Whether a word such as `about` or `at least` says that it is not the exact number."""
        return self.bound is not Bound.EXACT

    @property
    def is_year(self) -> bool:
        """Whether it may be a year: four digits without unit, comma or fraction."""
        if self.unit or not self.text.isdigit() or len(self.text) != 4:
            return False
        return int(self.value) in _YEARS


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
    days = tuple(days_in(shown))
    return Figures(tuple(_numbers(shown, days)), days)


def agree(left: Quantity, right: Quantity) -> bool:
    """Whether both say the same number, up to rounding."""
    if left.unit != right.unit and left.unit and right.unit:
        return False
    if _equal_when_rounded(left, right):
        return True
    return (left.approximate or right.approximate) and _is_near(left, right)


def restates(claimed: Quantity, stated: Quantity) -> bool:
    """Whether the stated number bears out the claimed one: no finer, and with no bound lost or added.

    An exact number bears out a near estimate of it; an estimate bears out no exact number.
    """
    if claimed.unit != stated.unit or claimed.ordinal != stated.ordinal:
        return False
    if claimed.bound == stated.bound:
        is_coarser = claimed.step > stated.step
        same = claimed.value == stated.value
        return same or (is_coarser and _equal_when_rounded(claimed, stated))
    if stated.approximate or not _is_near(claimed, stated):
        return False
    holds = {
        Bound.ABOVE: stated.value > claimed.value,
        Bound.BELOW: stated.value < claimed.value,
        Bound.ABOUT: True,
    }
    return holds.get(claimed.bound, False)


def _equal_when_rounded(left: Quantity, right: Quantity) -> bool:
    rounding = max(left.step, right.step) / 2
    if (left.value == 0) != (right.value == 0):
        return False
    return abs(left.value - right.value) <= rounding


def _is_near(left: Quantity, right: Quantity) -> bool:
    gap = abs(left.value - right.value)
    return gap <= _MAX_RELATIVE_GAP * max(abs(left.value), abs(right.value))


def comparable(left: Quantity, right: Quantity) -> bool:
    """Whether both measure the same: the same known unit, or the same noun counted, or both are years."""
    if left.is_year != right.is_year or left.ordinal != right.ordinal:
        return False
    if left.unit or right.unit:
        return left.unit == right.unit
    return left.is_year or (left.noun != "" and left.noun == right.noun)


def _numbers(text: str, days: Sequence[Day]) -> Iterator[Quantity]:
    """The numbers that are no part of a date."""
    for match in _NUMBER.finditer(text):
        if not _is_inside(match.start("num" if match["num"] else "word"), days):
            value = _written_value(match)
            # `4b` is a room or a class, and no number.
            is_name = match["short"] == "b" and not match["cur"]
            if value is not None and not is_name:
                yield _quantity(match, text, value)


def _is_inside(offset: int, days: Iterable[Day]) -> bool:
    return any(day.start <= offset < day.end for day in days)


def _written_value(match: re.Match[str]) -> Decimal | None:
    written = match["num"]
    if not written:
        return Decimal(value_in_words(match["word"]))
    if _EUROPEAN.fullmatch(written):
        written = written.replace(".", "").replace(",", ".")
    try:
        return Decimal(re.sub(r"[, '\u2019]", "", written))
    except InvalidOperation:
        return None


def _quantity(match: re.Match[str], text: str, value: Decimal) -> Quantity:
    exponent = value.as_tuple().exponent
    step = Decimal(1)
    if isinstance(exponent, int):
        step = step.scaleb(exponent)
    power = _power(match)
    unit, noun, factor = _unit(match)
    if match["sign"] and match["sign"] != "+":
        value = -value
    end = (
        match.start("unit")
        if match["unit"] and (not unit or match["cur"])
        else match.end()
    )
    end -= len(text[match.start() : end]) - len(text[match.start() : end].rstrip(" -"))
    points = _POINTS.match(text, end) if unit == "%" else None
    if points is not None:
        unit, end = "%points", points.end()
    found = bound_of(text, match.start(), end, match.end())
    return Quantity(
        value=value.scaleb(power) * factor,
        step=step.scaleb(power) * factor,
        unit=unit,
        noun=noun,
        bound=found.bound,
        ordinal=match["ord"] is not None,
        text=match["num"] or match["word"],
        start=found.start,
        end=found.end,
    )


def _power(match: re.Match[str]) -> int:
    """The power of ten of `million` or `k`."""
    short = match["short"] or ""
    if match["scale"]:
        return SCALES[match["scale"].lower()]
    # `5k` and `5M` are always scales; `3m` and `2b` only of money, where they cannot be metres or bytes.
    if short in ("k", "K", "M", "B") or (short and match["cur"]):
        return SCALES[short.lower()]
    return 0


def _unit(match: re.Match[str]) -> tuple[str, str, Decimal]:
    """The base of a known unit or the stem of an unknown word, and the factor of the unit to its base."""
    if match["cur"]:
        return CURRENCIES[match["cur"].lower()], "", Decimal(1)
    scaled = (match["short"] or "") in ("k", "K", "M", "B")
    word = (match["unit"] or ("" if scaled else match["short"]) or "").lower()
    if word == "$":
        return "usd", "", Decimal(1)
    known = UNITS.get(word)
    if known is None and word.endswith("s") and word != "has":
        known = UNITS.get(word[:-1])
    if known is not None:
        base, factor = known
        return base, "", factor
    if word.startswith("\u00b0"):
        return word.replace(" ", ""), "", Decimal(1)
    noun = stem(word) if len(word) >= _MIN_NOUN_CHARS else ""
    return "", noun, Decimal(1)
