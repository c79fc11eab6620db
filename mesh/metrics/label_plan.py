"""How many labels, of which results, and in which order, so that the rate they give may be published.

Everything here rests on one idea: results fall into strata by what the judge said of them, labels are drawn at random
within a stratum, and the strata where a label tells most get most of them (Neyman 1934; exact integer allocation by
Wright 2012: the next label goes where items x deviation / sqrt(n (n + 1)) is largest). So every result has a known
chance of being chosen, and `strata.stratified_mean` gives a rate that holds. Choosing the results one finds most
doubtful by hand does not: such labels may mend a prompt, but no rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from statistics import NormalDist
from typing import Final

import numpy as np

from judgemesh.mesh.metrics.correction import MIN_YOUDEN
from judgemesh.mesh.metrics.intervals import LEVEL
from judgemesh.mesh.metrics.strata import Stratified, Stratum, stratified_mean

AT_LEAST: Final = 2
BANDS: Final = 3
SUREST: Final = 0.05
"""No stratum is taken to be surer than this: expected rates are guesses, and a stratum without labels has no rate."""

_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class LabelPlan:
    """How many results to label, drawn at random within each verdict.

    half_width: what the interval is expected to have then, at most the one asked for.
    human_only: how many labels would be needed without the judge's verdicts; it may be more than there are results.
    success: the rate of true successes that the expectations imply.
    """

    yes: int
    no: int
    half_width: float
    human_only: int
    success: float

    @property
    def labels(self) -> int:
        """All of them."""
        return self.yes + self.no


@dataclass(frozen=True, slots=True)
class Candidate:
    """A result that could be labelled: what it is expected to be worth (0..1), and how uncertain that is.

    For yes/no with a calibrated probability p: expected p, deviation sqrt(p (1 - p)).
    """

    item: str
    expected: float
    deviation: float


@dataclass(frozen=True, slots=True)
class LabellingOrder:
    """Results in the order in which to label them, and the stratum (its place in `sizes`) of each.

    Any first part of the order is a sample with known chances; anything else is not.
    """

    items: tuple[str, ...]
    strata: tuple[int, ...]
    sizes: tuple[int, ...]

    def inclusion(self, labels: int) -> dict[str, float]:
        """The chance that each result had of being among the first `labels` ones, for all results.

        Raises:
            ValueError: there are fewer results, or none are asked for.
        """
        counts = self._counts(labels)
        return {
            item: counts[stratum] / self.sizes[stratum]
            for item, stratum in zip(self.items, self.strata, strict=True)
        }

    def rate(
        self, worth: Mapping[str, float], *, seed: int, level: float = LEVEL
    ) -> Stratified:
        """The mean worth of all results, from the labels of the first ones.

        Args:
            worth: what people found each labelled result to be worth, 0..1.
            seed: of the draws.
            level: of the interval.

        Raises:
            ValueError: the labelled results are not the first ones of the order; a stratum has fewer than two labels;
                or a worth is out of range.
        """
        counts = self._counts(len(worth))
        first = self.items[: len(worth)]
        skipped = [item for item in first if item not in worth]
        if skipped:
            more = f" and {len(skipped) - _NAMED} more" if len(skipped) > _NAMED else ""
            raise ValueError(
                f"{', '.join(skipped[:_NAMED])}{more} should have been labelled before others that are; a rate is "
                "valid only for the first results of the order, none left out"
            )
        needed = [min(AT_LEAST, size) for size in self.sizes]
        if any(count < least for count, least in zip(counts, needed, strict=True)):
            raise ValueError(
                f"every stratum needs {AT_LEAST} labels; label the first {sum(needed)} of the order"
            )
        values: list[list[float]] = [[] for _ in self.sizes]
        for item, stratum in zip(first, self.strata, strict=False):
            values[stratum].append(worth[item])
        strata = [
            Stratum(size, known) for size, known in zip(self.sizes, values, strict=True)
        ]
        return stratified_mean(strata, seed=seed, level=level)

    def _counts(self, labels: int) -> list[int]:
        if not 1 <= labels <= len(self.items):
            raise ValueError(
                f"needs 1 to {len(self.items)} labels of this order, got {labels}"
            )
        return [self.strata[:labels].count(place) for place in range(len(self.sizes))]


def allocation_order(
    items: Sequence[int], deviations: Sequence[float], *, at_least: int = AT_LEAST
) -> Iterator[int]:
    """The stratum that each next label should come from, until every item is labelled.

    Args:
        items: how many items each stratum has.
        deviations: standard deviation of what one of its items is worth.
        at_least: labels that every stratum gets first, or all of its items if these are fewer.

    Raises:
        ValueError: the lengths differ, or a number is below 0.
    """
    if len(items) != len(deviations) or min((*items, *deviations), default=0) < 0:
        raise ValueError("needs one deviation for each stratum, and no number below 0")
    given = [0] * len(items)

    def urgency(place: int) -> tuple[int, float, int]:
        many = given[place]
        worth = (
            items[place] * deviations[place] / math.sqrt(many * (many + 1))
            if many
            else math.inf
        )
        return min(0, many - at_least), -worth, place  # the least is the most urgent

    heap = [urgency(place) for place, size in enumerate(items) if size]
    heapify(heap)
    while heap:
        place = heap[0][2]
        given[place] += 1
        yield place
        if given[place] < items[place]:
            heapreplace(heap, urgency(place))
        else:
            heappop(heap)


def plan_labels(
    judged_yes: int,
    judged: int,
    *,
    sensitivity: float,
    specificity: float,
    half_width: float,
    level: float = LEVEL,
) -> LabelPlan:
    """How many results of a judged run to label for an interval of a wanted half-width (`correction.post_stratified`).

    Args:
        judged_yes: results that the judge passed.
        judged: all results.
        sensitivity: expected P(judge says yes | truly yes).
        specificity: expected P(judge says no | truly no).
        half_width: of the wanted interval, 0..1.
        level: of the interval.

    Raises:
        ValueError: Se + Sp - 1 is below .2; the judged share is not possible with these expectations; or not even
            labelling everything would reach the half-width (the message says which it would reach).
    """
    if not 0 <= judged_yes <= judged or judged < 1 or not 0 < half_width < 1:
        raise ValueError(
            "needs 0 <= judged_yes <= judged, at least one result, and a half-width in 0..1"
        )
    if not (0 <= sensitivity <= 1 and 0 <= specificity <= 1):
        raise ValueError("sensitivity and specificity lie in 0..1")
    youden = sensitivity + specificity - 1
    if youden < MIN_YOUDEN:
        raise ValueError(
            f"sensitivity + specificity - 1 is {youden:.2f}, below {MIN_YOUDEN}: the judge says too little"
        )
    share = judged_yes / judged
    success = (share + specificity - 1) / youden
    if not 0 <= success <= 1:
        raise ValueError(
            f"a judge of sensitivity {sensitivity:g} and specificity {specificity:g} passes between "
            f"{1 - specificity:.3f} and {sensitivity:.3f} of any run, this one passed {share:.3f}: the expectations "
            "do not fit it"
        )
    truths = (
        success * sensitivity / share if share else 0.0,
        success * (1 - sensitivity) / (1 - share) if share < 1 else 0.0,
    )
    sizes = (judged_yes, judged - judged_yes)
    z = NormalDist().inv_cdf((1 + level) / 2)
    given = [0, 0]
    reached = math.inf
    for place in allocation_order(sizes, [_deviation(truth) for truth in truths]):
        given[place] += 1
        if all(
            many >= min(AT_LEAST, size) for many, size in zip(given, sizes, strict=True)
        ):
            reached = z * math.sqrt(_variance(sizes, truths, given))
        if reached <= half_width:
            alone = math.ceil(success * (1 - success) * (z / half_width) ** 2)
            return LabelPlan(given[0], given[1], reached, max(alone, 1), success)
    raise ValueError(
        f"labelling all {judged} results would give a half-width of {reached:.3f}; {half_width:g} needs a larger run"
    )


def labelling_order(
    candidates: Sequence[Candidate], *, seed: int, bands: int = BANDS
) -> LabellingOrder:
    """Which results to label next: strata by what results are expected to be worth, Neyman allocation between them.

    The strata are cut so that each holds the same sum of deviations: the doubtful middle is cut finely and drawn from
    often, the sure ends are large and drawn from seldom, yet never left out. Within a stratum the order is random.

    Args:
        candidates: all results of the run, none left out.
        seed: of the random order.
        bands: how many strata at most. More bands waste fewer labels where the judge is good, and need more of them.

    Raises:
        ValueError: there are no candidates, two have one name, or a number is out of range.
    """
    if (
        not candidates
        or bands < 1
        or len({one.item for one in candidates}) != len(candidates)
    ):
        raise ValueError(
            "needs at least one candidate and one band, and every candidate once"
        )
    if not all(
        0 <= one.expected <= 1 and 0 <= one.deviation <= 1 for one in candidates
    ):
        raise ValueError("expected worth and deviation of every candidate lie in 0..1")
    ordered = sorted(candidates, key=lambda one: (one.expected, one.item))
    deviations = np.maximum([one.deviation for one in ordered], _deviation(0.0))
    reached = np.cumsum(deviations) - deviations / 2
    band = np.minimum((reached / deviations.sum() * bands).astype(int), bands - 1)
    random = np.random.Generator(np.random.PCG64(seed))
    members = [
        np.flatnonzero(band == place) for place in range(bands) if (band == place).any()
    ]
    sizes = [len(one) for one in members]
    # Before the shuffle: a sum in another order differs in its last digit, and so would the stratum after a tie.
    places = list(
        allocation_order(
            sizes, [math.fsum(deviations[one]) / len(one) for one in members]
        )
    )
    queues = [map(int, random.permutation(one)) for one in members]
    items = tuple(ordered[next(queues[place])].item for place in places)
    return LabellingOrder(items, tuple(places), tuple(sizes))


def _deviation(truth: float) -> float:
    held = min(1 - SUREST, max(SUREST, truth))
    return math.sqrt(held * (1 - held))


def _variance(
    sizes: Sequence[int], truths: Sequence[float], given: Sequence[int]
) -> float:
    """The expected variance of the draws of `post_stratified`: a Beta in each stratum, and one for its size."""
    total = sum(sizes)
    found = (truths[0] - truths[1]) ** 2 * sizes[0] * sizes[1] / total**2 / (total + 2)
    for size, truth, many in zip(sizes, truths, given, strict=True):
        mean = (many * truth + 0.5) / (many + 1)
        found += (size / total) ** 2 * mean * (1 - mean) / (many + 2)
    return found
