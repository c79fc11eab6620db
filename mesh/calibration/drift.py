"""The drift canary: 100 frozen questions judged again; more than 6 changed verdicts are an alarm. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final

FROZEN_ITEMS: Final = 100
MAX_FLIPS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The verdicts on the same items in two runs.

    items: compared items. flips: changed verdicts. lost: items without a verdict in one of the runs; they are no flips.
    """

    items: int
    flips: int
    lost: int
    alarm: bool


def compare_verdicts(
    before: Mapping[Hashable, bool | None], after: Mapping[Hashable, bool | None]
) -> Drift:
    """Count the verdicts that changed. The alarm level of 6 in 100 goes with the number of items compared."""
    items = flips = 0
    for item, old in before.items():
        new = after.get(item)
        if old is not None and new is not None:
            items += 1
            flips += old != new
    return Drift(
        items=items,
        flips=flips,
        lost=len(before) - items,
        alarm=flips > alarm_level(items),
    )


def alarm_level(items: int) -> int:
    """The most flips that are no alarm: 6 of 100, in proportion, rounded down."""
    return MAX_FLIPS * items // FROZEN_ITEMS
