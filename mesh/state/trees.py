"""Folders of any depth, walked, copied and removed through descriptors.

A path may be longer than the system takes (4,096 bytes on Linux), and a tree deeper than Python recurses. So one
descriptor moves through the tree, down by name and up by `..`. Links are never followed. Nothing else may move folders
meanwhile.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | getattr(os, "O_CLOEXEC", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_READ: Final = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0)
_WRITE: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_LINK

Enter = Callable[[str, "os.DirEntry[str]"], bool]


@dataclass(frozen=True, slots=True)
class FolderAt:
    """A folder of a walk.

    relative: its path below the root, empty for the root. descriptor: open until the walk goes on.
    """

    relative: str
    descriptor: int
    entries: list[os.DirEntry[str]]

    def path_of(self, name: str) -> str:
        """The path of an entry below the root."""
        return f"{self.relative}/{name}" if self.relative else name


@dataclass(slots=True)
class _Place:
    """A descriptor that moves through a tree."""

    descriptor: int
    names: list[str] = field(default_factory=list[str])

    def down(self, name: str) -> None:
        self._go(os.open(name, _FOLDER | _NO_LINK, dir_fd=self.descriptor))
        self.names.append(name)

    def up(self) -> str:
        self._go(os.open("..", _FOLDER, dir_fd=self.descriptor))
        return self.names.pop()

    def _go(self, descriptor: int) -> None:
        os.close(self.descriptor)
        self.descriptor = descriptor

    def folder(self) -> FolderAt:
        with os.scandir(self.descriptor) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
        return FolderAt("/".join(self.names), self.descriptor, entries)


@contextmanager
def _at(root: Path) -> Generator[_Place]:
    place = _Place(os.open(root, _FOLDER))
    try:
        yield place
    finally:
        os.close(place.descriptor)


def _everywhere(relative: str, entry: os.DirEntry[str]) -> bool:
    del relative, entry
    return True


def folders_of(root: Path, enter: Enter = _everywhere) -> Iterator[FolderAt]:
    """The folder and every folder below, each before those that it holds.

    Args:
        root: of the tree.
        enter: whether a folder below is walked, by its relative path and entry.

    Raises:
        OSError: one cannot be read; `filename` is its path below the root.
    """
    with _at(root) as place:
        pending: list[list[str]] = []
        relative = ""
        try:
            while True:
                folder = place.folder()
                yield folder
                pending.append(_subfolders(folder, enter))
                while pending and not pending[-1]:
                    pending.pop()
                    if not pending:
                        return
                    place.up()
                name = pending[-1].pop()
                relative = "/".join((*place.names, name))
                place.down(name)
        except OSError as fault:
            fault.filename = relative
            raise


def _subfolders(folder: FolderAt, enter: Enter) -> list[str]:
    """The folders to enter, the last first."""
    names: list[str] = []
    for entry in folder.entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and enter(folder.path_of(entry.name), entry):
            names.append(entry.name)
    return names[::-1]


def empty(root: Path) -> None:
    """Remove everything below a folder, whatever its modes.

    Raises:
        OSError: something cannot be removed.
    """
    root.chmod(root.stat().st_mode | stat.S_IRWXU)
    with _at(root) as place:
        pending = [_emptied_of_files(place.folder())]
        while pending:
            if pending[-1]:
                name = pending[-1].pop()
                place.down(name)
                pending.append(_emptied_of_files(place.folder()))
                continue
            pending.pop()
            if pending:
                name = place.up()
                os.rmdir(name, dir_fd=place.descriptor)


def _emptied_of_files(folder: FolderAt) -> list[str]:
    """Remove what is no folder; the folders that are left, opened for their removal."""
    names: list[str] = []
    for entry in folder.entries:
        if entry.is_dir(follow_symlinks=False):
            mode = entry.stat(follow_symlinks=False).st_mode | stat.S_IRWXU
            os.chmod(entry.name, stat.S_IMODE(mode), dir_fd=folder.descriptor)
            names.append(entry.name)
        else:
            os.unlink(entry.name, dir_fd=folder.descriptor)
    return names


def copy_tree(source: Path, target: Path) -> None:
    """Copy a folder with modes, times and links into one that is made, or is there and empty.

    Pipes, sockets and devices are left out.

    Raises:
        OSError: something cannot be read or written.
    """
    target.mkdir(exist_ok=True)
    with _at(target) as place:
        seen: list[os.stat_result] = []
        for folder in folders_of(source):
            names = folder.relative.split("/") if folder.relative else []
            while place.names != names[:-1]:
                _leave(place, seen)
            if names:
                os.mkdir(names[-1], 0o700, dir_fd=place.descriptor)
                place.down(names[-1])
            seen.append(os.fstat(folder.descriptor))
            for entry in folder.entries:
                if not entry.is_dir(follow_symlinks=False):
                    _copy_entry(entry, folder.descriptor, place.descriptor)
        while place.names:
            _leave(place, seen)
        _keep_stat(place.descriptor, seen.pop())


def _leave(place: _Place, seen: list[os.stat_result]) -> None:
    """Give a folder the mode and times of its model, and go up."""
    _keep_stat(place.descriptor, seen.pop())
    place.up()


def _keep_stat(descriptor: int, seen: os.stat_result) -> None:
    os.utime(descriptor, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    os.fchmod(descriptor, stat.S_IMODE(seen.st_mode))


def _copy_entry(entry: os.DirEntry[str], source: int, target: int) -> None:
    name, seen = entry.name, entry.stat(follow_symlinks=False)
    if entry.is_symlink():
        os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
        times = (seen.st_atime_ns, seen.st_mtime_ns)
        os.utime(name, ns=times, dir_fd=target, follow_symlinks=False)
    elif stat.S_ISREG(seen.st_mode):
        _copy_file(name, seen, source, target)


def _copy_file(name: str, seen: os.stat_result, source: int, target: int) -> None:
    with (
        os.fdopen(os.open(name, _READ, dir_fd=source), "rb") as reads,
        os.fdopen(os.open(name, _WRITE, 0o600, dir_fd=target), "wb") as writes,
    ):
        shutil.copyfileobj(reads, writes)
        writes.flush()
        _copy_attributes(reads.fileno(), writes.fileno())
        _keep_stat(writes.fileno(), seen)


def _copy_attributes(source: int, target: int) -> None:
    """Extended attributes, where both sides have them."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(source):
            os.setxattr(target, name, os.getxattr(source, name))
