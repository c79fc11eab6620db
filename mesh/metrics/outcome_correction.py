"""The Agent Success Rate corrected by human labels: a judge errs between complete, partial and nothing, not only
between yes and no.

Tasks are put into strata by the credit of the class that the judge gave them (complete, partial, nothing with the usual
weights). What the tasks of a stratum are really worth is estimated from its labelled ones, and the strata are put
together by their size in the whole run: `correction.post_stratified` with more than two verdicts.

Each draw of a stratum's mean weights its labelled contributions by a Dirichlet over the distinct ones, with half a
pseudo-item at nothing and half at full credit: the anchored bootstrap of `intervals`, which for contributions of 0 and
1 is the Jeffreys draw. A penalty for cost is part of a labelled contribution, so nothing is assumed about whether
costs and errors of the judge go together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import CREDITS, check_credit, contribution
from judgemesh.mesh.metrics.clustered_strata import ClusteredItem, clustered_mean
from judgemesh.mesh.metrics.correction import DRAWS, Drawn, check_this_run
from judgemesh.mesh.metrics.intervals import LEVEL, Interval
from judgemesh.mesh.metrics.strata import Stratified, Stratum, stratified_mean

_MIN_LABELS: Final = 2


@dataclass(frozen=True, slots=True)
class JudgedTask:
    """One result of the run: the class the judge gave it, and the one people gave it if it is labelled.

    name: its task, where several results are runs of one task.
    """

    judged: OutcomeClass
    human: OutcomeClass | None = None
    cost: Decimal | None = None
    ceiling: Decimal | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CorrectedSuccess:
    """The corrected rate, and what it was made from.

    judged: the rate if the judge's classes were the truth.
    effective_labels: how many tasks, labelled at random without any judge, would give as narrow an interval.
    shares: corrected share of each class, with its interval.
    table: labelled tasks by the judge's class, then by people's.
    """

    rate: float
    ci: Interval
    judged: float
    tasks: int
    labelled: int
    effective_labels: float
    shares: Mapping[OutcomeClass, tuple[float, Interval]]
    table: Mapping[OutcomeClass, Mapping[OutcomeClass, int]]


def corrected_success(
    tasks: Sequence[JudgedTask],
    *,
    drawn: Drawn,
    seed: int,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> CorrectedSuccess:
    """The Agent Success Rate of a judged run, corrected by labels of some of its tasks.

    Results of one name are runs of one task: the interval then takes tasks as units.

    Args:
        tasks: every task of the run that the judge gave a class.
        drawn: how the labelled ones were chosen; labels drawn within the judge's classes count as drawn by verdict.
        seed: of the draws.
        credit: credit of each class; classes of equal credit are one stratum.
        draws: how many.
        level: of the intervals.

    Raises:
        ValueError: there are no tasks; the labels were not drawn at random from this run; a stratum that occurs has
            fewer than two labels; or a cost, ceiling or credit is impossible.
    """
    check_this_run(drawn)
    check_credit(credit)
    if not tasks:
        raise ValueError("needs at least one judged task")
    groups: dict[Decimal, list[JudgedTask]] = {}
    for task in tasks:
        groups.setdefault(credit[task.judged], []).append(task)
    samples = [_sample(groups[worth]) for worth in sorted(groups)]

    def contribution_of(task: JudgedTask, outcome: OutcomeClass) -> float:
        return float(contribution(outcome, task.cost, task.ceiling, credit))

    names = [task.name for task in tasks if task.name is not None]
    clustered = len(set(names)) < len(names)

    def mean_of(
        value: Callable[[JudgedTask, OutcomeClass], float], high: float
    ) -> Stratified:
        if clustered:
            items = _items(tasks, credit, value)
            return clustered_mean(items, seed=seed, draws=draws, level=level, high=high)
        strata = [sample.stratum(value) for sample in samples]
        return stratified_mean(strata, seed=seed, draws=draws, level=level, high=high)

    corrected = mean_of(contribution_of, float(max(credit.values())))
    shares: dict[OutcomeClass, tuple[float, Interval]] = {}
    for outcome in OutcomeClass:
        # Each class against all others; for values of 0 and 1 the draws are Jeffreys draws.
        share = mean_of(_share_of(outcome), 1.0)
        shares[outcome] = (share.rate, share.ci)
    labelled: list[tuple[JudgedTask, OutcomeClass]] = []
    for sample in samples:
        labelled += sample.labelled
    judged = [contribution_of(task, task.judged) for task in tasks]
    return CorrectedSuccess(
        rate=corrected.rate,
        ci=corrected.ci,
        judged=float(np.mean(judged)),
        tasks=len(tasks),
        labelled=len(labelled),
        effective_labels=corrected.effective_labels,
        shares=shares,
        table=_table(labelled),
    )


@dataclass(frozen=True, slots=True)
class _Sample:
    """The tasks of one stratum that are labelled, each with its label, and how many tasks the stratum has."""

    tasks: int
    labelled: Sequence[tuple[JudgedTask, OutcomeClass]]

    def stratum(self, value: Callable[[JudgedTask, OutcomeClass], float]) -> Stratum:
        """The stratum in which a labelled task has that value."""
        return Stratum(
            self.tasks, [value(task, label) for task, label in self.labelled]
        )


def _sample(group: Sequence[JudgedTask]) -> _Sample:
    labelled: list[tuple[JudgedTask, OutcomeClass]] = []
    for task in group:
        if task.human is not None:
            labelled.append((task, task.human))
    required = min(_MIN_LABELS, len(group))
    if len(labelled) < required:
        names = " or ".join(sorted({task.judged.value for task in group}))
        raise ValueError(
            f"{len(group)} tasks were judged {names} and {len(labelled)} of them are labelled; "
            f"label {required} or more"
        )
    return _Sample(len(group), labelled)


def _items(
    tasks: Sequence[JudgedTask],
    credit: Mapping[OutcomeClass, Decimal],
    value: Callable[[JudgedTask, OutcomeClass], float],
) -> list[ClusteredItem]:
    """The results with their tasks; a result without a name is a task of its own."""
    items: list[ClusteredItem] = []
    for position, task in enumerate(tasks):
        name = position if task.name is None else task.name
        known = None if task.human is None else value(task, task.human)
        items.append(ClusteredItem(name, credit[task.judged], known))
    return items


def _share_of(outcome: OutcomeClass) -> Callable[[JudgedTask, OutcomeClass], float]:
    return lambda _task, label: float(label is outcome)


def _table(
    labelled: Sequence[tuple[JudgedTask, OutcomeClass]],
) -> dict[OutcomeClass, dict[OutcomeClass, int]]:
    """Counts by the judge's class, then by people's, in the order of the classes."""
    counts = Counter((task.judged, label) for task, label in labelled)
    table: dict[OutcomeClass, dict[OutcomeClass, int]] = {}
    for judged in OutcomeClass:
        row = {label: counts[judged, label] for label in OutcomeClass}
        if any(row.values()):
            table[judged] = row
    return table
