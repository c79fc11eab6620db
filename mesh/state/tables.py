"""SQL tables as state: rows by primary key. Read in one transaction that is rolled back."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import UUID

from judgemesh.contracts.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

_MAX_SAFE: Final = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlTables:
    """Tables of a database to watch, which stand in the snapshot under `name`.

    url: an SQLAlchemy URL. tables: which; empty for all. max_rows: of one table; more is an error.
    """

    url: str
    tables: tuple[str, ...] = ()
    name: str = "tables"
    max_rows: int = 100_000

    def take(self) -> dict[str, object]:
        """Table -> key of a row -> columns. A key of several columns is joined by commas.

        A table without primary key takes the hash of the whole row, with `#2` and so on behind equal ones.

        Raises:
            InputError: the database cannot be read, a table is not there, or holds too many rows.
        """
        from sqlalchemy import create_engine, inspect
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import SQLAlchemyError

        if ":***@" in self.url:
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
        if (
            url.get_backend_name() == "sqlite"
            and url.database
            and not Path(url.database).is_file()
        ):
            raise InputError("there is no such file", where=where)
        try:
            engine = create_engine(url)
            try:
                with engine.connect() as connection:
                    inspector = inspect(connection)
                    there = inspector.get_table_names()
                    missing = [table for table in self.tables if table not in there]
                    if missing:
                        raise InputError(
                            f"there is no table {missing[0]!r}", where=where
                        )
                    taken: dict[str, object] = {
                        table: self._rows(
                            connection,
                            table,
                            inspector.get_pk_constraint(table)["constrained_columns"],
                        )
                        for table in sorted(self.tables or there)
                    }
                    connection.rollback()
            finally:
                engine.dispose()
        except (SQLAlchemyError, ImportError) as fault:
            cause = getattr(fault, "orig", None) or fault
            raise InputError(
                f"cannot be read: {' '.join(str(cause).split())[:300]}", where=where
            ) from None
        return taken

    def _rows(
        self, connection: Connection, table: str, key: Sequence[str]
    ) -> dict[str, object]:
        from sqlalchemy import select, text
        from sqlalchemy import table as named

        query: Select[Any] = (
            select(text("*")).select_from(named(table)).limit(self.max_rows + 1)
        )
        found: dict[str, object] = {}
        for number, row in enumerate(connection.execute(query).mappings()):
            if number >= self.max_rows:
                raise InputError(
                    f"table {table!r} holds more than {self.max_rows} rows",
                    where=self.name,
                )
            values = {str(name): plain_value(value) for name, value in row.items()}
            found[_free(_key(values, key), found)] = values
        return found


def _key(values: Mapping[str, object], columns: Sequence[str]) -> str:
    if columns:
        return ",".join(str(values[name]) for name in columns)
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:16]


def _free(key: str, taken: Mapping[str, object]) -> str:
    count, name = 1, key
    while name in taken:
        count += 1
        name = f"{key}#{count}"
    return name


def plain_value(value: Any) -> object:
    """A column's value as JSON: exact numbers and times as text, bytes in base64."""
    if (
        value is None
        or isinstance(value, bool | str)
        or (isinstance(value, int) and abs(value) <= _MAX_SAFE)
    ):
        return cast("object", value)
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(cast("bytes", value))).decode()
    if isinstance(value, dict | list):
        return cast("object", value)
    return str(value) if isinstance(value, int | Decimal | UUID) else repr(value)
