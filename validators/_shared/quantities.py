"""Numbers with units, and dates, as people write them: `3,900 DKK`, `65-billion`, `about 12 %`, `3 May 2021`.

Two quantities agree when the coarser one is the finer one rounded, or when a word such as `about` says that it is near.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.sentences import stem
from judgemesh.validators._shared.text import plain

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
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
_SCALES: Final = {
    "hundred": 2, "thousand": 3, "k": 3, "million": 6, "millions": 6, "mn": 6, "m": 6, "billion": 9, "billions": 9,
    "bn": 9, "b": 9, "trillion": 12, "tn": 12,
}  # fmt: skip
_NUMBER_WORDS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_CURRENCY: Final = {
    "$": "usd", "\u20ac": "eur", "\u00a3": "gbp", "\u00a5": "jpy", "us$": "usd",
    "usd": "usd", "eur": "eur", "gbp": "gbp", "jpy": "jpy", "chf": "chf", "dkk": "dkk",
}  # fmt: skip
_WORD_NUMBERS = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
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
_UNITS: Final[dict[str, tuple[str, Decimal]]] = {
    name: (base, Decimal(factor))
    for base, rows in {
        "m": (("mm millimetre millimeter", "0.001"), ("cm centimetre centimeter", "0.01"), ("m metre meter", "1"),
              ("km kilometre kilometer", "1000"), ("mile miles mi", "1609.344"), ("ft foot feet", "0.3048"),
              ("inch inches", "0.0254"), ("yard yd", "0.9144")),
        "g": (("mg milligram", "0.001"), ("g gram gramme", "1"), ("kg kilogram kilo", "1000"),
              ("tonne", "1000000"), ("lb lbs pound", "453.59237"), ("oz ounce", "28.349523125")),
        "l": (("ml millilitre milliliter", "0.001"), ("cl", "0.01"), ("l litre liter", "1")),
        "s": (("ms millisecond", "0.001"), ("s sec second", "1"), ("min minute", "60"), ("h hr hrs hour", "3600"),
              ("day", "86400"), ("week", "604800")),
        "b": (("kb kilobyte", "1000"), ("mb megabyte", "1000000"), ("gb gigabyte", "1000000000"),
              ("tb terabyte", "1000000000000")),
        "%": (("% percent percentage pct", "1"),),
        "month": (("month", "1"), ("year yr", "12")),
        "usd": (("usd dollar", "1"),), "eur": (("eur euro", "1"),), "gbp": (("gbp", "1"),), "jpy": (("jpy yen", "1"),),
        "dkk": (("dkk kroner", "1"),), "chf": (("chf", "1"),),
    }.items()
    for names, factor in rows
    for name in names.split()
}  # fmt: skip
_NEAR: Final = Decimal("0.05")
_YEARS: Final = range(1000, 2101)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number: its value in the base of its unit, how fine it is written, and the word that follows it.

    `unit` is a known unit's base or empty; `noun` the stem of an unknown following word (`employe` of `40 employees`);
    `end` stands behind the scale and a known unit, before an unknown word.
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
    def year(self) -> bool:
        """Whether it may be a year: four digits without unit, comma or fraction."""
        return (
            not self.unit
            and self.text.isdigit()
            and len(self.text) == 4
            and int(self.value) in _YEARS
        )


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


@lru_cache(maxsize=2_048)
def figures(text: str) -> Figures:
    """The figures of a sentence."""
    shown = plain(text)
    days = tuple(_days(shown))
    taken = [(day.start, day.end) for day in days]
    numbers = tuple(
        found
        for found in _numbers(shown)
        if not any(start <= found.start < end for start, end in taken)
    )
    return Figures(numbers, days)


def agree(one: Quantity, two: Quantity) -> bool:
    """Whether both say the same number, up to rounding."""
    if one.unit != two.unit and one.unit and two.unit:
        return False
    gap = abs(one.value - two.value)
    if gap <= max(one.step, two.step) / 2 and not (one.value == 0) ^ (two.value == 0):
        return True
    return (one.approximate or two.approximate) and gap <= _NEAR * max(
        abs(one.value), abs(two.value)
    )


def comparable(one: Quantity, two: Quantity) -> bool:
    """Whether both measure the same: the same known unit, or the same noun counted, or both are years."""
    if one.year != two.year or one.ordinal != two.ordinal:
        return False
    if one.unit or two.unit:
        return one.unit == two.unit
    return one.year or (bool(one.noun) and one.noun == two.noun)


def same_day(one: Day, two: Day) -> bool:
    """Whether two dates agree on every part that both give."""
    if one.year != two.year:
        return False
    if one.month is None or two.month is None:
        return True
    return one.month == two.month and (
        one.day is None or two.day is None or one.day == two.day
    )


def _days(text: str) -> Iterator[Day]:
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(start <= match.start() < end for start, end in taken):
                continue
            parts = match.groupdict()
            month = int(parts["m"]) if parts.get("m") else _MONTHS[parts["n"].lower()]
            taken.append(match.span())
            yield Day(
                int(parts["y"]),
                month,
                int(parts["d"]) if parts.get("d") else None,
                *match.span(),
            )


def _numbers(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        found = _quantity(match, text)
        if found is not None:
            yield found


def _quantity(match: re.Match[str], text: str) -> Quantity | None:
    written = match["num"]
    try:
        value = (
            Decimal(written.replace(",", ""))
            if written
            else Decimal(_NUMBER_WORDS[match["word"].lower()])
        )
    except InvalidOperation:
        return None
    exponent = value.as_tuple().exponent
    step = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else Decimal(1)
    # `5k` is always a scale; `3m` and `2b` only of money, where they cannot be metres or bytes.
    short = (match["short"] or "").lower()
    scale = match["scale"] or (short if short == "k" or match["cur"] else "")
    if scale:
        power = _SCALES[scale.lower()]
        value, step = value.scaleb(power), step.scaleb(power)
    unit, noun, factor = _unit(match)
    if match["sign"] in ("-", "\u2212"):
        value = -value
    if unit == "%" and text[match.end() :].lstrip()[:5].casefold() == "point":
        unit = "%points"
    before = text[max(0, match.start() - 24) : match.start()]
    approximate = any(
        len(before) - near.end() <= 3 for near in _APPROXIMATE.finditer(before)
    )
    return Quantity(
        value * factor,
        step * factor,
        unit,
        noun,
        approximate,
        match["ord"] is not None,
        written or match["word"],
        match.start(),
        match.start("unit") if match["unit"] and not unit else match.end(),
    )


def _unit(match: re.Match[str]) -> tuple[str, str, Decimal]:
    if match["cur"]:
        return _CURRENCY[match["cur"].lower()], "", Decimal(1)
    word = (match["unit"] or match["short"] or "").lower()
    known = _UNITS.get(word) or (_UNITS.get(word[:-1]) if word.endswith("s") else None)
    if known is not None:
        return known[0], "", known[1]
    if word.startswith("\u00b0"):
        return word.replace(" ", ""), "", Decimal(1)
    return "", stem(word) if len(word) > 2 else "", Decimal(1)
