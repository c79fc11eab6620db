"""Workers as processes of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Final

_PROGRAM: Final = "judgemesh.mesh.runs.workers.worker"
_HOST: Final = "127.0.0.1"


@dataclass(slots=True)
class LocalWorkers:
    """Starts `size` processes, and a new one for each that ends before its time."""

    size: int
    _processes: list[subprocess.Popen[str]] = field(
        default_factory=list["subprocess.Popen[str]"]
    )

    @property
    def host(self) -> str:
        """The address that the driver listens on."""
        return _HOST

    def start(self, port: int, key: bytes) -> None:
        """Start all workers."""
        for _ in range(self.size):
            self._start_one(port, key)

    def replace(self, port: int, key: bytes) -> int:
        """Start a new process for each one that has ended; how many."""
        ended = [process for process in self._processes if process.poll() is not None]
        for process in ended:
            self._processes.remove(process)
            self._start_one(port, key)
        return len(ended)

    def stop(self) -> None:
        """End all processes at once."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()
        self._processes.clear()

    def _start_one(self, port: int, key: bytes) -> None:
        # A session of its own: Ctrl-C at a terminal is for the driver, which ends its workers.
        process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-P", "-m", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
            text=True,
        )
        self._processes.append(process)
        if process.stdin is not None:
            # The key is no argument: the arguments of a process can be read by every user of the machine.
            process.stdin.write(f"{_HOST} {port} {key.hex()}\n")
            process.stdin.close()
