"""Which column of a row means what, and a row as an execution record."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from pydantic import ValidationError

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.text.spelling import nearest
from judgemesh.mesh.sources.protocols import SourceInaccessible

ID_NAMES: Final = ("result_id", "trace_id", "task_id")
_FIELDS: Final = ("kind", "target", "confirmation_id", "status", "at")
_PARAMETERS: Final = "parameters"
_COLUMN_NAMES: Final = (*_FIELDS, _PARAMETERS)
_PARAMETER_PREFIX: Final = "parameters."
_NEAR: Final = 0.8
_MIN_CHARS: Final = 4


class Row(NamedTuple):
    """One row and where it is (`tickets.jsonl:12`)."""

    where: str
    values: Mapping[str, object]


def _hint(name: str, column: str) -> str:
    if column in _COLUMN_NAMES:
        return f"a field is followed by its column: {{{column}: {name}}}"
    return f"one of {', '.join(_COLUMN_NAMES)}"


@dataclass(frozen=True, slots=True)
class RecordLayout:
    """How columns are read.

    match: column -> the id of the result it holds; None takes the first of result_id, trace_id, task_id that exists.
    columns: record field -> column.
    """

    match: Mapping[str, str] | None
    columns: Mapping[str, str]

    @classmethod
    def from_options(cls, options: Mapping[str, object]) -> RecordLayout:
        """The layout that the options `match` and `columns` set.

        Raises:
            ConfigError: one of them is no mapping of the known names.
        """
        match = _text_mapping(options, "match")
        for column, name in match.items():
            if name not in ID_NAMES:
                raise ConfigError(
                    f"match: {column}: {name!r} is no id",
                    hint=f"one of {', '.join(ID_NAMES)}",
                )
        columns = _text_mapping(options, "columns")
        for name in columns:
            if name not in _COLUMN_NAMES:
                raise ConfigError(
                    f"columns: {name!r} is no field of a record",
                    hint=_hint(name, columns[name]),
                )
        return cls(match or None, columns)

    def check(
        self, columns: Collection[str], where: str, *, fixed: bool
    ) -> tuple[str, ...]:
        """Look for every column that the options name among those that there are; warnings, one line each.

        Raises:
            SourceInaccessible: a column that is needed does not exist, or any column where they are `fixed`.
        """
        needed = self.required_columns()
        named = [*needed, *self.columns.values()]
        warnings: list[str] = []
        for column in dict.fromkeys(named):
            if column in columns:
                continue
            message = f"{where} has no column {column!r}; there are: {', '.join(sorted(columns))}"
            if fixed or column in needed:
                raise SourceInaccessible(message)
            warnings.append(message)
        return tuple(warnings)

    def required_columns(self) -> tuple[str, ...]:
        """The columns without which no row can be read or matched."""
        return (self.columns.get("kind", "kind"), *(self.match or ()))

    def record(self, row: Row, match_columns: Collection[str] = ()) -> ExecutionRecord:
        """One row as a record, the same object as an entry of a result's `records` with the same keys.

        Parameters are the `parameters` column (an object, or JSON text of one), else the columns `parameters.x`, else
        all columns that have no other meaning. A column that has no other meaning stays beside the parameters too, as
        a key of an entry does: that is where flags, errors and confirmations are read. An empty cell is no value.

        Raises:
            SourceInaccessible: the row has no kind, or a value that cannot be read.
        """
        columns = {name: self.columns.get(name, name) for name in _COLUMN_NAMES}
        misspelt = _misspelt(frozenset(row.values), frozenset(columns.values()))
        if misspelt:
            raise SourceInaccessible(f"{row.where}: {misspelt}")
        used = {*columns.values(), *match_columns, *ID_NAMES}
        data: dict[str, Any] = _beside(row, used)
        for name in _FIELDS:
            value = row.values.get(columns[name])
            if value is not None and value != "":
                data[name] = value if name == "at" else _number_as_text(value)
        if "kind" not in data:
            raise SourceInaccessible(
                f"{row.where}: no {columns['kind']!r} column or value says what was executed"
            )
        data[_PARAMETERS] = _parameters(row, columns[_PARAMETERS], used)
        try:
            return ExecutionRecord.model_validate(data)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            raise SourceInaccessible(f"{row.where}: {field}: {first['msg']}") from error


@lru_cache(maxsize=1024)
def _misspelt(names: frozenset[str], columns: frozenset[str]) -> str:
    """What is wrong with a column whose name is nearly that of a column that is missing; empty if nothing is.

    Such a column would count as a parameter, and the status or target that it holds as not given.
    """
    others = {name for name in names - columns if "." not in name}
    for column in sorted(columns - names):
        # A plural is a name of its own, and near a short name is nearly everything.
        near_names = (
            others - {f"{column}s"} if len(column) >= _MIN_CHARS else set[str]()
        )
        near = nearest(column, near_names, cutoff=_NEAR)
        if near is not None:
            return (
                f"column {near!r} is nearly {column!r};"
                f" rename it, or say `columns: {{{column}: {near}}}`"
            )
    return ""


def _text_mapping(options: Mapping[str, object], name: str) -> dict[str, str]:
    value = options.get(name)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ConfigError(f"{name}: expected a mapping, got {type(value).__name__}")
    mapping: dict[str, str] = {}
    for key, item in cast("Mapping[object, object]", value).items():
        if not isinstance(key, str) or not isinstance(item, str):
            raise ConfigError(f"{name}: expected a mapping of text to text")
        mapping[key] = item
    return mapping


def _number_as_text(value: object) -> object:
    """Ids may be numbers too."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value


def _beside(row: Row, used: Collection[str]) -> dict[str, Any]:
    """The cells of the columns that are neither a field of a record, nor an id, nor a parameter by their name."""
    return {
        name: cell
        for name, cell in row.values.items()
        if name not in used
        and name not in _COLUMN_NAMES
        and not name.startswith(_PARAMETER_PREFIX)
        and cell is not None
        and cell != ""
    }


def _parameters(row: Row, column: str, used: Collection[str]) -> dict[str, object]:
    value = row.values.get(column)
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError as error:
            raise SourceInaccessible(
                f"{row.where}: {column}: expected a JSON object: {error}"
            ) from error
    if isinstance(value, dict):
        return cast("dict[str, object]", value)
    if value not in (None, ""):
        raise SourceInaccessible(
            f"{row.where}: {column}: expected an object, got {type(value).__name__}"
        )
    prefixed: dict[str, object] = {}
    unused: dict[str, object] = {}
    for name, cell in row.values.items():
        if name.startswith(_PARAMETER_PREFIX):
            prefixed[name.removeprefix(_PARAMETER_PREFIX)] = cell
        elif name not in used:
            unused[name] = cell
    parameters = prefixed or unused
    return {
        name: cell
        for name, cell in parameters.items()
        if cell is not None and cell != ""
    }
