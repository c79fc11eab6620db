"""What files hold, as digests: read in pieces, and each file once while it stays as it is."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from judgemesh.mesh.inputs.files.opening import FileRefused, open_below, open_file

_CHUNK_BYTES: Final = 1 << 20
_MAX_REMEMBERED: Final = 10_000
_MISSING: Final = "missing"
_NO_FILE: Final = "no file"
_TOO_LARGE: Final = "too large"

_Stamp = tuple[int, int, int]
"""Inode, size and time of change of a file."""


class Contents:
    """Digests of files, remembered by inode, size and time of change. Safe to use from several threads.

    A file that is missing or cannot be read has a digest too, which says so: whoever needs the file says what is wrong
    with it, and it is another content once it can be read.
    """

    def __init__(self) -> None:
        self._known: dict[Path, tuple[_Stamp, str]] = {}

    def of_file(self, path: Path, *, max_bytes: int | None = None) -> str:
        """The digest of a file's content. `max_bytes`: a larger file is not read."""
        return self._of(path, lambda: open_file(path), max_bytes)

    def of_reference(self, folder: Path, reference: str, *, max_bytes: int) -> str:
        """The digest of a file that a result names, by its path from the folder of the results."""
        path = folder / reference
        return self._of(path, lambda: open_below(folder, reference), max_bytes)

    def _of(
        self, path: Path, opened: Callable[[], BinaryIO], max_bytes: int | None
    ) -> str:
        try:
            with opened() as stream:
                status = os.fstat(stream.fileno())
                if max_bytes is not None and status.st_size > max_bytes:
                    return _TOO_LARGE
                stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
                known = self._known.get(path)
                if known is not None and known[0] == stamp:
                    return known[1]
                digest = _digest(stream)
        except FileRefused:
            return _NO_FILE
        except FileNotFoundError:
            return _MISSING
        except (OSError, ValueError) as error:
            return f"unreadable: {type(error).__name__}"
        if len(self._known) >= _MAX_REMEMBERED:
            self._known.clear()
        self._known[path] = (stamp, digest)
        return digest

    def of_folder(self, folder: Path, counts: Callable[[Path], bool]) -> str:
        """One digest for the files below a folder that count, with their names. Links to folders are not followed."""
        total = hashlib.sha256()
        for directory, names, files in os.walk(folder):
            names.sort()
            for name in sorted(files):
                path = Path(directory, name)
                if counts(path):
                    relative = path.relative_to(folder).as_posix()
                    total.update(
                        f"{relative}\0{self.of_file(path)}\n".encode(
                            errors="surrogateescape"
                        )
                    )
        return "sha256:" + total.hexdigest()


def _digest(stream: BinaryIO) -> str:
    total = hashlib.sha256()
    while chunk := stream.read(_CHUNK_BYTES):
        total.update(chunk)
    return "sha256:" + total.hexdigest()
