"""What an import leaves in a ledger: every row of a trace, in an order of its own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from judgemesh.mesh.analysis.trace_import import import_traces
from judgemesh.mesh.tracing.readers.ingest import ImportCounts

_TABLES: Final = (
    "trace_run",
    "trace_step",
    "trace_context_breakdown",
    "trace_tool_event",
    "trace_price_snapshot",
)


async def importing(
    ledger: Path,
    files: Sequence[Path],
    *,
    reprice: bool = False,
    prices: Path | None = None,
) -> ImportCounts:
    """What `judgemesh trace import` does."""
    reading = ImportCounts()
    await import_traces(
        files,
        format="auto",
        prices=prices,
        reprice=reprice,
        ledger_url=str(ledger),
        reading=reading,
        on_malformed=lambda line: None,
        on_progress=lambda counts: None,
    )
    return reading


def import_files(ledger: Path, files: Sequence[Path], **options: Any) -> ImportCounts:
    """As one command."""
    return asyncio.run(importing(ledger, files, **options))


def rows_of(ledger: Path, *, moments: bool = False) -> dict[str, list[Any]]:
    """The rows of each table of traces.

    moments: whether to keep when a row was written.
    """
    with sqlite3.connect(ledger) as base:
        base.row_factory = sqlite3.Row
        found: dict[str, list[Any]] = {}
        for table in _TABLES:
            rows = base.execute(f"SELECT * FROM {table}")  # noqa: S608 (a name of this test)
            kept = [
                {key: row[key] for key in row.keys() if moments or key != "created_at"}  # noqa: SIM118 (a row is no mapping)
                for row in rows
            ]
            found[table] = sorted(kept, key=repr)
    base.close()
    return found
