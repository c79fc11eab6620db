"""The living processes of the system, read from /proc; none are found where there is no /proc."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
_START_FIELD: Final = 19
"""The time of the start among the fields after the name, counted from 0."""
_ENDED: Final = ("Z", "X")


def sees_processes() -> bool:
    """Whether the system shows its processes."""
    return (PROC / "self/environ").exists()


@dataclass(frozen=True, slots=True)
class Process:
    """A process. Its number together with the time of its start (in ticks) is its own for ever."""

    pid: int
    parent: int
    group: int
    started: int
    name: str
    ended: bool = False


def living() -> Iterator[Process]:
    """Every process that has not ended."""
    return (process for process in _all() if not process.ended)


def zombies_of(pid: int) -> list[int]:
    """The children of a process that have ended, and that it has not waited for."""
    return [one.pid for one in _all() if one.ended and one.parent == pid]


def descendants(pid: int) -> list[Process]:
    """The living processes below one, whatever their group."""
    below: dict[int, list[Process]] = {}
    for process in living():
        below.setdefault(process.parent, []).append(process)
    processes: list[Process] = []
    pending = [pid]
    while pending:
        children = below.pop(pending.pop(), [])
        processes += children
        pending += [process.pid for process in children]
    return processes


def _all() -> Iterator[Process]:
    if not sees_processes():
        return
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
            yield _process(int(folder.name), text)
        except (OSError, ValueError, IndexError):
            continue  # it has ended


def _process(pid: int, text: str) -> Process:
    """A process from `/proc/PID/stat` (`pid (name) state ppid pgrp ...`).

    The name may hold anything, a closing bracket too.

    Raises:
        ValueError, IndexError: the text is cut off.
    """
    head, _, rest = text.rpartition(")")
    fields = rest.split()
    state, parent, group = fields[:3]
    started = int(fields[_START_FIELD])
    name = head.partition("(")[2]
    return Process(pid, int(parent), int(group), started, name, state in _ENDED)
