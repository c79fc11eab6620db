"""Durations as people write them, with each number before its unit: `1:30 h`, `1 h 30` and `1 Std. 30 Min.`. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from judgemesh.validators._shared.numbers.number_units import are_one, unit_name

_SIZES: Final = (("s", 1), ("min", 60), ("h", 3600))
_HOUR: Final = r"(?:h|hrs?|hours?|std|stunden?|heures?|horas?|ore|uur)"
_MINUTE: Final = r"(?:min|mins|minutes?|minuten|minutos?|minuti)"
_CLOCK: Final = re.compile(
    rf"(?<![\w:.,])(?P<first>\d{{1,3}}):(?P<second>[0-5]\d)\s?(?:(?P<hours>{_HOUR})|{_MINUTE})(?![\w:])",
    re.IGNORECASE,
)
_UNNAMED: Final = re.compile(
    rf"(?<![\w:.,])(?P<hours>\d{{1,3}})\s?{_HOUR}\.?\s?(?P<minutes>[0-5]?\d)(?![\w:.,]?\d)(?!\s?[^\W\d_]|\s?[%€$£])",
    re.IGNORECASE,
)
_GLUED: Final = re.compile(
    rf"(?<![\w:.,])(?P<hours>\d{{1,3}}\s?{_HOUR})(?P<minutes>[0-5]?\d)\s?(?={_MINUTE}\b)",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(rf"(?<=\d)(?P<unit>\s?{_HOUR})\.(?=\s?\d)", re.IGNORECASE)
_BARE: Final = re.compile(
    r"(?<![\w:.,])(\d{1,3}):([0-5]\d)(?![\w:]|\s?[ap]\.?m\b)", re.IGNORECASE
)


def asks_duration(units: Sequence[str]) -> bool:
    """Whether one of the units that a contract names is one of time."""
    return bool(units) and bool(_sizes(units))


def with_units(text: str) -> str:
    """The text with a unit behind each number of a duration."""
    text = _GLUED.sub(r"\g<hours> \g<minutes> ", text)
    named = _CLOCK.sub(_named, _SHORT.sub(r"\g<unit>", text))
    return _UNNAMED.sub(r"\g<hours> h \g<minutes> min", named)


def unnamed(text: str, units: Sequence[str]) -> list[Decimal]:
    """What `1:30` without a unit may mean in the units: hours and minutes, or minutes and seconds."""
    found = _BARE.search(text)
    if found is None:
        return []
    first, second = Decimal(found[1]), Decimal(found[2])
    meant = [size * first + size / 60 * second for size in (Decimal(3600), Decimal(60))]
    return [seconds / size for seconds in meant for size in _sizes(units)]


def _named(found: re.Match[str]) -> str:
    names = ("h", "min") if found["hours"] else ("min", "s")
    return f"{found['first']} {names[0]} {found['second']} {names[1]}"


def _sizes(units: Sequence[str]) -> list[Decimal]:
    """The seconds in each of the units that is one of time."""
    names = [unit_name(unit) for unit in units]
    return [
        Decimal(size) for name in names for one, size in _SIZES if are_one(one, name)
    ]
