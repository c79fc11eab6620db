"""Statements of the writer, compiled once for each table and dialect.

SQLAlchemy compiles the SQL and gives the converters of the column types; rows then go to the driver as plain
parameters. Building and compiling an `Insert` for every commit cost more than the commit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import Connection, Dialect, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import judge_cache, price_snapshot

_Convert: TypeAlias = Callable[[Any], Any]
_Values: TypeAlias = Sequence[Any]
_KEPT: Final = 256
"""Compiled statements that are kept: tables times the sets of columns that rows give."""
_ROWS_A_STATEMENT: Final = (64, 32, 16, 8, 4, 2, 1)
"""Few sizes, so that the driver finds its prepared statements again."""
_MAX_PARAMETERS: Final = 999
"""Of one statement; every SQLite takes as many."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """SQL, and how rows become its parameters.

    values_of: the values of a row in the order of the parameters. converters: what converts the values of the column
    at a place for the driver. names: those of the parameters, where the driver takes them by name.
    """

    sql: str
    values_of: Callable[[Row], _Values]
    converters: tuple[tuple[int, _Convert], ...]
    names: tuple[str, ...] | None

    def parameters(self, rows: Sequence[Row]) -> list[_Values]:
        """The values of rows as the driver takes them.

        Raises:
            KeyError: a row lacks a column that the statement fills.
        """
        columns: list[_Values] = list(zip(*map(self.values_of, rows), strict=True))
        for place, convert in self.converters:
            columns[place] = _converted(columns[place], convert)
        return list(zip(*columns, strict=True))


def _converted(column: _Values, convert: _Convert) -> _Values:
    """The values of a column for the driver. In many columns all rows hold one object: a name, a digest, nothing."""
    if len(set(map(id, column))) == 1:
        return (convert(column[0]),) * len(column)
    return [convert(value) for value in column]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows that all give the same columns, by few statements.

    Raises:
        KeyError: a row lacks a column that the first row gives.
        ValueError: a column cannot hold a value.
        DBAPIError: the database refuses.
    """
    statement = _insert(table, connection.dialect, tuple(rows[0]))
    parameters = statement.parameters(rows)
    if statement.names is not None:
        named = [dict(zip(statement.names, row, strict=True)) for row in parameters]
        connection.exec_driver_sql(statement.sql, named)
        return
    # SQLite's driver gives up the interpreter's lock at every row that it steps over, and waits to get it back.
    done, most = 0, max(1, _MAX_PARAMETERS // len(rows[0]))
    for count in _ROWS_A_STATEMENT:
        while count <= min(most, len(parameters) - done):
            values = tuple(chain.from_iterable(parameters[done : done + count]))
            connection.exec_driver_sql(_of_rows(statement.sql, count), values)
            done += count


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
    converters = [_converter(table, dialect, name) for name in ordered]
    return _Statement(
        sql=str(compiled),
        values_of=_values_of(ordered),
        converters=tuple(
            (place, convert)
            for place, convert in enumerate(converters)
            if convert is not None
        ),
        names=None if compiled.positional else ordered,
    )


def _values_of(names: tuple[str, ...]) -> Callable[[Row], tuple[Any, ...]]:
    if len(names) == 1:
        return lambda row: (row[names[0]],)
    return cast("Callable[[Row], tuple[Any, ...]]", itemgetter(*names))


def _converter(table: Table, dialect: Dialect, name: str) -> _Convert | None:
    return table.c[name].type.dialect_impl(dialect).bind_processor(dialect)


def _insert_into(table: Table, dialect: str) -> Insert:
    """Prices are content-addressed, so one row is enough; a cache entry may be written again."""
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
    return insert
