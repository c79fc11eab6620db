"""The Agent Success Rate week by week, with its rolling mean, and the change since the last week that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import (
    CREDITS,
    AgentSuccess,
    Task,
    agent_success,
    contribution,
)
from judgemesh.mesh.metrics.class_changes import ClassRun, class_changes
from judgemesh.mesh.metrics.comparison import (
    PairedComparison,
    ShareChange,
    UnpairedComparison,
    paired,
    unpaired,
)

ROLLING_WEEKS: Final = 4
_WEEK: Final = timedelta(weeks=1)
_SAME_TASKS: Final = 0.8

Values = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Week:
    """One week that has decided tasks.

    rolling: mean rate of it and of those of the three weeks before it that have decided tasks too.
    changes: of the classes, against the last week that had some, however long ago.
    rolled: how many weeks `rolling` is the mean of, 1 to 4.
    since: the Monday of the week that `changes` and `change` are against; None for the first.
    gap: weeks between the two in which nothing was decided.
    change: of the rate. Paired by task where both weeks have the same tasks.
    """

    monday: date
    success: AgentSuccess
    rolling: float
    changes: Mapping[str, ShareChange]
    rolled: int = 1
    since: date | None = None
    gap: int = 0
    change: PairedComparison | UnpairedComparison | None = None


def weekly(
    tasks: Sequence[tuple[date, Task]],
    *,
    seed: int = 0,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
) -> list[Week]:
    """Group tasks by the Monday of their week; a week without a decided task is left out, and counted as a gap."""
    by_week: dict[date, list[Task]] = {}
    for day, task in tasks:
        by_week.setdefault(day - timedelta(days=day.weekday()), []).append(task)
    weeks: list[Week] = []
    for monday in sorted(by_week):
        if any(task.outcome is not None for task in by_week[monday]):
            success = agent_success(by_week[monday], seed=seed, credit=credit)
            weeks.append(_week(monday, success, weeks, by_week, credit))
    return weeks


def _week(
    monday: date,
    success: AgentSuccess,
    earlier: Sequence[Week],
    by_week: Mapping[date, Sequence[Task]],
    credit: Mapping[OutcomeClass, Decimal],
) -> Week:
    recent = monday - (ROLLING_WEEKS - 1) * _WEEK
    rates = [week.success.asr for week in earlier if week.monday >= recent]
    rates.append(success.asr)
    rolling = sum(rates) / len(rates)
    if not earlier:
        return Week(monday, success, rolling, {})
    since = earlier[-1].monday
    before, after = by_week[since], by_week[monday]
    return Week(
        monday=monday,
        success=success,
        rolling=rolling,
        changes=class_changes(_runs(before), _runs(after)),
        rolled=len(rates),
        since=since,
        gap=(monday - since) // _WEEK - 1,
        change=rate_change(before, after, credit),
    )


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
    older, older_open = _values(before, credit)
    newer, newer_open = _values(after, credit)
    shared = older.keys() & newer.keys()
    enough = all(
        sum(len(side[task]) for task in shared) >= _SAME_TASKS * sum(map(len, side.values()))
        for side in (older, newer)
    )
    compare = paired if enough and len(shared) > 1 else unpaired
    return compare(older, newer, open_a=older_open, open_b=newer_open, power=False)


def _values(
    tasks: Sequence[Task], credit: Mapping[OutcomeClass, Decimal]
) -> tuple[Values, Values]:
    """What decided runs contribute, and the most that undecided ones could, by task."""
    best = max(credit, key=lambda outcome: credit[outcome])
    decided: Values = {}
    undecided: Values = {}
    for name, task in _named(tasks):
        side = undecided if task.outcome is None else decided
        value = contribution(task.outcome or best, task.cost, task.ceiling, credit)
        side.setdefault(name, []).append(float(value))
    return decided, undecided


def _runs(tasks: Sequence[Task]) -> list[ClassRun]:
    return [ClassRun(name, task.outcome) for name, task in _named(tasks)]


def _named(tasks: Sequence[Task]) -> list[tuple[str, Task]]:
    """Each run with its task; a run without a name is a task of its own."""
    named: list[tuple[str, Task]] = []
    for position, task in enumerate(tasks):
        # The equals sign keeps the number of an unnamed run apart from a task named by a number.
        name = f"{id(tasks)}:{position}" if task.name is None else f"={task.name}"
        named.append((name, task))
    return named
