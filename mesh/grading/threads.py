"""Plain functions off the event loop: each runs in a daemon thread of a small pool, until it has proved so cheap that a
thread costs more than the call. A function that never returns costs its deadline, not the loop and not the exit of the
process (which is why this is no `concurrent.futures` pool: that one joins its threads at exit)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import SimpleQueue
from time import perf_counter
from typing import Any, Final

import anyio

_CHEAP_S: Final = 0.0002
_DEAR_S: Final = 0.005
_TRIALS: Final = 20
_MOST_HUNG: Final = 8


class TooManyHung(RuntimeError):
    """The function did not return from several earlier calls and is not called again."""


@dataclass(slots=True)
class _Habit:
    """What is known about one function: how long it takes and how many of its calls never came back."""

    calls: int = 0
    slowest_s: float = 0.0
    hung: int = 0

    @property
    def cheap(self) -> bool:
        return self.calls >= _TRIALS and self.slowest_s < _CHEAP_S

    def note(self, seconds: float) -> None:
        """A first call pays for imports and caches, so it does not count."""
        self.calls += 1
        if self.calls > 1:
            self.slowest_s = max(self.slowest_s, seconds)


@dataclass(slots=True)
class _Job:
    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


@dataclass(slots=True)
class _Worker:
    """One daemon thread; it goes back to the idle list after each job, or ends when told so."""

    inbox: SimpleQueue[_Job | None] = field(default_factory=SimpleQueue["_Job | None"])

    def start(self) -> None:
        threading.Thread(
            target=self._serve, name="judgemesh-offload", daemon=True
        ).start()

    def _serve(self) -> None:
        while (job := self.inbox.get()) is not None:
            try:
                result, error = job.work(), None
            except BaseException as caught:  # noqa: BLE001 (carried over to the awaiting task)
                result, error = None, caught
            try:
                job.loop.call_soon_threadsafe(_settle, job.future, result, error)
            except RuntimeError:  # the loop is gone, nobody waits
                return


def _settle(
    future: asyncio.Future[Any], result: Any, error: BaseException | None
) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(_carried(error))


def _carried(error: BaseException) -> BaseException:
    """Exceptions a future may not carry, or that would stop the loop, travel as a RuntimeError."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    return RuntimeError(f"{type(error).__name__}: {error}")


class Offload:
    """A bounded pool of daemon threads for functions that may block."""

    def __init__(self, threads: int = 8) -> None:
        self._limiter = anyio.CapacityLimiter(threads)
        self._idle: list[_Worker] = []
        self._habits: dict[str, _Habit] = {}

    async def run(self, key: str, work: Callable[[], Any]) -> Any:
        """What `work()` returns or raises. `key` names the function whose habits are learned.

        Raises:
            TooManyHung: several calls under this key never came back.
        """
        habit = self._habits.setdefault(key, _Habit())
        if habit.cheap:
            return _inline(habit, work)
        if habit.hung >= _MOST_HUNG:
            raise TooManyHung(f"{_MOST_HUNG} earlier calls have not returned")
        async with self._limiter:
            return await self._in_thread(habit, work)

    async def _in_thread(self, habit: _Habit, work: Callable[[], Any]) -> Any:
        worker = self._idle.pop() if self._idle else self._hire()
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        worker.inbox.put(_Job(lambda: _timed(habit, work), loop, future))
        try:
            result = await asyncio.shield(future)
        except asyncio.CancelledError:
            if not future.done():
                habit.hung += 1
                future.add_done_callback(
                    lambda done: self._returned(habit, worker, done)
                )
            else:
                self._idle.append(worker)
            raise
        except BaseException:
            self._idle.append(worker)
            raise
        self._idle.append(worker)
        return result

    def _returned(
        self, habit: _Habit, worker: _Worker, future: asyncio.Future[Any]
    ) -> None:
        """A call given up on came back after all."""
        habit.hung -= 1
        if not future.cancelled():
            future.exception()
        self._idle.append(worker)

    def _hire(self) -> _Worker:
        worker = _Worker()
        worker.start()
        return worker

    def close(self) -> None:
        """Let idle threads end; a hung one ends with the process."""
        while self._idle:
            self._idle.pop().inbox.put(None)


def _timed(habit: _Habit, work: Callable[[], Any]) -> Any:
    started = perf_counter()
    try:
        return work()
    finally:
        habit.note(perf_counter() - started)


def _inline(habit: _Habit, work: Callable[[], Any]) -> Any:
    """Run on the loop; one dear call sends the function back to the threads for good."""
    started = perf_counter()
    try:
        return work()
    finally:
        if perf_counter() - started > _DEAR_S:
            habit.slowest_s = _DEAR_S
