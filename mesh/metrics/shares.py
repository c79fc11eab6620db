"""Did the share of a class change between two sets of results? Many classes are tested at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from judgemesh.mesh.metrics.intervals import LEVEL, Interval, wilson


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A class's share in two weeks. `large` is the article's flag of two points; `real` survives the correction."""

    before: float
    after: float
    ci: Interval
    p_value: float
    large: bool
    real: bool


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
