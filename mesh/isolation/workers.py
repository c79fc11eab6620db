"""Slow or untrusted work in processes that are killed at their deadline.

A worker takes one job after the other, so that a library is loaded once. What a job may use is limited: time by its
deadline, memory to 2 GiB. A worker that misses its deadline or dies is replaced by a new one for the next job.

Jobs and answers are pickled: both ends are this program. Windows has no such limits; there a job runs in the caller.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")

_PROGRAM: Final = "judgemesh.mesh.isolation.serve"
_STARTS_WITHIN_S: Final = 30.0
_SLICE_S: Final = 0.1


class WorkFailed(Exception):
    """A job did not end within its deadline, took too much memory, or killed its process."""


class WorkTimedOut(WorkFailed):
    """A job did not end within its deadline."""


class WorkerPool:
    """Up to `size` worker processes. Safe to use from several threads."""

    def __init__(self, size: int = 2) -> None:
        self._turns = threading.BoundedSemaphore(size)
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._process_id = os.getpid()

    def call(
        self,
        function: Callable[..., T],
        *args: Any,
        timeout_s: float,
    ) -> T:
        """What `function(*args)` returns or raises, in a worker. The wait for a free worker does not count.

        Args:
            function: of a module, so that the worker can import it.
            args: plain data.
            timeout_s: from the time the worker is ready.

        Raises:
            WorkFailed: it missed its deadline, took more than 2 GiB, or ended its process.
        """
        if os.name == "nt":
            return function(*args)
        with self._turns:
            worker = self._taken()
            self._busy.add(worker)
            try:
                is_done, answer = worker.answer(function, args, timeout_s)
            except BaseException:
                worker.kill()
                raise
            finally:
                self._busy.discard(worker)
            self._idle.append(worker)
        if is_done:
            return cast("T", answer)
        if isinstance(answer, MemoryError):
            raise WorkFailed("takes more memory than 2 GiB")
        raise answer

    def close(self) -> None:
        """End all workers, also those whose job nobody waits for any more."""
        while self._idle:
            self._idle.pop().kill()
        while self._busy:
            self._busy.pop().end()

    def _taken(self) -> _Worker:
        if self._process_id != os.getpid():  # a fork shares no worker with its parent
            self._idle, self._busy, self._process_id = [], set(), os.getpid()
        while self._idle:
            worker = self._idle.pop()
            if worker.is_alive:
                return worker
            worker.kill()
        return _Worker()


class _Worker:
    """One process."""

    def __init__(self) -> None:
        # A session of its own: Ctrl-C at a terminal is for the parent.
        self._process = subprocess.Popen(  # noqa: S603 (our own program)
            [sys.executable, "-P", "-m", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise WorkFailed("has no pipes")
        self._jobs = Connection(os.dup(self._process.stdin.fileno()), readable=False)
        self._answers = Connection(
            os.dup(self._process.stdout.fileno()), writable=False
        )
        self._process.stdin.close()
        self._process.stdout.close()
        self._is_ready = False

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def answer(
        self, function: Callable[..., Any], args: tuple[Any, ...], timeout_s: float
    ) -> tuple[bool, Any]:
        """Whether the job returned, and what it returned or raised."""
        try:
            if not self._is_ready:
                self._exchange(os.getpid, (), _STARTS_WITHIN_S)
                self._is_ready = True
            answer: tuple[bool, Any] = self._exchange(function, args, timeout_s)
        except (EOFError, OSError):
            raise WorkFailed("ended the process that it ran in") from None
        return answer

    def _exchange(
        self, function: Callable[..., Any], args: tuple[Any, ...], timeout_s: float
    ) -> Any:
        self._jobs.send((function, args, timeout_s))
        ends_at = time.monotonic() + timeout_s
        # In slices, between which the thread can be interrupted.
        while not self._answers.poll(min(_SLICE_S, max(ends_at - time.monotonic(), 0))):
            if time.monotonic() >= ends_at:
                raise WorkTimedOut(f"did not end within {timeout_s:g} s")
        return self._answers.recv()

    def end(self) -> None:
        """End the process; whoever waits for its answer learns that it has ended."""
        self._process.kill()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._jobs.close()
        self._answers.close()


WORKERS: Final = WorkerPool()
atexit.register(WORKERS.close)
