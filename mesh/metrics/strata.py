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
    weights = np.array([one.items for one in strata], dtype=float)
    weights /= weights.sum()
    rate = float(
        sum(
            weight * np.mean(one.values)
            for weight, one in zip(weights, strata, strict=True)
        )
    )
    random = np.random.Generator(np.random.PCG64(seed))
    sizes = random.standard_gamma(
        [one.items + _HALF for one in strata], size=(draws, len(strata))
    )
    means = np.column_stack([_means(one, random, draws, low, high) for one in strata])
    found = (sizes * means).sum(axis=1) / sizes.sum(axis=1)
    ends = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    interval = Interval(
        float(ends[0]), float(ends[1]), "post-stratified, anchored draws", level
    )
    return Stratified(rate, interval, _effective(strata, weights, found, low, high))


def effective_labels(mean: float, variance: float) -> float:
    """The n for which a Beta(k + 1/2, n - k + 1/2) of this mean has this variance: mean (1 - mean) / variance - 2."""
    return labels_for(mean * (1 - mean), variance)


def labels_for(spread: float, variance: float) -> float:
    """How many labels at random give that variance of a mean whose items have the variance `spread`."""
    return max(0.0, spread / variance - 2) if variance > 0 else math.inf


def _means(
    one: Stratum, random: np.random.Generator, draws: int, low: float, high: float
) -> Floats:
    """Draws of the mean of one stratum; where every value is an end, a Beta is the same and quicker."""
    points, counts = np.unique(np.asarray(one.values, dtype=float), return_counts=True)
    if low < high and np.isin(points, (low, high)).all():
        tops = int(counts[points == high].sum())
        return low + (high - low) * random.beta(
            tops + _HALF, len(one.values) - tops + _HALF, draws
        )
    points = np.concatenate([points, [low, high]])
    pull = random.standard_gamma(
        np.concatenate([counts, [_HALF, _HALF]]), size=(draws, len(points))
    )
    return np.asarray(pull @ points / pull.sum(axis=1))


def _effective(
    strata: Sequence[Stratum], weights: Floats, found: Floats, low: float, high: float
) -> float:
    """The variance of one item, pseudo-items included, over that of the draws."""
    first = second = 0.0
    for weight, one in zip(weights, strata, strict=True):
        values, total = np.asarray(one.values, dtype=float), len(one.values) + 1
        first += weight * (values.sum() + (low + high) / 2) / total
        second += weight * ((values**2).sum() + (low**2 + high**2) / 2) / total
    return labels_for(second - first**2, float(found.var()))


def _check(strata: Sequence[Stratum], low: float, high: float) -> None:
    if not strata:
        raise ValueError("needs at least one stratum")
    for place, one in enumerate(strata, start=1):
        if not 1 <= len(one.values) <= one.items:
            raise ValueError(
                f"stratum {place} has {len(one.values)} labels for {one.items} items; needs 1 or more"
            )
        if not all(low <= value <= high for value in one.values):
            raise ValueError(f"values must lie in {low:g}..{high:g}")
