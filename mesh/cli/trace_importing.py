"""What `judgemesh trace import` does: read, price, write to the ledger, and say how much there was."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.cli.output import put, say, show_json
from judgemesh.mesh.cli.progress import shows_bar
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.reporting.text import one_line, plural
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import Prices, priced
from judgemesh.mesh.tracing.readers.ingest import Reading, paths_of, read_traces

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_STEPS_IN_FLIGHT: Final = 2_000
_MOST_PROBLEMS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Importing:
    """What the user asks for."""

    files: tuple[Path, ...]
    format: str
    ledger: str
    prices: Path | None = None
    as_json: bool = False
    quiet: bool = False
    no_progress: bool = False


def import_and_show(importing: Importing) -> int:
    """Import; returns the exit code.

    Raises:
        InputError: a file cannot be read, is of no known format, or there is no trace in any.
        LedgerError: the ledger cannot be written.
    """
    reading, problems = Reading(), _Problems()
    watcher = _Watcher(
        wanted=shows_bar(no_progress=importing.no_progress, quiet=importing.quiet)
    )
    try:
        asyncio.run(_import(importing, reading, problems, watcher))
    finally:
        watcher.close()
        problems.close()
    if importing.as_json:
        show_json(_as_data(reading))
    elif not importing.quiet:
        put(_in_words(reading) + "\n")
    if not reading.traces:
        raise InputError(
            "no trace could be read", where=", ".join(map(str, importing.files))
        )
    return 0


async def _import(
    importing: Importing, reading: Reading, problems: _Problems, watcher: _Watcher
) -> None:
    paths, book = (
        paths_of(importing.files),
        PriceBook.bundled(user_file=importing.prices),
    )
    in_flight: deque[tuple[int, asyncio.Task[None]]] = deque()
    steps = 0
    async with await Ledger.open(importing.ledger) as ledger:
        for trace in read_traces(
            paths,
            format=importing.format,
            on_malformed=problems,
            on_progress=watcher,
            reading=reading,
        ):
            in_flight.append(
                (len(trace.steps), asyncio.create_task(_keep(ledger, trace, book)))
            )
            steps += len(trace.steps)
            await asyncio.sleep(0)
            # Memory stays bounded by what may wait for the ledger; several traces share a commit.
            while in_flight and (steps > _STEPS_IN_FLIGHT or in_flight[0][1].done()):
                count, task = in_flight.popleft()
                await task
                steps -= count
        for _, task in in_flight:
            await task


async def _keep(ledger: Ledger, trace: Trace, book: Prices) -> None:
    trace = priced(trace, book)
    bill = bill_of(trace)
    costly = next((line.name for line in bill.by_state if line.cost), None)
    await ledger.write_trace(
        trace, bill.totals, main_cost_state=costly, created_at=datetime.now(UTC)
    )


def _as_data(reading: Reading) -> dict[str, object]:
    return {
        "files": reading.files,
        "formats": reading.formats,
        "traces": reading.traces,
        "steps": reading.steps,
        "fragments": reading.fragments,
        "malformed": reading.malformed,
    }


def _in_words(reading: Reading) -> str:
    line = f"imported {plural(reading.traces, 'trace')} with {plural(reading.steps, 'step')}"
    formats = ", ".join(sorted(set(reading.formats.values())))
    line += f" from {plural(reading.files, 'file')}" + (
        f" ({formats})" if formats else ""
    )
    return line + (f"; {reading.malformed} malformed" if reading.malformed else "")


class _Problems:
    """Prints what is malformed: the first lines, and how many more."""

    def __init__(self) -> None:
        self._count = 0

    def __call__(self, line: str) -> None:
        self._count += 1
        if self._count <= _MOST_PROBLEMS:
            say(f"malformed: {one_line(line)}")

    def close(self) -> None:
        if self._count > _MOST_PROBLEMS:
            say(f"and {plural(self._count - _MOST_PROBLEMS, 'more malformed part')}")


class _Watcher:
    """A line on stderr for people at a terminal that counts along."""

    def __init__(self, *, wanted: bool) -> None:
        self._bar: Bar | None = None
        if wanted:
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn

            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.add_task("reading", total=None)
            self._bar.start()

    def __call__(self, reading: Reading) -> None:
        if self._bar is not None:
            text = (
                f"{reading.fragments:,} spans read, {reading.traces:,} traces imported"
            )
            self._bar.update(self._bar.task_ids[0], description=text)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
