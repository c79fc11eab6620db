"""The change of the Agent Success Rate between two sets of runs: paired by task where the tasks are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import CREDITS, Task, contribution
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

    Raises:
        ValueError: a side has no decided run.
    """
    older, older_open = _values(before, credit, "before")
    newer, newer_open = _values(after, credit, "after")
    shared = older.keys() & newer.keys()
    enough = all(
        sum(len(side[task]) for task in shared)
        >= _SAME_TASKS * sum(map(len, side.values()))
        for side in (older, newer)
    )
    compare = paired if enough and len(shared) > 1 else unpaired
    return compare(older, newer, open_a=older_open, open_b=newer_open, power=False)


def _values(
    tasks: Sequence[Task], credit: Mapping[OutcomeClass, Decimal], side: str
) -> tuple[Values, Values]:
    """What decided runs contribute, and the most that undecided ones could, by task."""
    best = max(credit, key=lambda outcome: credit[outcome])
    decided: Values = {}
    undecided: Values = {}
    for name, task in _named(tasks, side):
        values = undecided if task.outcome is None else decided
        value = contribution(task.outcome or best, task.cost, task.ceiling, credit)
        values.setdefault(name, []).append(float(value))
    return decided, undecided


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
