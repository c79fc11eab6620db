"""Statements of the writer, compiled once for each table and dialect.

SQLAlchemy compiles the SQL and gives the converters of the column types; rows then go to the driver as plain
parameters. Building and compiling an `Insert` for every commit cost more than the commit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeAlias, cast

from sqlalchemy import (
    JSON,
    Boolean,
    Connection,
    Dialect,
    Insert,
    LargeBinary,
    Table,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.types import TypeEngine

from judgemesh.mesh.ledger.encoding import dumps, dumps_without_nul
from judgemesh.mesh.ledger.schema.columns import (
    MoneyColumn,
    Row,
    TextColumn,
    UtcColumn,
    utc_text,
)
from judgemesh.mesh.ledger.schema.summary_tables import evaluator_cost_summary
from judgemesh.mesh.ledger.schema.tables import judge_cache, price_snapshot
from judgemesh.mesh.ledger.sqlite_driver import run_on_sqlite

_Converter: TypeAlias = Callable[[Any], Any]
_KEPT: Final = 256
"""Compiled statements that are kept: tables times the sets of columns that rows give."""
_ROWS_A_STATEMENT: Final = (64, 32, 16, 8, 4, 2, 1)
"""Few sizes, so that the driver finds its prepared statements again."""
_MAX_PARAMETERS: Final = 999
"""Of one statement; every SQLite takes as many."""
_MOMENTS: Final = 64


class BoundRows(NamedTuple):
    """Rows of a table as the driver of a database takes them, to be inserted here or by another process.

    names: their columns, in the order of the statement. values: those of each row, converted.
    """

    names: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]

    def column(self, name: str) -> tuple[Any, ...]:
        """The values of a column, row by row."""
        place = self.names.index(name)
        return tuple(row[place] for row in self.values)

    def among(self, name: str, held: Collection[Any]) -> BoundRows:
        """The rows whose value in a column is one of these."""
        place = self.names.index(name)
        return BoundRows(
            self.names, tuple(row for row in self.values if row[place] in held)
        )


_Column: TypeAlias = Callable[[Sequence[Any]], Sequence[Any]]
"""Converts the values of a column, of all rows at once: few columns hold a value that must be converted."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """SQL, and how rows become its parameters.

    names: of the parameters, in order. values_of: the values of a row in this order. converters: what converts the
    columns at their places. by_name: whether the driver takes parameters by name.
    """

    sql: str
    names: tuple[str, ...]
    values_of: Callable[[Row], tuple[Any, ...]]
    converters: tuple[tuple[int, _Column], ...]
    by_name: bool

    def parameters(self, rows: Sequence[Row]) -> tuple[tuple[Any, ...], ...]:
        """The values of each row as the driver takes them, in order.

        Raises:
            KeyError: a row lacks a column that the statement fills.
        """
        columns: list[Sequence[Any]] = list(
            zip(*map(self.values_of, rows), strict=True)
        )
        for place, convert in self.converters:
            columns[place] = convert(columns[place])
        return tuple(zip(*columns, strict=True))


def bind_rows(table: Table, dialect: Dialect, rows: Sequence[Row]) -> BoundRows:
    """Rows that all give the same columns, converted for a database.

    Raises:
        KeyError: a row lacks a column that the first row gives.
        ValueError: a column cannot hold a value.
    """
    statement = _insert(table, compiling(dialect), tuple(rows[0]))
    return BoundRows(statement.names, statement.parameters(rows))


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows that all give the same columns, by few statements.

    Raises:
        KeyError, ValueError: see `bind_rows`.
        DBAPIError: the database refuses.
    """
    insert_bound(connection, table, bind_rows(table, connection.dialect, rows))


def insert_bound(connection: Connection, table: Table, rows: BoundRows) -> None:
    """Insert rows that were bound for this kind of database, by few statements.

    Raises:
        DBAPIError: the database refuses.
    """
    statement = _insert(table, compiling(connection.dialect), rows.names)
    parameters = rows.values
    if statement.by_name:
        named = [dict(zip(rows.names, row, strict=True)) for row in parameters]
        connection.exec_driver_sql(statement.sql, named)
        return
    # SQLite's driver gives up the interpreter's lock at every row that it steps over, and waits to get it back.
    done, most = 0, max(1, _MAX_PARAMETERS // len(rows.names))
    for count in _ROWS_A_STATEMENT:
        while count <= min(most, len(parameters) - done):
            values = tuple(chain.from_iterable(parameters[done : done + count]))
            run_on_sqlite(connection, _of_rows(statement.sql, count), values)
            done += count


def compiling(dialect: Dialect) -> Dialect:
    """The dialect that statements are compiled with. Every engine has one of its own, and those of SQLite are alike."""
    return (
        _OF_SQLITE.setdefault(dialect.name, dialect)
        if dialect.name == "sqlite"
        else dialect
    )


_OF_SQLITE: Final[dict[str, Dialect]] = {}
"""The dialect of the first engine, once there is one."""


@lru_cache(maxsize=_KEPT * len(_ROWS_A_STATEMENT))
def _of_rows(sql: str, count: int) -> str:
    """The statement that inserts so many rows as `sql` inserts one."""
    before, values, behind = _ONE_ROW.split(sql, maxsplit=1)
    return f"{before}{', '.join([values] * count)}{behind}"


_ONE_ROW: Final = re.compile(r"(?<= VALUES )(\([?, ]+\))")


@lru_cache(maxsize=_KEPT)
def _insert(table: Table, dialect: Dialect, names: tuple[str, ...]) -> _Statement:
    compiled = _insert_into(table, dialect.name).compile(
        dialect=dialect, column_keys=list(names)
    )
    ordered = tuple(compiled.positiontup or names)
    converters: list[tuple[int, _Column]] = []
    for place, name in enumerate(ordered):
        column_type = table.c[name].type
        convert = _converter(column_type, dialect)
        if convert is not None:
            of_column = _OF_COLUMN.get(type(column_type), _always)
            converters.append((place, of_column(convert)))
    return _Statement(
        sql=str(compiled),
        names=ordered,
        values_of=_several(ordered),
        converters=tuple(converters),
        by_name=not compiled.positional,
    )


def _converter(column_type: TypeEngine[Any], dialect: Dialect) -> _Converter | None:
    """What converts a value that is not null; None where the driver takes it as it is.

    Drivers take bytes and the text of JSON: what SQLAlchemy makes of them cannot be pickled, or takes long to be.
    """
    if isinstance(column_type, LargeBinary):
        return None
    if isinstance(column_type, JSON):
        return _JSON_TEXT[dialect.name]
    if isinstance(column_type, UtcColumn) and dialect.name == "sqlite":
        return utc_text
    return column_type.dialect_impl(dialect).bind_processor(dialect)


_JSON_TEXT: Final[Mapping[str, _Converter]] = MappingProxyType(
    {"sqlite": dumps, "postgresql": dumps_without_nul}
)


def _always(convert: _Converter) -> _Column:
    return lambda values: list(map(convert, values))


def _unless_null(convert: _Converter) -> _Column:
    return lambda values: [
        None if value is None else convert(value) for value in values
    ]


def _of_texts(convert: _Converter) -> _Column:
    """Most texts are ASCII, which every database takes."""

    def converted(values: Sequence[str | None]) -> Sequence[str | None]:
        together = "".join(filter(None, values))
        if together.isascii() and "\0" not in together:
            return values
        return list(map(convert, values))

    return converted


def _of_flags(convert: _Converter) -> _Column:
    """All but numbers are taken as they are."""
    are_plain = frozenset((None, True, False)).issuperset
    return lambda values: values if are_plain(values) else list(map(convert, values))


def _of_moments(convert: _Converter) -> _Column:
    """The rows of one report are of one moment."""
    return _unless_null(lru_cache(maxsize=_MOMENTS)(convert))


def _of_json(convert: _Converter) -> _Column:
    """Most lists and objects of a report are empty."""
    empty: dict[type[object], Any] = {
        list: convert([]),
        dict: convert({}),
        tuple: convert(()),
    }

    def quick(value: Any) -> Any:
        made = None if value else empty.get(cast("type[object]", type(value)))
        return convert(value) if made is None else made

    return _unless_null(quick)


_OF_COLUMN: Final[Mapping[type[object], Callable[[_Converter], _Column]]] = (
    MappingProxyType(
        {
            TextColumn: _of_texts,
            Boolean: _of_flags,
            UtcColumn: _of_moments,
            JSON: _of_json,
            MoneyColumn: _unless_null,
        }
    )
)
"""For types of columns: a quicker way to the same values. The null of a moment, of JSON and of money stays null."""


def _several(keys: tuple[Any, ...]) -> Callable[[Any], tuple[Any, ...]]:
    """The values at these keys, as a tuple also where there is one."""
    if len(keys) == 1:
        return lambda values: (values[keys[0]],)
    return cast("Callable[[Any], tuple[Any, ...]]", itemgetter(*keys))


def _insert_into(table: Table, dialect: str) -> Insert:
    """Prices are content-addressed, so one row is enough; a cache entry may be written again; counts are added."""
    insert: postgresql.Insert | sqlite.Insert = sqlite.insert(table)
    if dialect == "postgresql":
        insert = postgresql.insert(table)
    if table is price_snapshot:
        return insert.on_conflict_do_nothing()
    if table is judge_cache:
        return insert.on_conflict_do_update(
            index_elements=[judge_cache.c.cache_key],
            set_={
                "response": insert.excluded.response,
                "created_at": insert.excluded.created_at,
            },
        )
    if table is evaluator_cost_summary:
        sums: dict[str, Any] = {}
        for column in table.columns:
            if not column.primary_key:
                sums[column.name] = column + insert.excluded[column.name]
        return insert.on_conflict_do_update(index_elements=table.primary_key, set_=sums)
    return insert
