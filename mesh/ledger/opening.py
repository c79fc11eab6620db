"""Open a ledger's engines and bring its schema up to date. Blocks: called on a worker thread."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.engines import LedgerAddress, reading_engine, writing_engine
from judgemesh.mesh.ledger.faults import ledger_error
from judgemesh.mesh.ledger.schema.migrations import check_version, migrate, version_of


@dataclass(frozen=True, slots=True)
class Engines:
    """`writing` is absent in a ledger opened for reading, `reading` in one in memory."""

    writing: Engine | None
    reading: Engine | None

    def dispose(self) -> None:
        """Close all connections."""
        for engine in (self.reading, self.writing):
            if engine is not None:
                engine.dispose()


class Opening:
    """The opening of a ledger on another thread. Whoever waits for it may give it up: what it opens then is closed."""

    def __init__(
        self, address: LedgerAddress, *, read_only: bool, busy_timeout_s: float
    ) -> None:
        self._open = partial(
            open_engines, address, read_only=read_only, busy_timeout_s=busy_timeout_s
        )
        self._lock = threading.Lock()
        self._engines: Engines | None = None
        self._given_up = False

    def run(self) -> Engines:
        """Open. Blocks.

        Raises:
            LedgerError: with one line that says why not and what to do.
        """
        engines = self._open()
        with self._lock:
            self._engines = engines
            if self._given_up:
                engines.dispose()
        return engines

    def give_up(self) -> None:
        """Close what is open, or will be."""
        with self._lock:
            self._given_up = True
            if self._engines is not None:
                self._engines.dispose()


def open_engines(
    address: LedgerAddress, *, read_only: bool, busy_timeout_s: float
) -> Engines:
    """Engines of a ledger that is there and of this version.

    Raises:
        LedgerError: with one line that says why not and what to do.
    """
    try:
        if read_only:
            return Engines(writing=None, reading=_open_reading(address, busy_timeout_s))
        writing = _open_writing(address, busy_timeout_s)
        reading = None
        if not address.is_memory:
            reading = reading_engine(address, busy_timeout_s)
        return Engines(writing=writing, reading=reading)
    except (SQLAlchemyError, OSError, LedgerError) as error:
        raise ledger_error(error, address.name) from error


def _open_writing(address: LedgerAddress, busy_timeout_s: float) -> Engine:
    if address.path is not None and _is_filled(address.path):
        # Look before touching: opening for writing would turn the database of another program to WAL mode.
        _read(address, busy_timeout_s, exactly=False).dispose()
    engine = writing_engine(address, busy_timeout_s)
    try:
        with engine.begin() as connection:
            migrate(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _open_reading(address: LedgerAddress, busy_timeout_s: float) -> Engine:
    if address.is_memory:
        raise LedgerError("is in memory and empty: there is nothing to read")
    if address.path is not None and not address.path.exists():
        raise LedgerError("does not exist; `judgemesh grade --ledger` makes one")
    return _read(address, busy_timeout_s, exactly=True)


def _read(address: LedgerAddress, busy_timeout_s: float, *, exactly: bool) -> Engine:
    """The reading engine of a ledger whose version has been checked."""
    if address.path is not None and address.path.is_dir():
        raise LedgerError("is a folder; give a file")
    engine = reading_engine(address, busy_timeout_s)
    try:
        with engine.begin() as connection:
            present = version_of(connection)
        check_version(present, exactly=exactly)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _is_filled(path: Path) -> bool:
    return path.exists() and (path.is_dir() or path.stat().st_size > 0)
