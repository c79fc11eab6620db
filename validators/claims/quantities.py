"""Numbers with units, and dates, as people write them: `3,900 DKK`, `65-billion`, `about 12 %`, `3 May 2021`.

Two quantities agree when the coarser one is the finer one rounded, or when a word such as `about` says that it is near.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.sentences import stem

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
_MAX_RELATIVE_GAP: Final = Decimal("0.05")
_YEARS: Final = range(1000, 2101)


_APPROXIMATE_WINDOW_CHARS: Final = 24
_MAX_APPROXIMATE_DISTANCE_CHARS: Final = 3
_MIN_NOUN_CHARS: Final = 3


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
    numbers = (number for number in _numbers(shown) if not _is_inside(number, days))
    return Figures(tuple(numbers), days)


def _is_inside(number: Quantity, days: Iterable[Day]) -> bool:
    return any(day.start <= number.start < day.end for day in days)


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
            if not any(day.start <= match.start() < day.end for day in days):
                days.append(_day(match))
    return iter(days)


def _day(match: re.Match[str]) -> Day:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else _MONTHS[parts["n"].lower()]
    day = int(parts["d"]) if parts.get("d") else None
    return Day(int(parts["y"]), month, day, match.start(), match.end())


def _numbers(text: str) -> Iterator[Quantity]:
    for match in _NUMBER.finditer(text):
        value = _written_value(match)
        if value is not None:
            yield _quantity(match, text, value)


def _written_value(match: re.Match[str]) -> Decimal | None:
    if not match["num"]:
        return Decimal(_NUMBER_WORDS[match["word"].lower()])
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
        return _SCALES[match["scale"].lower()]
    # `5k` is always a scale; `3m` and `2b` only of money, where they cannot be metres or bytes.
    if short == "k" or (short and match["cur"]):
        return _SCALES[short]
    return 0


def _is_approximate(text: str, start: int) -> bool:
    """Whether a word such as `about` stands right before a number."""
    before = text[max(0, start - _APPROXIMATE_WINDOW_CHARS) : start]
    earliest_end = len(before) - _MAX_APPROXIMATE_DISTANCE_CHARS
    return any(match.end() >= earliest_end for match in _APPROXIMATE.finditer(before))


def _unit(match: re.Match[str]) -> tuple[str, str, Decimal]:
    """The base of a known unit or the stem of an unknown word, and the factor of the unit to its base."""
    if match["cur"]:
        return _CURRENCY[match["cur"].lower()], "", Decimal(1)
    word = (match["unit"] or match["short"] or "").lower()
    known = _UNITS.get(word)
    if known is None and word.endswith("s"):
        known = _UNITS.get(word[:-1])
    if known is not None:
        base, factor = known
        return base, "", factor
    if word.startswith("\u00b0"):
        return word.replace(" ", ""), "", Decimal(1)
    noun = stem(word) if len(word) >= _MIN_NOUN_CHARS else ""
    return "", noun, Decimal(1)
