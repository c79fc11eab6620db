"""The world at one moment, and the locks that are held in it."""

from __future__ import annotations

import glob
import hashlib
import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final
from urllib.parse import quote

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.rollback.backup import SQLITE_SIDES
from judgemesh.mesh.rollback.reading import FolderPlace, Loaded
from judgemesh.mesh.state.snapshot import (
    Directory,
    JsonFile,
    Source,
    SqlTables,
    snapshot,
)

_BUSY_S: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A folder with its sub-folders: a folder that was made is something left behind, too (and a common lock)."""

    path: Path
    name: str
    exclude: tuple[str, ...] = ()

    def take(self) -> dict[str, object]:
        """Every file, link and folder by its relative path; `.` is the folder itself, others end with `/`.

        Raises:
            InputError: it cannot be read.
        """
        if not self.path.is_dir():
            return {} if not os.path.lexists(self.path) else {".": {"folder": False}}
        files = Directory(
            path=self.path, name=self.name, exclude=self.exclude, max_text=0
        )
        found: dict[str, object] = {".": {"mode": _mode(self.path)}}
        try:
            for parent, names, _ in os.walk(self.path):
                kept: list[str] = []
                for name in names:
                    path = Path(parent) / name
                    relative = path.relative_to(self.path).as_posix()
                    if path.is_symlink() or any(
                        fnmatchcase(name, one) or fnmatchcase(relative, one)
                        for one in self.exclude
                    ):
                        continue
                    kept.append(name)
                    found[f"{relative}/"] = {"mode": _mode(path)}
                names[:] = kept
        except OSError as fault:
            raise InputError(
                f"cannot be read: {fault.strerror or fault}", where=str(self.path)
            ) from None
        return {**found, **files.take()}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteState:
    """A SQLite file: rows and schema; null while it is not there. SQLite itself takes a torn transaction back."""

    path: Path
    name: str
    tables: tuple[str, ...] = ()

    def take(self) -> object:
        """`{schema: {name: sql}, rows: {table: {key: columns}}}`.

        Raises:
            InputError: it cannot be read.
        """
        if not self.path.is_file():
            return {"damaged": "no file"} if os.path.lexists(self.path) else None
        if self.path.stat().st_size == 0:
            return {"schema": {}, "rows": {}}
        try:
            with closing(_connect(self.path)) as connection:
                query = "SELECT type || ' ' || name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1"
                schema = {str(name): text for name, text in connection.execute(query)}
                there = {
                    name.removeprefix("table ")
                    for name in schema
                    if name.startswith("table ")
                }
        except sqlite3.Error as fault:
            if fault.sqlite_errorcode & 0xFF in (
                sqlite3.SQLITE_CORRUPT,
                sqlite3.SQLITE_NOTADB,
            ):
                return {"damaged": _digest(self.path)}  # also something to leave behind
            raise InputError(f"cannot be read: {fault}", where=str(self.path)) from None
        tables = tuple(name for name in self.tables if name in there)
        rows = SqlTables(url=f"sqlite:///{self.path}", tables=tables, name=self.name)
        nothing = not there or (self.tables and not tables)
        return {"schema": schema, "rows": {} if nothing else rows.take()}


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonState:
    """A JSON file as data; one that was torn is told by its digest, for that is something to leave behind, too."""

    path: Path
    name: str

    def take(self) -> object:
        """The document, null while it is not there.

        Raises:
            OSError: it cannot be read.
        """
        if os.path.lexists(self.path) and not self.path.is_file():
            return {"damaged": "no file"}  # reading a pipe would never end
        try:
            return JsonFile(path=self.path, name=self.name).take()
        except InputError:
            return {"damaged": _digest(self.path)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlState:
    """Tables of a database; one that was dropped is null, for that is something to leave behind, too."""

    url: str
    name: str
    tables: tuple[str, ...] = ()

    def take(self) -> dict[str, object]:
        """`{table: {key: columns}}`.

        Raises:
            InputError: the database cannot be read.
        """
        if not self.tables:
            return SqlTables(url=self.url, name=self.name).take()
        found: dict[str, object] = {}
        for table in self.tables:
            try:
                found |= SqlTables(url=self.url, name=self.name, tables=(table,)).take()
            except InputError as fault:
                if not fault.message.startswith("there is no table"):
                    raise
                found[table] = None
        return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sources_of(loaded: Loaded) -> list[Source]:
    """Everything of the world that is compared."""
    found: list[Source] = [
        Tree(
            path=place.path,
            name=place.name,
            exclude=(*place.exclude, *_told_elsewhere(place, loaded)),
        )
        for place in loaded.folders
    ]
    found += [
        SqliteState(path=place.path, name=place.name, tables=place.tables)
        for place in loaded.sqlite
    ]
    found += [JsonState(path=place.path, name=place.name) for place in loaded.documents]
    found += [
        SqlState(url=place.url, name=place.name, tables=place.tables)
        for place in loaded.sql
    ]
    return found


def _told_elsewhere(place: FolderPlace, loaded: Loaded) -> Iterator[str]:
    """Files of a folder that are compared as what they hold: their bytes may differ where that does not."""
    files = [(one, side) for one in loaded.sqlite for side in ("", *SQLITE_SIDES)]
    files += [(one, "") for one in loaded.documents]
    for one, side in files:
        if one.path.is_relative_to(place.path):
            yield glob.escape(one.path.relative_to(place.path).as_posix() + side)


def look(loaded: Loaded) -> dict[str, object]:
    """The world now.

    Raises:
        InputError: a part of it cannot be read.
    """
    try:
        return snapshot(sources_of(loaded))
    except OSError as fault:
        raise InputError(
            f"cannot be read: {fault.strerror or fault}",
            where=str(fault.filename or ""),
        ) from None


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.lstat().st_mode):04o}"


# --- locks ---


def held_locks(loaded: Loaded) -> list[str]:
    """SQLite files in which no write can begin.

    Raises:
        InputError: one cannot be asked.
    """
    return [
        f"write lock of {place.path.name}"
        for place in loaded.sqlite
        if _is_held(place.path)
    ]


def _is_held(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with closing(_connect(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as fault:
        if fault.sqlite_errorcode & 0xFF in (
            sqlite3.SQLITE_BUSY,
            sqlite3.SQLITE_LOCKED,
        ):
            return True
        raise InputError(
            f"cannot be asked for its lock: {fault}", where=str(path)
        ) from None
    except sqlite3.Error as fault:
        raise InputError(
            f"cannot be asked for its lock: {fault}", where=str(path)
        ) from None
    return False


def _connect(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path))}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
