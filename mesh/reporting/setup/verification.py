"""What `judgemesh doctor --verify` found, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.analysis.ledger_verification import LedgerFault, RunVerification
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_SHOWN: Final = 20


def verification_view(runs: Sequence[RunVerification]) -> Iterator[RenderableType]:
    """A row for each run, and below it the faults, the first of many."""
    if not runs:
        yield "the ledger holds no run"
        return
    yield _runs_table(runs)
    faults = [fault for run in runs for fault in run.faults]
    if not faults:
        return
    yield ""
    yield _faults_table(faults[:_SHOWN])
    if len(faults) > _SHOWN:
        yield f"... and {len(faults) - _SHOWN} more; --json lists all"


def _runs_table(runs: Sequence[RunVerification]) -> Table:
    table = plain_table()
    table.add_column("run", no_wrap=True)
    for name in ("reports", "not in the log", "purged", "faults"):
        table.add_column(name, justify="right")
    table.add_column("head of the log", overflow="fold")
    for run in runs:
        counts = (run.reports, run.unlogged, run.purged, len(run.faults))
        table.add_row(
            one_line(run.run_id), *(f"{count:,}" for count in counts), run.head
        )
    return table


def _faults_table(faults: Sequence[LedgerFault]) -> Table:
    table = plain_table()
    table.add_column("run", no_wrap=True)
    table.add_column("result", overflow="fold")
    table.add_column("fault", overflow="fold")
    for fault in faults:
        table.add_row(
            one_line(fault.run_id),
            one_line(fault.result_id or ""),
            one_line(fault.what),
        )
    return table
