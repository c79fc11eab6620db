"""A folder as state: every file's size, mode and content hash, and the text of small ones. Links are never followed."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.state.documents import MAX_BYTES, format_of, profile, unexamined
from judgemesh.mesh.state.trees import folders_of

_CHUNK_BYTES: Final = 1 << 20
_SPECIAL_FILES: Final = {
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """A folder to watch; its key in the snapshot is `name`.

    exclude: names or relative paths to leave out, `*` for any run of characters. max_text: files up to that many bytes
    keep their text. max_files: more than that is an error, so that nobody takes a snapshot of a whole disk by mistake.
    """

    path: Path
    name: str = "files"
    exclude: tuple[str, ...] = (".git", "__pycache__")
    max_text: int = 65_536
    max_files: int = 50_000

    def take(self) -> dict[str, object]:
        """Every file by its relative path. A folder that does not exist has none.

        Raises:
            InputError: it is no folder, cannot be read, or holds too many files.
        """
        root = Path(self.path)
        if not root.exists():
            return {}
        if not root.is_dir():
            raise InputError("is no folder", where=str(root))
        files: dict[str, object] = {}
        for relative_path, folder, entry in _files_below(root, self.exclude):
            if len(files) >= self.max_files:
                raise InputError(
                    f"holds more than {self.max_files} files",
                    where=str(root),
                    hint="use --exclude",
                )
            files[relative_path] = _describe(
                relative_path, entry, folder, self.max_text
            )
        return files


def _files_below(
    root: Path, exclude: Sequence[str]
) -> Iterator[tuple[str, int, os.DirEntry[str]]]:
    """Everything below the folder that is not a folder: relative path, descriptor of its folder, and entry."""

    def enter(relative_path: str, entry: os.DirEntry[str]) -> bool:
        return not _is_excluded(entry.name, relative_path, exclude)

    try:
        for folder in folders_of(root, enter):
            for entry in folder.entries:
                relative_path = folder.path_of(entry.name)
                if entry.is_dir(follow_symlinks=False):
                    continue
                if enter(relative_path, entry):
                    yield relative_path, folder.descriptor, entry
    except OSError as error:
        where = root / str(error.filename or "")
        raise InputError(
            f"cannot be read: {error.strerror or error}", where=str(where)
        ) from None


def _is_excluded(name: str, relative_path: str, exclude: Sequence[str]) -> bool:
    return any(
        fnmatchcase(name, pattern) or fnmatchcase(relative_path, pattern)
        for pattern in exclude
    )


def _describe(
    relative_path: str, entry: os.DirEntry[str], folder: int, max_text: int
) -> dict[str, object]:
    """One file. A file that cannot be opened says so, and the rest of the snapshot is taken."""
    try:
        if entry.is_symlink():
            # The target is part of the state; what the target holds is not.
            return {"link": os.readlink(entry.name, dir_fd=folder)}
        mode = entry.stat(follow_symlinks=False).st_mode
        special = _SPECIAL_FILES.get(stat.S_IFMT(mode))
        if special is not None:
            return {"special": special}
        return _describe_file(relative_path, entry.name, folder, max_text)
    except OSError as error:
        return {"unreadable": error.strerror or type(error).__name__}


def _describe_file(
    relative_path: str, name: str, folder: int, max_text: int
) -> dict[str, object]:
    document_format = format_of(relative_path)
    max_kept = max_text
    if document_format is not None:
        max_kept = max(max_text, MAX_BYTES)
    # Without O_NOFOLLOW, a link put there after the check would be followed; O_NONBLOCK never waits.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(name, flags, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        digest, content, size = hashlib.sha256(), bytearray(), 0
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
            if size <= max_kept:
                content += chunk
    description: dict[str, object] = {
        "size": size,
        "mode": f"{stat.S_IMODE(mode):04o}",
        "sha256": digest.hexdigest(),
    }
    if size <= max_text:
        text = _decoded(bytes(content))
        if text is not None:
            description["text"] = text
    if document_format is not None:
        if size > max_kept:
            description["document"] = unexamined(document_format, max_kept)
        else:
            description["document"] = profile(relative_path, bytes(content))
    return description


def _decoded(data: bytes) -> str | None:
    """The data as text; None for a binary file."""
    if b"\x00" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
