"""Files that a result names: the one way to open them.

Who writes a result may be the agent. So a name may not lead out of the folder of the results, and what it names must be
a regular file of bounded size: a pipe or a device may never end.
"""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISREG
from typing import Final

from judgemesh.contracts.errors import ResultError

_MIB: Final = 2**20
MAX_BYTES: Final = 256 * _MIB
# `O_NONBLOCK`: opening a pipe that nobody writes to must not wait. Windows has neither flag.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


def within(base_dir: Path, reference: str) -> Path:
    """The path that a result names, which must lie below the folder of the results, links resolved.

    Raises:
        ResultError: it leads outside, or is no path at all.
    """
    try:
        path = (base_dir / reference).resolve()
        inside = path.is_relative_to(base_dir.resolve())
    except (ValueError, OSError, RuntimeError) as error:
        raise ResultError(f"{reference[:80]!r} is no usable path: {error}") from None
    if not inside:
        message = f"{reference[:80]!r} leads out of the folder of the results"
        raise ResultError(message, hint="keep referenced files below it")
    return path


def content_of(base_dir: Path, reference: str) -> bytes:
    """The content of a file that a result names.

    Raises:
        ResultError: it leads outside, is missing, is no regular file, or is larger than 256 MiB.
    """
    path = within(base_dir, reference)
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not S_ISREG(status.st_mode):
                raise ResultError("cannot be read: no regular file", where=str(path))
            if status.st_size > MAX_BYTES:
                raise ResultError(
                    f"is larger than {MAX_BYTES // _MIB} MiB", where=str(path)
                )
            # The file may grow while it is read.
            return stream.read(MAX_BYTES)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ResultError(f"cannot be read: {reason}", where=str(path)) from None
