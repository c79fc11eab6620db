"""Open a regular file, and nothing else.

A pipe that nobody writes to never opens, a device may never end, and files of `/proc` tell about the grader. What the
user names may be a link. What a result names may not: whoever wrote the result may be the agent, so the path is
followed from the folder of the results, one name at a time, and no step may leave it.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path, PurePosixPath
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO, Final

_CLOSE: Final = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
# `O_NONBLOCK`: opening a pipe that nobody writes to must not wait. Windows has neither flag.
_FILE: Final = (
    os.O_RDONLY | _CLOSE | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_FOLDER: Final = os.O_RDONLY | _CLOSE | getattr(os, "O_DIRECTORY", 0)
_HAS_DIR_FD: Final = os.open in os.supports_dir_fd
_MAX_NAME_CHARS: Final = 4096


class FileRefused(OSError):
    """A file that is not read, and why: `strerror` says what is wrong with it."""

    def __init__(
        self, reason: str, path: Path | str, number: int = errno.EINVAL
    ) -> None:
        super().__init__(number, reason, str(path))


def open_file(path: Path) -> BinaryIO:
    """A regular file that the user names; links are followed.

    Raises:
        FileRefused: it is a folder, a pipe, a device or a socket.
        OSError: it is missing or may not be read.
    """
    try:
        descriptor = os.open(path, _FILE)
    except ValueError as error:
        raise FileRefused(f"is no usable path: {error}", path) from None
    return _checked(descriptor, path)


def open_below(folder: Path, reference: str) -> BinaryIO:
    """A regular file that a result names, by its path from the folder of the results.

    Raises:
        FileRefused: the path is absolute, leaves the folder, passes a link, or names no regular file.
        OSError: it is missing or may not be read.
    """
    names = names_of(reference)
    if not _HAS_DIR_FD:
        return _open_resolved(folder, names, reference)
    place = os.open(folder, _FOLDER)
    try:
        for name in names[:-1]:
            inner = os.open(name, _FOLDER | _NO_LINK, dir_fd=place)
            os.close(place)
            place = inner
        descriptor = os.open(names[-1], _FILE | _NO_LINK, dir_fd=place)
    except OSError as error:
        raise _explained(error, reference) from None
    finally:
        os.close(place)
    return _checked(descriptor, reference)


def names_of(reference: str) -> tuple[str, ...]:
    """The folder names and the file name of a path that a result gives.

    Raises:
        FileRefused: it is no relative path that stays below its folder.
    """
    shown = repr(reference[:80])
    if not reference.strip() or "\0" in reference or len(reference) > _MAX_NAME_CHARS:
        raise FileRefused("is no usable path", shown)
    try:
        os.fsencode(reference)
    except UnicodeEncodeError:
        raise FileRefused("is no usable path", shown) from None
    path = PurePosixPath(reference)
    if path.is_absolute() or Path(reference).is_absolute() or Path(reference).drive:
        raise FileRefused(
            "is an absolute path; name it from the folder of the results", shown
        )
    if ".." in path.parts or ".." in Path(reference).parts or not path.parts:
        raise FileRefused("leads out of the folder of the results", shown)
    return path.parts


def _open_resolved(folder: Path, names: tuple[str, ...], reference: str) -> BinaryIO:
    """Without descriptors of folders (Windows): compare the resolved paths."""
    path = folder.resolve().joinpath(*names)
    if path.resolve() != path:
        raise FileRefused("passes a link", reference)
    return _checked(os.open(path, _FILE), reference)


def _explained(error: OSError, reference: str) -> OSError:
    """ELOOP and ENOTDIR in words: a link was met where a file or folder was expected."""
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return FileRefused("passes a link", reference, errno.ELOOP)
    if error.errno == errno.ENOTDIR:
        reason = "passes a link or a file where a folder is expected"
        return FileRefused(reason, reference, errno.ENOTDIR)
    error.filename = reference
    return error


def _checked(descriptor: int, path: Path | str) -> BinaryIO:
    mode = os.fstat(descriptor).st_mode
    if S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise FileRefused("is a folder" if S_ISDIR(mode) else "is no regular file", path)
