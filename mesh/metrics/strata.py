"""A mean over a run whose items fall into strata of known size, from labels drawn at random within each.

The post-stratified estimator of Tenenbein (1970) for any number of strata and any values in a range: theta = sum_v w_v
m_v. In each draw the sizes come from a Dirichlet with 1/2 added to each, and the mean of a stratum from the anchored
bootstrap of its labelled values (for values of 0 and 1: Jeffreys draws).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.intervals import LEVEL, Interval

DRAWS: Final = 4_000
_HALF: Final = 0.5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stratum:
    """Items of the whole run that belong here, and the values of those that were drawn at random and labelled."""

    items: int
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Stratified:
    """The mean, its interval, and how many labels at random without any strata would be as good."""

    rate: float
    ci: Interval
    effective_labels: float


def stratified_mean(
    strata: Sequence[Stratum],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
    low: float = 0.0,
    high: float = 1.0,
) -> Stratified:
    """The mean over all items of the strata, each 1 or more.

    Args:
        strata: with items and the labelled values, within `low`..`high`.
        seed: of the draws.
        draws: how many.
        level: of the interval.
        low: the least a value can be.
        high: the most a value can be.

    Raises:
        ValueError: there are no strata; one has no items, no labels, more labels than items, or a value out of range.
    """
    _check(strata, low, high)
    items = np.array([stratum.items for stratum in strata], dtype=float)
    weights = items / items.sum()
    rate = 0.0
    for weight, stratum in zip(weights, strata, strict=True):
        rate += float(weight * np.mean(stratum.values))
    random = np.random.Generator(np.random.PCG64(seed))
    sizes = random.standard_gamma(items + _HALF, size=(draws, len(strata)))
    means = np.column_stack(
        [_means(stratum, random, draws, low, high) for stratum in strata]
    )
    rates = (sizes * means).sum(axis=1) / sizes.sum(axis=1)
    ends = np.quantile(rates, [(1 - level) / 2, (1 + level) / 2])
    method = "post-stratified, anchored draws"
    interval = Interval(float(ends[0]), float(ends[1]), method, level)
    item_variance = _item_variance(strata, weights, low, high)
    return Stratified(rate, interval, labels_for(item_variance, float(rates.var())))


def effective_labels(mean: float, variance: float) -> float:
    """The n for which a Beta(k + 1/2, n - k + 1/2) of this mean has this variance: mean (1 - mean) / variance - 2."""
    return labels_for(mean * (1 - mean), variance)


def labels_for(spread: float, variance: float) -> float:
    """How many labels at random give that variance of a mean whose items have the variance `spread`."""
    return max(0.0, spread / variance - 2) if variance > 0 else math.inf


def _means(
    stratum: Stratum, random: np.random.Generator, draws: int, low: float, high: float
) -> Floats:
    """Draws of the mean of a stratum; where every value is an end, a Beta is the same and quicker."""
    values = np.asarray(stratum.values, dtype=float)
    points, counts = np.unique(values, return_counts=True)
    if low < high and np.isin(points, (low, high)).all():
        highs = int(counts[points == high].sum())
        shares = random.beta(highs + _HALF, len(values) - highs + _HALF, draws)
        return low + (high - low) * shares
    points = np.concatenate([points, [low, high]])
    shapes = np.concatenate([counts, [_HALF, _HALF]])
    weights = random.standard_gamma(shapes, size=(draws, len(points)))
    return np.asarray(weights @ points / weights.sum(axis=1))


def _item_variance(
    strata: Sequence[Stratum], weights: Floats, low: float, high: float
) -> float:
    """The variance of the value of an item, the two half pseudo-items of each stratum included."""
    first_moment = second_moment = 0.0
    for weight, stratum in zip(weights, strata, strict=True):
        values = np.asarray(stratum.values, dtype=float)
        total = len(values) + 1
        first_moment += weight * (values.sum() + (low + high) / 2) / total
        squares = (values**2).sum() + (low**2 + high**2) / 2
        second_moment += weight * squares / total
    return float(second_moment - first_moment**2)


def _check(strata: Sequence[Stratum], low: float, high: float) -> None:
    if not strata:
        raise ValueError("needs at least one stratum")
    for number, stratum in enumerate(strata, start=1):
        if not 1 <= len(stratum.values) <= stratum.items:
            raise ValueError(
                f"stratum {number} has {len(stratum.values)} labels for {stratum.items} items; needs 1 or more"
            )
        if not all(low <= value <= high for value in stratum.values):
            raise ValueError(f"values must lie in {low:g}..{high:g}")
