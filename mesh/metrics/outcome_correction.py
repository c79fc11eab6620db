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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

import numpy as np

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import CREDITS, check_credit, contribution
from judgemesh.mesh.metrics.correction import DRAWS, Drawn, check_this_run
from judgemesh.mesh.metrics.intervals import LEVEL, Interval
from judgemesh.mesh.metrics.strata import Stratum, stratified_mean

_MIN_LABELS: Final = 2


@dataclass(frozen=True, slots=True)
class JudgedTask:
    """One task of the run: the class the judge gave it, and the one people gave it if it is labelled."""

    judged: OutcomeClass
    human: OutcomeClass | None = None
    cost: Decimal | None = None
    ceiling: Decimal | None = None


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

    Tasks count as independent: where several are runs of one task, the interval is too narrow.

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
    known = {
        worth: [task for task in group if task.human is not None]
        for worth, group in groups.items()
    }
    for worth, labelled in known.items():
        least = min(_MIN_LABELS, len(groups[worth]))
        if len(labelled) < least:
            names = " or ".join(sorted({task.judged.value for task in groups[worth]}))
            raise ValueError(
                f"{len(groups[worth])} tasks were judged {names} and {len(labelled)} of them are labelled; "
                f"label {least} or more"
            )
    top = float(max(credit.values()))
    strata = [
        Stratum(len(groups[worth]), [_worth(task, credit) for task in known[worth]])
        for worth in sorted(groups)
    ]
    found = stratified_mean(strata, seed=seed, draws=draws, level=level, high=top)
    labelled = [task for group in known.values() for task in group]
    judged = [
        float(contribution(task.judged, task.cost, task.ceiling, credit))
        for task in tasks
    ]
    return CorrectedSuccess(
        rate=found.rate,
        ci=found.ci,
        judged=float(np.mean(judged)),
        tasks=len(tasks),
        labelled=len(labelled),
        effective_labels=found.effective_labels,
        shares=_shares(groups, known, seed=seed, draws=draws, level=level),
        table=_table(labelled),
    )


def _worth(task: JudgedTask, credit: Mapping[OutcomeClass, Decimal]) -> float:
    return (
        0.0
        if task.human is None
        else float(contribution(task.human, task.cost, task.ceiling, credit))
    )


def _shares(
    groups: Mapping[Decimal, Sequence[JudgedTask]],
    known: Mapping[Decimal, Sequence[JudgedTask]],
    *,
    seed: int,
    draws: int,
    level: float,
) -> dict[OutcomeClass, tuple[float, Interval]]:
    """Each class against all others, post-stratified with Jeffreys draws."""
    shares: dict[OutcomeClass, tuple[float, Interval]] = {}
    for one in OutcomeClass:
        strata = [
            Stratum(
                len(groups[worth]), [float(task.human is one) for task in known[worth]]
            )
            for worth in sorted(groups)
        ]
        found = stratified_mean(strata, seed=seed, draws=draws, level=level)
        shares[one] = (found.rate, found.ci)
    return shares


def _table(
    labelled: Sequence[JudgedTask],
) -> dict[OutcomeClass, dict[OutcomeClass, int]]:
    counts = Counter((task.judged, task.human) for task in labelled)
    rows = [one for one in OutcomeClass if any(task.judged is one for task in labelled)]
    return {
        row: {column: counts[row, column] for column in OutcomeClass} for row in rows
    }
