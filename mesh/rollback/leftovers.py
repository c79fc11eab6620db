"""Sort what a killed agent left behind into leftovers, locks and documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Final, cast

from judgemesh.mesh.inputs.files.opening import open_below
from judgemesh.mesh.rollback.reading import FilePlace, FolderPlace, Loaded
from judgemesh.mesh.rollback.spec import Documentation
from judgemesh.mesh.state.snapshot import changes

_MAX_DOCUMENT_BYTES: Final = 4 * 2**20
OUTSIDE: Final = "wrote outside the world:"
_CHANGES: Final = {"add": "added", "remove": "removed", "replace": "changed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """One entry that differs from the start. `names`: what a document has to mention, one of each group."""

    where: str
    change: str
    names: tuple[tuple[str, ...], ...]
    file: Path | None = None

    def __str__(self) -> str:
        return f"{self.change} {self.where}"


def differences(
    loaded: Loaded, before: Mapping[str, object], after: Mapping[str, object]
) -> list[Leftover]:
    """The entries that differ, each once: a file, a row, a table, a value of a JSON document."""
    parts = _Parts(
        folders={part.name: part for part in loaded.folders},
        databases={part.name: part for part in loaded.sqlite},
        documents={part.name: part for part in loaded.documents},
    )
    leftovers: dict[str, Leftover] = {}
    for change in changes(dict(before), dict(after)):
        keys = _keys(cast("str", change["path"]))
        depth = parts.entry_depth(keys)
        effect = _effect(change) if len(keys) <= depth else "replace"
        entry = tuple(_printable(key) for key in keys[:depth])
        where = "/".join(entry).rstrip("/").removesuffix("/.")
        if where not in leftovers:
            leftovers[where] = parts.leftover(where, _CHANGES[effect], entry)
    return list(leftovers.values())


def written_outside(paths: Iterable[Path]) -> list[Leftover]:
    """Files outside the declared world as entries, which a document names by name or path."""
    entries: list[Leftover] = []
    for path in paths:
        name = _printable(str(path))
        names = ((name, _printable(path.name)),)
        entries.append(Leftover(where=name, change=OUTSIDE, names=names))
    return entries


def _keys(pointer: str) -> tuple[str, ...]:
    """The keys of a JSON pointer (RFC 6901)."""
    keys = pointer.split("/")[1:]
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in keys)


def _printable(name: str) -> str:
    """A file name of any bytes as text that can be written anywhere."""
    return name.encode("utf-8", "backslashreplace").decode()


def _effect(change: Mapping[str, object]) -> str:
    """The operation; null stands for a file that does not exist."""
    operation = cast("str", change["op"])
    if operation == "replace" and change.get("before") is None:
        return "add"
    if operation == "replace" and change.get("after") is None:
        return "remove"
    return operation


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """The parts of a world by name."""

    folders: Mapping[str, FolderPlace]
    databases: Mapping[str, FilePlace]
    documents: Mapping[str, FilePlace]

    def entry_depth(self, keys: tuple[str, ...]) -> int:
        """How many keys name one entry: `folder/file`, `database/rows/table/key`, a whole path of a document."""
        if keys[0] in self.folders:
            return 2
        if keys[0] in self.databases:
            return 4
        return len(keys) if keys[0] in self.documents else 3

    def leftover(self, where: str, change: str, entry: tuple[str, ...]) -> Leftover:
        """An entry with the names by which a document may mention it."""
        part, rest = entry[0], entry[1:]
        if part in self.folders and rest:
            folder = self.folders[part].path
            relative = rest[0].rstrip("/")
            names: tuple[str, ...] = (relative, Path(relative).name)
            if relative == ".":
                names = (folder.name,)
            file = folder / relative
            return Leftover(where=where, change=change, names=(names,), file=file)
        if part in self.databases:
            return Leftover(where=where, change=change, names=self._row_names(entry))
        if part in self.documents:
            keys = [key for key in rest if not key.isdigit()]
            names = (*keys[-1:], self.documents[part].path.name)
            return Leftover(where=where, change=change, names=(names,))
        groups = tuple((key,) for key in rest or (part,))
        return Leftover(where=where, change=change, names=groups)

    def _row_names(self, entry: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Table and key of `rows/table/key`, name of `schema/"table orders"`; the file's name for the file itself."""
        part, rest = entry[0], entry[1:]
        names = rest[1:]
        if rest[:1] != ("rows",):
            names = tuple(name.split(" ", 1)[-1] for name in names)
        return tuple((name,) for name in names or (self.databases[part].path.name,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """What differs from the start, sorted: plain leftovers, locks, documents, and what no document names."""

    leftovers: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    entries: frozenset[str] = field(default_factory=frozenset[str])


def sort_out(
    loaded: Loaded, different: Sequence[Leftover], held: Sequence[str]
) -> Remains:
    """Separate leftovers, lock files and documents, and check that documents name the first two.

    Args:
        loaded: the task.
        different: what differs from the start.
        held: locks that are held beyond any file.
    """
    documentation = loaded.task.documentation
    locks: list[Leftover] = []
    leftovers: list[Leftover] = []
    documents: dict[str, Leftover] = {}
    texts: list[str] = []
    for entry in different:
        if entry.change == "removed":
            leftovers.append(entry)
        elif _matches(entry, loaded.task.locks.files):
            locks.append(entry)
        elif _matches(entry, documentation.files) and (text := _text(entry.file)):
            documents[str(entry)] = entry
            texts.append(text)
        else:
            leftovers.append(entry)
    text = "\n".join(texts)
    if documentation.pattern is not None and not _says(documentation, text):
        leftovers = [entry for entry in different if entry not in locks]
        documents, text = {}, ""
    unnamed: list[str] = []
    if documentation.must_name_leftovers or not documents:
        unnamed = _unnamed([*leftovers, *locks], documents.values(), text)
        unnamed += [
            lock for lock in held if not _mentions(text, lock.rpartition(" ")[2])
        ]
    return Remains(
        leftovers=tuple(map(str, leftovers)),
        locks=(*map(str, locks), *held),
        documents=tuple(documents),
        unnamed=tuple(unnamed),
        entries=frozenset(entry.where for entry in different),
    )


def _unnamed(
    entries: Sequence[Leftover], documents: Iterable[Leftover], text: str
) -> list[str]:
    """Entries that the documents do not mention. A folder is named by a named entry or a document inside it."""
    named = [entry.where for entry in entries if _is_named(entry, text)]
    inside = (*named, *(document.where for document in documents))
    unnamed: list[str] = []
    for entry in entries:
        holds_named = any(where.startswith(f"{entry.where}/") for where in inside)
        if entry.where not in named and not holds_named:
            unnamed.append(str(entry))
    return unnamed


def _matches(entry: Leftover, globs: Sequence[str]) -> bool:
    if entry.file is None:
        return False
    relative = entry.where.partition("/")[2]
    names = (entry.where, relative, entry.file.name)
    return any(fnmatchcase(name, glob) for name, glob in product(names, globs))


def _text(file: Path | None) -> str:
    """The text of a document; empty where it cannot be read or is blank."""
    if file is None:
        return ""
    try:
        with open_below(file.parent, file.name) as data:
            text = data.read(_MAX_DOCUMENT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    return text if text.strip() else ""


def _says(documentation: Documentation, text: str) -> bool:
    import re2

    pattern = documentation.pattern
    return pattern is not None and re2.search(pattern, text) is not None


def _is_named(entry: Leftover, text: str) -> bool:
    """Whether the text mentions one name of each group."""
    for group in entry.names:
        if not any(_mentions(text, name) for name in group):
            return False
    return True


def _mentions(text: str, name: str) -> bool:
    # Most names stand in no record; a long pattern takes milliseconds to compile.
    if name not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
