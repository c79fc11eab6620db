"""The evidence sources `jsonl` and `sql`: catalogues in a JSON Lines file, or behind an SQL query."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.opening import open_file
from judgemesh.mesh.sources.database import Database
from judgemesh.mesh.sources.evidence.catalogue import Catalogue
from judgemesh.mesh.sources.json_lines import read_object
from judgemesh.mesh.sources.options import check_names, flag, required_text
from judgemesh.mesh.sources.protocols import SourceInaccessible
from judgemesh.mesh.sources.watched_file import WatchedFile

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"

_Rows = Iterator[tuple[str, Mapping[str, object]]]
"""Where a record is, and its fields."""


class JsonlCatalogue:
    """One record a line, its keys in the usual names: `{type: jsonl, path: catalogue.jsonl, authoritative: false}`.

    The file is read once, and again when it changes.
    """

    remote = False

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        check_names(options, "path", "authoritative")
        self._path = base_dir / required_text(options, "path", "catalogue.jsonl")
        self._authoritative = flag(options, "authoritative", default=False)
        self._file = WatchedFile(self._path, self._read, max_bytes=TABLE.max_bytes)

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The record that the query names.

        Raises:
            SourceInaccessible: the file, or one of its lines, cannot be read.
        """
        from anyio import to_thread

        return await to_thread.run_sync(lambda: self._file.value().lookup(need))

    async def check(self) -> tuple[str, ...]:
        """Read the file.

        Raises:
            SourceInaccessible: the file, or one of its lines, cannot be read.
        """
        from anyio import to_thread

        return (await to_thread.run_sync(self._file.value)).check()

    async def aclose(self) -> None:
        """Drop the records."""
        self._file.forget()

    def _read(self) -> Catalogue:
        return Catalogue(
            self._rows(), str(self._path), authoritative=self._authoritative
        )

    def _rows(self) -> _Rows:
        is_empty = True
        with open_file(self._path) as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                row = read_object(
                    line.removeprefix(_BYTE_ORDER_MARK),
                    f"{self._path}:{number}",
                    unique_keys=False,
                )
                is_empty = False
                yield f"{self._path.name}:{number}", row
        if is_empty:
            raise SourceInaccessible(f"{self._path} holds no record")


class SqlCatalogue:
    """Records behind a query, read once a run: `{type: sql, url: "sqlite:///library.db", query: SELECT ...}`.

    The columns have the usual names (`title`, `authors`, `year`, `venue`, `doi`, `text`); rename them in the query.
    """

    remote = False

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        check_names(options, "url", "query", "authoritative", "timeout_s")
        example = "SELECT title, authors, year, doi FROM papers"
        self._query = required_text(options, "query", example)
        self._authoritative = flag(options, "authoritative", default=False)
        self._database = Database(options, base_dir, example="sqlite:///library.db")
        self._lock = threading.Lock()
        self._catalogue: Catalogue | None = None

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The record that the query names.

        Raises:
            SourceInaccessible: the database cannot be reached, or refuses the query.
        """
        from anyio import to_thread

        return await to_thread.run_sync(
            lambda: self._loaded().lookup(need), abandon_on_cancel=True
        )

    async def check(self) -> tuple[str, ...]:
        """Run the query.

        Raises:
            SourceInaccessible: the database cannot be reached, or refuses the query.
        """
        from anyio import to_thread

        return (await to_thread.run_sync(self._loaded, abandon_on_cancel=True)).check()

    async def aclose(self) -> None:
        """Drop the records."""
        with self._lock:
            self._catalogue = None

    def _loaded(self) -> Catalogue:
        with self._lock:
            if self._catalogue is None:
                self._catalogue = Catalogue(
                    self._rows(),
                    self._database.label,
                    authoritative=self._authoritative,
                )
            return self._catalogue

    def _rows(self) -> _Rows:
        _, rows = self._database.read(self._query, {})
        if not rows:
            raise SourceInaccessible(f"{self._database.label} gives no record")
        for number, row in enumerate(rows, start=1):
            yield f"row {number}", row
