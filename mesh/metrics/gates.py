"""Did one version pass more gates than the other? McNemar's test on the tasks that both have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from judgemesh.mesh.metrics.beta import beta_cdf

_SUMMED_PAIRS: Final = 1_000
"""Above, the binomial distribution is computed and not summed."""


@dataclass(frozen=True, slots=True)
class GateComparison:
    """Gates of the same tasks: how many only A passed, how many only B, and the mid-p value of that split."""

    only_a_passed: int
    only_b_passed: int
    p_value: float


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
