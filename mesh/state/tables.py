"""SQL tables as state: rows by primary key. Read in one transaction that is rolled back."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, time
from decimal import Decimal
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.isolation.sql import read_only_engine

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Select

_MAX_SAFE_INTEGER: Final = 2**53
_MAX_REASON_CHARS: Final = 300
_TIMEOUT_S: Final = 300.0
_HIDDEN_PASSWORD: Final = ":***@"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlTables:
    """Tables of a database to watch; their key in the snapshot is `name`.

    url: an SQLAlchemy URL. tables: which; empty for all. max_rows: of one table; more is an error.
    """

    url: str = field(repr=False)
    tables: tuple[str, ...] = ()
    name: str = "tables"
    max_rows: int = 100_000

    def take(self) -> dict[str, object]:
        """Table -> key of a row -> columns. A key of several columns is joined by commas.

        A row of a table without primary key has the hash of the whole row as its key, with `#2` and so on for equal
        rows.

        Raises:
            InputError: the database cannot be read, a table does not exist, or holds too many rows.
        """
        from sqlalchemy import inspect

        snapshot: dict[str, object] = {}
        where, url = self._checked_url()
        with _connection(url, where) as connection:
            inspector = inspect(connection)
            existing = inspector.get_table_names()
            for table in self.tables:
                if table not in existing:
                    raise InputError(f"there is no table {table!r}", where=where)
            for table in sorted(self.tables or existing):
                key = inspector.get_pk_constraint(table)["constrained_columns"]
                snapshot[table] = self._rows(connection, table, key)
            connection.rollback()
        return snapshot

    def _checked_url(self) -> tuple[str, URL]:
        """The URL without its password, for messages, and the parsed URL."""
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import SQLAlchemyError

        if _HIDDEN_PASSWORD in self.url:
            raise InputError(
                "a snapshot keeps no password", where=self.url, hint="give --sql again"
            )
        try:
            url = make_url(self.url)
            where = url.render_as_string(hide_password=True)
        except SQLAlchemyError:
            raise InputError(
                "is no database URL", where="--sql", hint="such as sqlite:///orders.db"
            ) from None
        is_sqlite_file = url.get_backend_name() == "sqlite" and url.database
        if is_sqlite_file and not Path(url.database or "").is_file():
            raise InputError("there is no such file", where=where)
        return where, url

    def _rows(
        self, connection: Connection, table: str, key: Sequence[str]
    ) -> dict[str, object]:
        from sqlalchemy import select, text
        from sqlalchemy import table as named_table

        every_column = select(text("*")).select_from(named_table(table))
        query: Select[Any] = every_column.limit(self.max_rows + 1)
        rows: dict[str, object] = {}
        for row in connection.execute(query).mappings():
            if len(rows) >= self.max_rows:
                raise InputError(
                    f"table {table!r} holds more than {self.max_rows} rows",
                    where=self.name,
                )
            values = {str(name): plain_value(value) for name, value in row.items()}
            rows[_unused(_key(values, key), rows)] = values
        return rows


@contextmanager
def _connection(url: URL, where: str) -> Generator[Connection]:
    """A connection; the errors of the database become InputError."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        engine = read_only_engine(url, timeout_s=_TIMEOUT_S)
        try:
            with engine.connect() as connection:
                yield connection
        finally:
            engine.dispose()
    except (SQLAlchemyError, ImportError) as error:
        cause = getattr(error, "orig", None) or error
        reason = " ".join(str(cause).split())[:_MAX_REASON_CHARS]
        raise InputError(f"cannot be read: {reason}", where=where) from None


def _key(values: Mapping[str, object], columns: Sequence[str]) -> str:
    if columns:
        return ",".join(str(values[name]) for name in columns)
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def _unused(key: str, taken: Collection[str]) -> str:
    """The key, with a number behind it if it is taken."""
    name, count = key, 1
    while name in taken:
        count += 1
        name = f"{key}#{count}"
    return name


def plain_value(value: Any) -> object:
    """A column's value as JSON: exact numbers and times as text, bytes in base64."""
    match value:
        case None | bool() | str() | dict() | list():
            plain: object = cast("object", value)
        case int():
            plain = value if abs(value) <= _MAX_SAFE_INTEGER else str(value)
        case float():
            plain = value if isfinite(value) else str(value)
        case date() | time():
            plain = value.isoformat()
        case bytes() | memoryview():
            plain = base64.b64encode(bytes(cast("bytes", value))).decode()
        case Decimal() | UUID():
            plain = str(value)
        case _:
            plain = repr(value)
    return plain
