"""Is version B better than version A? Paired by task, honest about what could have been seen.

The verdict is improved, regressed, or no evidence with the smallest change that the comparison could have detected;
it is never "equal".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from statistics import NormalDist
from typing import Final

import numpy as np

from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL, Interval, anchored, wilson

POWER: Final = 0.8


class ComparisonVerdict(StrEnum):
    """What a comparison says."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    NO_EVIDENCE = "no_evidence"


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """B minus A, over the tasks that both have. Differences are in the unit of the values.

    minimum_detectable: the true difference that would be found with 80 % power at this size and spread.
    only_a, only_b: tasks of one side that the other lacks, and which no comparison is made on.
    """

    tasks: int
    delta: float
    ci: Interval
    change: ComparisonVerdict
    minimum_detectable: float
    only_a: int
    only_b: int


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
    seed: int,
    draws: int = DRAWS,
    low: float = 0.0,
    high: float = 1.0,
    level: float = LEVEL,
) -> PairedComparison:
    """Compare two versions by their values per task; repeats of a task are averaged first, so tasks are the clusters.

    Args:
        a: values of version A by task, each in `low`..`high`.
        b: values of version B by task.
        seed: of the bootstrap over tasks.
        draws: bootstrap resamples.
        low: the least a value can be.
        high: the most a value can be.
        level: of the interval.

    Raises:
        ValueError: fewer than two tasks are on both sides, or a value is out of range.
    """
    shared = sorted(a.keys() & b.keys())
    if len(shared) < 2:
        raise ValueError(
            f"two versions are compared on the tasks they share; these share {len(shared)}"
        )
    differences = [
        _mean(b[task], low, high) - _mean(a[task], low, high) for task in shared
    ]
    reach = high - low
    ci = anchored(
        differences, seed=seed, draws=draws, level=level, low=-reach, high=reach
    )
    deviation = float(np.std(differences, ddof=1))
    return PairedComparison(
        tasks=len(shared),
        delta=float(np.mean(differences)),
        ci=ci,
        change=_change(ci),
        minimum_detectable=minimum_detectable(deviation, len(shared), level=level),
        only_a=len(a.keys() - b.keys()),
        only_b=len(b.keys() - a.keys()),
    )


def _change(difference: Interval) -> ComparisonVerdict:
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
