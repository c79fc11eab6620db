"""Rows of a file or a query result as execution records: which columns mean what, and whose record a row is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import ValidationError

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.needs import Records
from judgemesh.contracts.results import ExecutionRecord
from judgemesh.mesh.sources.protocol import SourceInaccessible

ID_NAMES: Final = ("result_id", "trace_id", "task_id")
FIELDS: Final = ("kind", "target", "confirmation_id", "status", "at")
_PARAMETERS: Final = "parameters"
_PREFIX: Final = "parameters."


@dataclass(frozen=True, slots=True)
class Row:
    """One row and where it stands (`tickets.jsonl:12`)."""

    where: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Layout:
    """How columns are read.

    match: column -> the id of the result it holds; None takes the first of result_id, trace_id, task_id that exists.
    columns: record field -> column.
    """

    match: Mapping[str, str] | None
    columns: Mapping[str, str]


def layout(options: Mapping[str, object]) -> Layout:
    """The layout that the options ask for.

    Raises:
        ConfigError: `match` or `columns` is no mapping of the known names.
    """
    match = _mapping(options, "match")
    for column, name in (match or {}).items():
        if name not in ID_NAMES:
            raise ConfigError(
                f"match: {column}: {name!r} is no id",
                hint=f"one of {', '.join(ID_NAMES)}",
            )
    columns = _mapping(options, "columns") or {}
    for name in columns:
        if name not in (*FIELDS, _PARAMETERS):
            raise ConfigError(
                f"columns: {name!r} is no field of a record",
                hint=f"one of {', '.join((*FIELDS, _PARAMETERS))}",
            )
    return Layout(match or None, columns)


def _mapping(options: Mapping[str, object], name: str) -> dict[str, str] | None:
    value = options.get(name)
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ConfigError(f"{name}: expected a mapping, got {type(value).__name__}")
    given = cast("Mapping[object, object]", value)
    if not all(isinstance(part, str) for pair in given.items() for part in pair):
        raise ConfigError(f"{name}: expected a mapping of text to text")
    return {str(key): str(item) for key, item in given.items()}


def known_options(options: Mapping[str, object], *names: str) -> None:
    """Refuse options that the source does not have.

    Raises:
        ConfigError: names the first unknown one.
    """
    unknown = sorted(options.keys() - set(names))
    if unknown:
        raise ConfigError(
            f"unknown option {unknown[0]!r}", hint=f"there are: {', '.join(names)}"
        )


def text_option(options: Mapping[str, object], name: str, example: str) -> str:
    """A required text option.

    Raises:
        ConfigError: it is missing or no text.
    """
    value = options.get(name)
    if not isinstance(value, str) or not value:
        raise ConfigError(f"`{name}` is missing", hint=f"for example {name}: {example}")
    return value


class Table:
    """All rows of a source, found by the id of the result they belong to."""

    def __init__(self, rows: Sequence[Row], how: Layout, where: str) -> None:
        self._rows = rows
        self._how = how
        self._where = where
        self._columns = {column for row in rows for column in row.values}
        self._indexes: dict[tuple[str, ...], dict[tuple[str, ...], list[Row]]] = {}

    def records(self, need: Records) -> tuple[ExecutionRecord, ...]:
        """The records about the result.

        Raises:
            SourceInaccessible: the match column does not exist, the result lacks the id, or a row is no record.
        """
        match = self._match(need)
        if match is None:
            return tuple(record(row, self._how, ()) for row in self._rows)
        columns = tuple(match)
        wanted: list[str] = []
        for column, name in match.items():
            value: str | None = getattr(need, name)
            if value is None:
                raise SourceInaccessible(
                    f"rows are matched by {column}, but the result has no {name}"
                )
            wanted.append(value)
        return tuple(
            record(row, self._how, columns)
            for row in self._index(columns).get(tuple(wanted), ())
        )

    def _match(self, need: Records) -> Mapping[str, str] | None:
        if not self._rows:
            return None
        if self._how.match is not None:
            for column in self._how.match:
                if column not in self._columns:
                    raise SourceInaccessible(
                        f"{self._where} has no column {column!r} to match by"
                    )
            return self._how.match
        present = [name for name in ID_NAMES if name in self._columns]
        usable = [name for name in present if getattr(need, name) is not None]
        if present and not usable:
            raise SourceInaccessible(
                f"rows are matched by {present[0]}, but the result has none"
            )
        return {usable[0]: usable[0]} if usable else None

    def _index(self, columns: tuple[str, ...]) -> dict[tuple[str, ...], list[Row]]:
        index = self._indexes.get(columns)
        if index is None:
            index = dict[tuple[str, ...], list[Row]]()
            for row in self._rows:
                values = [row.values.get(column) for column in columns]
                if all(value is not None for value in values):
                    index.setdefault(tuple(map(str, values)), []).append(row)
            self._indexes[columns] = index
        return index


def record(row: Row, how: Layout, match_columns: Iterable[str]) -> ExecutionRecord:
    """One row as a record.

    Parameters are the `parameters` column (an object, or JSON text of one), else the columns `parameters.x`, else all
    columns that mean nothing else. An empty cell is no value.

    Raises:
        SourceInaccessible: the row has no kind, or a value that cannot be read.
    """
    names = {name: how.columns.get(name, name) for name in (*FIELDS, _PARAMETERS)}
    data: dict[str, Any] = {}
    for name in FIELDS:
        value = row.values.get(names[name])
        if value is not None and value != "":
            data[name] = value if name == "at" else _as_text(value)
    if "kind" not in data:
        raise SourceInaccessible(
            f"{row.where}: no {names['kind']!r} column or value says what was executed"
        )
    meant = {*names.values(), *match_columns, *ID_NAMES}
    data[_PARAMETERS] = _parameters(row, names[_PARAMETERS], meant)
    try:
        return ExecutionRecord.model_validate(data)
    except ValidationError as fault:
        first = fault.errors()[0]
        raise SourceInaccessible(
            f"{row.where}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from fault


def _as_text(value: object) -> object:
    """Ids come as numbers too."""
    return (
        str(value)
        if isinstance(value, int | float) and not isinstance(value, bool)
        else value
    )


def _parameters(row: Row, column: str, meant: set[str]) -> dict[str, object]:
    given = row.values.get(column)
    if isinstance(given, str) and given.strip():
        try:
            given = json.loads(given)
        except ValueError as fault:
            raise SourceInaccessible(
                f"{row.where}: {column}: expected a JSON object: {fault}"
            ) from fault
    if isinstance(given, dict):
        return cast("dict[str, object]", given)
    if given not in (None, ""):
        raise SourceInaccessible(
            f"{row.where}: {column}: expected an object, got {type(given).__name__}"
        )
    prefixed = {
        name.removeprefix(_PREFIX): value
        for name, value in row.values.items()
        if name.startswith(_PREFIX)
    }
    chosen = prefixed or {
        name: value for name, value in row.values.items() if name not in meant
    }
    return {
        name: value
        for name, value in chosen.items()
        if value is not None and value != ""
    }
