"""Where traces and their parts wait until all have come: a database in a temporary file.

So memory stays bounded however large the files are, and however their traces are mixed.
"""

from __future__ import annotations

import json
import pickle
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, cast

from judgemesh.contracts.tracing import Trace

_MAX_WAITING: Final = 500
_MAX_WAITING_BYTES: Final = 8 * 2**20
_SETTINGS: Final = (
    # Nobody else reads the file and nobody needs it after a crash.
    "journal_mode=OFF",
    "synchronous=OFF",
    "cache_size=-16000",
    "temp_store=FILE",
)
_STANDARD_JSON: Final = b" "
"""First byte of a body that the standard library wrote, because orjson could not."""


class Staging:
    """Fragments by trace. Use as a context manager."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="judgemesh_traces_")
        file = Path(self._folder.name) / "staging.db"
        self._base = sqlite3.connect(file, isolation_level=None)
        for setting in _SETTINGS:
            self._base.execute(f"PRAGMA {setting}")
        self._base.execute(
            "CREATE TABLE fragment (trace INTEGER NOT NULL, body BLOB NOT NULL)"
        )
        self._base.execute(
            "CREATE TABLE whole (trace_id BLOB PRIMARY KEY, body BLOB NOT NULL)"
        )
        self._numbers: dict[str, dict[str, int]] = {}
        self._groups = 0
        self._waiting: list[tuple[int, bytes]] = []
        self._waiting_bytes = 0

    def add(self, reader: str, trace_id: str, body: dict[str, Any]) -> None:
        """Keep a part of a trace, read by that reader."""
        numbers = self._numbers.setdefault(trace_id, {})
        number = numbers.get(reader)
        if number is None:
            number = numbers[reader] = self._groups
            self._groups += 1
        data = dumped(body)
        self._waiting.append((number, data))
        self._waiting_bytes += len(data)
        is_full = len(self._waiting) >= _MAX_WAITING
        if is_full or self._waiting_bytes >= _MAX_WAITING_BYTES:
            self._flush()

    def put_whole(self, trace: Trace) -> None:
        """Keep a whole trace, in place of one of the same id."""
        body = pickle.dumps(trace, pickle.HIGHEST_PROTOCOL)
        row = (_key(trace.trace_id), body)
        self._base.execute("INSERT OR REPLACE INTO whole VALUES (?, ?)", row)

    def whole(self, trace_id: str) -> Trace | None:
        """The whole trace of that id; None where there is none."""
        rows = self._base.execute(
            "SELECT body FROM whole WHERE trace_id = ?", (_key(trace_id),)
        )
        for (body,) in rows:
            # The bytes were pickled by `put_whole`, in this process.
            return cast("Trace", pickle.loads(body))  # noqa: S301
        return None

    def traces(self) -> Iterator[tuple[str, Mapping[str, Iterator[bytes]]]]:
        """Every trace id with its parts by reader, in the order of their first parts.

        The parts are `dumped` bodies, read one at a time; those of one trace before the
        next trace.
        """
        self._flush()
        self._base.execute("CREATE INDEX IF NOT EXISTS by_trace ON fragment (trace)")
        for trace_id, numbers in self._numbers.items():
            yield (
                trace_id,
                {reader: self._bodies(number) for reader, number in numbers.items()},
            )

    def _bodies(self, number: int) -> Iterator[bytes]:
        rows = self._base.execute(
            "SELECT body FROM fragment WHERE trace = ? ORDER BY rowid", (number,)
        )
        return (body for (body,) in rows)

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


def dumped(body: dict[str, Any]) -> bytes:
    """A body as JSON on one line."""
    import orjson

    try:
        return orjson.dumps(body)
    except TypeError:
        # Integers of more than 64 bits and lone surrogates: slower, but they are kept.
        return _STANDARD_JSON + json.dumps(body, default=str).encode()


def loaded(data: bytes) -> dict[str, Any]:
    """The body of `dumped`."""
    import orjson

    # orjson and not jiter: it shares the keys of all parts, which is most of the memory
    # that a part of a large trace takes.
    is_standard = data.startswith(_STANDARD_JSON)
    body = json.loads(data) if is_standard else orjson.loads(data)
    return cast("dict[str, Any]", body)


def _key(trace_id: str) -> bytes:
    """An id as a key; it may hold half a character."""
    return trace_id.encode("utf-8", "surrogatepass")
