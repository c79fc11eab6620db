"""Whether the share of a class changed between two sets of tasks: limits and p-values of many sets at once.

Tasks are the units. Where both sets have the same tasks, each has its own difference; else the tests are unpaired.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.beta import beta_cdf
from judgemesh.mesh.metrics.differences import (
    paired_limits,
    rate_limits,
    unpaired_limits,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

RATE: Final = 0.01
"""False discovery rate of the classes of one comparison; few unchanged weeks may be flagged."""


@dataclass(frozen=True, slots=True)
class Shares:
    """One class in each row, both of shape (rows, tasks).

    means: its share of the runs of each task.
    weights: the share of all runs that each task has.
    """

    means: Floats
    weights: Floats

    @property
    def rates(self) -> Floats:
        """Share of all runs, shape (rows,)."""
        return np.asarray((self.means * self.weights).sum(axis=1))

    @property
    def variances(self) -> Floats:
        """Of `rates`: the variance between tasks times the sum of squared weights."""
        spread = self.means.var(axis=1, ddof=1)
        return np.asarray(spread * (self.weights**2).sum(axis=1))


def limits(before: Shares, after: Shares, *, paired: bool) -> tuple[Floats, Floats]:
    """Limits of after - before of each row.

    Args:
        before: the older set.
        after: the newer set; its tasks are in the order of the older ones where `paired`.
        paired: whether both have the same tasks with about as many runs each.
    """
    if paired:
        return paired_limits(after.means - before.means, 1.0)
    sides = (rate_limits(one.means, one.weights, 0.0, 1.0) for one in (before, after))
    low, high = unpaired_limits(*sides)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def p_values(before: Shares, after: Shares, *, paired: bool) -> Floats:
    """Two-sided p-values of t over tasks: of their differences, or Welch's of two sets with other tasks.

    1 where a side has fewer than two tasks, or no task differs from another.
    """
    tasks = before.means.shape[1], after.means.shape[1]
    found = np.ones(len(before.means))
    if min(tasks) < 2:
        return found
    if paired:
        # Sums of floats depend on their order, which must not be that of the names.
        differences = np.sort(after.means - before.means, axis=1)
        change = differences.mean(axis=1)
        variance = differences.var(axis=1, ddof=1) / tasks[0]
        degrees = np.full(len(found), tasks[0] - 1.0)
    else:
        older, newer = before.variances, after.variances
        change, variance = after.rates - before.rates, older + newer
        parts = older**2 / (tasks[0] - 1) + newer**2 / (tasks[1] - 1)
        degrees = variance**2 / np.where(parts > 0, parts, 1)
    for row in np.flatnonzero(variance > 0):
        free = float(degrees[row])
        square = float(change[row] ** 2 / variance[row])
        found[row] = beta_cdf(free / (free + square), free / 2, 0.5)
    return found


def rejected(p_values_of_classes: Floats, rate: float = RATE) -> Flags:
    """Benjamini-Hochberg over the classes of each set, shape (sets, classes)."""
    classes = p_values_of_classes.shape[1]
    order = np.argsort(p_values_of_classes, axis=1)
    ordered: Floats = np.take_along_axis(p_values_of_classes, order, axis=1)
    places: NDArray[np.int64] = np.arange(1, classes + 1, dtype=np.int64)
    shares: Floats = places * (rate / classes)
    within = np.asarray(np.less_equal(ordered, shares), dtype=bool)
    # All up to the last that is within its share of the rate.
    last: NDArray[np.int64] = np.where(within, places, 0).max(axis=1)
    up_to_last = np.asarray(places <= last[:, None], dtype=bool)
    found = np.zeros(p_values_of_classes.shape, dtype=bool)
    np.put_along_axis(found, order, up_to_last, axis=1)
    return found
