"""The weekly report as plain text and as Markdown: `judgemesh asr --weekly`."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.analysis.success import WeeklyReport
from judgemesh.mesh.metrics.comparison import PairedComparison
from judgemesh.mesh.metrics.weekly import (
    ROLLING_WEEKS,
    Week,
    basis_of,
    cost_figure,
    open_text,
    rate_text,
    share_text,
    weekly_text,
)
from judgemesh.mesh.reporting.rates.success_rate import one_task_text
from judgemesh.mesh.reporting.text import plural

_MARKS: Final = "! beyond chance   ? above 2 points, within chance"
_COLUMNS: Final = (
    "week of",
    "results",
    "ASR",
    "95% CI",
    "change (95% CI)",
    "undecided (bounds)",
    *(outcome.value for outcome in OutcomeClass),
    "cost P50 / P90 / P99",
    "above ceiling",
    "cost per success",
    "rolling mean (weeks)",
)


def weekly_view(report: WeeklyReport) -> list[str]:
    """The weeks one after another, and what their marks mean."""
    if not report.weeks:
        return ["no week has a decided task"]
    lines = [weekly_text(week, currency=report.currency) for week in report.weeks]
    if _marked(report):
        lines.append(_MARKS)
    return [*lines, *_notes(report)]


def weekly_markdown(report: WeeklyReport) -> str:
    """One table, a row a week, with the gaps as rows of their own."""
    if not report.weeks:
        return "no week has a decided task"
    lines = [_row(_COLUMNS), _row(["---"] * len(_COLUMNS))]
    for week in report.weeks:
        if week.gap:
            gap = f"*{plural(week.gap, 'week')} without results*"
            lines.append(_row([gap, *[""] * (len(_COLUMNS) - 1)]))
        lines.append(_row(_cells(week, report.currency)))
    notes = [f"{week.monday.isoformat()}: {basis_of(week)}" for week in report.weeks]
    lines += ["", *(f"- {note}" for note in notes)]
    if _marked(report):
        lines += ["", _MARKS]
    for note in _notes(report):
        lines += ["", note]
    return "\n".join(lines)


def _notes(report: WeeklyReport) -> list[str]:
    """What the intervals hold: of one task alone, and of what labels say nothing of."""
    context = report.context
    notes: list[str] = []
    if context.one_task:
        notes.append(one_task_text(context.one_task))
    if context.unseen:
        notes.append(f"{context.unseen}; intervals hold those of the grades as well")
    return notes


def _marked(report: WeeklyReport) -> bool:
    return any(
        change.large for week in report.weeks for change in week.changes.values()
    )


def _cells(week: Week, currency: str) -> list[str]:
    success = week.success
    ci = success.ci
    undecided = open_text(week).removesuffix(" undecided").replace(" undecided,", ",")
    if success.is_bounded:
        undecided += f" ({success.bounds[0]:.2f} to {success.bounds[1]:.2f})"
    shares = [
        share_text(outcome, week).removeprefix(outcome.value).strip()
        for outcome in OutcomeClass
    ]
    return [
        week.monday.isoformat(),
        f"{success.tasks:,}",
        rate_text(week),
        f"{ci.low:.2f} to {ci.high:.2f}",
        _change(week),
        undecided,
        *shares,
        *_costs(week, currency),
        f"{week.rolling:.2f} ({week.rolled} of {ROLLING_WEEKS})",
    ]


def _change(week: Week) -> str:
    change = week.change
    if change is None:
        return "-"
    how = "paired" if isinstance(change, PairedComparison) else "unpaired"
    return f"{change.delta:+.2f} ({change.ci.low:+.2f} to {change.ci.high:+.2f}, {how})"


def _costs(week: Week, currency: str) -> tuple[str, str, str]:
    cost = week.success.cost
    if cost is None:
        return "-", "-", "-"
    quantiles = " / ".join(map(cost_figure, (cost.p50, cost.p90, cost.p99)))
    above = "-" if cost.over_ceiling is None else f"{cost.over_ceiling:.0%}"
    each = week.success.cost_per_success
    return f"{quantiles} {currency}", above, "-" if each is None else f"{each:.4g}"


def _row(cells: list[str] | tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
