"""A database that is only read: engines that refuse to write, and the jobs of a worker that runs a query.

SQLite: an authorizer permits reading only (no `ATTACH`, no `VACUUM INTO`, no `PRAGMA` that sets something). PostgreSQL:
a read-only transaction, one statement, with the server's own time limits. Of other databases the user's rights decide.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine

_READS: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
    }
)
_READING_PRAGMAS: Final = frozenset(
    {
        "database_list", "foreign_key_list", "index_info", "index_list", "index_xinfo", "table_info", "table_list",
        "table_xinfo",
    }
)  # fmt: skip
_WRITING_FUNCTIONS: Final = frozenset(
    {"load_extension", "writefile", "edit", "fts3_tokenizer", "readfile"}
)
_LOCK_WAIT_S: Final = 5.0
_MAX_REASON_CHARS: Final = 300
_REFUSED: Final = frozenset({"not authorized", "authorization denied"})
"""What SQLite says where its authorizer refuses."""


class QueryFailed(Exception):
    """The database cannot be reached or refuses the query; the text has neither the statement nor its parameters."""


def read_only_engine(url: URL, *, timeout_s: float) -> Engine:
    """An engine whose connections only read, and wait for locks no longer than 5 s."""
    from sqlalchemy import create_engine, event

    backend = url.get_backend_name()
    if backend == "postgresql":
        timeouts = f"-c statement_timeout={int(timeout_s * 1000)} -c lock_timeout={int(_LOCK_WAIT_S * 1000)}"
        return create_engine(
            url,
            connect_args={
                "options": f"{timeouts} -c default_transaction_read_only=on",
                "connect_timeout": max(2, int(min(timeout_s, 10))),
            },
            # A cursor of the server takes one SELECT: no second statement, no COPY.
            execution_options={"postgresql_readonly": True, "stream_results": True},
        )
    if backend != "sqlite":
        return create_engine(url)
    engine = create_engine(url, connect_args={"timeout": _LOCK_WAIT_S})
    event.listen(engine, "connect", _only_read)
    return engine


def _only_read(connection: object, _record: object) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(_permission)


def _permission(
    action: int, first: str | None, second: str | None, _db: str | None, _by: str | None
) -> int:
    allowed = action in _READS
    if action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").casefold() not in _WRITING_FUNCTIONS
    if action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").casefold()
        allowed = name in _READING_PRAGMAS
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


@cache
def _engine(url: str, timeout_s: float) -> Engine:
    from sqlalchemy.engine import make_url

    return read_only_engine(make_url(url), timeout_s=timeout_s)


def query_rows(
    url: str,
    query: str,
    parameters: Mapping[str, object],
    max_rows: int,
    timeout_s: float,
) -> tuple[list[str], list[dict[str, Any]]]:
    """Columns and rows of a query. A job for a worker.

    Raises:
        QueryFailed: the database cannot be reached, refuses the query, or gives more than `max_rows`.
    """
    from sqlalchemy import text
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with _engine(url, timeout_s).connect() as connection:
            return _read(connection, text(query), parameters, max_rows)
    except (SQLAlchemyError, ImportError) as error:
        raise QueryFailed(_why(error)) from None


def _read(
    connection: Connection, query: Any, parameters: Mapping[str, object], max_rows: int
) -> tuple[list[str], list[dict[str, Any]]]:
    result = connection.execute(query, dict(parameters))
    columns = list(result.keys())
    rows: list[dict[str, Any]] = []
    if max_rows:
        for row in result.mappings():
            if len(rows) >= max_rows:
                raise QueryFailed(f"the query gives more than {max_rows} rows")
            rows.append(dict(row))
    result.close()
    connection.rollback()
    return columns, rows


def _why(error: Exception) -> str:
    cause: Any = getattr(error, "orig", None) or error
    text = getattr(cause, "strerror", None) or str(cause)
    if text in _REFUSED:
        return "a source may only read"
    reason = " ".join(f"{type(cause).__name__}: {text}".split())
    return reason[:_MAX_REASON_CHARS]
