"""Shares of outcome classes in two sets of runs: which changed, with tasks as the clusters.

A change is `real` if it survives three questions: t over tasks with Benjamini-Hochberg over the classes, its own
interval, and whatever undecided runs may be. Repeated runs of a task taken as independent raise a false flag in nine
unchanged weeks of ten. Where both sets have the same tasks with about as many runs each, tasks are compared with
themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.class_tests import Shares, limits, p_values, rejected
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.shares import ShareChange

FLAG: Final = Fraction(2, 100)
METHODS: Final = {
    True: "paired by task, t and anchored",
    False: "unpaired, by task, square-and-add of exact limits",
}
_UNLIKE: Final = 1.5
"""Pairing weights tasks alike; with more runs of one task than this times those of another, shares of runs differ."""

Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ClassRun:
    """One run: its task and its class, None if undecided."""

    task: str
    outcome: OutcomeClass | None


@dataclass(frozen=True, slots=True)
class _Table:
    """Runs of each task by class, shape (tasks, classes), and undecided ones, shape (tasks,)."""

    tasks: list[str]
    decided: Counts
    undecided: Counts

    @property
    def runs(self) -> Counts:
        return np.asarray(self.decided.sum(axis=1) + self.undecided)

    @property
    def total(self) -> int:
        """Decided runs."""
        return int(self.decided.sum())

    def of(self, tasks: Sequence[str]) -> _Table:
        """These tasks in this order."""
        places = {task: place for place, task in enumerate(self.tasks)}
        rows = np.array([places[task] for task in tasks], dtype=np.int64)
        return _Table(list(tasks), self.decided[rows], self.undecided[rows])

    def shares(self) -> Shares:
        """Of the decided runs; every task must have one."""
        return _shares(self.decided, self.decided.sum(axis=1))

    def settled(self, inside: Flags) -> Shares:
        """Row by row, with every undecided run in the class of the row, or in none."""
        return _shares(self.decided + self.undecided[:, None] * inside, self.runs)


def _shares(counts: Counts, runs: Counts) -> Shares:
    weights = np.tile(runs / runs.sum(), (counts.shape[1], 1))
    return Shares((counts / runs[:, None]).T, weights)


def _table(runs: Sequence[ClassRun]) -> _Table:
    places = {outcome: place for place, outcome in enumerate(OutcomeClass)}
    counts: dict[str, list[int]] = {}
    undecided = len(places)
    for run in runs:
        row = counts.setdefault(run.task, [0] * (undecided + 1))
        row[undecided if run.outcome is None else places[run.outcome]] += 1
    # In the order of what they hold: sums of floats depend on the order, and it must not be that of the names.
    tasks = sorted(counts, key=lambda task: counts[task])
    rows = [counts[task] for task in tasks]
    table = np.array(rows, dtype=np.int64).reshape(-1, undecided + 1)
    return _Table(tasks, table[:, :undecided], table[:, undecided])


def class_changes(
    before: Sequence[ClassRun], after: Sequence[ClassRun]
) -> dict[str, ShareChange]:
    """The share of every class before and after, among decided runs.

    Raises:
        ValueError: one side has no decided run.
    """
    older, newer = _table(before), _table(after)
    if not (older.total and newer.total):
        raise ValueError("shares need at least one task on each side")
    paired = _same_tasks(older, newer)
    if paired:
        newer = newer.of(older.tasks)
    first, second = _decided(older, newer, paired=paired)
    tests = p_values(first, second, paired=paired)
    low, high = limits(first, second, paired=paired)
    beyond = (low > 0) | (high < 0)
    if older.undecided.any() or newer.undecided.any():
        beyond &= _holds(older, newer, low > 0, paired=paired)
    real = rejected(tests[None])[0] & beyond
    changes: dict[str, ShareChange] = {}
    for place, outcome in enumerate(OutcomeClass):
        shares = [
            Fraction(int(side.decided[:, place].sum()), side.total)
            for side in (older, newer)
        ]
        changes[outcome.value] = ShareChange(
            before=float(shares[0]),
            after=float(shares[1]),
            ci=Interval(float(low[place]), float(high[place]), METHODS[paired]),
            p_value=float(tests[place]),
            # Exactly: .60 - .58 is more than .02 in floats.
            large=abs(shares[1] - shares[0]) > FLAG,
            real=bool(real[place]),
        )
    return changes


def _same_tasks(before: _Table, after: _Table) -> bool:
    """Whether both have the same tasks, two or more that are decided in both, with about as many runs each."""
    if set(before.tasks) != set(after.tasks):
        return False
    if len(_in_both(before, after.of(before.tasks))) < 2:
        return False
    runs = np.concatenate([before.runs, after.runs])
    return bool(runs.max() <= _UNLIKE * runs.min())


def _in_both(before: _Table, after: _Table) -> list[str]:
    """The tasks, of both in the same order, that have a decided run on either side."""
    both = before.decided.any(axis=1) & after.decided.any(axis=1)
    return [before.tasks[place] for place in np.flatnonzero(both)]


def _decided(before: _Table, after: _Table, *, paired: bool) -> tuple[Shares, Shares]:
    if paired:
        tasks = _in_both(before, after)
        return before.of(tasks).shares(), after.of(tasks).shares()
    sides = (
        side.of([side.tasks[place] for place in np.flatnonzero(side.decided.any(1))])
        for side in (before, after)
    )
    first, second = (side.shares() for side in sides)
    return first, second


def _holds(before: _Table, after: _Table, rising: Flags, *, paired: bool) -> Flags:
    """For each class, whether the interval of the change leaves out 0 whatever class the undecided runs have."""
    sides = before.settled(rising), after.settled(~rising)
    low, high = limits(*sides, paired=paired)
    return np.where(rising, low > 0, high < 0)
