"""Find and kill the processes of an agent, in its process group or outside it (through /proc, where there is one)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Final

from judgemesh.mesh.rollback.adoption import Family, reap
from judgemesh.mesh.rollback.processes import (
    PROC,
    Process,
    descendants,
    living,
    sees_processes,
)

MARKER: Final = "JUDGEMESH_INJECTION"
"""The variable that every process of an agent inherits, unless it clears its environment."""
_ROUNDS: Final = 50
_BETWEEN_S: Final = 0.005


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """A signal to the group, while its number is surely its own: later, the marker finds the rest."""
    if process.returncode is None or not sees_processes():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def kill_marked(
    marker: str,
    group: int,
    below: Collection[Process] = (),
    family: Family | None = None,
) -> tuple[str, ...] | None:
    """Kill every process of an agent; gives back those outside the group, None if there is no end of them.

    Where the system has no /proc, nothing is found.

    Args:
        marker: what every process of the agent inherits.
        group: the agent's process group, which is killed already.
        below: what stood below the agent before the kill, and is killed whether it carries the marker or not.
        family: the processes below this one that are not the agent's; None if orphans are not adopted.
    """
    outside: dict[int, str] = {}
    known = {(process.pid, process.started) for process in below}
    needle = f"{MARKER}={marker}".encode()
    for _ in range(_ROUNDS):
        killed = 0
        for process in _found(needle, known, family):
            killed += 1
            if process.group != group:
                outside.setdefault(process.pid, f"{process.pid} {process.name}")
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        if family is not None:
            reap(group)
        if not killed:
            return tuple(outside.values())
        time.sleep(_BETWEEN_S)
    return None


def _found(
    needle: bytes, known: Collection[tuple[int, int]], family: Family | None
) -> list[Process]:
    """The living processes that carry the marker, are known, or were adopted."""
    found: dict[int, Process] = {}
    for process in living():
        is_known = (process.pid, process.started) in known
        if is_known or _carries(process.pid, needle):
            found[process.pid] = process
    if family is not None:
        for process in descendants(os.getpid()):
            if (process.pid, process.started) not in family:
                found[process.pid] = process
    return list(found.values())


def _carries(pid: int, needle: bytes) -> bool:
    try:
        return needle in (PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # gone, or somebody else's
        return False
