"""What a killed agent left behind: entries that differ from the start, sorted into leftovers, locks and documents."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, cast

from judgemesh.mesh.rollback.reading import FilePlace, FolderPlace, Loaded
from judgemesh.mesh.rollback.spec import Documentation
from judgemesh.mesh.state.snapshot import changes

_MAX_DOCUMENT: Final = 4 * 2**20
_WORDS: Final = {"add": "added", "remove": "removed", "replace": "changed"}


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
    """What differs, an entry once: a file, a row, a table, a place in a JSON document."""
    folders = {place.name: place for place in loaded.folders}
    bases = {place.name: place for place in loaded.sqlite}
    documents = {place.name: place for place in loaded.documents}
    found: dict[str, Leftover] = {}
    for change in changes(dict(before), dict(after)):
        path = cast("str", change["path"])
        parts = tuple(
            part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]
        )
        depth = (
            2
            if parts[0] in folders
            else 4
            if parts[0] in bases
            else len(parts)
            if parts[0] in documents
            else 3
        )
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
    return (
        "remove"
        if change["op"] == "replace" and change.get("after") is None
        else cast("str", change["op"])
    )


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
        names = (
            (relative, Path(relative).name)
            if relative != "."
            else (folders[source].path.name,),
        )
        file = folders[source].path / relative
        return Leftover(where=where, change=word, names=names, file=file)
    if source in bases:
        # rows/table/key or schema/"table orders"; the file itself while there is nothing below
        told = (
            rest[1:]
            if rest[:1] == ("rows",)
            else tuple(one.split(" ", 1)[-1] for one in rest[1:])
        )
        return Leftover(
            where=where,
            change=word,
            names=tuple((one,) for one in told) or ((bases[source].path.name,),),
        )
    if source in documents:
        told = tuple(one for one in rest if not one.isdigit())[-1:]
        return Leftover(
            where=where, change=word, names=((*told, documents[source].path.name),)
        )
    return Leftover(
        where=where, change=word, names=tuple((one,) for one in rest) or ((source,),)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What differs from the start, sorted: plain leftovers, locks, documents, and what no document names."""

    leftovers: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    entries: frozenset[str] = field(default_factory=frozenset[str])


def sort_out(
    loaded: Loaded, different: Sequence[Leftover], held: Sequence[str]
) -> Found:
    """Tell leftovers, lock files and documents apart, and hold the first two against the last.

    Args:
        loaded: the task.
        different: what differs from the start.
        held: locks that are held beyond any file.
    """
    told = loaded.task.documentation
    locks = [
        one
        for one in different
        if one.change != "removed" and _any_glob(one, loaded.task.locks.files)
    ]
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
        unnamed = [
            str(one)
            for one in open_ones
            if not any(name.startswith(f"{one.where}/") for name in inside)
        ]
        unnamed += [
            one for one in held if not _word(one.rpartition(" ")[2], everything)
        ]
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
        descriptor = os.open(
            file,
            os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0),
        )
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
