"""The change of the Agent Success Rate between two sets of runs: paired by task where the tasks are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import CREDITS, Task, cost_is_missing, most_of
from judgemesh.mesh.metrics.class_changes import ClassRun
from judgemesh.mesh.metrics.comparison import (
    PairedComparison,
    UnpairedComparison,
    paired,
    unpaired,
)

_SAME_TASKS: Final = 0.8

Values = dict[str, list[float]]


def rate_change(
    before: Sequence[Task],
    after: Sequence[Task],
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
) -> PairedComparison | UnpairedComparison:
    """The change of the rate between two sets of runs.

    Paired by task where at least two tasks are in both sets and these have 80 % of the runs of each; else unpaired.
    Undecided runs count there: failures that became undecided do not make it another set of tasks.

    Raises:
        ValueError: a side has no decided run.
    """
    older, older_open, older_most = _values(before, credit, "before")
    newer, newer_open, newer_most = _values(after, credit, "after")
    shared = {*older, *older_open} & {*newer, *newer_open}
    enough = all(
        sum(name in shared for name, _task in _named(runs, side))
        >= _SAME_TASKS * len(runs)
        for runs, side in ((before, "before"), (after, "after"))
    )
    both = len(older.keys() & newer.keys())
    compare = paired if enough and both > 1 else unpaired
    return compare(
        older,
        newer,
        open_a=older_open,
        open_b=newer_open,
        at_most=(older_most, newer_most),
        power=False,
    )


def _values(
    tasks: Sequence[Task], credit: Mapping[OutcomeClass, Decimal], side: str
) -> tuple[Values, Values, Values]:
    """By task: what decided runs contribute, the most of undecided ones, and those of the first of unknown cost."""
    decided: Values = {}
    undecided: Values = {}
    uncosted: Values = {}
    for name, task in _named(tasks, side):
        value = float(most_of(task, credit))
        values = undecided if task.outcome is None else decided
        values.setdefault(name, []).append(value)
        if cost_is_missing(task.outcome, task.cost, task.ceiling, credit):
            uncosted.setdefault(name, []).append(value)
    return decided, undecided, uncosted


def class_runs(tasks: Sequence[Task], side: str) -> list[ClassRun]:
    """The runs with their tasks and classes; a run without a name is a task of its own, of that side."""
    return [ClassRun(name, task.outcome) for name, task in _named(tasks, side)]


def _named(tasks: Sequence[Task], side: str) -> list[tuple[str, Task]]:
    """Each run with its task; a run without a name is a task of its own, on its own side."""
    named: list[tuple[str, Task]] = []
    for position, task in enumerate(tasks):
        # The equals sign keeps the number of an unnamed run apart from a task named by a number.
        name = f"{side}{position}" if task.name is None else f"={task.name}"
        named.append((name, task))
    return named
