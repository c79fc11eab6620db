"""Faults of the operating system, raised in Python's audit events: files, sockets and processes."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from judgemesh.mesh.testing.faults.fault import Moments
from judgemesh.mesh.testing.faults.signals import SIGNALS, send

_ERRORS: Final = MappingProxyType(
    {
        "io_error": errno.EIO,
        "too_many": errno.EMFILE,
        "denied": errno.EACCES,
        "refused": errno.ECONNREFUSED,
        "unreachable": errno.ENETUNREACH,
        "memory": errno.ENOMEM,
    }
)
KINDS: Final = MappingProxyType(
    {
        "open": ("io_error", "too_many", "denied", *SIGNALS),
        "connect": ("refused", "unreachable", "too_many"),
        "process": ("exhausted", "memory"),
    }
)
_EVENTS: Final = MappingProxyType(
    {
        "open": ("open",),
        "connect": ("socket.connect",),
        "process": ("subprocess.Popen",),
    }
)
_active: list[Callable[[str, tuple[Any, ...]], None]] = []
"""The injections in force. A hook cannot be removed, so there is one for the process, and it asks this list."""
_hooked: list[bool] = []


@contextmanager
def faulty_system(moments: Moments) -> Generator[None]:
    """The fault happens instead of the n-th event of the seam."""
    events = _EVENTS[moments.fault.seam]
    is_moment = _is_ours(str(Path.cwd())) if moments.fault.seam == "open" else _always

    def seen(event: str, arguments: tuple[Any, ...]) -> None:
        if event in events and is_moment(arguments) and moments.next():
            _strike(moments.fault)

    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_hook)
    _active.append(seen)
    try:
        yield
    finally:
        _active.remove(seen)


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    for seen in _active:
        seen(event, arguments)


def _always(_arguments: tuple[Any, ...]) -> bool:
    return True


def _is_ours(folder: str) -> Callable[[tuple[Any, ...]], bool]:
    """Whether a file that is opened stands below the working folder: programs and libraries do not."""

    def is_ours(arguments: tuple[Any, ...]) -> bool:
        name = arguments[0]
        if not isinstance(name, str | bytes):
            return False
        path = os.path.join(folder, os.fsdecode(name))  # noqa: PTH118 (an audit hook must be cheap)
        return path.startswith(folder + os.sep) and "/.venv/" not in path

    return is_ours


def _strike(fault: Any) -> None:
    if fault.kind in SIGNALS:
        send(fault.kind)
        return
    number = _ERRORS.get(fault.kind, errno.EAGAIN)
    raise OSError(number, os.strerror(number))
