"""The world at one moment, and what of it a killed agent left behind: leftovers, documents, locks."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import sqlite3
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, cast
from urllib.parse import quote

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.rollback.backup import SQLITE_SIDES
from judgemesh.mesh.rollback.reading import FilePlace, FolderPlace, Loaded
from judgemesh.mesh.rollback.spec import Documentation
from judgemesh.mesh.state.snapshot import Directory, JsonFile, Source, SqlTables, changes, snapshot

_BUSY_S: Final = 0.25
_MAX_DOCUMENT: Final = 4 * 2**20
_WORDS: Final = {"add": "added", "remove": "removed", "replace": "changed"}


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
        files = Directory(path=self.path, name=self.name, exclude=self.exclude, max_text=0)
        found: dict[str, object] = {".": {"mode": _mode(self.path)}}
        try:
            for parent, names, _ in os.walk(self.path):
                kept: list[str] = []
                for name in names:
                    path = Path(parent) / name
                    relative = path.relative_to(self.path).as_posix()
                    if path.is_symlink() or any(
                        fnmatchcase(name, one) or fnmatchcase(relative, one) for one in self.exclude
                    ):
                        continue
                    kept.append(name)
                    found[f"{relative}/"] = {"mode": _mode(path)}
                names[:] = kept
        except OSError as fault:
            raise InputError(f"cannot be read: {fault.strerror or fault}", where=str(self.path)) from None
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
                there = {name.removeprefix("table ") for name in schema if name.startswith("table ")}
        except sqlite3.Error as fault:
            if fault.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
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
        Tree(path=place.path, name=place.name, exclude=(*place.exclude, *_told_elsewhere(place, loaded)))
        for place in loaded.folders
    ]
    found += [SqliteState(path=place.path, name=place.name, tables=place.tables) for place in loaded.sqlite]
    found += [JsonState(path=place.path, name=place.name) for place in loaded.documents]
    found += [SqlState(url=place.url, name=place.name, tables=place.tables) for place in loaded.sql]
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
        raise InputError(f"cannot be read: {fault.strerror or fault}", where=str(fault.filename or "")) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """One entry that differs from the start. `names`: what a document has to mention, one of each group."""

    where: str
    change: str
    names: tuple[tuple[str, ...], ...]
    file: Path | None = None

    def __str__(self) -> str:
        return f"{self.change} {self.where}"


def differences(loaded: Loaded, before: Mapping[str, object], after: Mapping[str, object]) -> list[Leftover]:
    """What differs, an entry once: a file, a row, a table, a place in a JSON document."""
    folders = {place.name: place for place in loaded.folders}
    bases = {place.name: place for place in loaded.sqlite}
    documents = {place.name: place for place in loaded.documents}
    found: dict[str, Leftover] = {}
    for change in changes(dict(before), dict(after)):
        path = cast("str", change["path"])
        parts = tuple(part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:])
        depth = 2 if parts[0] in folders else 4 if parts[0] in bases else len(parts) if parts[0] in documents else 3
        kept = parts[:depth]
        word = _WORDS[_effect(change) if len(parts) <= depth else "replace"]
        kept = tuple(_speakable(part) for part in kept)
        where = "/".join(kept).rstrip("/").removesuffix("/.")
        found.setdefault(where, _leftover(where, word, kept, folders, bases, documents))
    return list(found.values())


def _speakable(name: str) -> str:
    """A file name of any bytes as text that can be written anywhere."""
    return name.encode("utf-8", "backslashreplace").decode()


def _effect(change: Mapping[str, object]) -> str:
    """The operation; null stands for a file that is not there."""
    if change["op"] == "replace" and change.get("before") is None:
        return "add"
    return "remove" if change["op"] == "replace" and change.get("after") is None else cast("str", change["op"])


def _leftover(
    where: str,
    word: str,
    parts: tuple[str, ...],
    folders: Mapping[str, FolderPlace],
    bases: Mapping[str, FilePlace],
    documents: Mapping[str, FilePlace],
) -> Leftover:
    source, rest = parts[0], parts[1:]
    if source in folders and rest:
        relative = rest[0].rstrip("/")
        names = ((relative, Path(relative).name) if relative != "." else (folders[source].path.name,),)
        file = folders[source].path / relative
        return Leftover(where=where, change=word, names=names, file=file)
    if source in bases:
        # rows/table/key or schema/"table orders"; the file itself while there is nothing below
        told = rest[1:] if rest[:1] == ("rows",) else tuple(one.split(" ", 1)[-1] for one in rest[1:])
        return Leftover(where=where, change=word, names=tuple((one,) for one in told) or ((bases[source].path.name,),))
    if source in documents:
        told = tuple(one for one in rest if not one.isdigit())[-1:]
        return Leftover(where=where, change=word, names=((*told, documents[source].path.name),))
    return Leftover(where=where, change=word, names=tuple((one,) for one in rest) or ((source,),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What differs from the start, sorted: plain leftovers, locks, documents, and what no document names."""

    leftovers: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    entries: frozenset[str] = field(default_factory=frozenset[str])


def sort_out(loaded: Loaded, different: Sequence[Leftover], held: Sequence[str]) -> Found:
    """Tell leftovers, lock files and documents apart, and hold the first two against the last.

    Args:
        loaded: the task.
        different: what differs from the start.
        held: locks that are held beyond any file.
    """
    told = loaded.task.documentation
    locks = [one for one in different if one.change != "removed" and _any_glob(one, loaded.task.locks.files)]
    texts: dict[str, str] = {}
    for one in different:
        if one not in locks and one.change != "removed" and _any_glob(one, told.files):
            text = _document(one.file)
            if text.strip():
                texts[str(one)] = text
    if told.pattern is not None and not _says(told, "\n".join(texts.values())):
        texts = {}
    leftovers = [one for one in different if one not in locks and str(one) not in texts]
    everything = "\n".join(texts.values())
    unnamed: list[str] = []
    if told.must_name_leftovers or not texts:
        open_ones = [one for one in (*leftovers, *locks) if not _named(one, everything)]
        # A folder is named by what is named in it: a record tells of files, and their folder comes with them.
        inside = [one.where for one in (*leftovers, *locks) if one not in open_ones] + [
            text.partition(" ")[2] for text in texts
        ]
        unnamed = [str(one) for one in open_ones if not any(name.startswith(f"{one.where}/") for name in inside)]
        unnamed += [one for one in held if not _word(one.rpartition(" ")[2], everything)]
    return Found(
        leftovers=tuple(str(one) for one in leftovers),
        locks=(*(str(one) for one in locks), *held),
        documents=tuple(texts),
        unnamed=tuple(unnamed),
        entries=frozenset(one.where for one in different),
    )


def _any_glob(one: Leftover, globs: Sequence[str]) -> bool:
    if one.file is None:
        return False
    relative = one.where.partition("/")[2]
    names = (one.where, relative, one.file.name)
    return any(fnmatchcase(name, pattern) for name in names for pattern in globs)


def _document(file: Path | None) -> str:
    if file is None:
        return ""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as data:
            return data.read(_MAX_DOCUMENT).decode("utf-8", "replace")
    except OSError:
        return ""


def _says(told: Documentation, text: str) -> bool:
    import re2

    return told.pattern is not None and re2.search(told.pattern, text) is not None


def _named(one: Leftover, text: str) -> bool:
    return all(any(_word(name, text) for name in group) for group in one.names)


def _word(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.lstat().st_mode):04o}"


# --- locks ---


def held_locks(loaded: Loaded) -> list[str]:
    """SQLite files in which no write can begin.

    Raises:
        InputError: one cannot be asked.
    """
    return [f"write lock of {place.path.name}" for place in loaded.sqlite if _is_held(place.path)]


def _is_held(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with closing(_connect(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except sqlite3.OperationalError as fault:
        if fault.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return True
        raise InputError(f"cannot be asked for its lock: {fault}", where=str(path)) from None
    except sqlite3.Error as fault:
        raise InputError(f"cannot be asked for its lock: {fault}", where=str(path)) from None
    return False


def _connect(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path))}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=_BUSY_S, isolation_level=None)
