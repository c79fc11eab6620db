"""Which result ids have been read, and where: in bounded memory, whatever the number of results.

The latest ids are in memory, older ones in a temporary file, which goes away with the object.
"""

from __future__ import annotations

import hashlib
import weakref
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3

_LINE_BITS: Final = 40
_LINE_MASK: Final = (1 << _LINE_BITS) - 1
_SIGNED: Final = 1 << 63
_MAX_IN_MEMORY: Final = 16_000
"""Ids, at about 100 bytes each."""


class Seen:
    """The first place of each result id. An id is remembered by 64 bits of its digest."""

    def __init__(self, *, max_in_memory: int = _MAX_IN_MEMORY) -> None:
        self._latest: dict[int, int] = {}
        self._older: sqlite3.Connection | None = None
        self._names: list[str] = []
        self._max_in_memory = max_in_memory

    def repeated(self, result_id: str, file: str, number: int) -> str | None:
        """What is wrong with a line whose id was on an earlier one; None for the first line of an id."""
        if not self._names or self._names[-1] != file:
            self._names.append(file)
        key = _key(result_id)
        first = self._latest.get(key)
        if first is None and self._older is not None:
            first = _stored(self._older, key)
        if first is None:
            self._add(key, (len(self._names) - 1) << _LINE_BITS | number)
            return None
        first_file, first_number = self._names[first >> _LINE_BITS], first & _LINE_MASK
        where = f"{first_file}:{first_number}"
        if first_file == file:
            where = f"line {first_number}"
        return f"result_id {result_id!r} was already on {where}"

    def forget(self, result_id: str) -> None:
        """The line of an id could not be used: a later one may stand."""
        key = _key(result_id)
        self._latest.pop(key, None)
        if self._older is not None:
            self._older.execute("DELETE FROM seen WHERE key = ?", (key,))

    def _add(self, key: int, position: int) -> None:
        self._latest[key] = position
        if len(self._latest) < self._max_in_memory:
            return
        if self._older is None:
            self._older = _temporary()
            weakref.finalize(self, self._older.close)
        # In the order of the keys a page of the file is written once.
        rows = ((key, self._latest[key]) for key in sorted(self._latest))
        self._older.executemany("INSERT INTO seen VALUES (?, ?)", rows)
        self._latest.clear()


def _key(result_id: str) -> int:
    digest = hashlib.blake2b(result_id.encode(), digest_size=8).digest()
    return int.from_bytes(digest) - _SIGNED  # SQLite's integers have a sign


def _temporary() -> sqlite3.Connection:
    # Only long inputs need it.
    import sqlite3

    # A file without a name. The garbage collector may close it in any thread.
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=OFF")
    connection.execute("PRAGMA synchronous=OFF")
    connection.execute("CREATE TABLE seen (key INTEGER PRIMARY KEY, position INTEGER)")
    return connection


def _stored(connection: sqlite3.Connection, key: int) -> int | None:
    row = connection.execute("SELECT position FROM seen WHERE key = ?", (key,))
    found: tuple[int] | None = row.fetchone()
    return None if found is None else found[0]
