"""Traces of files read into the ledger."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.ledger.traces.store import prices_of_trace
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import KnownPrices, Prices, priced
from judgemesh.mesh.tracing.readers.ingest import ImportCounts, paths_of, read_traces

_MAX_STEPS_IN_FLIGHT: Final = 2_000
"""Steps of traces that may wait for the ledger; it bounds memory."""


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
        for trace in read_traces(
            paths,
            format=format,
            on_malformed=on_malformed,
            on_progress=on_progress,
            reading=reading,
        ):
            task = asyncio.create_task(_write(ledger, trace, book, reprice=reprice))
            in_flight.append((len(trace.steps), task))
            steps += len(trace.steps)
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


async def _write(ledger: Ledger, trace: Trace, book: Prices, *, reprice: bool) -> None:
    if not reprice:
        of_trace = partial(prices_of_trace, trace_id=trace.trace_id)
        book = KnownPrices(await ledger.ask(of_trace), book)
    trace = priced(trace, book)
    bill = bill_of(trace)
    main_state = next((line.name for line in bill.by_state if line.cost), None)
    await ledger.write_trace(
        trace, bill.totals, main_cost_state=main_state, created_at=datetime.now(UTC)
    )
