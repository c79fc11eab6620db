"""Numbers of a text as a contract reads them that names units: those that have one of the units, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from judgemesh.validators._shared.numbers.number_bounds import Bound
from judgemesh.validators._shared.numbers.number_units import (
    UnitFit,
    unit_fit,
    unit_name,
)
from judgemesh.validators._shared.numbers.numbers import Readings
from judgemesh.validators._shared.numbers.rates import is_of_each, makes_rate
from judgemesh.validators._shared.numbers.unit_scales import scale_of

_LOOK_AHEAD: Final = 60
_LOOK_BACK: Final = 40
_REPORTS: Final = re.compile(
    r"\b(?:has|have|is|are|shows?|says|found|reads?|measured|gave|hat|ist|zeigt|a|est|affiche|tiene|es|muestra)"
    r"(?:\s(?:only|now|just|about|nur|jetzt|etwa|seulement|solo|ahora))?\s$",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r"\s*(?:$|[.,;!?](?!\d))")
_JOINING: Final = frozenset(
    {"", ",", "and", "und", "et", "y", "e", "en", "og", "och", "i"}
)


@dataclass(frozen=True, slots=True)
class ProseNumber:
    """A number in a text: its readings, whether a percent sign follows, the word behind it, and where it stands.

    bound: what keeps the text from simply stating it. of: the number before the slash in `8/10`, which may be a score.
    money: the currency in front of it. until: the other end of a range.
    """

    readings: Readings
    percent: bool
    unit: str
    start: int
    end: int
    bound: Bound | None = None
    of: Readings = ()
    money: str = ""
    until: Readings = ()


def in_units(
    found: list[ProseNumber], text: str, units: Sequence[str]
) -> list[ProseNumber]:
    """The numbers with a unit that is asked for; where there are none, those without another unit."""
    if not units:
        return found
    wanted = [unit_name(unit) for unit in units]
    found = _summed(found, text)
    fits = [
        unit_fit(wanted, one.money, one.unit, behind(text, one.end)) for one in found
    ]
    for number, one in enumerate(found[:-1]):
        if one.bound is Bound.RANGE and fits[number] in (UnitFit.NONE, UnitFit.OPEN):
            fits[number] = fits[number + 1]
    pairs = list(zip(found, fits, strict=True))
    same = [one for one, fit in pairs if fit is UnitFit.SAME]
    other = [one for one, fit in pairs if fit is UnitFit.OTHER]
    same = same or list(filter(None, (_converted(one, wanted) for one in other)))
    if same:
        bare = [one for one, fit in pairs if fit is UnitFit.NONE and not one.unit]
        rates = [_unless_rate(one, wanted, text) for one in same]
        return _unless_another(rates, bare, text)
    return [
        replace(one, bound=Bound.OTHER) if fit is UnitFit.OPEN else one
        for one, fit in pairs
        if fit is not UnitFit.OTHER
    ]


def _summed(found: list[ProseNumber], text: str) -> list[ProseNumber]:
    """The numbers, with those that write one amount in two units as one: `1 h 30 min` is 90 min."""
    summed: list[ProseNumber] = []
    for number in found:
        last = summed[-1] if summed else None
        scale = None
        if last is not None and last.bound is number.bound is None:
            scale = scale_of(last.unit, number.unit)
        if last is not None and scale is not None and scale[0] > scale[1]:
            between = text[last.end : number.start].casefold().replace(last.unit, "", 1)
            if between.strip() in _JOINING:
                whole = last.readings[0] * scale[0] / scale[1] + number.readings[0]
                summed[-1] = replace(number, readings=(whole,), start=last.start)
                continue
        summed.append(number)
    return summed


def _converted(number: ProseNumber, wanted: Sequence[str]) -> ProseNumber | None:
    """The number in the wanted unit; None where its own unit is of another kind."""
    scales = [scale_of(number.unit, unit) for unit in wanted if number.unit]
    scale = next(filter(None, scales), None)
    if scale is None:
        return None
    size, of = scale
    return replace(
        number,
        readings=tuple(one * size / of for one in number.readings),
        until=tuple(one * size / of for one in number.until),
    )


def _unless_rate(number: ProseNumber, wanted: Sequence[str], text: str) -> ProseNumber:
    """The number; that of a rate (`75 EUR per pallet`) is open, unless the contract names a rate."""
    if any("/" in unit or " " in unit for unit in wanted):
        return number
    if is_of_each(text[max(0, number.start - _LOOK_AHEAD) : number.start]):
        return replace(number, bound=Bound.OTHER)
    after = behind(text, number.end).lstrip()
    if number.unit and after.casefold().startswith(number.unit):
        after = after[len(number.unit) :]
    return replace(number, bound=Bound.OTHER) if makes_rate(after) else number


def _unless_another(
    found: list[ProseNumber], bare: list[ProseNumber], text: str
) -> list[ProseNumber]:
    """The numbers; open where the text reports another one without a unit: `Allowed are 27 °C, the pool has 24`."""
    values = {one.readings[0] for one in found}
    is_open = any(
        one.readings[0] not in values
        and _REPORTS.search(text[max(0, one.start - _LOOK_BACK) : one.start])
        and _ENDS.match(text[one.end :])
        for one in bare
    )
    return [replace(one, bound=Bound.OTHER) for one in found] if is_open else found


def behind(text: str, end: int) -> str:
    """What stands just behind a number."""
    return text[end : end + _LOOK_AHEAD]
