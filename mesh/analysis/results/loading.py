"""The pages of a ledger or of a file of reports: the only module of this package that reads anything.

What makes a page is imported where one is made: rates need numpy, and a list of rows needs neither.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.analysis.results.rows import ResultRow, row_of
from judgemesh.mesh.ledger.reports import ReportFilter

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report
    from judgemesh.mesh.analysis.results.result_page import KeptContent, ResultPage
    from judgemesh.mesh.analysis.results.run_page import RunPage
    from judgemesh.mesh.analysis.versions.comparison import VersionComparison
    from judgemesh.mesh.ledger.store import Ledger

_EVERY: Final = ReportFilter()


async def rows_of(
    ledger: Ledger, run_id: str, where: ReportFilter = _EVERY
) -> AsyncGenerator[ResultRow]:
    """The rows of a run in input order, read page by page.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    async for report in ledger.reports(run_id, where=where):
        yield row_of(report)


async def run_page_of(
    reports: AsyncIterable[Report] | Iterable[Report],
    *,
    run_id: str,
    baseline: VersionComparison | None = None,
) -> RunPage:
    """The page of a run, from its reports in one pass: `ledger.reports(run_id)`, or `read_reports(path)`.

    Raises:
        LedgerError, ResultError: the reports cannot be read.
    """
    from judgemesh.mesh.analysis.results.run_page import RunPageBuilder

    builder = RunPageBuilder(run_id)
    async for report in _as_async(reports):
        builder.add(report)
    return builder.page(baseline)


async def result_page_of(
    ledger: Ledger, run_id: str, result_id: str
) -> ResultPage | None:
    """The page of a result with everything that the ledger holds of it; None where the run has no such result.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.analysis.results.result_page import result_page

    where = ReportFilter(result_ids=(result_id,))
    async for report in ledger.reports(run_id, where=where):
        kept = await kept_of(ledger, run_id, report)
        return result_page(report, run_id=run_id, kept=kept)
    return None


async def result_pages_of(ledger: Ledger, run_id: str) -> AsyncGenerator[ResultPage]:
    """The pages of all results of a run in input order, one at a time.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.analysis.results.result_page import result_page

    async for report in ledger.reports(run_id):
        kept = await kept_of(ledger, run_id, report)
        yield result_page(report, run_id=run_id, kept=kept)


async def kept_of(ledger: Ledger, run_id: str, report: Report) -> KeptContent:
    """What the ledger holds about a result beside its report.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.analysis.results.result_page import KeptContent

    result_id = report.result_id
    stored = await ledger.content(run_id, result_id)
    return KeptContent(
        content=None if stored is None else stored.content,
        cut_at_bytes=None if stored is None else stored.cut_at_bytes,
        attempts=await ledger.attempts(run_id, result_id),
        lookups=await ledger.lookups(run_id, result_id),
        trace=await ledger.trace(report.trace_id or result_id),
    )


async def _as_async(
    reports: AsyncIterable[Report] | Iterable[Report],
) -> AsyncIterator[Report]:
    if isinstance(reports, AsyncIterable):
        async for report in reports:
            yield report
        return
    for report in reports:
        yield report
