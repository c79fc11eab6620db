"""The sources `jsonl`, `csv` and `sql` of execution records. Files are read once, and again when they change."""

from __future__ import annotations

import csv
import io
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Records
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import read_text_file
from judgemesh.mesh.sources.database import Database
from judgemesh.mesh.sources.json_lines import read_object
from judgemesh.mesh.sources.options import check_names, required_text
from judgemesh.mesh.sources.protocols import SourceInaccessible
from judgemesh.mesh.sources.record_layout import ID_NAMES, RecordLayout, Row
from judgemesh.mesh.sources.record_table import RecordTable, id_of
from judgemesh.mesh.sources.watched_file import WatchedFile


class _FileRecords(ABC):
    """A file of rows. `path` is relative to the base folder; `RecordLayout` explains `match` and `columns`."""

    example: str
    fixed_columns: bool

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        check_names(options, "path", "match", "columns")
        self._path = base_dir / required_text(options, "path", self.example)
        self._layout = RecordLayout.from_options(options)
        self._file = WatchedFile(self._path, self._read)

    async def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The file's records about the result.

        Raises:
            SourceInaccessible: the file or one of its lines cannot be read.
        """
        from anyio import to_thread

        table = await to_thread.run_sync(self._file.value)
        return table.records(need)

    async def check(self, need: Records) -> tuple[str, ...]:
        """Read the file and look for the columns that the options name.

        Raises:
            SourceInaccessible: the file, a line or a column is missing or cannot be read.
        """
        from anyio import to_thread

        del need  # a file is read as a whole
        table = await to_thread.run_sync(self._file.value)
        return table.check(fixed=self.fixed_columns)

    def close(self) -> None:
        """Drop the rows."""
        self._file.forget()

    def _read(self) -> RecordTable:
        text = read_text_file(self._path, TABLE)
        if not text:
            raise SourceInaccessible(
                f"{self._path} is empty: a file that was cut off looks the same;"
                " write one empty line if nothing was executed"
            )
        return RecordTable(list(self._rows(text)), self._layout, str(self._path))

    @abstractmethod
    def _rows(self, text: str) -> Iterator[Row]:
        """The rows of the file's text."""


class JsonlRecords(_FileRecords):
    """One JSON object a line: `{type: jsonl, path: tickets.jsonl}`."""

    example = "records.jsonl"
    fixed_columns = False

    def _rows(self, text: str) -> Iterator[Row]:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                where = f"{self._path}:{number}"
                yield Row(where, read_object(line.encode(), where, unique_keys=True))


class CsvRecords(_FileRecords):
    """Comma-separated values with a header: `{type: csv, path: orders.csv}`. All cells are text."""

    example = "records.csv"
    fixed_columns = True

    def _rows(self, text: str) -> Iterator[Row]:
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            header = next(reader, None)
            if not header:
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
        except csv.Error as error:
            raise SourceInaccessible(
                f"{self._path}:{reader.line_num}: no CSV: {error}"
            ) from error

    def _check_header(self, header: Sequence[str]) -> None:
        seen: set[str] = set()
        for name in header:
            if name in seen:
                raise SourceInaccessible(
                    f"{self._path}:1: column {name!r} occurs twice"
                )
            seen.add(name)
        for name in self._layout.required_columns():
            if name not in seen:
                raise SourceInaccessible(
                    f"{self._path}:1: no column {name!r} among {', '.join(header)[:200]!r}"
                )


class SqlRecords:
    """A query through SQLAlchemy, run read-only in a process of its own.

    `{type: sql, url: "sqlite:///orders.db", query: "SELECT ... WHERE run_id = :result_id"}`. The query may bind
    `:result_id`, `:task_id` and `:trace_id`; without any, its rows are matched as those of a file are.
    """

    def __init__(self, options: Mapping[str, object], base_dir: Path) -> None:
        from sqlalchemy import text

        check_names(options, "url", "query", "match", "columns", "timeout_s")
        self._layout = RecordLayout.from_options(options)
        example = "SELECT kind, target FROM log WHERE run_id = :result_id"
        self._query = required_text(options, "query", example)
        self._bound_ids = frozenset(text(self._query).compile().params)
        unknown = sorted(self._bound_ids - set(ID_NAMES))
        if unknown:
            raise ConfigError(
                f"query: :{unknown[0]} is no id", hint=f"bind :{', :'.join(ID_NAMES)}"
            )
        self._database = Database(options, base_dir, example="sqlite:///orders.db")

    async def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The rows of the query as records.

        Raises:
            SourceInaccessible: the database cannot be reached, or refuses the query.
        """
        from anyio import to_thread

        return await to_thread.run_sync(self._records, need, abandon_on_cancel=True)

    async def check(self, need: Records) -> tuple[str, ...]:
        """Run the query without an id, and look for the columns that the options name.

        Raises:
            SourceInaccessible: the database, a table or a column is missing, or the query is refused.
        """
        from anyio import to_thread

        del need  # a null fits a column of any type
        columns = await to_thread.run_sync(self._columns, abandon_on_cancel=True)
        return self._layout.check(columns, "the query's result", fixed=True)

    def close(self) -> None:
        """Nothing is held open between questions."""

    def _records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        ids = {
            name: id_of(need, name, f"the query binds :{name}")
            for name in self._bound_ids
        }
        rows = self._rows(ids)
        if ids:
            return tuple(self._layout.record(row) for row in rows)
        return RecordTable(rows, self._layout, "the query's result").records(need)

    def _columns(self) -> list[str]:
        unknown = dict.fromkeys(self._bound_ids)
        columns, _ = self._database.read(self._query, unknown, max_rows=0)
        return columns

    def _rows(self, ids: Mapping[str, str]) -> list[Row]:
        _, rows = self._database.read(self._query, ids)
        return [Row(f"row {number}", row) for number, row in enumerate(rows, start=1)]
