"""What can be said of a mean when some values are missing and nobody knows why: Manski's bounds (1989)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL, Interval, anchored


@dataclass(frozen=True, slots=True)
class Bounds:
    """The mean if every missing value were the least, or the most, it can be; `ci` holds both with its level."""

    low: float
    high: float
    ci: Interval
    known: int
    missing: int


def manski(
    values: Sequence[float],
    missing: int,
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
    low: float = 0.0,
    high: float = 1.0,
) -> Bounds:
    """Worst-case bounds of a mean; no assumption about what is missing.

    The interval reaches from the lower end of the anchored interval of the worst case to the upper end of that of the
    best case, so it holds the whole range of what the mean can be, and with it the mean.

    Args:
        values: the known values, within `low`..`high`.
        missing: how many more there should be.
        seed: of the draws.
        draws: how many.
        level: of the interval.
        low: the least a value can be.
        high: the most a value can be.

    Raises:
        ValueError: nothing is known, `missing` is below 0, or a value is out of range.
    """
    if missing < 0 or not values:
        raise ValueError(
            f"needs at least one known value and no negative number of missing ones, got {missing}"
        )
    worst, best = [*values, *[low] * missing], [*values, *[high] * missing]
    ends = [
        anchored(case, seed=seed, draws=draws, level=level, low=low, high=high)
        for case in (worst, best)
    ]
    interval = Interval(
        ends[0].low, ends[1].high, "worst and best case, anchored", level
    )
    return Bounds(
        float(np.mean(worst)), float(np.mean(best)), interval, len(values), missing
    )
