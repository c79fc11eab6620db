"""The Agent Success Rate of graded results: intervals, families, weeks, corrections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.correction import Correction, correction_of
from judgemesh.mesh.analysis.graded_rows import (
    GradedRow,
    amount,
    capped_rows,
    check_ceiling_used,
    no_costs,
    one_currency,
    tasks_are_units,
)
from judgemesh.mesh.analysis.labels.people import (
    Overrides,
    overridden,
    unseen_grades,
)
from judgemesh.mesh.analysis.outcomes import (
    GradedResults,
    OutcomeQuery,
    results_of,
    results_of_all_runs,
    results_of_file,
    results_of_run,
)
from judgemesh.mesh.analysis.seeds import seed_of
from judgemesh.mesh.metrics.asr import CREDITS, AgentSuccess, Task, agent_success
from judgemesh.mesh.metrics.class_changes import class_changes
from judgemesh.mesh.metrics.rate_changes import class_runs
from judgemesh.mesh.metrics.repeats import PassRate, Trials, pass_at, pass_hat
from judgemesh.mesh.metrics.shares import ShareChange
from judgemesh.mesh.metrics.weekly import Week, weekly

T = TypeVar("T")

Credits = Mapping[OutcomeClass, Decimal]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessQuery:
    """Which results are rated, and how.

    file: in place of a run. ceiling: cost ceiling of tasks without one.
    before: a file or run of earlier results, to compare the classes with.
    by: `task` or `result`: what the interval resamples; None decides by the data.
    passes: K of pass@K and pass^K.
    drawn: how the labelled results were chosen, where the labels do not note it.
    """

    results: OutcomeQuery
    file: Path | None = None
    run: str | None = None
    ceiling: Decimal | None = None
    credit: Credits = field(default_factory=lambda: CREDITS)
    before: str | None = None
    by: str | None = None
    passes: int | None = None
    correct: bool = False
    drawn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessContext:
    """What is reported beside a rate: credits, labels, correction, rates by family.

    units: what the intervals resample, results or tasks; empty if unknown.
    one_task: the task of all results, where there are several; the interval then holds for runs of it. Else empty.
    unseen: which grades nobody looked at, where people changed others; empty if none.
    """

    credit: Credits = field(default_factory=lambda: CREDITS)
    overrides: Overrides | None = None
    correction: Correction | None = None
    families: Mapping[str, AgentSuccess | None] = field(
        default_factory=dict[str, AgentSuccess | None]
    )
    units: str = ""
    one_task: str = ""
    unseen: str = ""
    passes: tuple[PassRate, PassRate] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessReport:
    """The rate of a file or run. changes: of the classes since earlier results."""

    source: str
    success: AgentSuccess
    changes: Mapping[str, ShareChange] | None
    currency: str
    context: SuccessContext


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyReport:
    """The rate of each week."""

    weeks: Sequence[Week]
    currency: str
    context: SuccessContext


async def success_report(query: SuccessQuery) -> SuccessReport:
    """The Agent Success Rate of a file or a run.

    Raises:
        InputError: no such file or run, a bad row, several currencies, no decided result.
        LedgerError: the ledger cannot be read.
    """
    if query.file is not None:
        results = results_of_file(query.file, query.results)
    else:
        results = await results_of_run(query.run, query.results)
    graded, currency = _with_ceiling(results, query)
    rows, overrides = overridden(graded, results.people)
    seed = row_seed(rows)
    success = _success(rows, seed, query)
    unseen = ""
    if overrides.changed or overrides.decided:
        unseen = unseen_grades(graded, results.people)
    if unseen and any(row.outcome for row in graded):
        success = _with_grades(success, _success(graded, seed, query))
    changes = None
    if query.before is not None:
        changes = await _changes(query.before, rows, query)
    context = SuccessContext(
        credit=query.credit,
        overrides=overrides,
        correction=correction_of(
            graded,
            results.people,
            requested=query.correct,
            drawn=query.drawn,
            seed=seed,
            credit=query.credit,
            clustered=_units(rows, query.by) == "tasks",
        ),
        families=_families(rows, query),
        units=_units(rows, query.by),
        one_task=_one_task(rows, query.by),
        unseen=unseen,
        passes=None if query.passes is None else _passes(rows, query.passes, seed),
    )
    return SuccessReport(
        source=results.name,
        success=success,
        changes=changes,
        currency=currency,
        context=context,
    )


async def weekly_report(query: SuccessQuery) -> WeeklyReport:
    """The rate week by week, of a file, a run, or all runs of the ledger.

    Raises:
        InputError: as `success_report`; or a row has no date.
        LedgerError: the ledger cannot be read.
    """
    if query.file is not None:
        results = results_of_file(query.file, query.results)
    elif query.run is not None:
        results = await results_of_run(query.run, query.results)
    else:
        results = await results_of_all_runs(query.results)
    graded, currency = _with_ceiling(results, query)
    rows, overrides = overridden(graded, results.people)
    undated = sum(row.day is None for row in rows)
    if undated:
        raise ConfigError(
            f"--weekly needs a `date` on every row; {undated} have none",
            hint="`ended_at` or `started_at` of the run will do as well",
        )
    units = _units(rows, query.by)
    named = units == "tasks"
    unseen = ""
    if overrides.changed or overrides.decided:
        unseen = unseen_grades(graded, results.people)
    seed = row_seed(rows)
    weeks = _weeks(rows, seed, query, named=named)
    if unseen:
        weeks = _widened(weeks, _weeks(graded, seed, query, named=named))
    return WeeklyReport(
        weeks=weeks,
        currency=currency,
        context=SuccessContext(
            credit=query.credit,
            units=units,
            one_task=_one_task(rows, query.by),
            unseen=unseen,
        ),
    )


def _weeks(
    rows: Sequence[GradedRow], seed: int, query: SuccessQuery, *, named: bool
) -> list[Week]:
    dated = [(row.day, task_of(row, named=named)) for row in rows if row.day]
    return weekly(dated, seed=seed, credit=query.credit)


def _widened(weeks: Sequence[Week], graded: Sequence[Week]) -> list[Week]:
    """The weeks with labels; the interval of each holds that of its grades as well."""
    grades = {week.monday: week.success for week in graded}
    widened: list[Week] = []
    for week in weeks:
        known = grades.get(week.monday)
        success = week.success if known is None else _with_grades(week.success, known)
        widened.append(replace(week, success=success))
    return widened


def row_seed(rows: Sequence[GradedRow]) -> int:
    """The seed of the intervals of these rows; their names do not matter."""
    return seed_of(row.seed_line for row in rows)


def task_of(row: GradedRow, *, named: bool = False) -> Task:
    """A row as the metrics take it. `named`: repeats of a task are not independent."""
    name = row.task_id if named else None
    return Task(row.outcome, amount(row.cost), amount(row.ceiling), name=name)


def valid(compute: Callable[[], T]) -> T:
    """A number, or one line that says why it would not be valid.

    Raises:
        ConfigError: `compute` raised ValueError.
    """
    try:
        return compute()
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _with_grades(success: AgentSuccess, graded: AgentSuccess) -> AgentSuccess:
    """The rate with labels, its interval holding that of the grades as well.

    Labels of some results say how often these were graded wrongly. The grades of the others may be as wrong, in the
    other direction where only failures were looked at.
    """
    low = min(success.ci.low, graded.ci.low)
    high = max(success.ci.high, graded.ci.high)
    ci = replace(
        success.ci,
        low=low,
        high=high,
        method=f"{success.ci.method}; holds that of the grades",
    )
    return replace(success, ci=ci)


def _with_ceiling(
    results: GradedResults, query: SuccessQuery
) -> tuple[list[GradedRow], str]:
    """The rows with a ceiling where they have none, and the currency of all amounts.

    Raises:
        ConfigError: the query has a ceiling, and no result that it is for has a cost.
    """
    currency = one_currency(results.rows)
    rows = results.rows
    if query.ceiling is not None:
        money = Money(query.ceiling, currency)
        check_ceiling_used(rows, query.results.warn)
        rows = [replace(row, ceiling=row.ceiling or money) for row in rows]
    unknown, capped = capped_rows(rows, query.credit)
    if unknown and unknown == capped and query.ceiling is not None:
        raise no_costs(results.name)
    if unknown:
        query.results.warn(
            f"{results.name}: {unknown} of {capped} results that a cost ceiling is for have no cost and "
            "are rated as free: the rate may be lower, as the bounds say"
        )
    return rows, currency


def _units(rows: Sequence[GradedRow], by: str | None) -> str:
    task_ids = [row.task_id for row in rows]
    return "tasks" if tasks_are_units(task_ids, by) else "results"


def _one_task(rows: Sequence[GradedRow], by: str | None) -> str:
    """The task of all results; empty where there is another, and where the user says what the units are."""
    tasks = {row.task_id for row in rows}
    return tasks.pop() if by is None and len(tasks) == 1 < len(rows) else ""


def _success(rows: Sequence[GradedRow], seed: int, query: SuccessQuery) -> AgentSuccess:
    named = _units(rows, query.by) == "tasks"
    tasks = [task_of(row, named=named) for row in rows]
    return valid(lambda: agent_success(tasks, seed=seed, credit=query.credit))


def _families(
    rows: Sequence[GradedRow], query: SuccessQuery
) -> dict[str, AgentSuccess | None]:
    """The rate of each family, None if nothing is decided; empty without families."""
    members: dict[str, list[GradedRow]] = {}
    for row in rows:
        members.setdefault(row.family or "", []).append(row)
    if not members.keys() - {""}:
        return {}
    families: dict[str, AgentSuccess | None] = {}
    # Results without a family come last.
    for name in sorted(members, key=lambda name: (not name, name)):
        family = members[name]
        decided = any(row.outcome for row in family)
        families[name] = _success(family, row_seed(family), query) if decided else None
    return families


def _passes(rows: Sequence[GradedRow], k: int, seed: int) -> tuple[PassRate, PassRate]:
    """pass@k and pass^k over the decided runs of each task; complete runs are correct."""
    runs: dict[str, list[bool]] = {row.task_id: [] for row in rows}
    for row in rows:
        if row.outcome is not None:
            runs[row.task_id].append(row.outcome is OutcomeClass.COMPLETE)
    trials = {
        task: Trials(sum(correct), len(correct)) for task, correct in runs.items()
    }
    at_least_one = valid(lambda: pass_at(trials, k, seed=seed))
    return at_least_one, pass_hat(trials, k, seed=seed)


async def _changes(
    name: str, rows: Sequence[GradedRow], query: SuccessQuery
) -> dict[str, ShareChange]:
    results = await results_of(name, replace(query.results, labels=None))
    earlier = results.with_labels()
    before, after = (
        [task_of(row, named=query.by != "result") for row in side]
        for side in (earlier, rows)
    )
    sides = class_runs(before, "before"), class_runs(after, "after")
    return valid(lambda: class_changes(*sides))
