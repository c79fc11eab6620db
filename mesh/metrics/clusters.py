"""Rates of runs that belong to tasks: runs of one task are not independent, so tasks are the units.

A rate is the mean over runs, as everywhere. Where all tasks have as many runs, it is the mean over tasks as well, and
its interval is the exact one of a bounded mean over the task means. Where they have not, a task with many runs pulls
the rate towards itself, and the sandwich variance does not see it (one task with half of the runs: coverage 86 %). The
interval then holds two: the exact one of the mean over tasks, and t over tasks with the variance that the weights give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.beta import student_quantile
from judgemesh.mesh.metrics.bounded import METHOD, bounded_mean
from judgemesh.mesh.metrics.intervals import LEVEL, Interval

Floats = NDArray[np.float64]

FEW_TASKS: Final = 10
"""Below this number of tasks, what is printed says how few they are."""
UNBALANCED: Final = "exact over tasks, and t with the weights of the tasks"
_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class TaskMeans:
    """The mean of the runs of each task, and the share of all runs that each task has. Both have shape (tasks,)."""

    means: Floats
    weights: Floats

    @property
    def tasks(self) -> int:
        """How many tasks."""
        return self.means.size

    @property
    def rate(self) -> float:
        """The mean over all runs."""
        return float(self.means @ self.weights)

    @property
    def mean(self) -> float:
        """The mean over tasks, in which each counts once."""
        return float(self.means.mean())

    @property
    def balanced(self) -> bool:
        """Whether every task has as many runs."""
        return bool(np.ptp(self.weights) <= _SAME * self.weights[0])

    @property
    def error(self) -> float:
        """Standard error of `rate`: the spread between tasks times the root of the sum of squared weights."""
        if self.tasks < 2:
            return math.inf
        spread = float(self.means.std(ddof=1))
        return spread * math.sqrt(float(self.weights @ self.weights))


def task_means(values: Sequence[float], clusters: Sequence[str] | None) -> TaskMeans:
    """The values by task; every value is a task of its own where `clusters` is None.

    Raises:
        ValueError: there are no values, or not one cluster for each.
    """
    data = np.asarray(values, dtype=float)
    if not data.size or not np.isfinite(data).all():
        raise ValueError("needs at least one value, and finite values only")
    if clusters is None:
        return TaskMeans(data, np.full(data.size, 1 / data.size))
    if len(clusters) != data.size:
        raise ValueError(
            f"needs one cluster for each value, got {len(clusters)} for {data.size}"
        )
    index = np.unique(np.asarray(clusters), return_inverse=True)[1]
    sizes = np.bincount(index)
    return TaskMeans(np.bincount(index, weights=data) / sizes, sizes / data.size)


def rate_interval(
    found: TaskMeans,
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = LEVEL,
    seed: int = 0,
) -> Interval:
    """The interval of the rate, valid for few tasks, for rates near the ends, and for tasks of unlike size.

    Args:
        found: the tasks.
        low: the least a value can be.
        high: the most a value can be.
        level: of the interval.
        seed: of the draws, which names and order of the tasks do not touch.

    Raises:
        ValueError: a value is out of range.
    """
    means = np.clip(found.means, low, high)
    if np.abs(means - found.means).max() > _SAME:
        raise ValueError(f"values must lie in {low}..{high}")
    exact = bounded_mean(means, low=low, high=high, level=level, seed=seed)
    if found.balanced:
        return exact
    half = 0.0
    if found.tasks > 1:
        half = quantile_of_t((1 + level) / 2, found.tasks - 1) * found.error
    return Interval(
        max(low, min(exact.low, found.rate - half)),
        min(high, max(exact.high, found.rate + half)),
        UNBALANCED,
        level,
    )


@lru_cache(maxsize=4_096)
def quantile_of_t(probability: float, degrees: float) -> float:
    """The quantile of Student's t, kept, because simulations ask for few of them many times."""
    return student_quantile(probability, degrees)


__all__ = [
    "FEW_TASKS",
    "METHOD",
    "UNBALANCED",
    "TaskMeans",
    "quantile_of_t",
    "rate_interval",
    "task_means",
]
