"""The built-in execution-record sources: JSON Lines, CSV, SQL. Files are read once and again when they change."""

from __future__ import annotations

import csv
import io
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Records
from judgemesh.contracts.results import ExecutionRecord
from judgemesh.mesh.sources.protocol import SourceInaccessible
from judgemesh.mesh.sources.rows import (
    ID_NAMES,
    Layout,
    Row,
    Table,
    known_options,
    layout,
    record,
    text_option,
)
from judgemesh.mesh.sources.watched import WatchedFile

if TYPE_CHECKING:
    from sqlalchemy import Engine, TextClause

_SHOWN: Final = 300


class _FileRecords(ABC):
    """A file of rows. `path` is relative to the base folder; see `rows.Layout` for `match` and `columns`."""

    example: str

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        known_options(options, "path", "match", "columns")
        self._path = base_dir / text_option(options, "path", self.example)
        self._layout: Layout = layout(options)
        self._file = WatchedFile(self._path, self._table)

    async def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The file's records about the result.

        Raises:
            SourceInaccessible: the file or one of its lines cannot be read.
        """
        from anyio import to_thread

        table = await to_thread.run_sync(self._file.value)
        return table.records(need)

    def close(self) -> None:
        """Forget the rows."""
        self._file.forget()

    def _table(self) -> Table:
        return Table(
            list(self._rows(self._path.read_bytes().decode("utf-8-sig"))),
            self._layout,
            str(self._path),
        )

    @abstractmethod
    def _rows(self, text: str) -> Iterator[Row]:
        """The rows of the file's text."""


class JsonlRecords(_FileRecords):
    """One JSON object a line: `{type: jsonl, path: tickets.jsonl}`."""

    example = "records.jsonl"

    def _rows(self, text: str) -> Iterator[Row]:
        import jiter

        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip():
                continue
            where = f"{self._path}:{number}"
            try:
                data: object = jiter.from_json(
                    line.encode(), allow_inf_nan=False, catch_duplicate_keys=True
                )
            except ValueError as fault:
                raise SourceInaccessible(f"{where}: no JSON: {fault}") from fault
            if not isinstance(data, dict):
                raise SourceInaccessible(
                    f"{where}: expected an object, got {type(data).__name__}"
                )
            yield Row(where, cast("dict[str, object]", data))


class CsvRecords(_FileRecords):
    """Comma-separated values with a header: `{type: csv, path: orders.csv}`. All cells are text."""

    example = "records.csv"

    def _rows(self, text: str) -> Iterator[Row]:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            header = next(reader, None)
            if header is None:
                return
            self._check_header(header)
            for cells in reader:
                if not cells:
                    continue
                where = f"{self._path}:{reader.line_num}"
                if len(cells) != len(header):
                    raise SourceInaccessible(
                        f"{where}: {len(cells)} cells under {len(header)} columns"
                    )
                yield Row(where, dict(zip(header, cells, strict=True)))
        except csv.Error as fault:
            raise SourceInaccessible(
                f"{self._path}:{reader.line_num}: no CSV: {fault}"
            ) from fault

    def _check_header(self, header: Sequence[str]) -> None:
        doubled = next(
            (name for index, name in enumerate(header) if name in header[:index]), None
        )
        if doubled is not None:
            raise SourceInaccessible(f"{self._path}:1: column {doubled!r} stands twice")


class SqlRecords:
    """A query through SQLAlchemy, run read-only in a worker thread.

    `{type: sql, url: "sqlite:///orders.db", query: "SELECT ... WHERE run_id = :result_id"}`. The query may bind
    `:result_id`, `:task_id` and `:trace_id`; without any, its rows are matched as those of a file are.
    """

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        from sqlalchemy import text
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        known_options(options, "url", "query", "match", "columns")
        self._layout = layout(options)
        self._query: TextClause = text(
            text_option(
                options,
                "query",
                "SELECT kind, target FROM log WHERE run_id = :result_id",
            )
        )
        self._binds = frozenset(self._query.compile().params)
        unknown = sorted(self._binds - set(ID_NAMES))
        if unknown:
            raise ConfigError(
                f"query: :{unknown[0]} is no id", hint=f"bind :{', :'.join(ID_NAMES)}"
            )
        try:
            url = make_url(text_option(options, "url", "sqlite:///orders.db"))
        except ArgumentError as fault:
            raise ConfigError(
                "url: no database address", hint="for example sqlite:///orders.db"
            ) from fault
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
        self._engine: Engine | None = None

    async def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The rows of the query as records.

        Raises:
            SourceInaccessible: the database cannot be reached, or refuses the query.
        """
        from anyio import to_thread

        return await to_thread.run_sync(self._records, need)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            engine, self._engine = self._engine, None
        if engine is not None:
            engine.dispose()

    def _records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        binds: dict[str, str] = {}
        for name in self._binds:
            value: str | None = getattr(need, name)
            if value is None:
                raise SourceInaccessible(
                    f"the query asks for :{name}, but the result has none"
                )
            binds[name] = value
        rows = self._rows(binds)
        if self._binds:
            return tuple(record(row, self._layout, ()) for row in rows)
        return Table(rows, self._layout, "the query's result").records(need)

    def _rows(self, binds: Mapping[str, str]) -> list[Row]:
        from sqlalchemy.exc import SQLAlchemyError

        if self._file is not None and not self._file.is_file():
            # SQLite would make an empty database and answer that nothing was executed.
            raise SourceInaccessible(f"{self._file} does not exist")
        try:
            with self._connected().connect() as connection:
                result = connection.execute(self._query, dict(binds))
                found = [
                    Row(f"row {number}", dict(row))
                    for number, row in enumerate(result.mappings(), start=1)
                ]
                connection.rollback()
        except (SQLAlchemyError, ImportError) as fault:
            raise SourceInaccessible(f"the query failed: {_reason(fault)}") from fault
        return found

    def _connected(self) -> Engine:
        """The engine. Every connection is read-only as far as the database offers it; nothing is ever committed."""
        from sqlalchemy import create_engine, event

        with self._lock:
            if self._engine is None:
                read_only = (
                    {"postgresql_readonly": True}
                    if self._url.get_backend_name() == "postgresql"
                    else {}
                )
                engine = create_engine(self._url, execution_options=read_only)
                if self._url.get_backend_name() == "sqlite":
                    event.listen(engine, "connect", _query_only)
                self._engine = engine
            return self._engine


def _query_only(connection: object, _record: object) -> None:
    import sqlite3

    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA query_only = ON")


def _reason(fault: Exception) -> str:
    """One line, without the statement and its parameters that SQLAlchemy adds."""
    cause = getattr(fault, "orig", None) or fault
    text = (
        cause.strerror if isinstance(cause, OSError) and cause.strerror else str(cause)
    )
    return " ".join(f"{type(cause).__name__}: {text}".split())[:_SHOWN]
