"""Shares of outcome classes in two sets of runs: which changed, with tasks as the clusters.

A change is `real` if it survives three questions: Welch's t over tasks with Benjamini-Hochberg over the classes, its
own interval, and whatever undecided runs may be. Repeated runs of a task taken as independent raise a false flag in
nine unchanged weeks of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.beta import beta_cdf
from judgemesh.mesh.metrics.clusters import TaskMeans, task_means
from judgemesh.mesh.metrics.comparison import ShareChange, benjamini_hochberg
from judgemesh.mesh.metrics.differences import rate_limits, unpaired_limits
from judgemesh.mesh.metrics.intervals import Interval

FLAG: Final = Fraction(2, 100)
RATE: Final = 0.01
"""False discovery rate of the classes of one comparison; few unchanged weeks may be flagged."""
METHOD: Final = "unpaired, by task, square-and-add of exact limits"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClassRun:
    """One run: its task and its class, None if undecided."""

    task: str
    outcome: OutcomeClass | None


def class_changes(
    before: Sequence[ClassRun], after: Sequence[ClassRun]
) -> dict[str, ShareChange]:
    """The share of every class before and after, among decided runs.

    Raises:
        ValueError: one side has no decided run.
    """
    sides = [
        [run for run in side if run.outcome is not None] for side in (before, after)
    ]
    if not all(sides):
        raise ValueError("shares need at least one task on each side")
    tests: dict[str, float] = {}
    changes: dict[str, tuple[float, float, Interval, bool]] = {}
    for outcome in OutcomeClass:
        older, newer = (_share(side, outcome) for side in sides)
        tests[outcome.value] = welch(older, newer)
        ci = _change(older, newer)
        held = _holds(before, after, outcome, ci)
        changes[outcome.value] = (older.rate, newer.rate, ci, held)
    real = benjamini_hochberg(tests, rate=RATE)
    found: dict[str, ShareChange] = {}
    for outcome in OutcomeClass:
        share_before, share_after, ci, held = changes[outcome.value]
        found[outcome.value] = ShareChange(
            before=share_before,
            after=share_after,
            ci=ci,
            p_value=tests[outcome.value],
            large=_large(sides[0], sides[1], outcome),
            real=real[outcome.value] and held,
        )
    return found


def _large(
    before: Sequence[ClassRun], after: Sequence[ClassRun], outcome: OutcomeClass
) -> bool:
    """Exactly: .60 - .58 is more than .02 in floats."""
    shares = [
        Fraction(sum(run.outcome is outcome for run in side), len(side))
        for side in (before, after)
    ]
    return abs(shares[1] - shares[0]) > FLAG


def _share(runs: Iterable[ClassRun], outcome: OutcomeClass) -> TaskMeans:
    runs = list(runs)
    values = [float(run.outcome is outcome) for run in runs]
    return task_means(values, [run.task for run in runs])


def _change(before: TaskMeans, after: TaskMeans) -> Interval:
    low, high = unpaired_limits(_limits(before), _limits(after))
    return Interval(max(-1.0, float(low[0])), min(1.0, float(high[0])), METHOD)


def _limits(found: TaskMeans) -> tuple[Floats, Floats, Floats]:
    return rate_limits(found.means[None], found.weights[None], 0.0, 1.0)


def _holds(
    before: Sequence[ClassRun],
    after: Sequence[ClassRun],
    outcome: OutcomeClass,
    ci: Interval,
) -> bool:
    """Whether the interval of the change leaves out 0, whatever class the undecided runs have."""
    if ci.low <= 0 <= ci.high:
        return False
    if all(run.outcome is not None for run in (*before, *after)):
        return True
    rising = ci.low > 0
    older = _share(_settled(before, outcome, inside=rising), outcome)
    newer = _share(_settled(after, outcome, inside=not rising), outcome)
    worst = _change(older, newer)
    return worst.low > 0 if rising else worst.high < 0


def _settled(
    runs: Sequence[ClassRun], outcome: OutcomeClass, *, inside: bool
) -> list[ClassRun]:
    """The runs with every undecided one in the class, or in another."""
    other = next(one for one in OutcomeClass if one is not outcome)
    assumed = outcome if inside else other
    return [ClassRun(run.task, run.outcome or assumed) for run in runs]


def welch(before: TaskMeans, after: TaskMeans) -> float:
    """Two-sided p-value of Welch's t over tasks, with the degrees of freedom of Satterthwaite.

    1 where a side has fewer than two tasks, or no task differs from another on both sides.
    """
    if min(before.tasks, after.tasks) < 2:
        return 1.0
    older, newer = before.error**2, after.error**2
    variance = older + newer
    if variance == 0:
        return 1.0
    degrees = variance**2 / (
        older**2 / (before.tasks - 1) + newer**2 / (after.tasks - 1)
    )
    t = (after.rate - before.rate) / math.sqrt(variance)
    return beta_cdf(degrees / (degrees + t * t), degrees / 2, 0.5)
