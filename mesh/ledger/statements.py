"""Statements of the writer, compiled once for each table and dialect.

SQLAlchemy compiles the SQL and gives the converters of the column types; rows then go to the driver as plain
parameters. Building and compiling an `Insert` for every commit cost more than the commit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import Connection, Dialect, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import judge_cache, price_snapshot

_Converter: TypeAlias = Callable[[Any], Any]
_KEPT: Final = 256
"""Compiled statements that are kept: tables times the sets of columns that rows give."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """SQL, and how a row becomes its parameters.

    values_of: the values of a row in the order of the parameters. converters: what converts the value at a place for
    the driver. names: those of the parameters, where the driver takes them by name.
    """

    sql: str
    values_of: Callable[[Row], tuple[Any, ...]]
    converters: tuple[tuple[int, _Converter], ...]
    names: tuple[str, ...] | None

    def parameters(self, row: Row) -> Sequence[Any] | Mapping[str, Any]:
        """The values of a row as the driver takes them.

        Raises:
            KeyError: the row lacks a column that the statement fills.
        """
        values = list(self.values_of(row))
        for place, convert in self.converters:
            values[place] = convert(values[place])
        if self.names is None:
            return tuple(values)
        return dict(zip(self.names, values, strict=True))


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows that all give the same columns, by one statement.

    Raises:
        KeyError: a row lacks a column that the first row gives.
        ValueError: a column cannot hold a value.
        DBAPIError: the database refuses.
    """
    statement = _insert(table, connection.dialect, tuple(rows[0]))
    connection.exec_driver_sql(
        statement.sql, [statement.parameters(row) for row in rows]
    )


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


def _converter(table: Table, dialect: Dialect, name: str) -> _Converter | None:
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
