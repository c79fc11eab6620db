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
from judgemesh.mesh.state.documents import MAX_BYTES, format_of, profile

_CHUNK: Final = 1 << 20
_SPECIAL: Final = {
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device",
    stat.S_IFBLK: "block device",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """A folder to watch, which stands in the snapshot under `name`.

    exclude: names or relative paths to leave out, `*` for any run of characters. max_text: files up to that many bytes
    keep their text. max_files: more than that is an error, so that nobody takes a snapshot of a whole disk by mistake.
    """

    path: Path
    name: str = "files"
    exclude: tuple[str, ...] = (".git", "__pycache__")
    max_text: int = 65_536
    max_files: int = 50_000

    def take(self) -> dict[str, object]:
        """Every entry by its relative path. A folder that is not there has no entries.

        Raises:
            InputError: it is no folder, cannot be read, or holds too many files.
        """
        root = Path(self.path)
        if not root.exists():
            return {}
        if not root.is_dir():
            raise InputError("is no folder", where=str(root))
        found: dict[str, object] = {}
        for relative, entry in _entries(root, self.exclude):
            if len(found) >= self.max_files:
                raise InputError(
                    f"holds more than {self.max_files} files",
                    where=str(root),
                    hint="use --exclude",
                )
            found[relative] = _described(relative, entry, self.max_text)
        return found


def _entries(
    root: Path, exclude: Sequence[str]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below the folder that is no folder, and folders without content, in order."""
    waiting: list[tuple[str, str]] = [("", str(root))]
    while waiting:
        prefix, folder = waiting.pop()
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as fault:
            raise InputError(
                f"cannot be read: {fault.strerror or fault}", where=folder
            ) from None
        for entry in entries:
            relative = f"{prefix}{entry.name}"
            if any(
                fnmatchcase(entry.name, glob) or fnmatchcase(relative, glob)
                for glob in exclude
            ):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append((f"{relative}/", entry.path))
            else:
                yield relative, entry


def _described(
    relative: str, entry: os.DirEntry[str], max_text: int
) -> dict[str, object]:
    """One entry. What cannot be opened says so; the rest of the snapshot is worth having all the same."""
    try:
        if entry.is_symlink():
            # Where it leads is part of the state; what stands there is not.
            return {"link": str(Path(entry.path).readlink())}
        seen = entry.stat(follow_symlinks=False)
        special = _SPECIAL.get(stat.S_IFMT(seen.st_mode))
        if special is not None:
            return {"special": special}
        return _file(relative, entry.path, max_text)
    except OSError as fault:
        return {"unreadable": fault.strerror or type(fault).__name__}


def _file(relative: str, path: str, max_text: int) -> dict[str, object]:
    # Without O_NOFOLLOW a link put there between looking and opening would be followed; O_NONBLOCK never waits.
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    )
    with os.fdopen(descriptor, "rb") as file:
        seen = os.fstat(descriptor)
        wanted = format_of(relative) is not None
        keep = max(max_text, MAX_BYTES if wanted else 0)
        digest, kept, size = hashlib.sha256(), bytearray(), 0
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if size <= keep:
                kept += chunk
    entry: dict[str, object] = {
        "size": size,
        "mode": f"{stat.S_IMODE(seen.st_mode):04o}",
        "sha256": digest.hexdigest(),
    }
    if size <= max_text and (text := _as_text(bytes(kept))) is not None:
        entry["text"] = text
    if wanted:
        described = (
            profile(relative, bytes(kept))
            if size <= keep
            else {
                "format": format_of(relative),
                "opens": None,
                "error": f"larger than {keep // 2**20} MiB",
            }
        )
        if described is not None:
            entry["document"] = described
    return entry


def _as_text(data: bytes) -> str | None:
    if b"\x00" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
