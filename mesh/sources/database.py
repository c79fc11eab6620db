"""A database that a source reads through SQLAlchemy: its address, a read-only engine, and its errors in one line."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.sources.options import required_text
from judgemesh.mesh.sources.protocols import SourceInaccessible

if TYPE_CHECKING:
    from sqlalchemy import Engine

_MAX_REASON_CHARS: Final = 300


class Database:
    """The database of the option `url`. A relative SQLite path starts from `base_dir`."""

    def __init__(
        self, options: Mapping[str, object], base_dir: Path, *, example: str
    ) -> None:
        """Check the address; nothing is opened.

        Raises:
            ConfigError: there is no address, or it cannot be parsed.
        """
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError

        try:
            url = make_url(required_text(options, "url", example))
        except ArgumentError as error:
            raise ConfigError(
                "url: no database address", hint=f"for example {example}"
            ) from error
        self._file: Path | None = None
        self._is_sqlite = url.get_backend_name() == "sqlite"
        if self._is_sqlite and url.database not in (None, "", ":memory:"):
            self._file = base_dir / str(url.database)
            url = url.set(database=str(self._file))
        self._url = url

    @property
    def label(self) -> str:
        """The address without its password."""
        return self._url.render_as_string(hide_password=True)

    def check_file(self) -> None:
        """Refuse an SQLite file that does not exist: SQLite would create an empty database and answer from it.

        Raises:
            SourceInaccessible: the file does not exist.
        """
        if self._file is not None and not self._file.is_file():
            raise SourceInaccessible(f"{self._file} does not exist")

    def engine(self) -> Engine:
        """A new engine. Its connections are read-only as far as the database offers it."""
        from sqlalchemy import create_engine, event

        options: dict[str, bool] = {}
        if self._url.get_backend_name() == "postgresql":
            options["postgresql_readonly"] = True
        engine = create_engine(self._url, execution_options=options)
        if self._is_sqlite:
            event.listen(engine, "connect", _set_query_only)
        return engine


def _set_query_only(connection: object, _record: object) -> None:
    import sqlite3

    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA query_only = ON")


@contextmanager
def query_errors() -> Generator[None]:
    """Turn the errors of a query into SourceInaccessible, without the statement and its parameters."""
    from sqlalchemy.exc import SQLAlchemyError

    try:
        yield
    except (SQLAlchemyError, ImportError) as error:
        cause = getattr(error, "orig", None) or error
        text = getattr(cause, "strerror", None) or str(cause)
        reason = " ".join(f"{type(cause).__name__}: {text}".split())
        raise SourceInaccessible(
            f"the query failed: {reason[:_MAX_REASON_CHARS]}"
        ) from error
