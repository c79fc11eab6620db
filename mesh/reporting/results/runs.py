"""The runs of a ledger: `judgemesh report --runs`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.report import money_to_json
from judgemesh.mesh.ledger.run_names import shown_name
from judgemesh.mesh.reporting.numbers import or_dash
from judgemesh.mesh.reporting.tables import add_columns, plain_table
from judgemesh.mesh.reporting.text import moment, one_line

if TYPE_CHECKING:
    from rich.table import Table

    from judgemesh.mesh.analysis.run_report import RunRow
    from judgemesh.mesh.ledger.run_states import RunState

_MEANINGS: Final = {
    "interrupted": "the command that began the run grades the remaining results.",
    "open": "nobody closed the run, and no process is known to grade it. It may be in use through the Python API or on"
    " another machine; if not, the same command continues it.",
}
"""What to know of a run that is not at its end, by its status."""
_PARTIAL: Final = {
    "running": "the run is in progress; these are its results so far",
    "interrupted": "the run was interrupted; the command that began it grades the remaining results",
    "open": "nobody closed the run, and no process is known to grade it; results may be missing",
    "budget": "the run stopped at --max-cost; the same command with a larger amount grades the remaining results",
    "stopped": "the run stopped before its end, because something it needs could not be used",
    "failed": "the run ended with an error; the same command grades the remaining results",
}


def partial_warnings(state: RunState) -> tuple[str, ...]:
    """That the results of a run may not be all, and when it was last active; nothing for a run at its end."""
    reason = _PARTIAL.get(state.status)
    if reason is None:
        return ()
    if state.last_active_at is not None:
        reason += f" (last active {moment(state.last_active_at)})"
    return (reason,)


def runs_table(rows: Sequence[RunRow]) -> Table:
    """One row a run, in the given order."""
    table = plain_table()
    add_columns(
        table, "run", "last started", "status", "pass/fail/\nundecided", justify="left"
    )
    add_columns(table, "rate")
    names = [shown_name(row.run.name) for row in rows]
    if any(names):
        table.add_column("results")
    for row, name in zip(rows, names, strict=True):
        run, summary = row.run, row.summary
        rest = [one_line(name)] if any(names) else []
        table.add_row(
            one_line(run.run_id),
            f"{run.last_started_at or run.created_at:%Y-%m-%d %H:%M}",
            _status(row.state),
            f"{summary.passed:,}/{summary.failed:,}/{summary.undecided:,}",
            or_dash(summary.success_rate, ".3f"),
            *rest,
        )
    return table


def unfinished_notes(rows: Sequence[RunRow]) -> Iterator[str]:
    """Lines behind the table: what the status of a run means that no process closed."""
    statuses = {row.state.status for row in rows}
    for status, meaning in _MEANINGS.items():
        if status in statuses:
            yield f"{status}: {meaning}"


def _status(state: RunState) -> str:
    if state.status not in _MEANINGS or state.last_active_at is None:
        return one_line(state.status)
    return f"{state.status}\nsince {state.last_active_at:%m-%d %H:%M}"


def run_json(row: RunRow) -> dict[str, object]:
    """A run as JSON-ready data."""
    run, summary = row.run, row.summary
    return {
        "run_id": run.run_id,
        "name": shown_name(run.name),
        "status": row.state.status,
        "created_at": run.created_at.isoformat(),
        "last_started_at": _time(run.last_started_at),
        "finished_at": _time(run.finished_at),
        "last_active_at": _time(row.state.last_active_at),
        "evaluator_version": run.evaluator_version,
        "attempted": summary.attempted,
        "passed": summary.passed,
        "failed": summary.failed,
        "undecided": summary.undecided,
        "task_success_rate": summary.success_rate,
        "evaluator_cost": money_to_json(summary.total_cost),
        "config": dict(run.config),
    }


def _time(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat()
