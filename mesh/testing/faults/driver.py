"""Faults in the driver of a database: as if SQLite or PostgreSQL had raised them at the n-th statement or commit.

SQLAlchemy calls the listeners in the place of the driver, so that an error takes the way of a real one.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final

from judgemesh.mesh.testing.faults.fault import Moments
from judgemesh.mesh.testing.faults.signals import SIGNALS, send

_SLOW_S: Final = 0.3
_SQLITE: Final = MappingProxyType(
    {
        "io_error": (sqlite3.OperationalError, sqlite3.SQLITE_IOERR, "disk I/O error"),
        "disk_full": (
            sqlite3.OperationalError,
            sqlite3.SQLITE_FULL,
            "database or disk is full",
        ),
        "locked": (sqlite3.OperationalError, sqlite3.SQLITE_BUSY, "database is locked"),
        "corrupt": (
            sqlite3.DatabaseError,
            sqlite3.SQLITE_CORRUPT,
            "database disk image is malformed",
        ),
        "lost": (
            sqlite3.OperationalError,
            sqlite3.SQLITE_CANTOPEN,
            "unable to open database file",
        ),
    }
)
"""Kind -> class, primary result code and message, as SQLite gives them."""
_POSTGRESQL: Final = MappingProxyType(
    {
        "io_error": "58030",
        "disk_full": "53100",
        "locked": "55P03",
        "corrupt": "XX001",
        "lost": "57P01",
    }
)
"""Kind -> SQLSTATE."""
KINDS: Final = (*_SQLITE, "memory", "slow", "kill", "interrupt", "terminate")
COMMIT_KINDS: Final = (*KINDS, "kill_after", "lost_after")


def driver_error(kind: str, dialect: str) -> Exception:
    """The error of the driver of this dialect for this kind."""
    if kind == "memory":
        return MemoryError()
    if dialect == "postgresql":
        from psycopg import errors

        return errors.lookup(_POSTGRESQL[kind])(f"injected: {kind}")
    error_class, code, message = _SQLITE[kind]
    error = error_class(message)
    error.sqlite_errorcode = code
    error.sqlite_errorname = kind
    return error


def _strike(kind: str, dialect: str) -> None:
    if kind in SIGNALS:
        send(kind)
    elif kind == "slow":
        time.sleep(_SLOW_S)
    else:
        raise driver_error(kind, dialect)


@contextmanager
def faulty_statements(moments: Moments) -> Generator[None]:
    """The fault happens instead of the n-th statement, or before it (`slow`, signals)."""
    from sqlalchemy import Engine, event

    def execute(cursor: Any, *_: Any) -> None:
        if moments.next():
            is_sqlite = isinstance(cursor, sqlite3.Cursor)
            _strike(moments.fault.kind, "sqlite" if is_sqlite else "postgresql")

    listeners: tuple[tuple[str, Callable[..., None]], ...] = (
        ("do_execute", execute),
        ("do_executemany", execute),
        ("do_execute_no_params", execute),
    )
    for name, listener in listeners:
        event.listen(Engine, name, listener)
    try:
        yield
    finally:
        for name, listener in listeners:
            event.remove(Engine, name, listener)


@contextmanager
def faulty_commits(moments: Moments) -> Generator[None]:
    """The fault happens instead of the n-th commit; `kill_after` and `lost_after` happen after it."""
    from sqlalchemy import Connection, Engine, event

    wrapped: list[Any] = []

    def begun(connection: Connection) -> None:
        dialect: Any = connection.dialect
        if "do_commit" in vars(dialect):
            return
        dialect.do_commit = _faulty_commit(dialect, moments)
        wrapped.append(dialect)

    # Not when it connects: a connection may be open already.
    event.listen(Engine, "begin", begun)
    try:
        yield
    finally:
        event.remove(Engine, "begin", begun)
        for dialect in wrapped:
            del dialect.do_commit


def _faulty_commit(dialect: Any, moments: Moments) -> Callable[[Any], None]:
    commit: Callable[[Any], None] = dialect.do_commit
    kind, _, after = moments.fault.kind.partition("_after")
    is_after = moments.fault.kind.endswith("_after")
    del after

    def do_commit(connection: Any) -> None:
        happens = moments.next()
        if happens and not is_after:
            _strike(kind, dialect.name)
        commit(connection)
        if happens and is_after:
            _strike(kind, dialect.name)

    return do_commit
