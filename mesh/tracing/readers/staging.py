"""Where the parts of traces wait until all have come: a database in a temporary file, so that memory stays bounded
however large the files are and however their traces are mixed."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast

_ROWS_AT_ONCE: Final = 500
_BYTES_AT_ONCE: Final = 8 * 2**20
_CACHE_KB: Final = 16_000
_SLOW: Final = b" "
"""Marks what orjson cannot read back as it was."""


class Staging:
    """Fragments by trace. Use as a context manager."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="judgemesh_traces_")
        # Nobody else looks at it and nobody needs it after a crash: no journal, no waiting for the disk.
        self._base = sqlite3.connect(
            Path(self._folder.name) / "staging.db", isolation_level=None
        )
        for pragma in (
            "journal_mode=OFF",
            "synchronous=OFF",
            f"cache_size=-{_CACHE_KB}",
            "temp_store=FILE",
        ):
            self._base.execute(f"PRAGMA {pragma}")
        self._base.execute(
            "CREATE TABLE fragment (trace INTEGER NOT NULL, body BLOB NOT NULL)"
        )
        self._numbers: dict[tuple[str, str], int] = {}
        self._waiting: list[tuple[int, bytes]] = []
        self._waiting_bytes = 0

    def add(self, reader: str, trace_id: str, body: dict[str, Any]) -> None:
        """Keep a part of a trace, read by that reader."""
        number = self._numbers.setdefault((reader, trace_id), len(self._numbers))
        data = _dumped(body)
        self._waiting.append((number, data))
        self._waiting_bytes += len(data)
        if len(self._waiting) >= _ROWS_AT_ONCE or self._waiting_bytes >= _BYTES_AT_ONCE:
            self._flush()

    def traces(self) -> Iterator[tuple[str, str, Iterator[dict[str, Any]]]]:
        """Reader, trace id and all parts of every trace, in the order in which their first parts came.

        Parts are read as they are asked for; those of one trace before the next trace.
        """
        self._flush()
        self._base.execute("CREATE INDEX IF NOT EXISTS by_trace ON fragment (trace)")
        for (reader, trace_id), number in self._numbers.items():
            rows = self._base.execute(
                "SELECT body FROM fragment WHERE trace = ? ORDER BY rowid", (number,)
            )
            yield reader, trace_id, (_loaded(body) for (body,) in rows)

    def __len__(self) -> int:
        """How many traces there are."""
        return len(self._numbers)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the file."""
        self._base.close()
        self._folder.cleanup()

    def _flush(self) -> None:
        if self._waiting:
            self._base.execute("BEGIN")
            self._base.executemany("INSERT INTO fragment VALUES (?, ?)", self._waiting)
            self._base.execute("COMMIT")
        self._waiting = []
        self._waiting_bytes = 0


def _dumped(body: dict[str, Any]) -> bytes:
    import orjson

    try:
        return orjson.dumps(body)
    except TypeError:
        # Integers of more than 64 bits, text that is no Unicode: slower, and it keeps them.
        return _SLOW + json.dumps(body, default=str).encode()


def _loaded(data: bytes) -> dict[str, Any]:
    import orjson

    # orjson keeps one copy of a key for all parts, which is most of what a part of a large trace weighs.
    loaded = json.loads(data) if data.startswith(_SLOW) else orjson.loads(data)
    return cast("dict[str, Any]", loaded)
