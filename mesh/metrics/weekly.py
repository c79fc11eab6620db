"""The Agent Success Rate week by week, with its rolling mean, and the article's plain-text weekly template."""

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
    CostSpread,
    Task,
    agent_success,
)
from judgemesh.mesh.metrics.comparison import ShareChange, share_changes

ROLLING_WEEKS: Final = 4


@dataclass(frozen=True, slots=True)
class Week:
    """One week that has decided tasks.

    rolling: mean rate of it and of those of the three weeks before it that have decided tasks too.
    changes: against the last week that had some, however long ago.
    """

    monday: date
    success: AgentSuccess
    rolling: float
    changes: Mapping[str, ShareChange]


def weekly(
    tasks: Sequence[tuple[date, Task]],
    *,
    seed: int,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
) -> list[Week]:
    """Group tasks by the Monday of their week; a week without a decided task is left out."""
    by_week: dict[date, list[Task]] = {}
    for day, task in tasks:
        by_week.setdefault(day - timedelta(days=day.weekday()), []).append(task)
    weeks: list[Week] = []
    for monday in sorted(by_week):
        if not any(task.outcome is not None for task in by_week[monday]):
            continue
        success = agent_success(by_week[monday], seed=seed, credit=credit)
        recent = monday - timedelta(weeks=ROLLING_WEEKS - 1)
        rates = [week.success.asr for week in weeks if week.monday >= recent]
        rates.append(success.asr)
        changes: dict[str, ShareChange] = {}
        if weeks:
            changes = share_changes(_counts(weeks[-1].success), _counts(success))
        weeks.append(Week(monday, success, sum(rates) / len(rates), changes))
    return weeks


def weekly_text(week: Week, *, currency: str = "USD") -> str:
    """The weekly report of the article: headline, classes with flags, costs, rolling mean."""
    success = week.success
    lines = [
        f"Week of {week.monday.isoformat()}: ASR {success.asr:.2f} ± {success.ci.half_width:.2f} (95% CI)",
        "".join(f"  {_share(name, success, week.changes)}" for name in OutcomeClass),
    ]
    if success.cost is not None:
        lines.append(_cost_line(success.cost, currency))
    lines.append(f"  rolling {ROLLING_WEEKS}-week mean {week.rolling:.2f}")
    return "\n".join(lines)


def _cost_line(spread: CostSpread, currency: str) -> str:
    line = f"  cost P50 {spread.p50:.2f}  P90 {spread.p90:.2f}  P99 {spread.p99:.2f} {currency}"
    if spread.over_ceiling is not None:
        line += f"  {spread.over_ceiling:.0%} above ceiling"
    return line


def _share(
    outcome: OutcomeClass, success: AgentSuccess, changes: Mapping[str, ShareChange]
) -> str:
    share = f"{outcome.value} {success.shares[outcome]:.0%}"
    change = changes.get(outcome.value)
    if change is None:
        return share
    flag = ""
    if change.large:
        flag = "!" if change.real else "?"
    return f"{share} ({100 * (change.after - change.before):+.0f}{flag})"


def _counts(success: AgentSuccess) -> dict[str, int]:
    return {outcome.value: count for outcome, count in success.counts.items()}
