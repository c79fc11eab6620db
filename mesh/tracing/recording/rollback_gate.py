"""The pipe at which `judgemesh rollback` holds an agent after each event."""

from __future__ import annotations

import os
from typing import Final

_VARIABLE: Final = "JUDGEMESH_GATE"
_CLOSED: Final = -1


class RollbackGate:
    """Holds the process at an event, so that it can be killed there.

    Does nothing without `$JUDGEMESH_GATE`, the path of a named pipe, or when nobody has
    the other end open any more.
    """

    def __init__(self) -> None:
        self._pipe = _opened(os.environ.get(_VARIABLE))

    @property
    def is_open(self) -> bool:
        """Whether the process is held at events."""
        return self._pipe != _CLOSED

    def wait(self) -> None:
        """Wait until the event may pass."""
        try:
            is_deserted = os.read(self._pipe, 1) == b""
        except OSError:
            is_deserted = True
        if is_deserted:
            self.close()

    def close(self) -> None:
        """Hold no more events."""
        if self.is_open:
            os.close(self._pipe)
            self._pipe = _CLOSED


def _opened(path: str | None) -> int:
    if not path:
        return _CLOSED
    # Opened without blocking, so that an agent also starts when the other end is gone.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        pipe = os.open(path, flags)
        os.set_blocking(pipe, True)
    except OSError:
        return _CLOSED
    return pipe
