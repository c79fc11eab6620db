"""Statements of the writer, compiled once for each table and dialect.

SQLAlchemy compiles the SQL; rows then go to the driver as plain parameters (see `binding`). Building and compiling an
`Insert` for every commit cost more than the commit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Connection, Dialect, Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.summary_tables import evaluator_cost_summary
from judgemesh.mesh.ledger.schema.tables import judge_cache, price_snapshot
from judgemesh.mesh.ledger.sqlite_driver import run_on_sqlite
from judgemesh.mesh.ledger.statements.binding import BoundRows, bind_rows, compiling

_KEPT: Final = 256
"""Compiled statements that are kept: tables times the sets of columns that rows give."""
_ROWS_A_STATEMENT: Final = (64, 32, 16, 8, 4, 2, 1)
"""Few sizes, so that the driver finds its prepared statements again."""
_MAX_PARAMETERS: Final = 999
"""Of one statement; every SQLite takes as many."""


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
    sql, by_name = _insert(table, compiling(connection.dialect), rows.names)
    if by_name:
        named = [dict(zip(rows.names, row, strict=True)) for row in rows.rows()]
        connection.exec_driver_sql(sql, named)
        return
    # SQLite's driver gives up the interpreter's lock at every row that it steps over, and waits to get it back.
    values, width = rows.values, len(rows.names)
    done, left, most = 0, len(values) // width, max(1, _MAX_PARAMETERS // width)
    for count in _ROWS_A_STATEMENT:
        while count <= min(most, left):
            end = done + count * width
            run_on_sqlite(connection, _of_rows(sql, count), tuple(values[done:end]))
            done, left = end, left - count


@lru_cache(maxsize=_KEPT * len(_ROWS_A_STATEMENT))
def _of_rows(sql: str, count: int) -> str:
    """The statement that inserts so many rows as `sql` inserts one."""
    before, values, behind = _ONE_ROW.split(sql, maxsplit=1)
    return f"{before}{', '.join([values] * count)}{behind}"


_ONE_ROW: Final = re.compile(r"(?<= VALUES )(\([?, ]+\))")


@lru_cache(maxsize=_KEPT)
def _insert(table: Table, dialect: Dialect, names: tuple[str, ...]) -> tuple[str, bool]:
    """The statement for one row of these columns, and whether its parameters have names."""
    compiled = _insert_into(table, dialect.name).compile(
        dialect=dialect, column_keys=list(names)
    )
    return str(compiled), not compiled.positional


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
