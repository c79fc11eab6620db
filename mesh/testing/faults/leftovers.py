"""What a program has left open: file descriptors, threads and child processes. Linux only."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_OF_LOOPS: Final = ("anon_inode:[eventpoll]", "/dev/null", "/dev/urandom")


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """What is open now: targets of descriptors by number, names of threads by ident, child processes."""

    descriptors: dict[int, str]
    threads: dict[int, str]
    children: frozenset[int]

    @classmethod
    def now(cls) -> Self:
        """What is open in this process."""
        descriptors: dict[int, str] = {}
        for path in Path("/proc/self/fd").iterdir():
            try:
                descriptors[int(path.name)] = str(path.readlink())
            except OSError:
                continue  # the descriptor of this listing
        threads = {
            thread.ident or 0: thread.name
            for thread in threading.enumerate()
            if thread is not threading.main_thread()
        }
        children: set[int] = set()
        for task in Path("/proc/self/task").iterdir():
            children |= {int(each) for each in (task / "children").read_text().split()}
        return cls(
            descriptors=descriptors, threads=threads, children=frozenset(children)
        )


def left_open(before: Open) -> list[str]:
    """What is open now and was not before, one line each; a daemon thread counts as well."""
    now = Open.now()
    lines = [
        f"descriptor {number}: {target}"
        for number, target in now.descriptors.items()
        if before.descriptors.get(number) != target and target not in _OF_LOOPS
    ]
    lines += [
        f"thread {name}"
        for ident, name in now.threads.items()
        if ident not in before.threads
    ]
    lines += [f"child process {each}" for each in now.children - before.children]
    return sorted(lines)
