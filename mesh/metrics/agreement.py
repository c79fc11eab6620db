"""Do reviewers (or a judge and people) agree? Raw agreement beside the coefficients that correct for chance.

Labels are any hashable values; a missing label is None. Items with fewer than two labels say nothing and are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL, Interval, jeffreys

Labels = Sequence[Hashable | None]


@dataclass(frozen=True, slots=True)
class Confusion:
    """A judge's yes/no verdicts against people's: counts, sensitivity, specificity, and what a constant would score.

    A rate is None where nothing could be measured (no positives for sensitivity, no negatives for specificity).
    `better_than_constant` is False when always giving the commoner label is right at least as often.
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
        """What always giving the commoner human label would score."""
        yes = self.true_yes + self.false_no
        return max(yes, self.items - yes) / self.items

    @property
    def better_than_constant(self) -> bool:
        """Whether the judge beats a constant."""
        return self.accuracy > self.constant_accuracy

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
        counts[True, True],
        counts[True, False],
        counts[False, True],
        counts[False, False],
    )


def raw_agreement(one: Labels, two: Labels) -> float:
    """Share of the items that both labelled on which they agree."""
    pairs = _pairs(one, two)
    return sum(a == b for a, b in pairs) / len(pairs)


def cohen_kappa(one: Labels, two: Labels) -> float | None:
    """Cohen's kappa (1960); None when chance agreement is complete, where it has no value."""
    pairs = _pairs(one, two)
    first, second = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
    chance = sum(first[label] * second[label] for label in first) / len(pairs) ** 2
    return None if chance == 1 else (raw_agreement(one, two) - chance) / (1 - chance)


def gwet_ac1(one: Labels, two: Labels) -> float | None:
    """Gwet's AC1 (2008), which stays steady where nearly all items have one label; None for a single label."""
    pairs = _pairs(one, two)
    labels = {label for pair in pairs for label in pair}
    if len(labels) == 1:
        return None
    shares = [
        sum((a == label) + (b == label) for a, b in pairs) / (2 * len(pairs))
        for label in labels
    ]
    chance = sum(share * (1 - share) for share in shares) / (len(labels) - 1)
    return (raw_agreement(one, two) - chance) / (1 - chance)


def krippendorff_alpha(reviewers: Sequence[Labels]) -> float | None:
    """Krippendorff's alpha for nominal labels, any number of reviewers, missing labels allowed; None for one label."""
    units = [
        [label for label in item if label is not None] for item in _items(reviewers)
    ]
    units = [unit for unit in units if len(unit) > 1]
    totals = Counter(label for unit in units for label in unit)
    n = sum(totals.values())
    if len(totals) < 2:
        return None
    observed = sum(
        sum(count * (len(unit) - count) for count in Counter(unit).values())
        / (len(unit) - 1)
        for unit in units
    )
    expected = sum(count * (n - count) for count in totals.values()) / (n - 1)
    return 1 - observed / expected


def bootstrap(
    statistic: Callable[[Sequence[Labels]], float | None],
    reviewers: Sequence[Labels],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> Interval | None:
    """Percentile bootstrap by item of any agreement statistic; None when most resamples give it no value."""
    items = _items(reviewers)
    random = np.random.Generator(np.random.PCG64(seed))
    found: list[float] = []
    for _ in range(draws):
        places: list[int] = random.integers(0, len(items), len(items)).tolist()
        picked = [items[place] for place in places]
        value = statistic(
            [[item[place] for item in picked] for place in range(len(reviewers))]
        )
        if value is not None:
            found.append(value)
    if len(found) < draws * _MOST:
        return None
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), "bootstrap by item", level)


_MOST: Final = 0.5


def _items(reviewers: Sequence[Labels]) -> list[list[Hashable | None]]:
    """The labels of each item, one from each reviewer."""
    sizes = {len(labels) for labels in reviewers}
    if len(sizes) != 1 or sizes == {0}:
        raise ValueError(
            "every reviewer needs a label, or None, for each item, and there must be items"
        )
    return [[labels[place] for labels in reviewers] for place in range(sizes.pop())]


def _pairs(one: Labels, two: Labels) -> list[tuple[Hashable, Hashable]]:
    pairs = [
        (a, b) for a, b in zip(one, two, strict=True) if a is not None and b is not None
    ]
    if not pairs:
        raise ValueError("no item has a label from both")
    return pairs


def _rate(hits: int, cases: int, level: float) -> tuple[float, Interval] | None:
    return (hits / cases, jeffreys(hits, cases, level=level)) if cases else None
