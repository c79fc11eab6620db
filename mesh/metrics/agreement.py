"""Agreement of two sets of labels: raw, and by the coefficients that correct for chance.

Labels are any hashable values; None is a missing label. Items with fewer than two labels are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from judgemesh.mesh.metrics.intervals import LEVEL, Interval, jeffreys

Labels = Sequence[Hashable | None]


@dataclass(frozen=True, slots=True)
class Confusion:
    """A judge's yes/no verdicts against people's: counts, sensitivity and specificity.

    A rate is None where nothing could be measured: no positives for sensitivity, no negatives for specificity.
    """

    true_yes: int
    false_yes: int
    false_no: int
    true_no: int

    @property
    def items(self) -> int:
        """All labelled items."""
        return self.true_yes + self.false_yes + self.false_no + self.true_no

    @property
    def accuracy(self) -> float:
        """Share of items on which judge and people agree."""
        return (self.true_yes + self.true_no) / self.items

    @property
    def constant_accuracy(self) -> float:
        """The accuracy of a judge that always gives the commoner human label."""
        yes = self.true_yes + self.false_no
        return max(yes, self.items - yes) / self.items

    def sensitivity(self, *, level: float = LEVEL) -> tuple[float, Interval] | None:
        """P(judge says yes | people say yes) with its Jeffreys interval."""
        return _rate(self.true_yes, self.true_yes + self.false_no, level)

    def specificity(self, *, level: float = LEVEL) -> tuple[float, Interval] | None:
        """P(judge says no | people say no) with its Jeffreys interval."""
        return _rate(self.true_no, self.true_no + self.false_yes, level)


def confusion(judge: Sequence[bool], human: Sequence[bool]) -> Confusion:
    """Count a judge's verdicts against people's.

    Raises:
        ValueError: there are no items, or not one verdict for each label.
    """
    if len(judge) != len(human) or not judge:
        raise ValueError("needs one verdict for each label, and at least one item")
    counts = Counter(zip(judge, human, strict=True))
    return Confusion(
        true_yes=counts[True, True],
        false_yes=counts[True, False],
        false_no=counts[False, True],
        true_no=counts[False, False],
    )


def raw_agreement(first: Labels, second: Labels) -> float:
    """Share of the items labelled by both on which they agree."""
    pairs = _labelled_by_both(first, second)
    return sum(a == b for a, b in pairs) / len(pairs)


def cohen_kappa(first: Labels, second: Labels) -> float | None:
    """Cohen's kappa (1960); None when chance agreement is complete, where it has no value."""
    pairs = _labelled_by_both(first, second)
    first_counts = Counter(a for a, _ in pairs)
    second_counts = Counter(b for _, b in pairs)
    coincidences = sum(
        count * second_counts[label] for label, count in first_counts.items()
    )
    chance = coincidences / len(pairs) ** 2
    if chance == 1:
        return None
    return (raw_agreement(first, second) - chance) / (1 - chance)


def gwet_ac1(first: Labels, second: Labels) -> float | None:
    """Gwet's AC1 (2008), stable where nearly all items have one label; None for a single label."""
    pairs = _labelled_by_both(first, second)
    counts: Counter[Hashable] = Counter()
    for pair in pairs:
        counts.update(pair)
    if len(counts) == 1:
        return None
    chance = 0.0
    for count in counts.values():
        share = count / (2 * len(pairs))
        chance += share * (1 - share)
    chance /= len(counts) - 1
    return (raw_agreement(first, second) - chance) / (1 - chance)


def krippendorff_alpha(reviewers: Sequence[Labels]) -> float | None:
    """Krippendorff's alpha for nominal labels; labels may be missing. None when all labels are the same.

    Raises:
        ValueError: the lists differ in length, or there are no items.
    """
    if not reviewers or len({len(labels) for labels in reviewers} | {0}) != 2:
        raise ValueError(
            "every reviewer needs a label, or None, for each item, and there must be items"
        )
    units: list[Counter[Hashable]] = []
    for item in zip(*reviewers, strict=True):
        counts = Counter(label for label in item if label is not None)
        if counts.total() > 1:
            units.append(counts)
    totals: Counter[Hashable] = Counter()
    for counts in units:
        totals.update(counts)
    if len(totals) < 2:
        return None
    observed = sum(_disagreements(counts) / (counts.total() - 1) for counts in units)
    expected = _disagreements(totals) / (totals.total() - 1)
    return 1 - observed / expected


def _disagreements(counts: Counter[Hashable]) -> int:
    """Ordered pairs of labels that differ."""
    total = counts.total()
    return sum(count * (total - count) for count in counts.values())


def _labelled_by_both(first: Labels, second: Labels) -> list[tuple[Hashable, Hashable]]:
    pairs: list[tuple[Hashable, Hashable]] = []
    for a, b in zip(first, second, strict=True):
        if a is not None and b is not None:
            pairs.append((a, b))
    if not pairs:
        raise ValueError("no item has a label from both")
    return pairs


def _rate(hits: int, cases: int, level: float) -> tuple[float, Interval] | None:
    if cases == 0:
        return None
    return hits / cases, jeffreys(hits, cases, level=level)
