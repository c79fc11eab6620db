"""Database errors as one clear line for people."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sqlalchemy.exc import DBAPIError

from judgemesh.contracts.errors import LedgerError

_ADVICE: Final[Mapping[int, str]] = MappingProxyType(
    {
        sqlite3.SQLITE_BUSY: "is locked by another process; wait for it to end, or name another ledger",
        sqlite3.SQLITE_LOCKED: "is locked by another process; wait for it to end, or name another ledger",
        sqlite3.SQLITE_NOTADB: "is not an SQLite database; choose another file",
        sqlite3.SQLITE_CORRUPT: "is damaged; restore it from a copy, or choose another file",
        sqlite3.SQLITE_READONLY: "cannot be written; check the permissions of the file and its folder",
        sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that the path is a file you may read and write",
        sqlite3.SQLITE_PERM: "cannot be opened; check the permissions of the file and its folder",
        sqlite3.SQLITE_FULL: "cannot grow: the disk is full; free some space and run the same command again",
        sqlite3.SQLITE_IOERR: "cannot be read or written: the disk reports an error",
    }
)
_PRIMARY_CODE: Final = 0xFF


class TraceChangedError(LedgerError):
    """Another process wrote the trace since it was read."""


def ledger_error(error: Exception, name: str) -> LedgerError:
    """`error` as a `LedgerError` of one line that starts with the ledger's `name`."""
    if isinstance(error, LedgerError):
        if str(error).startswith("ledger "):
            return error
        return type(error)(f"ledger {name} {error}")
    cause: BaseException = error
    if isinstance(error, DBAPIError) and error.orig is not None:
        cause = error.orig
    code = getattr(cause, "sqlite_errorcode", 0) & _PRIMARY_CODE
    if code in _ADVICE:
        return LedgerError(f"ledger {name} {_ADVICE[code]}")
    return LedgerError(f"ledger {name}: {_one_line(cause)}")


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
