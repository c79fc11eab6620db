"""The runs of a ledger: `judgemesh report --runs`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from judgemesh.contracts.report import money_to_json
from judgemesh.mesh.ledger.records import RunRecord, RunSummary
from judgemesh.mesh.ledger.run_names import shown_name
from judgemesh.mesh.reporting.numbers import or_dash
from judgemesh.mesh.reporting.tables import add_columns, plain_table
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.table import Table


def runs_table(runs: Sequence[tuple[RunRecord, RunSummary]]) -> Table:
    """One row a run, in the given order."""
    table = plain_table()
    add_columns(
        table, "run", "last started", "status", "pass/fail/\nundecided", justify="left"
    )
    add_columns(table, "rate")
    names = [shown_name(run.name) for run, _ in runs]
    if any(names):
        table.add_column("results")
    for (run, summary), name in zip(runs, names, strict=True):
        rest = [one_line(name)] if any(names) else []
        table.add_row(
            one_line(run.run_id),
            f"{run.last_started_at or run.created_at:%Y-%m-%d %H:%M}",
            one_line(run.status),
            f"{summary.passed:,}/{summary.failed:,}/{summary.undecided:,}",
            or_dash(summary.success_rate, ".3f"),
            *rest,
        )
    return table


def run_json(run: RunRecord, summary: RunSummary) -> dict[str, object]:
    """A run as JSON-ready data."""
    return {
        "run_id": run.run_id,
        "name": shown_name(run.name),
        "status": run.status,
        "created_at": run.created_at.isoformat(),
        "last_started_at": _time(run.last_started_at),
        "finished_at": _time(run.finished_at),
        "evaluator_version": run.evaluator_version,
        "attempted": summary.attempted,
        "passed": summary.passed,
        "failed": summary.failed,
        "undecided": summary.undecided,
        "task_success_rate": summary.success_rate,
        "evaluator_cost": money_to_json(summary.total_cost),
        "config": dict(run.config),
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
