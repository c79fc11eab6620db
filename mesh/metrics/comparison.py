"""Is version B better than version A? Paired by task, honest about what could have been seen.

The verdict is improved, regressed, or no evidence with the smallest change that the comparison could have detected;
it is never "equal".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.detectable import (
    POWER,
    Detectable,
    detectable_paired,
    detectable_unpaired,
    run_tables,
)
from judgemesh.mesh.metrics.differences import (
    paired_limits,
    rate_limits,
    unpaired_limits,
)
from judgemesh.mesh.metrics.intervals import LEVEL, Interval

Floats = NDArray[np.float64]

Values = Mapping[str, Sequence[float]]
"""Values of runs by task."""

NOTHING: Final[Values] = MappingProxyType({})
NOT_SOUGHT: Final = Detectable(None, None)
PAIRED: Final = "by task, t and anchored"
UNPAIRED: Final = "unpaired, by task, square-and-add of exact limits"


class ComparisonVerdict(StrEnum):
    """What a comparison says."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NO_EVIDENCE = "no_evidence"


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """B minus A, over the tasks that both have. Differences are in the unit of the values.

    a, b: the mean over the compared tasks, in which each task counts once.
    ci: of the difference. With undecided results it holds for whatever they are worth.
    bounds: the least and the greatest difference that undecided results allow.
    undecided: results without a value, or with one that may turn out lower, of both sides.
    minimum_detectable: a true difference of this size would be found with 80 % power by this very interval, undecided
        results included; None if no possible difference would.
    only_a, only_b: tasks of one side that the other lacks, and which no comparison is made on.
    """

    tasks: int
    delta: float
    ci: Interval
    change: ComparisonVerdict
    minimum_detectable: float | None
    only_a: int
    only_b: int
    a: float = 0.0
    b: float = 0.0
    bounds: tuple[float, float] = (0.0, 0.0)
    undecided: int = 0
    detectable: Detectable = NOT_SOUGHT


def paired(
    a: Mapping[str, Sequence[float]],
    b: Mapping[str, Sequence[float]],
    *,
    low: float = 0.0,
    high: float = 1.0,
    open_a: Mapping[str, Sequence[float]] = NOTHING,
    open_b: Mapping[str, Sequence[float]] = NOTHING,
    at_most: tuple[Values, Values] = (NOTHING, NOTHING),
    power: bool = True,
) -> PairedComparison:
    """Compare two versions by their values per task; repeats of a task are averaged first, so tasks are the clusters.

    No random numbers depend on the data: names and order of tasks and runs do not matter.

    Args:
        a: values of version A by task, each in `low`..`high`.
        b: values of version B by task.
        low: the least a value can be.
        high: the most a value can be.
        open_a: for each undecided run of A the most that it can be worth, by task; the least is `low`.
        open_b: the same of B.
        at_most: those values of `a`, and of `b`, that may turn out lower, down to `low`, as where a cost is unknown.
        power: whether to find the smallest detectable difference, which is by far the longest part.

    Raises:
        ValueError: fewer than two tasks are on both sides, or a value is out of range.
    """
    older = _Side(a, open_a, at_most[0], low, high)
    newer = _Side(b, open_b, at_most[1], low, high)
    shared = sorted(a.keys() & b.keys())
    if len(shared) < 2:
        raise ValueError(
            f"two versions are compared on the tasks they share; these share {len(shared)}"
        )
    reach = high - low
    differences = newer.means(shared) - older.means(shared)
    limits = [_limits(differences, reach)]
    delta = _average(differences)
    bounds = (delta, delta)
    undecided = older.undecided + newer.undecided
    if undecided:
        # Tasks whose only results on one side are undecided are compared as well.
        every = sorted(older.names & newer.names)
        worst = newer.worst(every) - older.best(every)
        best = newer.best(every) - older.worst(every)
        limits += [_limits(worst, reach), _limits(best, reach)]
        bounds = (_average(worst), _average(best))
    ci = Interval(min(one[0] for one in limits), max(one[1] for one in limits), PAIRED)
    detectable = NOT_SOUGHT
    if power:
        found = detectable_paired(
            *run_tables(older.runs(shared), newer.runs(shared)),
            low=low,
            high=high,
        )
        detectable = found.widened(bounds[1] - delta, delta - bounds[0], reach)
    return PairedComparison(
        tasks=len(shared),
        delta=delta,
        ci=ci,
        change=change_of(ci),
        minimum_detectable=detectable.change,
        only_a=len(older.names - newer.names),
        only_b=len(newer.names - older.names),
        a=_average(older.means(shared)),
        b=_average(newer.means(shared)),
        bounds=bounds,
        undecided=undecided,
        detectable=detectable,
    )


@dataclass(frozen=True, slots=True)
class UnpairedComparison:
    """B minus A for two sets whose tasks are not the same. Rates are means over runs, as in `asr`.

    The other fields are those of `PairedComparison`.
    """

    tasks_a: int
    tasks_b: int
    delta: float
    ci: Interval
    change: ComparisonVerdict
    minimum_detectable: float | None
    a: float
    b: float
    bounds: tuple[float, float]
    undecided: int
    detectable: Detectable = NOT_SOUGHT


def unpaired(
    a: Mapping[str, Sequence[float]],
    b: Mapping[str, Sequence[float]],
    *,
    low: float = 0.0,
    high: float = 1.0,
    open_a: Mapping[str, Sequence[float]] = NOTHING,
    open_b: Mapping[str, Sequence[float]] = NOTHING,
    at_most: tuple[Values, Values] = (NOTHING, NOTHING),
    power: bool = True,
) -> UnpairedComparison:
    """Compare two sets of tasks by the mean over their runs, with tasks as the clusters; arguments as `paired`.

    Raises:
        ValueError: a side has no value, or one is out of range.
    """
    older = _Side(a, open_a, at_most[0], low, high)
    newer = _Side(b, open_b, at_most[1], low, high)
    if not a or not b:
        raise ValueError("two sets are compared by their decided results; one has none")
    first, second = older.rates(older.means), newer.rates(newer.means)
    changes = [unpaired_limits(first, second)]
    delta = float(second[0][0] - first[0][0])
    bounds = (delta, delta)
    undecided = older.undecided + newer.undecided
    if undecided:
        lowest = (older.rates(older.best), newer.rates(newer.worst))
        highest = (older.rates(older.worst), newer.rates(newer.best))
        changes += [unpaired_limits(*lowest), unpaired_limits(*highest)]
        least, most = (
            float(pair[1][0][0] - pair[0][0][0]) for pair in (lowest, highest)
        )
        bounds = (least, most)
    ci = Interval(
        min(float(one[0][0]) for one in changes),
        max(float(one[1][0]) for one in changes),
        UNPAIRED,
    )
    detectable = NOT_SOUGHT
    if power:
        found = detectable_unpaired(
            *run_tables(list(a.values()), list(b.values())),
            low=low,
            high=high,
        )
        detectable = found.widened(bounds[1] - delta, delta - bounds[0], high - low)
    return UnpairedComparison(
        tasks_a=len(older.names),
        tasks_b=len(newer.names),
        delta=delta,
        ci=ci,
        change=change_of(ci),
        minimum_detectable=detectable.change,
        a=float(first[0][0]),
        b=float(second[0][0]),
        bounds=bounds,
        undecided=undecided,
        detectable=detectable,
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """The decided and undecided runs of one version by task."""

    decided: Mapping[str, Sequence[float]]
    open: Mapping[str, Sequence[float]]
    at_most: Mapping[str, Sequence[float]]
    low: float
    high: float

    @property
    def names(self) -> set[str]:
        return {*self.decided, *self.open}

    @property
    def undecided(self) -> int:
        return sum(len(runs) for runs in (*self.open.values(), *self.at_most.values()))

    def runs(self, tasks: Iterable[str]) -> list[Sequence[float]]:
        return [self.decided[task] for task in tasks]

    def means(self, tasks: Iterable[str]) -> Floats:
        """Of the decided runs."""
        return self._means(tasks, lambda _task: [])

    def worst(self, tasks: Iterable[str]) -> Floats:
        """Every undecided run, and every one that may turn out lower, worth the least."""
        tasks = list(tasks)
        means = self._means(
            tasks, lambda task: [self.low] * len(self.open.get(task, ()))
        )
        lost = [math.fsum(self._lost(task)) / self._size(task) for task in tasks]
        return np.asarray(means - np.array(lost))

    def _lost(self, task: str) -> list[float]:
        return [value - self.low for value in self.at_most.get(task, ())]

    def _size(self, task: str) -> int:
        return len(self.decided.get(task, ())) + len(self.open.get(task, ()))

    def best(self, tasks: Iterable[str]) -> Floats:
        """Every undecided run worth the most that it can be."""
        return self._means(tasks, lambda task: self.open.get(task, ()))

    def _means(
        self, tasks: Iterable[str], more: Callable[[str], Sequence[float]]
    ) -> Floats:
        return np.array(
            [
                _mean([*self.decided.get(task, ()), *more(task)], self.low, self.high)
                for task in tasks
            ]
        )

    def rates(
        self, means: Callable[[Iterable[str]], Floats]
    ) -> tuple[Floats, Floats, Floats]:
        """The mean over runs and its limits, each of shape (1,)."""
        decided_only = means == self.means
        tasks = sorted(self.decided if decided_only else self.names)
        sizes = [len(self.decided.get(task, ())) for task in tasks]
        if not decided_only:
            sizes = [
                size + len(self.open.get(task, ()))
                for size, task in zip(sizes, tasks, strict=True)
            ]
        values, weights = means(tasks), np.array(sizes) / sum(sizes)
        order = np.lexsort((weights, values))
        table = values[order][None], weights[order][None]
        return rate_limits(*table, self.low, self.high)


def _average(values: Floats) -> float:
    """The mean, whatever the order of the values."""
    return math.fsum(values) / len(values)


def _limits(differences: Floats, reach: float) -> tuple[float, float]:
    low, high = paired_limits(differences[None], reach)
    return float(low[0]), float(high[0])


def change_of(difference: Interval) -> ComparisonVerdict:
    """The verdict of an interval of a difference."""
    if difference.low > 0:
        return ComparisonVerdict.IMPROVED
    if difference.high < 0:
        return ComparisonVerdict.REGRESSED
    return ComparisonVerdict.NO_EVIDENCE


def minimum_detectable(
    deviation: float, tasks: int, *, level: float = LEVEL, power: float = POWER
) -> float:
    """(z_level + z_power) * sd / sqrt(tasks): the true mean difference found with that power at this spread."""
    normal = NormalDist()
    z = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)
    return z * deviation / math.sqrt(tasks)


def _mean(values: Sequence[float], low: float, high: float) -> float:
    if not values or not all(low <= value <= high for value in values):
        raise ValueError(f"every task needs values in {low:g}..{high:g}")
    return math.fsum(values) / len(values)
