"""From which confidence on a judge may be believed, with a guarantee: fixed-sequence testing on human labels. Pure.

Thresholds are tried at coverages fixed beforehand, from the most confident half to everything. Each is certified while
the chance of seeing so few errors, if the judge were wrong with probability alpha, is at most delta; the first one
that is not ends the sequence. So the chance that the certified part is wrong more often than alpha is at most delta,
however many coverages were tried. A threshold that merely looks good on the labels breaks that promise about every
second time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

COVERAGES: Final = tuple(0.5 + step * 0.5 / 7 for step in range(8))
"""Tried in this order, .5 to 1: beginning in the middle certifies far more than beginning with a few items."""

ALPHA: Final = 0.05
DELTA: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Verdicts of at least this confidence are wrong with probability alpha at most, says the test, at level delta."""

    threshold: float
    coverage: float
    labels: int
    errors: int
    alpha: float
    delta: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCertified:
    """No threshold, and why. `missing`: labels that are lacking even if all of them turn out right; 0 where it is
    not their number but the judge that falls short."""

    labels: int
    missing: int
    reason: str


def labels_needed(alpha: float = ALPHA, delta: float = DELTA) -> int:
    """How many labels, all of them right, certify anything: (1 - alpha)^n <= delta. 59 at .05 and .05.

    Raises:
        ValueError: alpha or delta does not lie strictly between 0 and 1.
    """
    if not (0.0 < alpha < 1.0 and 0.0 < delta < 1.0):
        raise ValueError(
            f"alpha and delta lie strictly between 0 and 1, got {alpha} and {delta}"
        )
    needed = max(1, math.ceil(math.log(delta) / math.log1p(-alpha) - 1e-9))
    return needed if (1.0 - alpha) ** needed <= delta else needed + 1


def certify(
    pairs: Sequence[tuple[float, bool]],
    *,
    alpha: float = ALPHA,
    delta: float = DELTA,
    coverages: Sequence[float] = COVERAGES,
) -> Threshold | NotCertified:
    """The lowest threshold that is certified on pairs of (confidence, right), or why there is none.

    Raises:
        ValueError: alpha or delta does not lie strictly between 0 and 1.
    """
    needed = labels_needed(alpha, delta)
    if len(pairs) < needed:
        missing = needed - len(pairs)
        text = f"{len(pairs)} labels, {missing} too few: {needed} that are all right are the least"
        return NotCertified(labels=len(pairs), missing=missing, reason=text)
    ordered = sorted(pairs, key=lambda pair: -pair[0])
    certified: Threshold | None = None
    tried = 0
    for coverage in coverages:
        kept = _reaching(ordered, coverage)
        if kept < needed or kept == tried:
            continue  # too few to certify even without an error: skipping it looks at no label
        tried = kept
        errors = sum(not right for _, right in ordered[:kept])
        if binomial_cdf(errors, kept, alpha) > delta:
            break
        certified = Threshold(
            threshold=ordered[kept - 1][0],
            coverage=kept / len(ordered),
            labels=len(ordered),
            errors=errors,
            alpha=alpha,
            delta=delta,
        )
    if certified is not None:
        return certified
    return NotCertified(
        labels=len(pairs),
        missing=0,
        reason=f"even its surest verdicts are wrong too often to promise {alpha:.0%} at most ({len(pairs)} labels)",
    )


def _reaching(ordered: Sequence[tuple[float, bool]], coverage: float) -> int:
    """How many of the surest make up the coverage; all of one confidence go together."""
    kept = min(len(ordered), max(1, math.ceil(coverage * len(ordered) - 1e-9)))
    while kept < len(ordered) and ordered[kept][0] == ordered[kept - 1][0]:
        kept += 1
    return kept


# --- several judges, one after the other ---

Said = tuple[float, bool]
"""What one judge said of a labelled item: its confidence, and whether the label agrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """One threshold a stage, certified together: of everything any stage settles, at most alpha is wrong."""

    thresholds: tuple[float, ...]
    coverage: float
    labels: int
    errors: int
    alpha: float
    delta: float

    def settle(self, said: Sequence[Said | None]) -> bool | None:
        """Whether the stage that settles an item is right; None where none of them does."""
        pairs = zip(said, self.thresholds, strict=True)
        return next(
            (one[1] for one, least in pairs if one is not None and one[0] >= least),
            None,
        )


def certify_cascade(
    stages: Sequence[Sequence[Said | None]],
    *,
    alpha: float = ALPHA,
    delta: float = DELTA,
    coverages: Sequence[float] = COVERAGES,
) -> Cascade | NotCertified:
    """Thresholds of a whole cascade, certified as one thing, so that delta need not be split over its stages.

    Every stage trusts the same share of its surest verdicts; that share grows until the cascade settles the next
    coverage. It follows from the confidences alone, so the sequence is fixed before any label is looked at.

    Args:
        stages: `stages[s][i]` is what stage s says of item i, None where it gave no verdict.
        alpha: the share of settled items that may be wrong.
        delta: the chance that the promise does not hold.
        coverages: shares of the items to try, ascending.
    """
    items = len(stages[0]) if stages else 0
    needed = labels_needed(alpha, delta)
    if items < needed:
        text = f"{items} labels, {needed - items} too few: {needed} that are all right are the least"
        return NotCertified(labels=items, missing=needed - items, reason=text)
    surest = [
        sorted((one[0] for one in stage if one is not None), reverse=True)
        for stage in stages
    ]
    # The rank at which an item is settled: the best one of its confidences within their stages.
    ranks = sorted(_rank(stages, surest, item) for item in range(items))
    certified: Cascade | None = None
    tried = 0
    for coverage in coverages:
        rank = ranks[min(items, max(1, math.ceil(coverage * items - 1e-9))) - 1]
        if rank == math.inf:
            break
        thresholds = tuple(
            given[min(int(rank), len(given) - 1)] if given else math.inf
            for given in surest
        )
        trial = Cascade(
            thresholds=thresholds,
            coverage=0.0,
            labels=items,
            errors=0,
            alpha=alpha,
            delta=delta,
        )
        settled = [
            right
            for item in range(items)
            if (right := trial.settle([s[item] for s in stages])) is not None
        ]
        if len(settled) < needed or len(settled) == tried:
            continue
        tried, errors = len(settled), settled.count(False)
        if binomial_cdf(errors, tried, alpha) > delta:
            break
        certified = replace(trial, coverage=tried / items, errors=errors)
    reason = f"even the surest verdicts are wrong too often to promise {alpha:.0%} at most ({items} labels)"
    return certified or NotCertified(labels=items, missing=0, reason=reason)


def _rank(
    stages: Sequence[Sequence[Said | None]],
    surest: Sequence[Sequence[float]],
    item: int,
) -> float:
    """The smallest number of an own stage's items that are surer than this one; infinite where no stage said a word."""
    best = math.inf
    for stage, given in zip(stages, surest, strict=True):
        one = stage[item]
        if one is not None:
            best = min(
                best, bisect_left(given, -one[0], key=lambda confidence: -confidence)
            )
    return best


def binomial_cdf(errors: int, count: int, chance: float) -> float:
    """P(at most `errors` of `count`), each with that chance."""
    if errors >= count:
        return 1.0
    log_p, log_q = math.log(chance), math.log1p(-chance)
    ways = math.lgamma(count + 1)
    terms = (
        math.exp(
            ways
            - math.lgamma(j + 1)
            - math.lgamma(count - j + 1)
            + j * log_p
            + (count - j) * log_q
        )
        for j in range(errors + 1)
    )
    return min(1.0, math.fsum(terms))
