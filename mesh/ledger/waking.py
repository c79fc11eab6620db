"""Futures of other threads, awaited on an event loop: those that are done at one moment wake the loop once.

`asyncio.wrap_future` wakes it for every future, and the writer finishes a group of them with each commit. A waiter that
is cancelled takes no error with it that nobody reads.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Waking:
    """Awaitable futures for those of another thread. A waiter that is cancelled leaves the work as it is."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ready: dict[asyncio.AbstractEventLoop, list[_Outcome]] = {}

    def when_done(self, done: Future[T]) -> asyncio.Future[T]:
        """A future of the running loop with the outcome of `done`."""
        waiter: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        done.add_done_callback(partial(self._finished, waiter))
        return waiter

    def _finished(self, waiter: asyncio.Future[Any], done: Future[Any]) -> None:
        """Note an outcome; runs in the other thread."""
        loop = waiter.get_loop()
        with self._lock:
            ready = self._ready.setdefault(loop, [])
            ready.append((waiter, done))
            is_first = len(ready) == 1
        if is_first:
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(self._hand_over, loop)

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass on everything that is done; runs on the loop."""
        with self._lock:
            ready = self._ready.pop(loop, [])
        for waiter, done in ready:
            if waiter.done():
                continue
            error = done.exception()
            if error is None:
                waiter.set_result(done.result())
            else:
                waiter.set_exception(error)


_Outcome = tuple[asyncio.Future[Any], Future[Any]]
