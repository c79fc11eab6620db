"""The program of the workers on this machine: it imports what a worker needs once, and forks every worker.

Standard input says where the driver is, its key, and how many workers there are to be; it is open as long as the driver
lives. For each worker that ends, another one is forked, and a byte is written to standard output. A single worker is
the program itself: so workers start where a process cannot be forked.
"""

from __future__ import annotations

import ctypes
import gc
import os
import select
import signal
import sys
import traceback
from importlib import import_module
from typing import Final, NoReturn

from judgemesh.mesh.grading.plugins import import_own
from judgemesh.mesh.runs.workers.channel import ChannelRefused
from judgemesh.mesh.runs.workers.worker import work

_CHECK_S: Final = 0.2
_PR_SET_PDEATHSIG: Final = 1
_LATE: Final = ("anyio._backends._asyncio", "judgemesh.mesh.grading.waiting")
"""What is imported when a first validator waits for something."""


def main() -> NoReturn:
    """Grade for the driver, until it closes standard input or has gone."""
    host, port, key, size = sys.stdin.readline().split()
    address = host, int(port), bytes.fromhex(key)
    if size == "1":
        _work(*address)
    for module in _LATE:
        import_module(module)
    import_own()
    # What the workers share is not looked at by their garbage collectors, which would copy it.
    gc.freeze()
    workers = [_forked(*address) for _ in range(int(size))]
    while not select.select([sys.stdin], [], [], _CHECK_S)[0]:
        for place, worker in enumerate(workers):
            if os.waitpid(worker, os.WNOHANG)[0]:
                workers[place] = _forked(*address)
                os.write(sys.stdout.fileno(), b".")
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    for worker in workers:
        os.waitpid(worker, 0)
    raise SystemExit


def _forked(host: str, port: int, key: bytes) -> int:
    """The id of a new worker. Nothing has started a thread or an event loop, so a fork has everything that it needs."""
    parent = os.getpid()
    worker = os.fork()
    if not worker:
        _end_with(parent)
        # Linux shares a busy machine among sessions: each worker has its own, as a process of its own would.
        os.setsid()
        _work(host, port, key)
    return worker


def _end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, whatever it is doing then."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)


def _work(host: str, port: int, key: bytes) -> NoReturn:
    """Be a worker. Standard input and output are not its own."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdin, sys.stdout):
        os.dup2(nowhere, stream.fileno())
    status = 1
    try:
        work(host, port, key)
        status = 0
    except (OSError, ChannelRefused):
        pass  # the driver is gone
    except Exception:  # noqa: BLE001 (the process ends below)
        traceback.print_exc()
    # A thread of a plug-in that never ends must not keep the process.
    os._exit(status)


if __name__ == "__main__":
    main()
