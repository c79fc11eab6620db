"""What calibration error a perfect judge would show: bins hold few items, so it is never 0.

An expected calibration error is worth showing only beside this. Where it is below the quantile, the probabilities are
not known to be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

BINS: Final = 10
DRAWS: Final = 2_000
_CHUNK: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class PerfectError:
    """The error if every probability were exactly right: its mean, and what `level` of such judges stay below."""

    mean: float
    quantile: float
    level: float
    items: int


def perfect_calibration_error(
    chances: Sequence[float],
    *,
    seed: int,
    bins: int = BINS,
    draws: int = DRAWS,
    level: float = 0.95,
) -> PerfectError:
    """Draw the truth of every item from its own probability, again and again, and take the error each time.

    Bins of equal width over 0..1, as in `judging.reliability`; the error of a bin is the distance between the mean
    probability and the share that is true, weighted by its items.

    Args:
        chances: the probabilities that were given, 0..1.
        seed: of the draws.
        bins: how many.
        draws: how many.
        level: of the quantile.

    Raises:
        ValueError: there are no probabilities, one is outside 0..1, or there is no bin.
    """
    claimed = np.asarray(chances, dtype=float)
    if claimed.size == 0 or bins < 1 or not ((claimed >= 0) & (claimed <= 1)).all():
        raise ValueError(
            "needs at least one probability, each in 0..1, and at least one bin"
        )
    place = np.minimum((claimed * bins).astype(int), bins - 1)
    member = np.zeros((claimed.size, bins))
    member[np.arange(claimed.size), place] = 1
    random = np.random.Generator(np.random.PCG64(seed))
    errors = np.empty(draws)
    step = max(1, _CHUNK // claimed.size)
    for start in range(0, draws, step):
        many = min(step, draws - start)
        apart = (random.random((many, claimed.size)) < claimed) - claimed
        errors[start : start + many] = np.abs(apart @ member).sum(axis=1) / claimed.size
    return PerfectError(
        float(errors.mean()), float(np.quantile(errors, level)), level, claimed.size
    )
