"""From which confidence on a judge may be believed, with a guarantee: fixed-sequence testing on human labels. Pure.

Thresholds are tried at coverages fixed beforehand, from the most confident half to everything. A threshold is certified
while the probability of so few errors, if the judge were wrong with probability alpha, is at most delta; the first one
that fails ends the sequence. So the probability that the certified part is wrong more often than alpha is at most
delta, however many coverages were tried. The lowest threshold that merely looks good on the labels breaks this
guarantee about every second time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

COVERAGES: Final = tuple(0.5 + step * 0.5 / 7 for step in range(8))
"""Tried in this order, .5 to 1: starting in the middle certifies far more than starting with a few items."""

ALPHA: Final = 0.05
DELTA: Final = 0.05

JudgedItem = tuple[float, bool]
"""How sure one judge is of its verdict on a labelled item, and whether the label agrees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Verdicts of at least this confidence are wrong with probability alpha at most, at level delta."""

    threshold: float
    coverage: float
    labels: int
    errors: int
    alpha: float
    delta: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCertified:
    """No threshold, and why.

    missing: how many labels are lacking even if all of them turn out right; 0 where the judge is wrong too often.
    """

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
    items: Sequence[JudgedItem],
    *,
    alpha: float = ALPHA,
    delta: float = DELTA,
    coverages: Sequence[float] = COVERAGES,
) -> Threshold | NotCertified:
    """The lowest threshold that is certified, or why there is none.

    Raises:
        ValueError: alpha or delta does not lie strictly between 0 and 1.
    """
    needed = labels_needed(alpha, delta)
    if len(items) < needed:
        return _too_few(len(items), needed)
    ordered = sorted(items, key=lambda item: -item[0])
    certified: Threshold | None = None
    tried = 0
    for coverage in coverages:
        count = _reaching(ordered, coverage)
        if count < needed or count == tried:
            continue  # cannot be certified even without an error; skipping it looks at no label
        tried = count
        errors = sum(not right for _, right in ordered[:count])
        if binomial_cdf(errors, count, alpha) > delta:
            break
        certified = Threshold(
            threshold=ordered[count - 1][0],
            coverage=count / len(ordered),
            labels=len(ordered),
            errors=errors,
            alpha=alpha,
            delta=delta,
        )
    if certified is not None:
        return certified
    reason = f"even its surest verdicts are wrong too often to promise {alpha:.0%} at most ({len(items)} labels)"
    return NotCertified(labels=len(items), missing=0, reason=reason)


def _too_few(labels: int, needed: int) -> NotCertified:
    missing = needed - labels
    reason = (
        f"{labels} labels, {missing} too few: {needed} that are all right are the least"
    )
    return NotCertified(labels=labels, missing=missing, reason=reason)


def _reaching(ordered: Sequence[JudgedItem], coverage: float) -> int:
    """How many of the surest items make up the coverage; items of equal confidence go together."""
    count = min(len(ordered), max(1, math.ceil(coverage * len(ordered) - 1e-9)))
    while count < len(ordered) and ordered[count][0] == ordered[count - 1][0]:
        count += 1
    return count


# --- several judges, one after the other ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """One threshold a stage, certified together: of everything that any stage settles, at most alpha is wrong."""

    thresholds: tuple[float, ...]
    coverage: float
    labels: int
    errors: int
    alpha: float
    delta: float


def certify_cascade(
    stages: Sequence[Sequence[JudgedItem | None]],
    *,
    alpha: float = ALPHA,
    delta: float = DELTA,
    coverages: Sequence[float] = COVERAGES,
) -> Cascade | NotCertified:
    """Thresholds of a whole cascade, certified as one thing, so that delta need not be split over its stages.

    Every stage trusts the same number of its surest verdicts; that number grows until the cascade settles the next
    coverage. It follows from the confidences alone, so the sequence is fixed before any label is looked at.

    Args:
        stages: `stages[s][i]` is the verdict of stage s on item i, None where it gave none.
        alpha: the share of settled items that may be wrong.
        delta: the probability that the guarantee does not hold.
        coverages: shares of the items to try, ascending.

    Raises:
        ValueError: alpha or delta does not lie strictly between 0 and 1.
    """
    count = len(stages[0]) if stages else 0
    needed = labels_needed(alpha, delta)
    if count < needed:
        return _too_few(count, needed)
    items = list(zip(*stages, strict=True))
    surest = [_descending(stage) for stage in stages]
    ranks = sorted(_rank(item, surest) for item in items)
    certified: Cascade | None = None
    tried = 0
    for coverage in coverages:
        rank = ranks[min(count, max(1, math.ceil(coverage * count - 1e-9))) - 1]
        if rank == math.inf:
            break
        thresholds = tuple(_at_rank(confidences, int(rank)) for confidences in surest)
        outcomes = [settle(item, thresholds) for item in items]
        errors = outcomes.count(False)
        decided = errors + outcomes.count(True)
        if decided < needed or decided == tried:
            continue
        tried = decided
        if binomial_cdf(errors, decided, alpha) > delta:
            break
        certified = Cascade(
            thresholds=thresholds,
            coverage=decided / count,
            labels=count,
            errors=errors,
            alpha=alpha,
            delta=delta,
        )
    if certified is not None:
        return certified
    reason = f"even the surest verdicts are wrong too often to promise {alpha:.0%} at most ({count} labels)"
    return NotCertified(labels=count, missing=0, reason=reason)


def settle(
    item: Sequence[JudgedItem | None], thresholds: Sequence[float]
) -> bool | None:
    """Whether the stage that settles an item is right; None where none of them settles it."""
    for verdict, threshold in zip(item, thresholds, strict=True):
        if verdict is not None and verdict[0] >= threshold:
            return verdict[1]
    return None


def _descending(stage: Sequence[JudgedItem | None]) -> list[float]:
    confidences = [verdict[0] for verdict in stage if verdict is not None]
    return sorted(confidences, reverse=True)


def _at_rank(confidences: Sequence[float], rank: int) -> float:
    """The confidence of that rank; the lowest for a stage with fewer verdicts, infinite for one without any."""
    if not confidences:
        return math.inf
    return confidences[min(rank, len(confidences) - 1)]


def _rank(
    item: Sequence[JudgedItem | None], surest: Sequence[Sequence[float]]
) -> float:
    """The best rank of an item's confidences within their stages, from 0; infinite where no stage gave a verdict."""
    best = math.inf
    for verdict, confidences in zip(item, surest, strict=True):
        if verdict is not None:
            rank = bisect_left(confidences, -verdict[0], key=lambda value: -value)
            best = min(best, rank)
    return best


def binomial_cdf(errors: int, count: int, probability: float) -> float:
    """P(at most `errors` of `count`), each with that probability."""
    if errors >= count:
        return 1.0
    log_p, log_q = math.log(probability), math.log1p(-probability)
    orders = math.lgamma(count + 1)
    terms = (
        math.exp(
            orders
            - math.lgamma(number + 1)
            - math.lgamma(count - number + 1)
            + number * log_p
            + (count - number) * log_q
        )
        for number in range(errors + 1)
    )
    return min(1.0, math.fsum(terms))
