"""A run, one of its results, or the list of runs, from a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.run_lookup import newest_first, run_of
from judgemesh.mesh.ledger.reports import ReportFilter

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report
    from judgemesh.mesh.ledger.records import RunRecord, RunSummary
    from judgemesh.mesh.ledger.store import Ledger


async def run_summaries(ledger: Ledger) -> list[tuple[RunRecord, RunSummary]]:
    """The runs of a ledger and their numbers, the last started first."""
    runs = newest_first(await ledger.runs())
    return [(run, await ledger.summary(run.run_id)) for run in runs]


async def find_report(
    ledger: Ledger, result_id: str, run_name: str | None
) -> tuple[str, Report]:
    """The id of a run and its report of a result: the named run, else the newest with it.

    Raises:
        ConfigError: there is no such run or result.
    """
    run = await run_of(ledger, run_name)
    runs: Sequence[RunRecord] = [run]
    if run_name is None:
        runs = newest_first(await ledger.runs())
    where = ReportFilter(result_ids=(result_id,))
    for run in runs:
        async for report in ledger.reports(run.run_id, where=where):
            return run.run_id, report
    raise ConfigError(
        f"holds no result {result_id!r}",
        where=runs[0].run_id if len(runs) == 1 else ledger.url,
        hint="`judgemesh report -o reports.jsonl` writes all of a run",
    )
