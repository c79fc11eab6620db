"""From a ledger's address to engines: one that writes, one that only reads.

SQLite files run in WAL mode with synchronous NORMAL: a commit survives the death of the process; after a power cut
the last commits may be missing, and the file is whole.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import (
    URL,
    Connection,
    Dialect,
    Engine,
    QueuePool,
    StaticPool,
    create_engine,
    event,
    make_url,
)
from sqlalchemy.exc import ArgumentError

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.encoding import dumps, dumps_without_nul, loads
from judgemesh.mesh.ledger.sqlite_driver import run_on_sqlite

READERS: Final = 4
"""Connections that read at the same time, at most."""

_WRITER_PRAGMAS: Final = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    # Pages, 16 MB. The keys of the cache are digests: each entry changes another page, which is copied less often so.
    "wal_autocheckpoint=4000",
)
_READER_PRAGMAS: Final = ("query_only=ON",)
_MEMORY: Final = ":memory:"
_SQLITE: Final = "sqlite"
_POSTGRESQL: Final = "postgresql"
_PSYCOPG: Final = "postgresql+psycopg"
_FORMS: Final = "give a file, sqlite:///file or postgresql://..."


@dataclass(frozen=True, slots=True)
class LedgerAddress:
    """Where a ledger is: `path` of an SQLite file, `server` address of a PostgreSQL database, or neither: memory.

    `name` is what messages call it, without a password.
    """

    name: str
    path: Path | None = None
    server: URL | None = None

    @property
    def beside(self) -> Path | None:
        """What the names of files beside the ledger begin with; for a server in `.judgemesh`, None for memory."""
        if self.server is None:
            return self.path
        digest = hashlib.sha256(self.name.encode()).hexdigest()
        return Path(".judgemesh").absolute() / f"server-{digest[:12]}"

    @property
    def is_memory(self) -> bool:
        """Lives in this process only, on one connection."""
        return self.path is None and self.server is None

    @property
    def dialect_name(self) -> str:
        """The kind of its database, as SQLAlchemy calls it."""
        return _SQLITE if self.server is None else _POSTGRESQL


def parse_address(url: str) -> LedgerAddress:
    """Read a ledger's address: a path, `sqlite:///path`, `:memory:`, `sqlite://` or `postgresql://...`.

    Raises:
        LedgerError: none of these.
    """
    if not url.strip():
        raise LedgerError(f"the ledger's address is empty; {_FORMS}")
    if "://" not in url:
        return _file_or_memory(url, url)
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise LedgerError(
            f"the ledger's address is not a valid URL; {_FORMS}"
        ) from None
    name = parsed.render_as_string(hide_password=True)
    kind = parsed.drivername.partition("+")[0]
    if kind in {_POSTGRESQL, "postgres"}:
        server = parsed.set(drivername=_PSYCOPG)
        return LedgerAddress(name=name, server=server)
    if kind != _SQLITE:
        raise LedgerError(f"ledger {name}: {kind!r} is not supported; {_FORMS}")
    if parsed.query or parsed.host:
        raise LedgerError(
            f"ledger {name}: an SQLite address is sqlite:///path and nothing more"
        )
    return _file_or_memory(name, parsed.database or _MEMORY)


def _file_or_memory(name: str, database: str) -> LedgerAddress:
    if database == _MEMORY:
        return LedgerAddress(name=name)
    return LedgerAddress(name=name, path=Path(database).expanduser())


def writing_engine(address: LedgerAddress, busy_timeout_s: float) -> Engine:
    """The engine of the one writer. Makes the file's folder.

    Raises:
        OSError: the folder cannot be made.
        LedgerError: the driver is missing.
    """
    if address.server is not None:
        return _server_engine(address.server, size=1, read_only=False)
    target = _MEMORY
    if address.path is not None:
        address.path.parent.mkdir(parents=True, exist_ok=True)
        # A ledger holds answers of agents and their customers: a new one is its owner's alone.
        if not address.path.exists():
            address.path.touch(mode=0o600)
        target = str(address.path)

    def connect() -> sqlite3.Connection:
        return _connect(target, busy_timeout_s, _WRITER_PRAGMAS, uri=False)

    return _sqlite_engine(
        connect, begin="BEGIN IMMEDIATE", size=None if address.is_memory else 1
    )


def reading_engine(address: LedgerAddress, busy_timeout_s: float) -> Engine:
    """The engine of the readers of a file or server.

    Raises:
        LedgerError: the driver is missing.
    """
    if address.server is not None:
        return _server_engine(address.server, size=READERS, read_only=True)
    path = ""
    if address.path is not None:
        path = str(address.path.absolute())

    def connect() -> sqlite3.Connection:
        target = f"file:{quote(path)}?mode=ro{_immutable(path)}"
        return _connect(target, busy_timeout_s, _READER_PRAGMAS, uri=True)

    return _sqlite_engine(connect, begin="BEGIN", size=READERS)


def _immutable(path: str) -> str:
    """In a read-only folder SQLite can read a WAL database only if it is declared immutable.

    Safe only when no write-ahead log lies beside it, that is, when its last writer closed it in order.
    """
    if Path(f"{path}-wal").exists() or _is_writable(Path(path).parent):
        return ""
    return "&immutable=1"


def dialect_of(name: str) -> Dialect:
    """What converts values for a database of this kind, without a connection.

    Raises:
        LedgerError: the driver is missing.
    """
    if name == _SQLITE:
        connect = partial(sqlite3.connect, _MEMORY)
        return _sqlite_engine(connect, begin="BEGIN", size=None).dialect
    url = URL.create(_PSYCOPG)
    return _server_engine(url, size=1, read_only=False).dialect


def _is_writable(folder: Path) -> bool:
    return os.access(
        folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids
    )


def _connect(
    target: str, busy_timeout_s: float, pragmas: Sequence[str], *, uri: bool
) -> sqlite3.Connection:
    # isolation_level=None: the driver starts no transaction by itself; the engine's "begin" event starts each one.
    connection = sqlite3.connect(
        target,
        timeout=busy_timeout_s,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
        uri=uri,
    )
    try:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _sqlite_engine(
    connect: Callable[[], sqlite3.Connection], *, begin: str, size: int | None
) -> Engine:
    """`size` connections in the pool; None keeps a single one for good, as a database in memory needs."""
    pool: dict[str, Any] = {"poolclass": StaticPool}
    if size is not None:
        pool = {"poolclass": QueuePool, "pool_size": size, "max_overflow": 0}
    engine = create_engine(
        "sqlite://",
        creator=connect,
        json_serializer=dumps,
        json_deserializer=loads,
        **pool,
    )

    def start(connection: Connection) -> None:
        run_on_sqlite(connection, begin, ())

    event.listen(engine, "begin", start)
    return engine


def _server_engine(url: URL, *, size: int, read_only: bool) -> Engine:
    try:
        return create_engine(
            url,
            pool_size=size,
            max_overflow=0,
            pool_pre_ping=True,
            json_serializer=dumps_without_nul,
            json_deserializer=loads,
            execution_options={"postgresql_readonly": read_only},
            isolation_level="REPEATABLE READ" if read_only else "READ COMMITTED",
        )
    except ModuleNotFoundError as error:
        raise LedgerError(
            f"a PostgreSQL ledger needs the package {error.name}: pip install 'judgemesh[postgres]'"
        ) from None
