"""Take a snapshot of the world of a rollback measurement, and find the locks held in it."""

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
from judgemesh.mesh.inputs.files.opening import open_file
from judgemesh.mesh.rollback.backup import sqlite_files
from judgemesh.mesh.rollback.reading import FolderPlace, Loaded
from judgemesh.mesh.state.snapshot import (
    Directory,
    JsonFile,
    Source,
    SqlTables,
    snapshot,
)
from judgemesh.mesh.state.trees import folders_of

_CHUNK_BYTES: Final = 2**20
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
        if not os.path.lexists(self.path):
            return {}
        if not self.path.is_dir():
            return {".": {"folder": False}}
        entries: dict[str, object] = {".": {"mode": _mode(self.path)}}
        try:
            for folder in folders_of(self.path, self._enters):
                if folder.relative:
                    mode = stat.S_IMODE(os.fstat(folder.descriptor).st_mode)
                    entries[f"{folder.relative}/"] = {"mode": f"{mode:04o}"}
        except OSError as fault:
            raise InputError(
                f"cannot be read: {fault.strerror or fault}",
                where=str(self.path / str(fault.filename or "")),
            ) from None
        files = Directory(
            path=self.path, name=self.name, exclude=self.exclude, max_text=0
        )
        return {**entries, **files.take()}

    def _enters(self, relative: str, entry: os.DirEntry[str]) -> bool:
        for glob_pattern in self.exclude:
            if fnmatchcase(entry.name, glob_pattern):
                return False
            if fnmatchcase(relative, glob_pattern):
                return False
        return True


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
        if not os.path.lexists(self.path):
            return None
        if not self.path.is_file():
            return {"damaged": "no file"}
        if self.path.stat().st_size == 0:
            return {"schema": {}, "rows": {}}
        try:
            with closing(_connect(self.path)) as connection:
                query = "SELECT type || ' ' || name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY 1"
                schema = {str(name): text for name, text in connection.execute(query)}
        except sqlite3.Error as fault:
            if _is_error(fault, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                return {"damaged": _digest(self.path)}  # also something left behind
            raise InputError(f"cannot be read: {fault}", where=str(self.path)) from None
        existing = [name for name in schema if name.startswith("table ")]
        tables = tuple(name for name in self.tables if f"table {name}" in schema)
        rows: object = {}
        if existing and (tables or not self.tables):
            url = f"sqlite:///{self.path}"
            rows = SqlTables(url=url, tables=tables, name=self.name).take()
        return {"schema": schema, "rows": rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonState:
    """A JSON file as data; a damaged one as its digest, because damage is something left behind too."""

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
    """Tables of a database; a dropped one as null, because that is something left behind too."""

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
        rows: dict[str, object] = {}
        for table in self.tables:
            try:
                rows |= SqlTables(url=self.url, name=self.name, tables=(table,)).take()
            except InputError as fault:
                if not fault.message.startswith("there is no table"):
                    raise
                rows[table] = None
        return rows


def _digest(path: Path) -> str:
    with open_file(path) as file:
        digest = hashlib.sha256()
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
        return digest.hexdigest()


def sources_of(loaded: Loaded) -> list[Source]:
    """All parts of the world that are compared."""
    sources: list[Source] = []
    for folder in loaded.folders:
        exclude = (*folder.exclude, *_compared_by_content(folder, loaded))
        sources.append(Tree(path=folder.path, name=folder.name, exclude=exclude))
    for database in loaded.sqlite:
        sources.append(
            SqliteState(path=database.path, name=database.name, tables=database.tables)
        )
    for document in loaded.documents:
        sources.append(JsonState(path=document.path, name=document.name))
    for tables in loaded.sql:
        sources.append(SqlState(url=tables.url, name=tables.name, tables=tables.tables))
    return sources


def _compared_by_content(folder: FolderPlace, loaded: Loaded) -> Iterator[str]:
    """Files of a folder that are compared by their content: their bytes may differ where the content does not."""
    for path in (*sqlite_files(loaded), *(part.path for part in loaded.documents)):
        if path.is_relative_to(folder.path):
            yield glob.escape(path.relative_to(folder.path).as_posix())


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
    held = [part.path for part in loaded.sqlite if _is_held(part.path)]
    return [f"write lock of {path.name}" for path in held]


def _is_held(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with closing(_connect(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as fault:
        if _is_error(fault, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return True
        raise InputError(
            f"cannot be asked for its lock: {fault}", where=str(path)
        ) from None
    return False


def _is_error(fault: sqlite3.Error, *codes: int) -> bool:
    """Whether the primary error code, the low byte of the extended one, is one of the codes."""
    return getattr(fault, "sqlite_errorcode", 0) & 0xFF in codes


def _connect(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path))}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
