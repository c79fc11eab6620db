"""Statements on SQLite past the results of SQLAlchemy."""

from __future__ import annotations

import sqlite3
from typing import Any, cast

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError


def run_on_sqlite(
    connection: Connection, statement: str, values: tuple[Any, ...]
) -> list[tuple[Any, ...]]:
    """The rows of `exec_driver_sql` on SQLite, without the result whose making costs as much as a small statement.

    Listeners of `do_execute` are called, as SQLAlchemy calls them.

    Raises:
        DBAPIError: the database refuses.
    """
    driver = cast("sqlite3.Connection", connection.connection.driver_connection)
    cursor = driver.cursor()
    try:
        for listener in connection.dialect.dispatch.do_execute:
            listener(cursor, statement, values, None)
        cursor.execute(statement, values)
        return cursor.fetchall()
    except sqlite3.Error as error:
        raise DBAPIError.instance(
            statement, values, error, sqlite3.Error, dialect=connection.dialect
        ) from error
    finally:
        cursor.close()
