"""Copy an SQLite ledger into a new file while others read and write it, through the backup interface of SQLite.

The copy is what the ledger held at one moment. The file gets its name when it is whole; a file that is there is never
replaced.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.engines import LedgerAddress


def back_up(address: LedgerAddress, target: Path) -> int:
    """Copy a ledger to `target`; the size of the copy in bytes. Ledgers of older schema versions can be copied too.

    Raises:
        LedgerError: the ledger is on a server or in memory, is not there or is no ledger; or the target is there or
            cannot be written.
    """
    if address.server is not None:
        raise LedgerError(
            f"ledger {address.name} is on a PostgreSQL server, whose own tool copies it while it is used: "
            f"pg_dump --format=custom --file={target} {address.name}"
        )
    if address.path is None or not address.path.is_file():
        raise LedgerError(f"ledger {address.name} does not exist; there is no file")
    if target.exists():
        raise LedgerError(f"{target} is there already and is not replaced")
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            _copy(address.path, partial)
            os.link(partial, target)
        finally:
            partial.unlink(missing_ok=True)
    except FileExistsError:
        raise LedgerError(f"{target} is there already and is not replaced") from None
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise LedgerError(
            f"ledger {address.name}: cannot be copied to {target}: {reason}"
        ) from None
    return target.stat().st_size


def _copy(source: Path, target: Path) -> None:
    """Copy all pages as of one moment, and check the copy.

    Raises:
        sqlite3.Error: a file is no database, cannot be read or written, or the copy is not whole.
    """
    address = f"file:{quote(str(source.absolute()))}?mode=ro"
    with (
        closing(sqlite3.connect(address, uri=True)) as reads,
        closing(sqlite3.connect(target)) as writes,
    ):
        query = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'"
        if reads.execute(query).fetchone() is None:
            raise sqlite3.DatabaseError("it is no ledger")
        # All pages in one step: a writer that never rests cannot make it begin again.
        reads.backup(writes)
        (state,) = writes.execute("PRAGMA quick_check").fetchone()
        if state != "ok":
            raise sqlite3.DatabaseError(f"the copy is not whole: {state}")
    descriptor = os.open(target, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
