"""Processes: those of a group, and those that left it. Others are only found where the system shows them (/proc)."""

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
    known = {(one.pid, one.started) for one in below}
    needle = f"{MARKER}={marker}".encode()
    for _ in range(_ROUNDS):
        alive = [
            one
            for one in _living()
            if (one.pid, one.started) in known or _carries(one.pid, needle)
        ]
        for one in alive:
            if one.group != group:
                outside.setdefault(one.pid, f"{one.pid} {one.name}")
            with suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
        if not alive:
            return tuple(outside.values())
        time.sleep(_BETWEEN_S)
    return None


def descendants(pid: int) -> list[Process]:
    """The living processes below one, whatever their group; none where the system has no /proc."""
    below: dict[int, list[Process]] = {}
    for one in _living():
        below.setdefault(one.parent, []).append(one)
    found, waiting = list[Process](), [pid]
    while waiting:
        children = below.pop(waiting.pop(), [])
        found += children
        waiting += [one.pid for one in children]
    return found


def _living() -> Iterator[Process]:
    for folder in _PROC.iterdir() if _sees_processes() else ():
        if not folder.name.isdigit():
            continue
        try:
            # `pid (name) state ppid pgrp ...`, the 22nd field is the start; the name may hold anything, `)` too
            head, _, rest = (
                (folder / "stat")
                .read_text(encoding="utf-8", errors="replace")
                .rpartition(")")
            )
            state, parent, group, *more = rest.split()
            if state not in ("Z", "X"):
                name = head.partition("(")[2]
                yield Process(
                    int(folder.name), int(parent), int(group), int(more[16]), name
                )
        except (OSError, ValueError, IndexError):
            continue  # gone


def _carries(pid: int, needle: bytes) -> bool:
    try:
        return needle in (_PROC / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:  # gone, or somebody else's
        return False
