"""Weighted yes/no scores summed up over results: mean (TCR), band, classes, criteria."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from judgemesh.contracts.weighted_score import WeightedScore
from judgemesh.mesh.analysis.graded_rows import tasks_are_units
from judgemesh.mesh.analysis.seeds import seed_of
from judgemesh.mesh.analysis.weighted_scores import TaskScores
from judgemesh.mesh.metrics.binary_weighted import (
    BANDS,
    Bands,
    CriterionRate,
    Score,
    WeightedOutcome,
    band,
    completion_rate,
    criterion_rates,
)
from judgemesh.mesh.metrics.intervals import Interval, anchored, wilson

_MIN_RESULTS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedSummary:
    """The scores of one name over many results.

    rate: their mean (TCR); an interval if a score is one.
    band: the label of the whole interval `ci`; None if it spans several, or there is none. point_band: of the mean.
    ci: 95 % interval of the mean; it covers the worst and the best case of open answers.
    outcomes: results by class, without undecided ones.
    weights: by criterion; None if the weight differs between contracts.
    bands: the labels. bands_differ: contracts have different ones, and none of them is used.
    """

    name: str
    results: int
    tasks: int
    exact: int
    rate: Score
    band: str | None
    point_band: str | None
    ci: Interval | None
    outcomes: Mapping[WeightedOutcome, int]
    criteria: Sequence[CriterionRate]
    open_answers: Mapping[str, int]
    weights: Mapping[str, Decimal | None]
    normalised: bool
    bands: Bands = BANDS
    bands_differ: bool = False

    @property
    def undecided(self) -> int:
        """Results whose class would depend on an open answer."""
        return self.results - sum(self.outcomes.values())


def criterion_interval(criterion: CriterionRate) -> Interval:
    """Wilson's 95 % interval of how often a criterion holds."""
    return wilson(criterion.held, criterion.decided)


def summaries_of(
    scores: Mapping[str, TaskScores], bands: Bands | None = None
) -> list[WeightedSummary]:
    """The scores of each name summed up, in the order of the names; without `bands` each with those of its contract."""
    return [
        summarise(name, scores[name], seed=_seed(scores[name]), bands=bands)
        for name in sorted(scores)
    ]


def summarise(
    name: str,
    scores: Sequence[tuple[str, WeightedScore]],
    *,
    seed: int,
    bands: Bands | None = None,
) -> WeightedSummary:
    """Sum up the scores of one name.

    Args:
        name: of the score.
        scores: task and score of each result, at least one.
        seed: of the bootstrap.
        bands: labels of the mean; None for those of the contract, else the usual ones.

    Raises:
        ValueError: there are no scores.
    """
    tasks = [task for task, _ in scores]
    values = [Score(score.low, score.high) for _, score in scores]
    rate = completion_rate(values)
    classes = Counter(score.outcome for _, score in scores)
    answers: list[dict[str, bool | None]] = []
    weights: dict[str, set[Decimal]] = {}
    open_answers: Counter[str] = Counter()
    for _, score in scores:
        answers.append({})
        for criterion in score.criteria:
            answers[-1][criterion.id] = criterion.holds
            weights.setdefault(criterion.id, set()).add(criterion.weight)
            if criterion.holds is None:
                open_answers[criterion.id] += 1
    ci = _interval(values, tasks, seed)
    stored = {score.bands for _, score in scores}
    if bands is None:
        bands = (next(iter(stored)) if len(stored) == 1 else ()) or BANDS
    return WeightedSummary(
        name=name,
        results=len(scores),
        tasks=len(set(tasks)),
        exact=sum(value.exact for value in values),
        rate=rate,
        band=None if ci is None else band(rate, bands, low=ci.low, high=ci.high),
        point_band=band(rate, bands),
        ci=ci,
        outcomes={outcome: classes[outcome.value] for outcome in WeightedOutcome},
        criteria=criterion_rates(answers),
        open_answers=dict(open_answers),
        weights={key: _single(values) for key, values in weights.items()},
        normalised=any(score.normalised for _, score in scores),
        bands=bands,
        bands_differ=len(stored) > 1,
    )


def _single(values: set[Decimal]) -> Decimal | None:
    return next(iter(values)) if len(values) == 1 else None


def _interval(
    scores: Sequence[Score], tasks: Sequence[str], seed: int
) -> Interval | None:
    """From the lower end of the worst case to the upper end of the best; None for one result."""
    if len(scores) < _MIN_RESULTS:
        return None
    clusters = tasks if tasks_are_units(tasks) else None
    lows = [float(score.low) for score in scores]
    highs = [float(score.high) for score in scores]
    worst = anchored(lows, seed=seed, clusters=clusters)
    best = anchored(highs, seed=seed, clusters=clusters)
    mean = completion_rate(scores)
    low = max(0.0, min(worst.low, float(mean.low)))
    high = min(1.0, max(best.high, float(mean.high)))
    return Interval(low, high, worst.method, worst.level)


def _seed(scores: TaskScores) -> int:
    return seed_of(f"{task} {score.low} {score.high}" for task, score in scores)
