"""A mean of contributions whose classes a judge only knows with a probability (JUDGING section 7).

Taking the judge's likeliest class for the truth has two faults: it is biased wherever the judge errs more in one
direction, and its interval speaks of the sampling of tasks alone. Here the class of every task is drawn anew from its
calibrated probabilities inside every draw of the anchored bootstrap, so the interval carries both.

The interval does not carry the doubt about the calibration itself. Where the labels behind it are at hand and come
from this run, `outcome_correction.corrected_success` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL, Interval

_CHUNK: Final = 2_000_000
_SLACK: Final = 1e-6

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NoisyMean:
    """The expected mean, its interval with judge noise inside, and how many of the items were not certain."""

    rate: float
    ci: Interval
    items: int
    uncertain: int


def noisy_mean(
    values: Sequence[Sequence[float]],
    chances: Sequence[Sequence[float]],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
    low: float = 0.0,
    high: float = 1.0,
    clusters: Sequence[str] | None = None,
) -> NoisyMean:
    """The mean over items of sum_c chance_c value_c, and an interval that redraws every item's class in every draw.

    Conservative: with probabilities that are exactly calibrated the interval covers at least as often as it says, and
    is at most sqrt(2) times as wide as the interval of the same items labelled by people.

    Args:
        values: for each item, what it is worth in each class; within `low`..`high`.
        chances: for each item, the calibrated probability of each class; one class with 1 is a certain item.
        seed: of the draws.
        draws: how many.
        level: of the interval.
        low: the least a value can be.
        high: the most a value can be.
        clusters: the cluster of each item, where items of one are not independent (runs of one task).

    Raises:
        ValueError: there are no items, the shapes differ, a value is out of range, or an item's probabilities do not
            lie in 0..1 and sum to 1.
    """
    value_table, chance_table = _tables(values, chances, low, high)
    random = np.random.Generator(np.random.PCG64(seed))
    expected = (value_table * chance_table).sum(axis=1)
    uncertain = _uncertain_items(value_table, chance_table)
    cluster = _cluster_numbers(len(expected), clusters)
    sizes = np.bincount(cluster)
    certain_totals = np.bincount(cluster, weights=np.where(uncertain, 0.0, expected))
    mean_size = len(expected) / len(sizes)
    uncertain_values = value_table[uncertain]
    thresholds = np.cumsum(chance_table[uncertain], axis=1)[:, :-1]
    uncertain_cluster = cluster[uncertain]
    items = np.arange(len(uncertain_values))
    means = np.empty(draws)
    chunk = max(1, _CHUNK // (len(sizes) + uncertain_values.size))
    for start in range(0, draws, chunk):
        rows = min(chunk, draws - start)
        weights = random.standard_exponential((rows, len(sizes)))
        ends = random.standard_gamma(0.5, size=(rows, 2)) * mean_size
        uniform = random.random((rows, len(items)))
        classes = (uniform[:, :, None] >= thresholds).sum(axis=2)
        drawn_values = uncertain_values[items, classes]
        totals = weights @ certain_totals
        totals += (weights[:, uncertain_cluster] * drawn_values).sum(axis=1)
        totals += ends @ [low, high]
        means[start : start + rows] = totals / (weights @ sizes + ends.sum(axis=1))
    ends = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    method = "anchored Bayesian bootstrap with judge noise"
    interval = Interval(float(ends[0]), float(ends[1]), method, level)
    return NoisyMean(float(expected.mean()), interval, len(expected), len(items))


def _uncertain_items(values: Floats, chances: Floats) -> NDArray[np.bool_]:
    """Items whose class is not certain and matters."""
    open_class: NDArray[np.bool_] = chances.max(axis=1) < 1 - _SLACK
    open_value: NDArray[np.bool_] = values.max(axis=1) > values.min(axis=1)
    return open_class & open_value


def _cluster_numbers(items: int, clusters: Sequence[str] | None) -> NDArray[np.int64]:
    """The number of each item's cluster; every item is one of its own where there are none."""
    if clusters is None:
        return np.arange(items)
    if len(clusters) != items:
        raise ValueError(
            f"needs one cluster for each item, got {len(clusters)} for {items}"
        )
    return np.unique(np.asarray(clusters), return_inverse=True)[1]


def _tables(
    values: Sequence[Sequence[float]],
    chances: Sequence[Sequence[float]],
    low: float,
    high: float,
) -> tuple[Floats, Floats]:
    widths = {len(row) for row in (*values, *chances)}
    if not values or len(values) != len(chances) or len(widths) != 1:
        raise ValueError(
            "needs at least one item, and for each item as many values as probabilities"
        )
    value_table = np.asarray(values, dtype=float)
    chance_table = np.asarray(chances, dtype=float)
    if not ((value_table >= low) & (value_table <= high)).all():
        raise ValueError(f"values must lie in {low:g}..{high:g}")
    sums = chance_table.sum(axis=1)
    valid = (chance_table >= 0).all(axis=1) & (np.abs(sums - 1) <= _SLACK)
    wrong = np.flatnonzero(~valid)
    if len(wrong):
        raise ValueError(
            f"the class probabilities of item {int(wrong[0]) + 1} must lie in 0..1 and sum to 1, "
            f"they sum to {sums[wrong[0]]:g}"
        )
    return value_table, chance_table
