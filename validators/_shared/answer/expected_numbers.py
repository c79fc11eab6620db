"""Whether the numbers that a text states are the expected one, or keep a bound.

A number that is bounded, negated or in doubt is not simply stated. An approximate number counts as itself; it keeps a
bound only where numbers a tenth larger and smaller keep it too, and a range only where both its ends do.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from judgemesh.contracts.sections.section import Conditions
from judgemesh.validators._shared.answer.stated import Stated
from judgemesh.validators._shared.equality import Truth, within
from judgemesh.validators._shared.matching import BOUNDS
from judgemesh.validators._shared.numbers.durations import (
    asks_duration,
    unnamed,
    with_units,
)
from judgemesh.validators._shared.numbers.number_bounds import Bound
from judgemesh.validators._shared.numbers.numbers import Readings, readings
from judgemesh.validators._shared.numbers.prose_numbers import (
    numbers_in,
    stated_numbers,
)
from judgemesh.validators._shared.numbers.stated_units import ProseNumber

_MEASURED: Final = (Bound.RANGE, Bound.ABOUT)
_NEARBY: Final = (Decimal("0.9"), Decimal("1.1"))
_OTHER_NUMBER: Final = frozenset({Bound.OPERATED, Bound.ABOVE, Bound.BELOW})
"""What makes a text state another number than the one it shows: `more than 4`, `log 4`."""
_LEAST: Final = (Bound.ABOVE, Bound.AT_LEAST)
_MOST: Final = (Bound.BELOW, Bound.AT_MOST)
_IMPLIES: Final = {"gt": _LEAST, "ge": _LEAST, "lt": _MOST, "le": _MOST}
"""Which bound in the text implies which condition: more than 20 is more than 18."""


def keeps_bound(name: str, limit: float, stated: Stated, units: Sequence[str]) -> Truth:
    """Whether every number that is stated keeps a bound of the contract (`gt`, `ge`, `lt`, `le`)."""
    holds, exact = BOUNDS[name], Decimal(repr(limit))
    if not isinstance(stated.value, str):
        found = [readings(stated.value)]
    else:
        numbers, _ = numbers_of(stated, units)
        found = [_extent(number) for number in numbers]
        bounds = {number.bound for number in numbers} - {None, *_MEASURED}
        if not bounds <= set(_IMPLIES[name]):
            return None
        if bounds:
            return True if any(holds(one[0], exact) for one in found) else None
    outcomes = {holds(reading, exact) for one in found for reading in one}
    if not outcomes:
        return False
    return outcomes.pop() if len(outcomes) == 1 else None


def _extent(number: ProseNumber) -> Readings:
    """Numbers that a bound must hold for: both ends of a range, and a tenth on both sides of an approximate number."""
    if number.bound is not Bound.ABOUT:
        return number.readings + number.until
    return tuple(one * factor for one in number.readings for factor in _NEARBY)


def same_number(
    conditions: Conditions, expected: Readings, stated: Stated, units: Sequence[str]
) -> Truth:
    numbers, hedged = numbers_of(stated, units)
    hits = [_hit(conditions, expected, number) for number in numbers]
    if not hits and asks_duration(units):
        return _may_be_duration(conditions, expected, stated, units)
    if not hits or all(hit is False for hit in hits):
        return False
    if all(hit is True for hit in hits):
        return _unless_retracted(conditions, expected, stated)
    if len(hits) == 1:
        return None
    return False if hedged else None


def _may_be_duration(
    conditions: Conditions, expected: Readings, stated: Stated, units: Sequence[str]
) -> Truth:
    """Unknown where `1:30` without a unit may mean what is expected."""
    meant = unnamed(str(stated.value), units)
    return None if any(within(conditions, expected[0], one) for one in meant) else False


def _unless_retracted(
    conditions: Conditions, expected: Readings, stated: Stated
) -> Truth:
    """True, unless what follows takes the number back: for another number, that is wrong."""
    if not stated.retracted:
        return True
    others = numbers_in(stated.rest)
    if any(_hit(conditions, expected, other) is False for other in others):
        return False
    return None


def numbers_of(stated: Stated, units: Sequence[str]) -> tuple[list[ProseNumber], bool]:
    text = str(stated.value)
    if asks_duration(units):
        text = with_units(text)
    return stated_numbers(
        text, units, leads=stated.whole or stated.ref != "final_answer"
    )


def _hit(conditions: Conditions, expected: Readings, number: ProseNumber) -> Truth:
    """The usual reading decides; another reading that fits leaves it open."""
    usual, *others = number.readings
    fits = within(conditions, expected[0], usual) or any(
        within(conditions, expected[0], score) for score in number.of
    )
    if number.bound is Bound.RANGE:
        ends = sorted((*number.readings[:1], *number.until[:1]))
        return None if fits or ends[0] <= expected[0] <= ends[-1] else False
    if number.bound not in (None, Bound.ABOUT):
        return False if fits and number.bound in _OTHER_NUMBER else None
    if fits:
        return True
    if number.percent and within(conditions, expected[0], usual / 100):
        return True
    return (
        None
        if any(within(conditions, expected[0], other) for other in others)
        else False
    )
