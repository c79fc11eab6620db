"""The Agent Success Rate week by week, with its rolling mean, and the change since the last week that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import (
    CREDITS,
    AgentSuccess,
    Task,
    agent_success,
)
from judgemesh.mesh.metrics.class_changes import class_changes
from judgemesh.mesh.metrics.clusters import FEW_TASKS
from judgemesh.mesh.metrics.comparison import PairedComparison, UnpairedComparison
from judgemesh.mesh.metrics.rate_changes import class_runs, rate_change
from judgemesh.mesh.metrics.shares import ShareChange

ROLLING_WEEKS: Final = 4
_CENTS_FROM: Final = 0.1
_WEEK: Final = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class Week:
    """One week that has decided tasks.

    rolling: mean rate of it and of those of the three weeks before it that have decided tasks too.
    changes: of the classes, against the last week that had some, however long ago.
    rolled: how many weeks `rolling` is the mean of, 1 to 4.
    since: the Monday of the week that `changes` and `change` are against; None for the first.
    gap: weeks between the two in which nothing was decided.
    change: of the rate. Paired by task where both weeks have the same tasks.
    first, last: days of the first and the last run.
    """

    monday: date
    success: AgentSuccess
    rolling: float
    changes: Mapping[str, ShareChange]
    rolled: int = 1
    since: date | None = None
    gap: int = 0
    change: PairedComparison | UnpairedComparison | None = None
    first: date | None = None
    last: date | None = None

    @property
    def open_share(self) -> float:
        """Share of the runs that are undecided."""
        return 1 - self.success.decided / self.success.tasks


def weekly(
    tasks: Sequence[tuple[date, Task]],
    *,
    seed: int = 0,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
) -> list[Week]:
    """Group tasks by the Monday of their week; a week without a decided task is left out, and counted as a gap."""
    by_week: dict[date, list[Task]] = {}
    days: dict[date, list[date]] = {}
    for day, task in tasks:
        monday = day - timedelta(days=day.weekday())
        by_week.setdefault(monday, []).append(task)
        days.setdefault(monday, []).append(day)
    weeks: list[Week] = []
    for monday in sorted(by_week):
        if any(task.outcome is not None for task in by_week[monday]):
            success = agent_success(by_week[monday], seed=seed, credit=credit)
            week = _week(monday, success, weeks, by_week, credit)
            first, last = min(days[monday]), max(days[monday])
            weeks.append(replace(week, first=first, last=last))
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
        changes=class_changes(class_runs(before, "before"), class_runs(after, "after")),
        rolled=len(rates),
        since=since,
        gap=(monday - since) // _WEEK - 1,
        change=rate_change(before, after, credit),
    )


def weekly_text(week: Week, *, currency: str = "USD") -> str:
    """The weekly report of the article as plain text: headline, classes with flags, costs, rolling mean."""
    success = week.success
    lines = [
        f"Week of {week.monday.isoformat()}: ASR {rate_text(week)} {_interval_text(week)}",
        f"  {basis_of(week)}",
        "".join(f"  {share_text(name, week)}" for name in OutcomeClass),
    ]
    if week.change is not None:
        lines.append(f"  {change_text(week)}")
    if success.cost is not None:
        lines.append(f"  {cost_text(week, currency)}")
    lines.append(f"  {rolling_text(week)}")
    return "\n".join(lines)


def rate_text(week: Week) -> str:
    """`0.63 ± 0.03`; without the plus-minus sign where one end is farther from the rate than the other."""
    success = week.success
    arm = success.ci.arm(success.asr, 2)
    return f"{success.asr:.2f}" + ("" if arm is None else f" ± {arm:.2f}")


def _interval_text(week: Week) -> str:
    """Both ends, after the words that the article has behind the plus-minus sign."""
    ci = week.success.ci
    ends = f"{ci.low:.2f} to {ci.high:.2f}"
    if ci.arm(week.success.asr, 2) is None:
        return f"(95% CI {ends})"
    return f"(95% CI), {ends}"


def basis_of(week: Week) -> str:
    """How much the week rests on: results, tasks, days, undecided results and their bounds."""
    success = week.success
    parts = [f"{success.tasks:,} results"]
    if success.mean_over_tasks is not None:
        parts[0] += f" of {success.units:,} tasks"
    if success.units < FEW_TASKS:
        parts[0] += " (few)"
    if week.first is not None and week.last is not None:
        parts.append(f"run {week.first.isoformat()} to {week.last.isoformat()}")
    low, high = success.bounds
    if success.is_bounded:
        parts.append(f"{open_text(week)}: {low:.2f} to {high:.2f}")
    if week.gap:
        parts.append(f"{week.gap} week{'s' * (week.gap > 1)} without results before it")
    return "; ".join(parts)


def open_text(week: Week) -> str:
    """How many runs could be worth something else."""
    text = f"{week.open_share:.0%} undecided"
    if week.success.uncosted:
        text += f", {week.success.uncosted:,} of unknown cost"
    return text


def change_text(week: Week) -> str:
    """The change of the rate since the last week that was measured, with its interval."""
    change = week.change
    if change is None or week.since is None:
        return ""
    ends = f"{change.ci.low:+.2f} to {change.ci.high:+.2f}"
    how = "paired by task" if isinstance(change, PairedComparison) else "unpaired"
    verdict = change.change.value.replace("_", " ")
    since = week.since.isoformat()
    return f"change {change.delta:+.2f} since {since} (95% CI {ends}, {how}): {verdict}"


def cost_figure(cost: float) -> str:
    """A cost to the cent, or with three figures where a cent would be too coarse."""
    return f"{cost:.2f}" if cost >= _CENTS_FROM or not cost else f"{cost:.3g}"


def cost_text(week: Week, currency: str) -> str:
    """Quantiles of the costs, the share above the ceiling, and the cost per complete task."""
    spread = week.success.cost
    if spread is None:
        return "cost unknown"
    p50, p90, p99 = map(cost_figure, (spread.p50, spread.p90, spread.p99))
    line = f"cost P50 {p50}  P90 {p90}  P99 {p99} {currency}"
    if spread.over_ceiling is not None:
        line += f"  {spread.over_ceiling:.0%} above ceiling"
    if week.success.cost_per_success is not None:
        line += f"  {week.success.cost_per_success:.4g} per success"
    return line


def rolling_text(week: Week) -> str:
    """The rolling mean, with the number of weeks that it really has."""
    if week.rolled == ROLLING_WEEKS:
        return f"rolling {ROLLING_WEEKS}-week mean {week.rolling:.2f}"
    weeks = f"{week.rolled} week{'s' * (week.rolled > 1)}"
    return f"mean of {weeks} {week.rolling:.2f} (of the last {ROLLING_WEEKS}, no more have results)"


def share_text(outcome: OutcomeClass, week: Week) -> str:
    """The share of a class, its change in points, and the mark of the change."""
    share = f"{outcome.value} {week.success.shares[outcome]:.0%}"
    change = week.changes.get(outcome.value)
    if change is None:
        return share
    flag = ""
    if change.large:
        flag = "!" if change.real else "?"
    return f"{share} ({100 * (change.after - change.before):+.0f}{flag})"
