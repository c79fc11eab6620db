"""The coverage table of contracts: what each names, and the check that looks for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from judgemesh.mesh.grading.contract_check.check import CheckedContract
from judgemesh.mesh.grading.coverage.rows import Coverage
from judgemesh.mesh.inputs.problems import dotted
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line, plural
from judgemesh.mesh.runs.contract_trial import Trial

if TYPE_CHECKING:
    from rich.console import RenderableType


def coverage_view(contracts: Iterable[CheckedContract]) -> Iterator[RenderableType]:
    """One table a contract."""
    from rich.text import Text

    for checked in contracts:
        table = plain_table(title=one_line(checked.loaded.contract.task_id))
        table.add_column("key", overflow="fold")
        table.add_column("what", overflow="fold")
        table.add_column("looked for by", overflow="fold")
        for row in checked.coverage:
            looker = Text(one_line(", ".join(row.checks)))
            if not row.is_looked_for:
                looker = Text("nobody", "bold red")
            table.add_row(one_line(dotted(row.path)), one_line(row.what), looker)
        if checked.coverage:
            yield table
            yield Text("")


def coverage_json(contracts: Iterable[CheckedContract]) -> list[dict[str, object]]:
    """The tables as JSON-ready data."""
    return [
        {
            "task_id": checked.loaded.contract.task_id,
            "where": checked.loaded.where,
            "coverage": [_row(row) for row in checked.coverage],
        }
        for checked in contracts
    ]


def trials_lines(trials: Iterable[Trial]) -> Iterator[str]:
    """What the results hold on which a contract was tried, one line a contract."""
    for trial in trials:
        name = one_line(trial.loaded.contract.task_id)
        counts = (
            f"{plural(trial.results, 'result')}, {plural(trial.traces, 'trace')} read"
        )
        if trial.unread_traces:
            counts += f", {plural(trial.unread_traces, 'trace')} could not be read"
        yield f"{name}: tried on {counts}"


def trials_json(trials: Iterable[Trial]) -> list[dict[str, object]]:
    """The trials as JSON-ready data."""
    return [
        {
            "task_id": trial.loaded.contract.task_id,
            "results": trial.results,
            "traces": trial.traces,
            "unread_traces": trial.unread_traces,
            "unmet": list(trial.unmet()),
        }
        for trial in trials
    ]


def _row(row: Coverage) -> dict[str, object]:
    return {
        "key": dotted(row.path),
        "what": row.what,
        "checks": list(row.checks),
        "why": row.why,
        "remedy": row.remedy,
    }
