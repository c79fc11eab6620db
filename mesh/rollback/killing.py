"""Find and kill the processes of an agent, in its process group or outside it (through /proc, where there is one)."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MARKER: Final = "JUDGEMESH_INJECTION"
"""The variable that every process of an agent inherits."""
_PROC: Final = Path("/proc")
_START_FIELD: Final = 19
"""The time of the start among the fields after the name, counted from 0."""
_ROUNDS: Final = 50
_BETWEEN_S: Final = 0.005


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """A signal to the group, while its number is surely its own: later, the marker finds the rest."""
    if process.returncode is None or not _sees_processes():
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


def _sees_processes() -> bool:
    return (_PROC / "self/environ").exists()


@dataclass(frozen=True, slots=True)
class Process:
    """A living process. Its number together with the time of its start (in ticks) is its own for ever."""

    pid: int
    parent: int
    group: int
    started: int
    name: str


def kill_marked(
    marker: str, group: int, below: Collection[Process] = ()
) -> tuple[str, ...] | None:
    """Kill every process that carries the marker; gives back those outside the group, None if there is no end of them.

    Where the system has no /proc, nothing is found.

    Args:
        marker: what every process of the agent inherits.
        group: the agent's process group, which is killed already.
        below: what stood below the agent before the kill, and is killed whether it carries the marker or not.
    """
    outside: dict[int, str] = {}
    known = {(process.pid, process.started) for process in below}
    needle = f"{MARKER}={marker}".encode()
    for _ in range(_ROUNDS):
        killed = 0
        for process in list(_living()):
            is_known = (process.pid, process.started) in known
            if not is_known and not _carries(process.pid, needle):
                continue
            killed += 1
            if process.group != group:
                outside.setdefault(process.pid, f"{process.pid} {process.name}")
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        if not killed:
            return tuple(outside.values())
        time.sleep(_BETWEEN_S)
    return None


def descendants(pid: int) -> list[Process]:
    """The living processes below one, whatever their group; none where the system has no /proc."""
    below: dict[int, list[Process]] = {}
    for process in _living():
        below.setdefault(process.parent, []).append(process)
    processes: list[Process] = []
    pending = [pid]
    while pending:
        children = below.pop(pending.pop(), [])
        processes += children
        pending += [process.pid for process in children]
    return processes


def _living() -> Iterator[Process]:
    if not _sees_processes():
        return
    for folder in _PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            process = _process(int(folder.name), text)
        except (OSError, ValueError, IndexError):
            continue  # it has ended
        if process is not None:
            yield process


def _process(pid: int, text: str) -> Process | None:
    """A process from `/proc/PID/stat` (`pid (name) state ppid pgrp ...`); None for one that has ended.

    The name may hold anything, a closing bracket too.

    Raises:
        ValueError, IndexError: the text is cut off.
    """
    head, _, rest = text.rpartition(")")
    fields = rest.split()
    state, parent, group = fields[:3]
    if state in ("Z", "X"):
        return None
    name = head.partition("(")[2]
    return Process(pid, int(parent), int(group), int(fields[_START_FIELD]), name)


def _carries(pid: int, needle: bytes) -> bool:
    try:
        return needle in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # gone, or somebody else's
        return False
