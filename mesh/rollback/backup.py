"""Copy a world and restore it, with a journal that survives a kill of judgemesh itself.

The journal is written when the copy is complete and before the agent starts, and removed when the world is restored.
A later start that finds a journal restores the world first.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.inputs.files.limits import SETTINGS_FILE
from judgemesh.mesh.inputs.files.reading import read_text_file
from judgemesh.mesh.rollback.reading import Loaded
from judgemesh.mesh.state.trees import copy_tree, empty, folders_of

SQLITE_SIDES: Final = ("-journal", "-wal", "-shm")
_VERSION: Final = 1
_MAX_BYTES: Final = 4 * 2**30
_JOURNAL: Final = "journal.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldItem:
    """One folder or file of the world and its copy; `was` tells whether it was there."""

    target: Path
    copy: Path
    folder: bool
    was: bool


def items_of(loaded: Loaded, folder: Path) -> list[WorldItem]:
    """The folders and files of a world to copy; a file inside one of the folders comes with it."""
    items: list[WorldItem] = []
    for index, part in enumerate(loaded.folders):
        copy, existed = folder / f"folder-{index}", part.path.is_dir()
        items.append(WorldItem(target=part.path, copy=copy, folder=True, was=existed))
    files = [*sqlite_files(loaded), *(part.path for part in loaded.documents)]
    for index, file in enumerate(dict.fromkeys(files)):
        if any(file.is_relative_to(part.path) for part in loaded.folders):
            continue
        copy, existed = folder / f"file-{index}", file.is_file()
        items.append(WorldItem(target=file, copy=copy, folder=False, was=existed))
    return items


def sqlite_files(loaded: Loaded) -> list[Path]:
    """The SQLite files of a world, each with the files that SQLite keeps beside it."""
    files: list[Path] = []
    for part in loaded.sqlite:
        for suffix in ("", *SQLITE_SIDES):
            files.append(part.path.with_name(part.path.name + suffix))
    return files


def copy_away(items: Iterable[WorldItem]) -> None:
    """Copy the world.

    Raises:
        InputError: it holds what cannot be copied, or too much.
        OSError: it cannot be read, or the copy cannot be written.
    """
    size = 0
    for item in items:
        for path, seen in _everything(item):
            size += seen.st_size
            if not (
                stat.S_ISREG(seen.st_mode)
                or stat.S_ISDIR(seen.st_mode)
                or stat.S_ISLNK(seen.st_mode)
            ):
                raise InputError(
                    "is no file, folder or link, and cannot be copied", where=str(path)
                )
            if size > _MAX_BYTES:
                raise InputError(
                    f"holds more than {_MAX_BYTES // 2**30} GiB", where=str(item.target)
                )
        if item.was and item.folder:
            item.copy.parent.mkdir(parents=True, exist_ok=True)
            copy_tree(item.target, item.copy)
        elif item.was:
            item.copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(item.target, item.copy, follow_symlinks=False)


def put_back(items: Iterable[WorldItem]) -> None:
    """Put the world back as it was copied; may be done again after it was broken off.

    Raises:
        InputError: a path leads elsewhere by now, so that strangers' files would be lost.
        OSError: something cannot be removed or written.
    """
    for item in items:
        if item.target.parent.resolve() != item.target.parent:
            raise InputError(
                "leads elsewhere by now; nothing was removed", where=str(item.target)
            )
        if item.was and not item.copy.exists():
            raise InputError(
                "the copy is gone; nothing was removed", where=str(item.copy)
            )
        if (
            item.folder
            and item.was
            and item.target.is_dir()
            and not item.target.is_symlink()
        ):
            empty(item.target)
        else:
            _remove(item.target)
        if item.was:
            item.target.parent.mkdir(parents=True, exist_ok=True)
        if item.was and item.folder:
            copy_tree(item.copy, item.target)
        elif item.was:
            shutil.copy2(item.copy, item.target, follow_symlinks=False)


def _everything(item: WorldItem) -> Iterator[tuple[Path, os.stat_result]]:
    if item.was:
        yield item.target, item.target.lstat()
    if item.was and item.folder:
        for folder in folders_of(item.target):
            for entry in folder.entries:
                path = item.target / folder.path_of(entry.name)
                yield path, entry.stat(follow_symlinks=False)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        empty(path)
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


# --- the journal ---


@dataclass(slots=True)
class Workspace:
    """The folder with the copies and the journal of one spec. It serves one measurement at a time."""

    folder: Path
    spec: Path

    @property
    def copies(self) -> Path:
        """Where the copies of the world lie."""
        return self.folder / "copies"

    @property
    def work(self) -> Path:
        """Where an injection keeps its events and outputs."""
        return self.folder / "work"

    @contextmanager
    def held(self) -> Generator[None]:
        """Lock the workspace against other measurements.

        Raises:
            ConfigError: another measurement of this spec is going on, or there is no such spec.
        """
        try:
            descriptor = os.open(self.spec, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as fault:
            raise ConfigError(
                f"cannot be read: {fault.strerror or fault}", where=str(self.spec)
            ) from None
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ConfigError(
                    "another measurement of this spec is going on", where=str(self.spec)
                ) from None
            yield
        finally:
            os.close(descriptor)

    @property
    def unfinished(self) -> bool:
        """Whether there is a journal: a world that is not put back yet."""
        return (self.folder / _JOURNAL).exists()

    def journal(self) -> Mapping[str, Any] | None:
        """The journal that a measurement left which did not end.

        Raises:
            ConfigError: it cannot be read.
        """
        path = self.folder / _JOURNAL
        try:
            data = json.loads(read_text_file(path, SETTINGS_FILE))
            known = data["version"] == _VERSION
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError):
            known, data = False, {}
        if not known:
            hint = f"the copies of the world lie in {self.copies}; put them back by hand and remove the journal"
            raise ConfigError("the journal cannot be read", where=str(path), hint=hint)
        return cast("Mapping[str, Any]", data)

    def note(self, items: Iterable[WorldItem], **more: object) -> None:
        """Write the journal, whole or not at all."""
        data = {
            "version": _VERSION,
            "items": [
                {
                    "target": str(item.target),
                    "copy": str(item.copy),
                    "folder": item.folder,
                    "was": item.was,
                }
                for item in items
            ],
            **more,
        }
        path, fresh = self.folder / _JOURNAL, self.folder / f"{_JOURNAL}.new"
        with fresh.open("w", encoding="utf-8") as file:
            json.dump(data, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)

    def clear(self) -> None:
        """The world is as it was: nothing of this measurement is needed any more."""
        (self.folder / _JOURNAL).unlink(missing_ok=True)
        for folder in (self.copies, self.work):
            if folder.exists():
                _remove(folder)
        for folder in (
            self.folder,
            *self.folder.parents[:2],
        ):  # only those that are empty now
            with suppress(OSError):
                folder.rmdir()


def items_in(journal: Mapping[str, Any]) -> list[WorldItem]:
    """What a journal says was copied."""
    return [
        WorldItem(
            target=Path(one["target"]),
            copy=Path(one["copy"]),
            folder=bool(one["folder"]),
            was=bool(one["was"]),
        )
        for one in journal["items"]
    ]
