"""Is version B better than version A? Paired by task, honest about what could have been seen.

The verdict is improved, regressed, or no evidence with the smallest change that the comparison could have detected;
it is never "equal".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from statistics import NormalDist
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.beta import beta_cdf
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
from judgemesh.mesh.metrics.intervals import LEVEL, Interval, wilson

Floats = NDArray[np.float64]

Values = Mapping[str, Sequence[float]]
"""Values of runs by task."""

NOTHING: Final[Values] = MappingProxyType({})
NOT_SOUGHT: Final = Detectable(None, None)
_SUMMED_PAIRS: Final = 1_000
"""Above, the binomial distribution is computed and not summed."""
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


@dataclass(frozen=True, slots=True)
class GateComparison:
    """Gates of the same tasks: how many only A passed, how many only B, and the mid-p value of that split."""

    only_a_passed: int
    only_b_passed: int
    p_value: float


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A class's share in two weeks. `large` is the article's flag of two points; `real` survives the correction."""

    before: float
    after: float
    ci: Interval
    p_value: float
    large: bool
    real: bool


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


def gates(a: Mapping[str, bool], b: Mapping[str, bool]) -> GateComparison:
    """McNemar's test with the mid-p value on the tasks that both have (Fagerland, Lydersen, Laake 2013)."""
    shared = a.keys() & b.keys()
    only_a = sum(a[task] and not b[task] for task in shared)
    only_b = sum(b[task] and not a[task] for task in shared)
    return GateComparison(only_a, only_b, mcnemar_mid_p(only_a, only_b))


def mcnemar_mid_p(only_a: int, only_b: int) -> float:
    """Two-sided mid-p value of a split of discordant pairs under Binomial(n, 1/2); 1 for no such pair."""
    n, fewer = only_a + only_b, min(only_a, only_b)
    if n == 0:
        return 1.0
    if n > _SUMMED_PAIRS:
        # P(X <= k) of Binomial(n, 1/2) is that of a Beta variable: the sum has as many terms as there are pairs.
        at_most = beta_cdf(0.5, n - fewer, fewer + 1)
        log_point = math.lgamma(n + 1) - math.lgamma(fewer + 1)
        log_point -= math.lgamma(n - fewer + 1) + n * math.log(2)
        return min(1.0, max(0.0, 2 * at_most - math.exp(log_point)))
    tail = sum(math.comb(n, k) for k in range(fewer)) + math.comb(n, fewer) / 2
    return float(min(1.0, 2 * tail / 2**n))


def newcombe(
    k_before: int, n_before: int, k_after: int, n_after: int, *, level: float = LEVEL
) -> Interval:
    """Newcombe's hybrid score interval (method 10, 1998) of the difference of two shares, after - before."""
    before = wilson(k_before, n_before, level=level)
    after = wilson(k_after, n_after, level=level)
    p, q = k_before / n_before, k_after / n_after
    low = q - p - math.hypot(q - after.low, before.high - p)
    high = q - p + math.hypot(after.high - q, p - before.low)
    return Interval(max(-1.0, low), min(1.0, high), "newcombe", level)


def share_changes(
    before: Mapping[str, int],
    after: Mapping[str, int],
    *,
    flag: float = 0.02,
    rate: float = 0.05,
) -> dict[str, ShareChange]:
    """Every class's share before and after: the two-point flag, and the test corrected for looking at many classes.

    Args:
        before: counts by class; the total is their sum.
        after: counts by class.
        flag: a change of more than this is `large`.
        rate: false discovery rate of `real` (Benjamini-Hochberg over the classes).

    Raises:
        ValueError: one side is empty.
    """
    n, m = sum(before.values()), sum(after.values())
    if n == 0 or m == 0:
        raise ValueError("shares need at least one task on each side")
    counts = {
        name: (before.get(name, 0), after.get(name, 0)) for name in {**before, **after}
    }
    tests = {name: two_shares(k, n, j, m) for name, (k, j) in counts.items()}
    real = benjamini_hochberg(tests, rate=rate)
    changes: dict[str, ShareChange] = {}
    for name, (k, j) in counts.items():
        # Exactly: .60 - .58 is more than .02 in floats.
        difference = abs(Fraction(j, m) - Fraction(k, n))
        changes[name] = ShareChange(
            before=k / n,
            after=j / m,
            ci=newcombe(k, n, j, m),
            p_value=tests[name],
            large=difference > Fraction(str(flag)),
            real=real[name],
        )
    return changes


def two_shares(k: int, n: int, j: int, m: int) -> float:
    """Two-sided p-value of the pooled score test for two independent shares; 1 where both are all or nothing."""
    pooled = (k + j) / (n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    if variance == 0:
        return 1.0
    return 2 * (1 - NormalDist().cdf(abs(j / m - k / n) / math.sqrt(variance)))


def benjamini_hochberg(
    p_values: Mapping[str, float], *, rate: float = 0.05
) -> dict[str, bool]:
    """Which hypotheses are rejected at a false discovery rate (Benjamini, Hochberg 1995)."""
    ordered = sorted(p_values, key=lambda name: p_values[name])
    last_rejected = 0
    for rank, name in enumerate(ordered, start=1):
        if p_values[name] <= rate * rank / len(ordered):
            last_rejected = rank
    rejected = set(ordered[:last_rejected])
    return {name: name in rejected for name in p_values}


def pass_hat_k(correct: int, trials: int, k: int) -> float:
    """pass^k: the chance that k trials drawn without replacement are all correct, C(c, k) / C(n, k)."""
    _check(correct, trials, k)
    return math.comb(correct, k) / math.comb(trials, k)


def pass_at_k(correct: int, trials: int, k: int) -> float:
    """pass@k: the chance that at least one of k trials is correct, 1 - C(n - c, k) / C(n, k)."""
    _check(correct, trials, k)
    return 1 - math.comb(trials - correct, k) / math.comb(trials, k)


def _check(correct: int, trials: int, k: int) -> None:
    if not (0 <= correct <= trials and 1 <= k <= trials):
        raise ValueError(
            f"needs 0 <= correct <= trials and 1 <= k <= trials, got {correct}, {trials}, {k}"
        )


def _mean(values: Sequence[float], low: float, high: float) -> float:
    if not values or not all(low <= value <= high for value in values):
        raise ValueError(f"every task needs values in {low:g}..{high:g}")
    return math.fsum(values) / len(values)
