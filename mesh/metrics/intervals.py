"""Intervals for rates and means.

`anchored` is the interval to quote: near the ceiling the percentile bootstrap covers far less than it says, because
resampling perfect results can only give perfect results.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.beta import beta_quantile, student_quantile

LEVEL: Final = 0.95
DRAWS: Final = 1_000
_CHUNK: Final = 2_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided interval. `method` names how it was made."""

    low: float
    high: float
    method: str
    level: float = LEVEL

    @property
    def half_width(self) -> float:
        """Half of the distance between the ends."""
        return (self.high - self.low) / 2

    def arm(self, value: float, digits: int) -> float | None:
        """How far both ends are from the value, to that many digits; None where one is farther than the other.

        A lopsided interval must not be written with a plus-minus sign: it would hold other values than the interval.
        """
        below, above = round(value - self.low, digits), round(self.high - value, digits)
        return below if below == above else None


def jeffreys(successes: int, trials: int, *, level: float = LEVEL) -> Interval:
    """Equal-tailed Beta(k + 1/2, n - k + 1/2) interval; its ends are 0 and 1 for none and for all.

    Source: Brown, Cai, DasGupta, Interval Estimation for a Binomial Proportion, Statistical Science 16 (2001).
    """
    _check(successes, trials)
    tail = (1 - level) / 2
    a, b = successes + 0.5, trials - successes + 0.5
    low = 0.0 if successes == 0 else beta_quantile(tail, a, b)
    high = 1.0 if successes == trials else beta_quantile(1 - tail, a, b)
    return Interval(low, high, "jeffreys", level)


def wilson(successes: int, trials: int, *, level: float = LEVEL) -> Interval:
    """Wilson's score interval (1927)."""
    _check(successes, trials)
    z = NormalDist().inv_cdf((1 + level) / 2)
    share, square = successes / trials, z * z / trials
    centre = (share + square / 2) / (1 + square)
    variance = share * (1 - share) / trials + square / (4 * trials)
    spread = z * math.sqrt(variance) / (1 + square)
    low = 0.0 if successes == 0 else max(0.0, centre - spread)
    high = 1.0 if successes == trials else min(1.0, centre + spread)
    return Interval(low, high, "wilson", level)


def percentile(
    values: Sequence[float],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
    clusters: Sequence[str] | None = None,
) -> Interval:
    """The plain percentile bootstrap of the mean: resample the items (or clusters) with replacement, `draws` times."""
    totals, sizes, counts = _units(values, clusters)
    random = np.random.Generator(np.random.PCG64(seed))
    resampled = random.multinomial(counts.sum(), counts / counts.sum(), size=draws)
    return _quantiles(
        resampled @ totals / (resampled @ sizes), "percentile bootstrap", level
    )


def anchored(
    values: Sequence[float],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
    low: float = 0.0,
    high: float = 1.0,
    clusters: Sequence[str] | None = None,
) -> Interval:
    """Anchored Bayesian bootstrap of the mean of values that can lie between `low` and `high`.

    Each draw weights the distinct values by Gamma(count), and two pseudo-items of weight 1/2 stand at the ends of what
    is possible. For 0/1 values that is Beta(k + 1/2, n - k + 1/2), the Jeffreys interval, up to Monte-Carlo error.

    Args:
        values: what the items are worth.
        seed: of the draws.
        draws: how many.
        level: of the interval.
        low: the least a value can be.
        high: the most a value can be.
        clusters: the cluster of each item (the task that it is a run of), where items of one cluster are not
            independent. Clusters are then weighted instead of items, and a pseudo-item is as large as a mean cluster.

    Raises:
        ValueError: there are no values, one is out of range, or there is not one cluster for each.
    """
    totals, sizes, counts = _units(values, clusters)
    data = np.asarray(values, dtype=float)
    if data.min() < low or data.max() > high:
        raise ValueError(
            f"values must lie in {low}..{high}, got {data.min()}..{data.max()}"
        )
    mean_size = float(counts @ sizes / counts.sum())
    unit_totals = np.concatenate([totals, [low * mean_size, high * mean_size]])
    unit_sizes = np.concatenate([sizes, [mean_size, mean_size]])
    shapes = np.concatenate([counts.astype(float), [0.5, 0.5]])
    random = np.random.Generator(np.random.PCG64(seed))
    means = np.empty(draws)
    step = max(1, _CHUNK // len(shapes))
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        weights = random.standard_gamma(shapes, size=(rows, len(shapes)))
        means[start : start + rows] = weights @ unit_totals / (weights @ unit_sizes)
    return _quantiles(means, "anchored Bayesian bootstrap", level)


def clustered(
    values: Sequence[float], clusters: Sequence[str], *, level: float = LEVEL
) -> Interval:
    """Interval of the mean when items of one cluster (repeats of one task) are not independent.

    The mean of all items, with the standard error of a ratio of cluster totals to cluster sizes
    (Cochran, Sampling Techniques, section 6.3), times T/(T-1) for T clusters, and the quantile of Student's t with
    T - 1 degrees of freedom: with few tasks the normal one is too narrow. Near 0 and 1 use `anchored` with clusters:
    here perfect results have an interval of no width.
    """
    if len(values) != len(clusters) or not values:
        raise ValueError("needs one cluster for each value, and at least one value")
    names, index = np.unique(np.asarray(clusters), return_inverse=True)
    if len(names) == 1:
        raise ValueError(
            "one cluster alone says nothing about the spread between clusters"
        )
    data = np.asarray(values, dtype=float)
    totals, sizes = np.bincount(index, weights=data), np.bincount(index)
    mean = data.mean()
    residuals = totals - mean * sizes
    variance = (residuals**2).sum() * len(names) / (len(names) - 1) / len(data) ** 2
    spread = student_quantile((1 + level) / 2, len(names) - 1) * math.sqrt(variance)
    return Interval(float(mean - spread), float(mean + spread), "clustered", level)


def _units(
    values: Sequence[float], clusters: Sequence[str] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """The distinct units, items or whole clusters: what each adds up to, how many items it has, how often it occurs."""
    data = np.asarray(values, dtype=float)
    if data.size == 0 or not np.isfinite(data).all():
        raise ValueError("needs at least one value, and finite values only")
    if clusters is None or len(set(clusters)) == len(clusters) == data.size:
        distinct, counts = np.unique(data, return_counts=True)
        return distinct, np.ones(distinct.size), counts
    if len(clusters) != data.size:
        raise ValueError(
            f"needs one cluster for each value, got {len(clusters)} for {data.size}"
        )
    index = np.unique(np.asarray(clusters), return_inverse=True)[1]
    totals, sizes = np.bincount(index, weights=data), np.bincount(index)
    pairs = np.column_stack([totals, sizes]).astype(float)
    units, counts = np.unique(pairs, axis=0, return_counts=True)
    return units[:, 0], units[:, 1], counts


def _quantiles(draws: NDArray[np.float64], method: str, level: float) -> Interval:
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), method, level)


def _check(successes: int, trials: int) -> None:
    if trials < 1 or not 0 <= successes <= trials:
        raise ValueError(
            f"needs 0 <= successes <= trials and trials >= 1, got {successes} of {trials}"
        )
