"""Plain functions off the event loop.

Each call runs in a daemon thread of a small pool. A function that never returns costs its deadline, not the loop and
not the exit of the process; that is why this is no `concurrent.futures` pool, which joins its threads at exit.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from queue import SimpleQueue
from typing import Any, Final

import anyio

from judgemesh.mesh.isolation.faults import carried

_MAX_HUNG: Final = 8


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
    """One daemon thread; it returns to the idle list after each job, and ends when its inbox gives None."""

    inbox: SimpleQueue[_Job | None] = field(default_factory=SimpleQueue["_Job | None"])

    def start(self) -> None:
        threading.Thread(
            target=self._serve, name="judgemesh-offload", daemon=True
        ).start()

    def _serve(self) -> None:
        while (job := self.inbox.get()) is not None:
            result, error = None, None
            try:
                result = job.work()
            except BaseException as raised:  # noqa: BLE001 (carried over to the awaiting task)
                error = raised
            try:
                job.loop.call_soon_threadsafe(_settle, job.future, result, error)
            except RuntimeError:  # the loop is closed: no task waits
                return


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
                future.add_done_callback(partial(self._returned, history, worker))

    def _returned(
        self, history: _History, worker: _Worker, future: asyncio.Future[Any]
    ) -> None:
        """A call that missed its deadline has returned after all."""
        history.hung -= 1
        if not future.cancelled():
            future.exception()  # marks it as retrieved, so that asyncio does not log it
        self._idle.append(worker)

    def leave(self, work: Callable[[], Any]) -> None:
        """Call `work()` in a thread that nobody waits for."""
        threading.Thread(target=work, name="judgemesh-left", daemon=True).start()

    def close(self) -> None:
        """Let idle threads end; a hung one ends with the process."""
        while self._idle:
            self._idle.pop().inbox.put(None)


def _started() -> _Worker:
    worker = _Worker()
    worker.start()
    return worker
