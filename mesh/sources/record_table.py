"""All rows of a source of execution records, found by the id of the result they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judgemesh.contracts.needs import Records
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.mesh.sources.protocols import SourceInaccessible
from judgemesh.mesh.sources.record_layout import ID_NAMES, RecordLayout, Row

_Key = tuple[str, ...]


def id_of(need: Records, name: str, asks: str) -> str:
    """An id of the result.

    Raises:
        SourceInaccessible: the result has none; `asks` says what needs it.
    """
    value: str | None = getattr(need, name)
    if value is None:
        raise SourceInaccessible(f"{asks}, but the result has no {name}")
    return value


class RecordTable:
    """The rows of a source. An index is built for each set of columns that rows are matched by."""

    def __init__(self, rows: Sequence[Row], layout: RecordLayout, where: str) -> None:
        self._rows = rows
        self._layout = layout
        self._where = where
        self._columns = {column for row in rows for column in row.values}
        self._indexes: dict[_Key, dict[_Key, list[Row]]] = {}

    def check(self, *, fixed: bool) -> tuple[str, ...]:
        """Look for every column that the options name, and read the first row; warnings, one line each.

        fixed: every row has the same columns, so that a missing one is a fault. A key of a JSON object may be left out.

        Raises:
            SourceInaccessible: a column does not exist, or the first row is no record.
        """
        if not self._rows:
            return ()
        warnings = self._layout.check(self._columns, self._where, fixed=fixed)
        self._layout.record(self._rows[0])
        return warnings

    def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The records about the result.

        Raises:
            SourceInaccessible: the match column does not exist, the result lacks the id, or a row is no record.
        """
        match = self._match(need)
        columns = tuple(match)
        rows = self._rows
        if match:
            ids = tuple(
                id_of(need, name, f"rows are matched by {column}")
                for column, name in match.items()
            )
            rows = self._index(columns).get(ids, [])
        return tuple(self._layout.record(row, columns) for row in rows)

    def _match(self, need: Records) -> Mapping[str, str]:
        """The columns to match by, with the ids they hold; empty where every row belongs to the result."""
        if not self._rows:
            return {}
        if self._layout.match is not None:
            for column in self._layout.match:
                if column not in self._columns:
                    raise SourceInaccessible(
                        f"{self._where} has no column {column!r} to match by"
                    )
            return self._layout.match
        present = [name for name in ID_NAMES if name in self._columns]
        for name in present:
            if getattr(need, name) is not None:
                return {name: name}
        if present:
            raise SourceInaccessible(
                f"rows are matched by {present[0]}, but the result has no {present[0]}"
            )
        return {}

    def _index(self, columns: _Key) -> dict[_Key, list[Row]]:
        """The rows by their values in the columns; a row without a value belongs to no result."""
        if columns in self._indexes:
            return self._indexes[columns]
        index: dict[_Key, list[Row]] = {}
        for row in self._rows:
            values = [row.values.get(column) for column in columns]
            if None not in values:
                index.setdefault(tuple(map(str, values)), []).append(row)
        self._indexes[columns] = index
        return index
