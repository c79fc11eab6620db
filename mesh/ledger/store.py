"""The ledger: what the engine writes while it grades, and everybody reads afterwards.

One thread writes (see `writer`); readers use connections of their own that cannot write. No method blocks the loop.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Final, Self, TypeVar

from anyio import CancelScope, CapacityLimiter, to_thread
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from judgemesh.contracts.attempts import JudgeAttempt, SourceLookup
from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.opinions import Opinion
from judgemesh.contracts.report import Report
from judgemesh.contracts.tracing import RunTotals, Trace, TracePart
from judgemesh.mesh.ledger import labels, opinions, reports, runs
from judgemesh.mesh.ledger.attempt_rows import attempt_rows, attempts
from judgemesh.mesh.ledger.batch import (
    WriteBatch,
    batch_of_attempt,
    batch_of_report,
)
from judgemesh.mesh.ledger.cache import CacheReader, batch_of_cache_entry
from judgemesh.mesh.ledger.contents import (
    Content,
    StoredContent,
    content_row,
    read_content,
)
from judgemesh.mesh.ledger.engines import READERS, LedgerAddress, parse_address
from judgemesh.mesh.ledger.faults import ledger_error
from judgemesh.mesh.ledger.labels import CalibrationRow, HumanLabel
from judgemesh.mesh.ledger.lookup_rows import batch_of_lookup, lookups
from judgemesh.mesh.ledger.opening import Engines, Opening
from judgemesh.mesh.ledger.opinions import (
    AuditedQuestion,
    JudgedRow,
    LeaderRow,
    QuestionRecord,
)
from judgemesh.mesh.ledger.records import LedgerGrade, RunRecord, RunSummary
from judgemesh.mesh.ledger.report_rows import report_rows
from judgemesh.mesh.ledger.reports import ReportFilter
from judgemesh.mesh.ledger.request_journal import (
    RequestJournal,
    enter,
    has_place,
    left_files,
)
from judgemesh.mesh.ledger.run_summary import attempted, summarise
from judgemesh.mesh.ledger.traces.parts import read_parts
from judgemesh.mesh.ledger.traces.store import batch_of_trace, read_trace, trace_id_page
from judgemesh.mesh.ledger.waking import Outbox
from judgemesh.mesh.ledger.writer import Writer

T = TypeVar("T")

BUSY_TIMEOUT_S: Final = 10.0
_REPORTS_A_PAGE: Final = 200
_GRADED_A_PAGE: Final = 5_000
_IDS_A_QUERY: Final = 500
_TRACES_A_PAGE: Final = 1_000
_EVERY_REPORT: Final = ReportFilter()


class Ledger:
    """An open ledger. Make one with `await Ledger.open(url)`; use it as an async context manager, or `aclose` it.

    Every method may raise LedgerError, whose text is one line. A call that is cancelled while it waits for a write
    does not take the write back: money that was spent stays on the record.
    """

    def __init__(self, address: LedgerAddress, engines: Engines) -> None:
        """Use `open`."""
        self.url = name = address.name
        self._beside = address.beside
        self._engines = engines
        self._writer = (
            None if engines.writing is None else Writer(engines.writing, name)
        )
        self._limiter = CapacityLimiter(READERS)
        self._closed = False
        self._outbox = None if self._writer is None else Outbox(self._writer)
        self._cache = CacheReader(self._read)
        self._journals: list[RequestJournal] = []

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        read_only: bool = False,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
    ) -> Ledger:
        """Open the ledger at `url`: a path, `sqlite:///path`, `:memory:`, `sqlite://` or `postgresql://...`.

        A new file and its folder are made; an older schema is brought up to date, unless `read_only`.
        busy_timeout_s: how long to wait for another process that writes.

        Raises:
            LedgerError: it cannot be opened; one line says why and what to do.
        """
        address = parse_address(url)
        opening = Opening(address, read_only=read_only, busy_timeout_s=busy_timeout_s)
        try:
            engines = await to_thread.run_sync(opening.run)
        except BaseException:
            opening.give_up()
            raise
        return cls(address, engines)

    async def aclose(self) -> None:
        """Write everything that is queued and close the file. Safe to call twice, and when cancelled."""
        self._closed = True
        if self._outbox is not None:
            self._outbox.send()
        with CancelScope(shield=True):
            try:
                await to_thread.run_sync(self._close)
            except Exception:
                # What prevents a hop to a thread (out of memory) must not leave the files open. A second Ctrl-C is not
                # caught: it must not wait for a write that waits for a lock.
                self._close()
                raise
            finally:
                for journal in self._journals:
                    journal.close()

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._engines.dispose()

    async def __aenter__(self) -> Self:
        """The ledger itself."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        await self.aclose()

    def gathering(
        self, concurrency: int
    ) -> AbstractContextManager[Callable[[int], None]]:
        """While a stream is graded, `concurrency` results at once: reports wait a moment for others to share a commit.

        When all results in progress wait for it, the group is complete. What it gives is to be called with their number
        when no more begin.
        """
        _, writer = self._writing()
        return writer.gathering(concurrency)

    async def begin_run(self, run: RunRecord) -> RunRecord:
        """Insert `run`, or continue the run of the same key, which is given back as it was.

        Raises:
            ValueError: the run id contains a colon, which separates it from result ids.
        """
        if not run.run_id or ":" in run.run_id:
            raise ValueError(
                f"a run id is not empty and has no colon, got {run.run_id!r}"
            )
        return await self._call(partial(runs.begin, run=run))

    async def request_journal(self, run_id: str) -> RequestJournal | None:
        """Where the requests of a run are noted before they are sent; None where there is no place for a file.

        The attempts of requests that killed processes left are entered first.
        """
        beside = self._beside
        if beside is None or os.name == "nt" or not has_place(beside):
            return None
        for left in await to_thread.run_sync(left_files, beside):
            entered = False
            try:
                await self._call(partial(enter, requests=left.requests))
                entered = True
            finally:
                left.close(entered=entered)
        journal = RequestJournal(beside, run_id)
        self._journals.append(journal)
        return journal

    async def finish_run(
        self,
        run_id: str,
        *,
        finished_at: datetime,
        status: str,
        summary: Mapping[str, object],
    ) -> None:
        """Note how a run ended; `summary` is any JSON."""
        await self._call(
            partial(
                runs.finish,
                run_id=run_id,
                finished_at=finished_at,
                status=status,
                summary=summary,
            )
        )

    async def runs(self) -> list[RunRecord]:
        """Every run, the oldest first."""
        return await self._read(runs.all_runs)

    async def latest_run(self) -> RunRecord | None:
        """The run begun or continued last, before those that ended without a result; None in an empty ledger."""
        return await self._read(runs.latest_run)

    async def write_report(
        self,
        run_id: str,
        report: Report,
        *,
        result_digest: str,
        input_index: int,
        created_at: datetime,
        content: Callable[[], Content] | None = None,
    ) -> None:
        """Commit one graded result whole, in place of an older one of the same run and result id.

        content: makes what the result holds, which is kept in the same transaction; None keeps nothing of it.
        """
        rows = partial(
            report_rows,
            run_id,
            report,
            result_digest=result_digest,
            input_index=input_index,
            created_at=created_at,
        )

        def build() -> WriteBatch:
            made = rows()
            kept = None if content is None else content_row(made.eval_id, content)
            return batch_of_report(made, kept)

        await self._write(build, can_wait=True)

    async def write_graded(self, batches: Sequence[WriteBatch]) -> None:
        """Commit graded results, at least one.

        Raises:
            LedgerError: that of the first one that cannot be written; the others are written.
        """
        outbox, _ = self._writing()
        await outbox.write_graded(batches)

    async def content(self, run_id: str, result_id: str) -> StoredContent | None:
        """What a result holds; None where the ledger does not keep it."""
        return await self._read(
            partial(read_content, run_id=run_id, result_id=result_id)
        )

    async def attempts(self, run_id: str, result_id: str) -> list[JudgeAttempt]:
        """The judge attempts made for a result, in the order in which they were recorded."""
        return await self._read(partial(attempts, run_id=run_id, result_id=result_id))

    def write_attempt(
        self,
        run_id: str,
        result_id: str,
        attempt: JudgeAttempt,
        *,
        can_wait: bool = False,
        committed: Callable[[], None] | None = None,
    ) -> asyncio.Future[None]:
        """Commit one judge attempt, whatever becomes of its result.

        It is queued at once; await it to know that it is committed. `committed` is called on the event loop then, also
        where nobody waits any more. `can_wait`: while a stream is graded (`gathering`), it may wait for others.
        """
        outbox, _ = self._writing()
        return outbox.write(
            lambda: batch_of_attempt(*attempt_rows(run_id, result_id, attempt)),
            can_wait=can_wait,
            leads=True,
            committed=committed,
        )

    async def write_lookup(
        self, run_id: str, result_id: str, lookup: SourceLookup
    ) -> None:
        """Commit one look-up in an evidence source."""
        await self._write(lambda: batch_of_lookup(run_id, result_id, lookup))

    async def lookups(
        self, run_id: str, result_id: str | None = None
    ) -> list[SourceLookup]:
        """The look-ups of a run, or of one result, in the order in which they were made."""
        return await self._read(partial(lookups, run_id=run_id, result_id=result_id))

    async def cache_get(self, key: str) -> str | None:
        """The response kept under `key`, or None."""
        return await self._cache.get(key)

    def cache_put(
        self, key: str, value: str, *, created_at: datetime, can_wait: bool = False
    ) -> Awaitable[None]:
        """Keep a good response under `key`, in place of an older one. Errors are never kept: do not put them.

        It is queued at once, with the attempt written just before if there is one; await it to know that it is
        committed. `can_wait`: see `write_attempt`.
        """
        entry = partial(batch_of_cache_entry, key, value, created_at)
        return self._write(entry, can_wait=can_wait, results=0)

    async def graded(self, run_id: str) -> AsyncIterator[LedgerGrade]:
        """Every graded result of a run in the order of their ids, read page by page."""
        page = partial(reports.graded_page, run_id=run_id, size=_GRADED_A_PAGE)
        async for row in self._pages(page):
            yield row

    async def graded_among(
        self, run_id: str, result_ids: Sequence[str]
    ) -> dict[str, LedgerGrade]:
        """Those of `result_ids` that are graded already, by id: asked for each chunk of input, memory stays flat."""
        graded: dict[str, LedgerGrade] = {}
        for start in range(0, len(result_ids), _IDS_A_QUERY):
            chunk = result_ids[start : start + _IDS_A_QUERY]
            graded |= await self._read(
                partial(reports.graded_among, run_id=run_id, result_ids=chunk)
            )
        return graded

    async def reports(
        self,
        run_id: str,
        *,
        where: ReportFilter = _EVERY_REPORT,
        page_size: int = _REPORTS_A_PAGE,
    ) -> AsyncIterator[Report]:
        """The reports of a run in input order, read page by page; `where` restricts them."""
        page = partial(reports.report_page, run_id=run_id, where=where, size=page_size)
        async for report in self._pages(page):
            yield report

    async def judged(self, run_id: str) -> AsyncIterator[JudgedRow]:
        """Every verdict of a run that states a judge's opinion, read page by page."""
        page = partial(opinions.judged_page, run_id=run_id, size=_GRADED_A_PAGE)
        async for row in self._pages(page):
            yield row

    async def opinions(self, run_id: str) -> AsyncIterator[tuple[str, Opinion]]:
        """Every final opinion of a run with its result id, read page by page; it holds the others."""
        page = partial(opinions.opinion_page, run_id=run_id, size=_IDS_A_QUERY)
        async for row in self._pages(page):
            yield row

    async def leaders(self, run_id: str) -> list[LeaderRow]:
        """What every judge of a run leans to, question by question."""
        return await self._read(partial(opinions.leaders, run_id=run_id))

    async def question_records(self) -> list[QuestionRecord]:
        """How the gating questions of the newest runs were answered, and what that cost."""
        return await self._read(opinions.question_records)

    async def batch_audits(self, run_id: str) -> list[AuditedQuestion]:
        """The questions of a run that were asked both together with others and alone."""
        return await self._read(partial(opinions.batch_audits, run_id=run_id))

    async def write_labels(self, human_labels: Sequence[HumanLabel]) -> None:
        """Keep people's labels, all of them or none."""
        await self._call(partial(labels.insert_labels, labels=human_labels))

    async def labels(self) -> list[HumanLabel]:
        """Every label of a person, the oldest first."""
        return await self._read(labels.all_labels)

    async def write_calibration(self, row: CalibrationRow) -> None:
        """Keep what a calibration found, or an alarm."""
        await self._call(partial(labels.insert_calibration, row=row))

    async def calibrations(self) -> list[CalibrationRow]:
        """Every calibration and alarm, the oldest first."""
        return await self._read(labels.all_calibrations)

    async def summary(self, run_id: str) -> RunSummary:
        """The run in numbers, all of one moment."""
        return await self._read(partial(summarise, run_id=run_id))

    async def attempted(self, run_id: str) -> int:
        """How many results a run has."""
        return await self._read(partial(attempted, run_id=run_id))

    async def write_trace(
        self,
        trace: Trace,
        totals: RunTotals,
        *,
        main_cost_state: str | None = None,
        created_at: datetime,
        parts: Sequence[TracePart] = (),
        expects_parts: frozenset[str] | None = None,
    ) -> None:
        """Commit one trace whole, in place of an older one of the same id.

        Args:
            trace: the trace, priced.
            totals: those of its bill.
            main_cost_state: what cost most.
            created_at: now.
            parts: what the trace was put together from.
            expects_parts: the digests of the parts that the ledger holds of it; None: any.

        Raises:
            TraceChangedError: the ledger holds other parts than `expects_parts`.
        """
        build = partial(
            batch_of_trace,
            trace,
            totals,
            main_cost_state,
            created_at,
            parts,
            expects_parts,
        )
        await self._write(build)

    async def trace_parts(self, trace_id: str) -> list[TracePart]:
        """What a trace was put together from; nothing for an unknown trace."""
        return await self._read(partial(read_parts, trace_id=trace_id))

    async def trace(self, trace_id: str) -> Trace | None:
        """The trace of that id, as it was written; None when there is none."""
        return await self._read(partial(read_trace, trace_id=trace_id))

    async def traces(self) -> AsyncIterator[Trace]:
        """Every trace, in the order of their ids, one at a time."""
        page = partial(trace_id_page, size=_TRACES_A_PAGE)
        async for trace_id in self._pages(page):
            trace = await self.trace(trace_id)
            if trace is not None:
                yield trace

    async def ask(self, query: Callable[[Connection], T]) -> T:
        """The answer to a question of one's own (see `traces.queries`), on a connection that cannot write."""
        return await self._read(query)

    async def transact(self, change: Callable[[Connection], T]) -> T:
        """A change of one's own (see `leases`), in a transaction after everything that was written before it."""
        return await self._call(change)

    async def _pages(
        self, page: Callable[..., tuple[list[T], object]]
    ) -> AsyncIterator[T]:
        """All rows of a query that comes in pages; each page ends at the key `after` which the next one begins."""
        after: object = None
        while True:
            rows, after = await self._read(partial(page, after=after))
            for row in rows:
                yield row
            if after is None:
                return

    def _writing(self) -> tuple[Outbox, Writer]:
        if self._writer is None or self._outbox is None:
            raise LedgerError(f"ledger {self.url} is open for reading only")
        return self._outbox, self._writer

    def _write(
        self,
        build: Callable[[], WriteBatch],
        *,
        can_wait: bool = False,
        results: int = 1,
    ) -> asyncio.Future[None]:
        """Queue a batch; the future is done when it is committed. To cancel it leaves the batch in the queue."""
        outbox, _ = self._writing()
        return outbox.write(build, can_wait=can_wait, results=results)

    async def _call(self, function: Callable[[Connection], T]) -> T:
        outbox, writer = self._writing()
        outbox.send()
        return await outbox.call(writer.call(function))

    async def _read(self, function: Callable[[Connection], T]) -> T:
        """Read on a connection that cannot write; in memory on the only one there is, in the writer's queue."""
        if self._closed:
            raise LedgerError(f"ledger {self.url} is closed")
        if self._engines.reading is None:
            return await self._call(function)
        return await to_thread.run_sync(self._read_now, function, limiter=self._limiter)

    def _read_now(self, function: Callable[[Connection], T]) -> T:
        engine = self._engines.reading
        if engine is None:
            raise LedgerError(f"ledger {self.url} is in memory")
        try:
            with engine.begin() as connection:
                return function(connection)
        except (SQLAlchemyError, LedgerError, ValueError) as error:
            raise ledger_error(error, self.url) from error
