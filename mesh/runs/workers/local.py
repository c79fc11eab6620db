"""Workers as processes of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

_PROGRAM: Final = "judgemesh.mesh.runs.workers.parent"
_HOST: Final = "127.0.0.1"
_IS_FORKED: Final = sys.platform == "linux"
"""Workers are forked from one process; libraries of macOS do not bear it, Windows cannot."""
_END_S: Final = 2.0
_MANY: Final = 4096
_FEWEST: Final = 2


def most_workers() -> int:
    """How many workers this process has cores for; two at least, so that a worker that dies leaves one.

    Calls are made by the driver, and a validator that waits takes no core: more workers than cores only share them, and
    take them from the driver.
    """
    if hasattr(os, "sched_getaffinity"):
        return max(_FEWEST, len(os.sched_getaffinity(0)))
    return max(_FEWEST, os.cpu_count() or 1)


@dataclass(slots=True)
class LocalWorkers:
    """Keeps `size` processes that grade: children of one process, or each a program of its own."""

    size: int
    _programs: list[_Program] = field(default_factory=list["_Program"])

    @property
    def host(self) -> str:
        """The address that the driver listens on."""
        return _HOST

    def start(self, port: int, key: bytes) -> None:
        """Start all workers."""
        sizes = [self.size] if _IS_FORKED else [1] * self.size
        self._programs += [_Program(port, key, size) for size in sizes]

    def replace(self, port: int, key: bytes) -> int:
        """Start a new worker for each one that has ended, where its program has not done so; how many."""
        number = 0
        for index, program in enumerate(self._programs):
            number += program.replaced()
            if program.has_ended:
                program.end()
                self._programs[index] = _Program(port, key, program.size)
                number += 1
        return number

    def stop(self) -> None:
        """End all processes at once."""
        for program in self._programs:
            program.end()
        self._programs.clear()


class _Program:
    """A process that is a worker, or has `size` workers as children."""

    def __init__(self, port: int, key: bytes, size: int) -> None:
        self.size = size
        # A session of its own: Ctrl-C at a terminal is for the driver, which ends its workers.
        self._process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-P", "-m", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
            bufsize=0,
        )
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise OSError("a worker has no pipes")
        self._stdin, self._stdout = stdin, stdout
        os.set_blocking(stdout.fileno(), False)
        # The key is no argument: the arguments of a process can be read by every user of the machine.
        with suppress(BrokenPipeError):  # it has ended
            stdin.write(f"{_HOST} {port} {key.hex()} {size}\n".encode())

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def replaced(self) -> int:
        """How many workers have ended, and were replaced, since the last call."""
        return len(self._stdout.read(_MANY) or b"")

    def end(self) -> None:
        """End the process and its workers."""
        self._stdin.close()
        if _IS_FORKED:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_S)  # it ends its workers
        self._process.kill()
        self._process.wait()
        self._stdout.close()
