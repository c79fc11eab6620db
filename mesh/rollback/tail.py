"""What an agent says while it works: the lines of a file that grows, and the pipe that holds the agent after each."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from judgemesh.mesh.inputs.files.opening import open_file

_CHUNK: Final = 1 << 16
_MAX_LINE: Final = 8 * 2**20
_MAX_FOLLOWED: Final = 64 * 2**20


class Tail:
    """Whole lines as they are appended to a file, which may come later, be cut short or be replaced."""

    def __init__(self, path: Path, *, from_end: bool) -> None:
        self._path = path
        self._file: IO[bytes] | None = None
        self._rest = b""
        self._before = 0
        if from_end and path.exists():
            self._file = open_file(path)
            self._before = self._file.seek(0, os.SEEK_END)

    def lines(self) -> list[str]:
        """What was completed since the last call, at most 64 KiB of it: clock and sizes are looked at in between."""
        if self._file is None:
            if not self._path.is_file():
                return []
            self._file = open_file(self._path)
        seen = os.fstat(self._file.fileno())
        if self._file.tell() > seen.st_size:
            self._file.seek(0)
            self._rest = b""
        chunk = self._file.read(_CHUNK)
        if not chunk and self._replaced(seen):
            self._file.close()
            self._file, self._rest = None, b""
            return []
        *whole, self._rest = (
            (self._rest + chunk).split(b"\n") if chunk else [self._rest]
        )
        return [line.decode("utf-8", "replace") for line in whole if line.strip()]

    def _replaced(self, seen: os.stat_result) -> bool:
        try:
            now = self._path.stat()
        except OSError:
            return False
        return (now.st_ino, now.st_dev) != (seen.st_ino, seen.st_dev)

    @property
    def overfull(self) -> bool:
        """More than anybody's progress takes."""
        size = 0 if self._file is None else os.fstat(self._file.fileno()).st_size
        return size - self._before > _MAX_FOLLOWED or len(self._rest) > _MAX_LINE

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()


class OutputGate:
    """The pipe that holds the agent after each event until it is let on. Only who opens it is held."""

    def __init__(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        os.mkfifo(path, 0o600)
        both = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            self._end = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        finally:
            os.close(both)

    def let_on(self) -> None:
        """One event may go by."""
        with suppress(BrokenPipeError, BlockingIOError):
            os.write(self._end, b".")

    @property
    def waited_at(self) -> bool:
        """Whether somebody reads the pipe."""
        poll = select.poll()
        poll.register(self._end, 0)
        return not any(event & select.POLLERR for _, event in poll.poll(0))

    def close(self) -> None:
        """Let everybody go on."""
        os.close(self._end)
