"""A database that a source reads through SQLAlchemy: its address, its rows, and its errors in one line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, cast

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.isolation.sql import QueryFailed, query_rows
from judgemesh.mesh.isolation.workers import WORKERS, WorkFailed
from judgemesh.mesh.sources.options import required_text
from judgemesh.mesh.sources.protocols import SourceInaccessible

MAX_ROWS: Final = 1_000_000
_TIMEOUT_S: Final = 30.0
_MAX_TIMEOUT_S: Final = 600.0
_SPARE_S: Final = 1.0
"""What the process may take longer than the database."""


class Database:
    """The database of the option `url`. A relative SQLite path starts from `base_dir`.

    `timeout_s` (30 s) limits one query.
    """

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
        if url.get_backend_name() == "sqlite" and url.database not in (
            None,
            "",
            ":memory:",
        ):
            self._file = base_dir / str(url.database)
            url = url.set(database=str(self._file))
        self._url = url
        self._timeout_s = _timeout_of(options)

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

    def read(
        self,
        query: str,
        parameters: Mapping[str, object],
        *,
        max_rows: int = MAX_ROWS,
    ) -> tuple[list[str], list[dict[str, object]]]:
        """Columns and rows of a query that may only read, in a process that is killed at its deadline.

        Raises:
            SourceInaccessible: the file does not exist, the database refuses the query, or it does not end in time.
        """
        self.check_file()
        url = self._url.render_as_string(hide_password=False)
        timeout_s = self._timeout_s
        try:
            return WORKERS.call(
                query_rows, url, query, parameters, max_rows, timeout_s,
                timeout_s=timeout_s + _SPARE_S,
            )  # fmt: skip
        except QueryFailed as error:
            raise SourceInaccessible(f"the query failed: {error}") from None
        except WorkFailed as error:
            raise SourceInaccessible(f"the query {error}", transient=True) from None


def _timeout_of(options: Mapping[str, object]) -> float:
    value = options.get("timeout_s", _TIMEOUT_S)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < cast("float", value) <= _MAX_TIMEOUT_S:
        raise ConfigError(
            f"timeout_s: expected a number above 0 and up to {_MAX_TIMEOUT_S:g}"
        )
    return float(cast("float", value))
