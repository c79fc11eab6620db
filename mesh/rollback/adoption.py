"""Orphans of an agent as children of this process, so that none escapes (Linux: PR_SET_CHILD_SUBREAPER).

A child that forks twice, leaves its session and clears its environment has neither the agent's group, nor its parent,
nor its marker. But its new parent is the nearest subreaper above it, which is this process while it measures. So every
process below this one that was not there before the agent started is the agent's.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Final

from judgemesh.mesh.rollback.processes import descendants, zombies_of

_SET: Final = 36
_GET: Final = 37
ORPHANS_UNSEEN: Final = (
    "processes that left the agent's group and cleared their environment"
    " (this system does not give orphans to the process that measures)"
)

Family = frozenset[tuple[int, int]]
"""Processes by number and time of start."""


@contextmanager
def adopting() -> Generator[bool]:
    """Adopt orphans meanwhile; whether the system allows it."""
    before = _is_adopting()
    allowed = before or _adopt(1)
    try:
        yield allowed
    finally:
        if allowed and not before:
            _adopt(0)


def household() -> Family | None:
    """The processes below this one; None while orphans are not adopted, so that they say nothing."""
    if not _is_adopting():
        return None
    processes = descendants(os.getpid())
    return frozenset((process.pid, process.started) for process in processes)


def reap(agent: int) -> None:
    """Let go of adopted processes that have ended; the agent itself is waited for elsewhere."""
    for pid in zombies_of(os.getpid()):
        if pid != agent:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def _adopt(value: int) -> bool:
    return _is_linux() and ctypes.CDLL(None).prctl(_SET, value, 0, 0, 0) == 0


def _is_adopting() -> bool:
    if not _is_linux():
        return False
    value = ctypes.c_int(0)
    code = ctypes.CDLL(None).prctl(_GET, ctypes.byref(value), 0, 0, 0)
    return code == 0 and bool(value.value)


def _is_linux() -> bool:
    return sys.platform == "linux"
