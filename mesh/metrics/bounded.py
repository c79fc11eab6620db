"""The interval of a mean of independent values of which nothing is known but their range.

Gaffke's bound: order the n values, put one value at the low end beside them, and weight the n + 1 by a flat Dirichlet.
The lower limit is the alpha/2 quantile of that weighted mean; the upper limit mirrors it. For values of 0 and 1 it is
the Clopper-Pearson interval. No bounded distribution is known for which it covers less than it says, at any n.

Sources: N. Gaffke, Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
variable, Mathematical Methods of Statistics 14 (2005); E. Learned-Miller, P. Thomas, arXiv 1905.06208 (2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.beta import beta_quantile
from judgemesh.mesh.metrics.intervals import LEVEL, Interval

Floats = NDArray[np.float64]

DRAWS: Final = 4_000
METHOD: Final = "exact for a bounded mean (Gaffke)"
_FEWER_DRAWS: Final = 1_000
_MANY_VALUES: Final = 2_000
_CHUNK: Final = 2_000_000


def bounded_mean(
    values: Sequence[float] | Floats,
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval:
    """Gaffke's two-sided interval of the mean of independent values in `low`..`high`.

    The draws are attached to the ordered values: names and order of the values do not matter.

    Raises:
        ValueError: there are no values, or one is out of range.
    """
    data = np.sort(np.asarray(values, dtype=float))
    if not data.size or not np.isfinite(data).all():
        raise ValueError("needs at least one value, and finite values only")
    if data[0] < low or data[-1] > high:
        raise ValueError(f"values must lie in {low}..{high}, got {data[0]}..{data[-1]}")
    tail = (1 - level) / 2
    points, counts = np.unique(data, return_counts=True)
    if low < high and np.isin(points, (low, high)).all():
        highs = int(counts[points == high].sum())
        ends = _clopper_pearson(highs, data.size, tail)
        width = high - low
        return Interval(low + width * ends[0], low + width * ends[1], METHOD, level)
    draws = DRAWS if points.size <= _MANY_VALUES else _FEWER_DRAWS
    lows, highs_ = _draws(points, counts, low, high, seed, draws)
    bottom = float(np.quantile(lows, tail))
    top = float(np.quantile(highs_, 1 - tail))
    return Interval(bottom, top, METHOD, level)


@lru_cache(maxsize=16_384)
def _clopper_pearson(successes: int, trials: int, tail: float) -> tuple[float, float]:
    failures = trials - successes
    bottom = beta_quantile(tail, successes, failures + 1) if successes else 0.0
    top = beta_quantile(1 - tail, successes + 1, failures) if failures else 1.0
    return bottom, top


def _draws(
    points: Floats,
    counts: NDArray[np.int64],
    low: float,
    high: float,
    seed: int,
    draws: int,
) -> tuple[Floats, Floats]:
    """Draws of the mean with one more value at the low end, and with one more at the high end."""
    random = np.random.Generator(np.random.PCG64(seed))
    bottoms, tops = np.empty(draws), np.empty(draws)
    step = max(1, _CHUNK // points.size)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        weights = random.standard_gamma(counts, size=(rows, points.size))
        extra = random.standard_exponential(rows)
        totals, sizes = weights @ points, weights.sum(axis=1) + extra
        bottoms[start : start + rows] = (totals + low * extra) / sizes
        tops[start : start + rows] = (totals + high * extra) / sizes
    return bottoms, tops
