"""Open ledgers for the work of this package, and do it: one function for each command."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.engines import LedgerAddress, parse_address
from judgemesh.mesh.ledger.faults import ledger_error
from judgemesh.mesh.ledger.maintenance.backup import back_up
from judgemesh.mesh.ledger.maintenance.merge import Merged, merge
from judgemesh.mesh.ledger.maintenance.purge import (
    Purged,
    PurgeFilter,
    matching,
    purge_cache,
    purge_page,
    refuse_held_runs,
)
from judgemesh.mesh.ledger.opening import open_engines

_BUSY_TIMEOUT_S: Final = 10.0
_PAGE: Final = 200


def count_matching(url: str, where: PurgeFilter) -> int:
    """How many results `purge_ledger` would purge.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    address = parse_address(url)
    with _reading(address) as engine, engine.begin() as connection:
        return matching(connection, where)


def purge_ledger(
    url: str, where: PurgeFilter, on_progress: Callable[[int], None]
) -> Purged:
    """Remove the texts of the results that match; broken off, the same call goes on with the rest.

    Args:
        url: the ledger.
        where: which results.
        on_progress: called with the number of results that are purged.

    Raises:
        LedgerError: there is no ledger, it cannot be written, or one of the runs is being graded.
    """
    address, now = parse_address(url), datetime.now(UTC)
    total = Purged()
    with _reading(address):
        pass  # refused where there is none: writing would make one
    with _writing(address) as engine:
        with engine.begin() as connection:
            refuse_held_runs(connection, where, now)
            if where.before is not None and where.run_id == where.task_id is None:
                total += Purged(replies=purge_cache(connection, where.before))
        while True:
            with engine.begin() as connection:
                page = purge_page(connection, where, now, _PAGE)
            if not page.results:
                break
            total += page
            on_progress(total.results)
    if address.path is not None:
        _forget_freed_pages(address.path)
    return total


def backup_ledger(url: str, target: Path) -> int:
    """Copy an SQLite ledger to a new file; its size in bytes.

    Raises:
        LedgerError: see `back_up`.
    """
    return back_up(parse_address(url), target)


def merge_ledgers(sources: Sequence[str], url: str) -> list[Merged]:
    """Copy what each of `sources` holds into the ledger `url`, one transaction each; what each added.

    Raises:
        LedgerError: a ledger cannot be opened, is merged into itself, or holds what contradicts the target.
    """
    into = parse_address(url)
    froms = [parse_address(source) for source in sources]
    for address in froms:
        if _is_same(address, into):
            raise LedgerError(f"ledger {address.name} cannot be merged into itself")
    added: list[Merged] = []
    for address in froms:
        with (
            _reading(address) as reads,
            _writing(into) as writes,
            reads.begin() as source,
            _refusing(address, into),
            writes.begin() as target,
        ):
            added.append(merge(source, target, datetime.now(UTC)))
    return added


def _is_same(one: LedgerAddress, other: LedgerAddress) -> bool:
    if one.path is None or other.path is None:
        return one.server is not None and one.server == other.server
    with suppress(OSError):
        return one.path.samefile(other.path)
    return False


@contextmanager
def _reading(address: LedgerAddress) -> Generator[Engine]:
    engines = open_engines(address, read_only=True, busy_timeout_s=_BUSY_TIMEOUT_S)
    try:
        if engines.reading is not None:
            with _refusing(address):
                yield engines.reading
    finally:
        engines.dispose()


@contextmanager
def _writing(address: LedgerAddress) -> Generator[Engine]:
    """The writing engine of a ledger. What SQLite frees is overwritten with zeros."""
    engines = open_engines(address, read_only=False, busy_timeout_s=_BUSY_TIMEOUT_S)
    try:
        if engines.writing is not None:
            with _refusing(address), engines.writing.connect() as connection:
                _overwrite_what_is_freed(connection)
            with _refusing(address):
                yield engines.writing
    finally:
        engines.dispose()


def _overwrite_what_is_freed(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        connection.execute(text("PRAGMA secure_delete=ON"))


def _forget_freed_pages(path: Path) -> None:
    """Empty the write-ahead log, which still holds pages as they were. Another reader can prevent it: then it waits
    for the next checkpoint."""
    with closing(sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _refusing(*addresses: LedgerAddress) -> Generator[None]:
    """Faults of a database as one line that names the ledger."""
    try:
        yield
    except LedgerError as error:
        if any(address.name in str(error) for address in addresses):
            raise
        raise ledger_error(error, addresses[-1].name) from error
    except SQLAlchemyError as error:
        raise ledger_error(error, addresses[-1].name) from error
