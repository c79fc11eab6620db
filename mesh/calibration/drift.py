"""The drift canary: 100 frozen questions judged again; more than 6 changed verdicts are an alarm. Pure."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final

from judgemesh.mesh.judging.confidence.thresholds import binomial_cdf

FROZEN_ITEMS: Final = 100
MOST_FLIPS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What judging again showed. `lost`: items without a verdict on one of the two sides; they are no flips."""

    items: int
    flips: int
    lost: int
    alarm: bool


def compare_verdicts(
    before: Mapping[Hashable, bool | None], after: Mapping[Hashable, bool | None]
) -> Drift:
    """Count the verdicts that changed. The alarm level of 6 in 100 goes with the number of items compared."""
    pairs = [(verdict, after.get(item)) for item, verdict in before.items()]
    compared = [(old, new) for old, new in pairs if old is not None and new is not None]
    flips = sum(old != new for old, new in compared)
    alarm = flips > alarm_level(len(compared))
    return Drift(
        items=len(compared), flips=flips, lost=len(pairs) - len(compared), alarm=alarm
    )


def alarm_level(items: int) -> int:
    """The most flips that are no alarm: 6 of 100, in proportion, and never fewer than what 6 % come to."""
    return MOST_FLIPS * items // FROZEN_ITEMS


def power(flip_rate: float, *, items: int = FROZEN_ITEMS) -> float:
    """The chance of an alarm when verdicts flip at that rate.

    Raises:
        ValueError: the rate does not lie strictly between 0 and 1.
    """
    if not 0.0 < flip_rate < 1.0:
        raise ValueError(f"a flip rate lies strictly between 0 and 1, got {flip_rate}")
    return 1.0 - binomial_cdf(alarm_level(items), items, flip_rate)
