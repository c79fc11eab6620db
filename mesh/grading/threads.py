"""Plain functions off the event loop.

Each call runs in a daemon thread of a small pool. A function that never returns costs its deadline, not the loop and
not the exit of the process; that is why this is no `concurrent.futures` pool, which joins its threads at exit. A thread
that is no longer waited for is interrupted.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Any, Final

import anyio

from judgemesh.mesh.isolation.faults import carried
from judgemesh.mesh.isolation.interrupting import Interrupted, interrupt

_MAX_HUNG: Final = 8
_LEFT_S: Final = 2.0
_AGAIN_S: Final = 0.25


class TooManyHung(RuntimeError):
    """The function did not return from several earlier calls and is not called again."""


@dataclass(slots=True)
class _History:
    """How many calls of one function have not returned."""

    hung: int = 0


@dataclass(slots=True)
class _Job:
    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


@dataclass(slots=True)
class _Worker:
    """One daemon thread; it returns to the idle list after each job, and ends when its inbox gives None.

    is_interrupted: its job was given up; it takes no other.
    """

    inbox: SimpleQueue[_Job | None] = field(default_factory=SimpleQueue["_Job | None"])
    thread: threading.Thread = field(init=False)
    is_interrupted: bool = False

    def start(self) -> None:
        self.thread = threading.Thread(
            target=self._serve, name="judgemesh-offload", daemon=True
        )
        self.thread.start()

    def interrupt(self) -> None:
        """Interrupt the thread, and again while it lives: a destructor that is at work swallows the exception."""
        self.is_interrupted = True
        interrupt(self.thread)
        if self.thread.is_alive():
            asyncio.get_running_loop().call_later(_AGAIN_S, self.interrupt)

    def _serve(self) -> None:
        with suppress(Interrupted):
            while not self.is_interrupted and (job := self.inbox.get()) is not None:
                _do(job)


def _do(job: _Job) -> None:
    result, error = None, None
    try:
        result = job.work()
    except BaseException as raised:  # noqa: BLE001 (carried over to the awaiting task)
        error = raised
    with suppress(RuntimeError):  # the loop is closed: no task waits
        job.loop.call_soon_threadsafe(_settle, job.future, result, error)


def _settle(
    future: asyncio.Future[Any], result: Any, error: BaseException | None
) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(carried(error))


class Offload:
    """A bounded pool of daemon threads for functions that may block."""

    def __init__(self, threads: int = 8) -> None:
        self._limiter = anyio.CapacityLimiter(threads)
        self._idle: list[_Worker] = []
        self._histories: dict[str, _History] = {}

    async def run(self, key: str, work: Callable[[], Any]) -> Any:
        """Call `work()` and return or raise what it does. `key` names the function across calls.

        Raises:
            TooManyHung: several calls under this key have not returned.
        """
        history = self._histories.setdefault(key, _History())
        if history.hung >= _MAX_HUNG:
            raise TooManyHung(f"{_MAX_HUNG} earlier calls have not returned")
        async with self._limiter:
            return await self._call_in_thread(history, work)

    async def _call_in_thread(self, history: _History, work: Callable[[], Any]) -> Any:
        worker = self._idle.pop() if self._idle else _started()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        worker.inbox.put(_Job(work, loop, future))
        try:
            return await asyncio.shield(future)
        finally:
            if future.done():
                self._idle.append(worker)
            else:  # the deadline has cancelled the wait, and the thread is still busy
                history.hung += 1
                future.add_done_callback(partial(self._returned, history))
                worker.interrupt()

    @staticmethod
    def _returned(history: _History, future: asyncio.Future[Any]) -> None:
        """A call that missed its deadline has returned after all."""
        history.hung -= 1
        _retrieved(future)

    def leave(self, work: Callable[[], Any]) -> None:
        """Call `work()` in a thread that nobody waits for; it is interrupted after 2 s."""
        worker = _started()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        future.add_done_callback(_retrieved)
        worker.inbox.put(_Job(work, loop, future))
        worker.inbox.put(None)
        loop.call_later(_LEFT_S, worker.interrupt)

    def close(self) -> None:
        """Let idle threads end; a hung one ends with the process."""
        while self._idle:
            self._idle.pop().inbox.put(None)


def _retrieved(future: asyncio.Future[Any]) -> None:
    """Nobody waits for what a call raised; asyncio would log it."""
    if not future.cancelled():
        future.exception()


def _started() -> _Worker:
    worker = _Worker()
    worker.start()
    return worker
