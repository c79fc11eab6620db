"""Traces of files read into the ledger."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.analysis.trace_merge import merged
from judgemesh.mesh.ledger.faults import TraceChangedError
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.ledger.traces.parts import digests_of
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import Prices, priced
from judgemesh.mesh.tracing.bill.kept_prices import with_kept_prices
from judgemesh.mesh.tracing.readers.ingest import ImportCounts, paths_of, read_runs
from judgemesh.mesh.tracing.readers.runs import ReadRun

_MAX_STEPS_IN_FLIGHT: Final = 2_000
"""Steps of traces that may wait for the ledger; it bounds memory."""
_MAX_TRIES: Final = 5


async def import_traces(
    files: Sequence[Path],
    *,
    format: str,  # noqa: A002 (the option's name)
    prices: Path | None,
    reprice: bool = False,
    ledger_url: str,
    reading: ImportCounts,
    on_malformed: Callable[[str], None],
    on_progress: Callable[[ImportCounts], None],
) -> None:
    """Read traces, price them, and write them to the ledger.

    A trace that is in the ledger is put together from the parts there and those of the
    files. What it was billed with stays.

    Args:
        files: files, or folders of them.
        format: the name of a reader, or `auto`.
        prices: a file of prices that take precedence.
        reprice: whether a trace that is in the ledger gives up the prices it has there.
        ledger_url: the ledger, which is created if necessary.
        reading: is updated with what was read.
        on_malformed: called with each part that cannot be read.
        on_progress: called as reading goes on.

    Raises:
        InputError: a file cannot be read, or is of no known format.
        LedgerError: the ledger cannot be written.
    """
    paths = paths_of(files)
    book = PriceBook.bundled(user_file=prices)
    in_flight: deque[tuple[int, asyncio.Task[None]]] = deque()
    steps = 0
    async with await Ledger.open(ledger_url) as ledger:
        writer = _TraceWriter(ledger, book, on_malformed, reprice=reprice)
        for run in read_runs(
            paths,
            format=format,
            on_malformed=on_malformed,
            on_progress=on_progress,
            reading=reading,
        ):
            task = asyncio.create_task(writer.write(run))
            in_flight.append((len(run.trace.steps), task))
            steps += len(run.trace.steps)
            await asyncio.sleep(0)
            # Several traces share a commit of the ledger.
            while in_flight and (
                steps > _MAX_STEPS_IN_FLIGHT or in_flight[0][1].done()
            ):
                count, task = in_flight.popleft()
                await task
                steps -= count
        for _, task in in_flight:
            await task


def check_imported(reading: ImportCounts, files: Sequence[Path]) -> None:
    """Raise InputError if no trace was read."""
    if not reading.traces:
        raise InputError("no trace could be read", where=", ".join(map(str, files)))


@dataclass(frozen=True, slots=True)
class _TraceWriter:
    ledger: Ledger
    book: Prices
    on_malformed: Callable[[str], None]
    _: KW_ONLY
    reprice: bool

    async def write(self, run: ReadRun) -> None:
        """Put a run into the ledger, together with what the ledger holds of it."""
        for _ in range(_MAX_TRIES - 1):
            try:
                return await self._write(run)
            except TraceChangedError:
                continue  # another process added a part meanwhile: read it too
        return await self._write(run)

    async def _write(self, run: ReadRun) -> None:
        trace_id = run.trace.trace_id
        stored = await self.ledger.trace_parts(trace_id)
        whole = merged(run, stored, self._report_dropped, again=self.reprice)
        if whole is None:
            return
        trace = whole.trace
        if not self.reprice:
            billed = await self.ledger.trace(trace_id)
            if billed is not None:
                trace = with_kept_prices(trace, billed)
        trace = priced(trace, self.book)
        bill = bill_of(trace)
        await self.ledger.write_trace(
            trace,
            bill.totals,
            main_cost_state=next(
                (line.name for line in bill.by_state if line.cost), None
            ),
            created_at=datetime.now(UTC),
            parts=whole.parts,
            expects_parts=digests_of(stored),
        )

    def _report_dropped(self, trace: Trace) -> None:
        self.on_malformed(
            f"trace {trace.trace_id!r} is in the ledger with different content that"
            " cannot be put together with this; the longer one is kept"
        )
