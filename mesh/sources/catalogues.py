"""Catalogues in a JSON Lines file or behind an SQL query. Read once, and again when the file changes."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.mesh.sources.catalogue import Catalogue
from judgemesh.mesh.sources.evidence import flag
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import known_options, text_option
from judgemesh.mesh.sources.watched import WatchedFile

_MAX_BYTES: Final = 512 * 2**20
_MAX_ROWS: Final = 1_000_000


class JsonlCatalogue:
    """One record a line, its keys in the usual names: `{type: jsonl, path: catalogue.jsonl, authoritative: false}`."""

    remote = False

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        known_options(options, "path", "authoritative")
        self._path = base_dir / text_option(options, "path", "catalogue.jsonl")
        self._authoritative = flag(options, "authoritative", default=False)
        self._file = WatchedFile(self._path, self._catalogue, max_bytes=_MAX_BYTES)

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The record the query names.

        Raises:
            SourceInaccessible: the file, or one of its lines, cannot be read.
        """
        from anyio import to_thread

        return await to_thread.run_sync(lambda: self._file.value().lookup(need))

    async def aclose(self) -> None:
        """Forget the records."""
        self._file.forget()

    def _catalogue(self) -> Catalogue:
        return Catalogue(
            self._rows(), str(self._path), authoritative=self._authoritative
        )

    def _rows(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        import jiter

        with self._path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                where = f"{self._path.name}:{number}"
                try:
                    data: object = jiter.from_json(
                        line.removeprefix(b"\xef\xbb\xbf"), allow_inf_nan=False
                    )
                except ValueError as fault:
                    raise SourceInaccessible(
                        f"{self._path}:{number}: no JSON: {fault}"
                    ) from None
                if not isinstance(data, dict):
                    raise SourceInaccessible(
                        f"{self._path}:{number}: expected an object"
                    )
                yield where, cast("dict[str, object]", data)


class SqlCatalogue:
    """Records behind a query, read once a run: `{type: sql, url: "sqlite:///library.db", query: SELECT ...}`.

    The columns have the usual names (`title`, `authors`, `year`, `venue`, `doi`, `text`); rename them in the query.
    """

    remote = False

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        known_options(options, "url", "query", "authoritative")
        self._query = text_option(
            options, "query", "SELECT title, authors, year, doi FROM papers"
        )
        self._authoritative = flag(options, "authoritative", default=False)
        try:
            url = make_url(text_option(options, "url", "sqlite:///library.db"))
        except ArgumentError:
            raise ConfigError(
                "url: no database address", hint="for example sqlite:///library.db"
            ) from None
        self._file: Path | None = None
        if url.get_backend_name() == "sqlite" and url.database not in (
            None,
            "",
            ":memory:",
        ):
            self._file = base_dir / str(url.database)
            url = url.set(database=str(self._file))
        self._url = url
        self._lock = threading.Lock()
        self._loaded: Catalogue | None = None

    async def lookup(self, need: Lookup) -> Found | NotFound:
        """The record the query names.

        Raises:
            SourceInaccessible: the database cannot be reached, or refuses the query.
        """
        from anyio import to_thread

        return await to_thread.run_sync(lambda: self._catalogue().lookup(need))

    async def aclose(self) -> None:
        """Forget the records."""
        with self._lock:
            self._loaded = None

    def _catalogue(self) -> Catalogue:
        with self._lock:
            if self._loaded is None:
                label = self._url.render_as_string(hide_password=True)
                self._loaded = Catalogue(
                    self._rows(), label, authoritative=self._authoritative
                )
            return self._loaded

    def _rows(self) -> Iterator[tuple[str, Mapping[str, object]]]:
        from sqlalchemy import create_engine, text
        from sqlalchemy.exc import SQLAlchemyError

        if self._file is not None and not self._file.is_file():
            # SQLite would make an empty database and answer that it holds nothing.
            raise SourceInaccessible(f"{self._file} does not exist")
        try:
            engine = create_engine(self._url)
            try:
                with engine.connect() as connection:
                    if self._url.get_backend_name() == "sqlite":
                        connection.exec_driver_sql("PRAGMA query_only = ON")
                    result = connection.execution_options(max_row_buffer=1_000).execute(
                        text(self._query)
                    )
                    for number, row in enumerate(result.mappings(), start=1):
                        if number > _MAX_ROWS:
                            raise SourceInaccessible(
                                f"the query gives more than {_MAX_ROWS} rows"
                            )
                        yield f"row {number}", dict(row)
                    connection.rollback()
            finally:
                engine.dispose()
        except (SQLAlchemyError, ImportError) as fault:
            cause = getattr(fault, "orig", None) or fault
            reason = " ".join(str(cause).split())[:300]
            raise SourceInaccessible(f"the query failed: {reason}") from None
