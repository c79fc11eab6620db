"""Many weighted scores of one name, summed up: their mean (TCR) with its band, classes, and how often criteria hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from judgemesh.contracts.report import WeightedScore
from judgemesh.mesh.analysis.success import tasks_are_units
from judgemesh.mesh.metrics.binary_weighted import (
    CriterionRate,
    Outcome,
    Score,
    band,
    completion_rate,
    criterion_rates,
)
from judgemesh.mesh.metrics.intervals import Interval, anchored

_FEWEST: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The scores of one name over many results.

    rate: their mean, an interval while a score is one. ci: of that mean; it holds the worst and the best case of what
    is open; tasks are its units where results are repeats of them. outcomes: results by class, without undecided ones.
    weights: as given; None of a criterion whose weight differs between contracts.
    """

    name: str
    results: int
    tasks: int
    exact: int
    rate: Score
    band: str | None
    ci: Interval | None
    outcomes: Mapping[Outcome, int]
    criteria: Sequence[CriterionRate]
    open_answers: Mapping[str, int]
    weights: Mapping[str, Decimal | None]
    normalised: bool


def tally(
    name: str, scores: Sequence[tuple[str, WeightedScore]], *, seed: int
) -> Tally:
    """Sum up.

    Args:
        name: of the score.
        scores: task and score of each result, at least one.
        seed: of the bootstrap.

    Raises:
        ValueError: there are no scores.
    """
    found = [Score(one.low, one.high) for _, one in scores]
    tasks = [task for task, _ in scores]
    rate = completion_rate(found)
    classes = Counter(one.outcome for _, one in scores)
    answers = [
        {criterion.id: criterion.holds for criterion in one.criteria}
        for _, one in scores
    ]
    given: dict[str, set[Decimal]] = {}
    for _, one in scores:
        for criterion in one.criteria:
            given.setdefault(criterion.id, set()).add(criterion.weight)
    return Tally(
        name=name,
        results=len(scores),
        tasks=len(set(tasks)),
        exact=sum(one.exact for one in found),
        rate=rate,
        band=band(rate),
        ci=_interval(found, tasks, seed),
        outcomes={one: classes[one.value] for one in Outcome},
        criteria=criterion_rates(answers),
        open_answers=dict(
            Counter(
                key for one in answers for key, holds in one.items() if holds is None
            )
        ),
        weights={
            key: next(iter(some)) if len(some) == 1 else None
            for key, some in given.items()
        },
        normalised=any(one.normalised for _, one in scores),
    )


def _interval(
    scores: Sequence[Score], tasks: Sequence[str], seed: int
) -> Interval | None:
    """From the lower end of the worst case to the upper end of the best; None for a single result."""
    if len(scores) < _FEWEST:
        return None
    clusters = tasks if tasks_are_units(tasks) else None
    worst, best = (
        [float(end) for end in ends]
        for ends in zip(*((one.low, one.high) for one in scores), strict=True)
    )
    ends = [anchored(case, seed=seed, clusters=clusters) for case in (worst, best)]
    mean = completion_rate(scores)
    low, high = min(ends[0].low, float(mean.low)), max(ends[1].high, float(mean.high))
    return Interval(max(0.0, low), min(1.0, high), ends[0].method, ends[0].level)
