"""Statements about many rows by their keys, in few texts: compiled once, and known to the driver."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, Final

from sqlalchemy import Connection, Dialect, text

from judgemesh.mesh.ledger.sqlite_driver import run_on_sqlite
from judgemesh.mesh.ledger.statements.binding import compiling

_KEPT: Final = 256


def rows_among(
    connection: Connection, query: str, ids: Sequence[str]
) -> Sequence[Sequence[Any]]:
    """The rows of a statement in which `{which}` stands for the condition that a column holds one of the ids.

    The last id is given again until their number is a power of two. So a statement has ten texts instead of one for
    each number of ids, and the driver knows it.
    """
    statement, values = _bound(connection, query, ids)
    if isinstance(values, tuple):
        return run_on_sqlite(connection, statement, values)
    return connection.exec_driver_sql(statement, values).all()


def change_among(connection: Connection, query: str, ids: Sequence[str]) -> None:
    """`rows_among` for a statement that returns no rows."""
    statement, values = _bound(connection, query, ids)
    if isinstance(values, tuple):
        run_on_sqlite(connection, statement, values)
    else:
        connection.exec_driver_sql(statement, values)


def _bound(
    connection: Connection, query: str, ids: Sequence[str]
) -> tuple[str, tuple[str, ...] | dict[str, str]]:
    """The text of a statement and its parameters, by place for SQLite and by name for PostgreSQL."""
    count = 1 << (len(ids) - 1).bit_length()
    statement, names = _among(query, count, compiling(connection.dialect))
    filled = (*ids, *repeat(ids[-1], count - len(ids)))
    if names is None:
        return statement, filled
    return statement, dict(zip(names, filled, strict=True))


@lru_cache(maxsize=_KEPT)
def _among(
    query: str, count: int, dialect: Dialect
) -> tuple[str, tuple[str, ...] | None]:
    """The text of a statement for so many ids, and the names of its parameters where the driver takes them by name.

    It is compiled here, once: SQLAlchemy takes longer to look at hundreds of parameters than the database.
    """
    if dialect.name == "sqlite":
        return query.format(which=f"IN ({', '.join('?' * count)})"), None
    names = tuple(f"id_{number}" for number in range(count))
    which = f"IN ({', '.join(f':{name}' for name in names)})"
    compiled = text(query.format(which=which)).compile(dialect=dialect)
    return str(compiled), names
