"""Between an event loop and the writer thread: one crossing for many writes, each way.

Writes of one turn of the loop are handed over together: they are those of calls that were answered at one moment, and
share a commit. Those that are committed together wake the loop once. A waiter that is cancelled takes no error with it
that nobody reads.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.batch import WriteBatch
from judgemesh.mesh.ledger.writer import Write, Writer

T = TypeVar("T")


class Outbox:
    """Writes on their way to the writer. A waiter that is cancelled leaves its write as it is."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._waking = Waking()
        self._writes: dict[asyncio.AbstractEventLoop, list[Write]] = {}

    def write(
        self,
        build: Callable[[], WriteBatch],
        *,
        can_wait: bool,
        follows: bool = False,
        committed: Callable[[], None] | None = None,
    ) -> asyncio.Future[None]:
        """Hand over a batch at the end of this turn of the loop; the future is done when it is committed.

        can_wait, follows: see `Write`. committed: called on the loop then, also where the future is cancelled.
        """
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        done = partial(self._waking.wake, waiter, committed=committed)
        write = Write(build, done, can_wait, follows)
        writes = self._writes.get(loop)
        if writes is None:
            self._writes[loop] = [write]
            loop.call_soon(self.send)
        else:
            writes.append(write)
        return waiter

    def write_together(
        self, builds: Sequence[Callable[[], WriteBatch]]
    ) -> asyncio.Future[None]:
        """Hand over batches that can wait, at once; the future is done when each of them is, with the first error."""
        self.send()
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done = _Together(partial(self._waking.wake, waiter), len(builds)).done
        writes = [Write(build, done, can_wait=True) for build in builds]
        try:
            self._writer.submit(writes)
        except LedgerError as error:
            waiter.set_exception(error)
        return waiter

    def call(self, done: Future[T]) -> asyncio.Future[T]:
        """A future of the running loop with the outcome of another job of the writer."""
        waiter: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        def pass_on(done: Future[T]) -> None:
            error = done.exception()
            self._waking.wake(waiter, error, None if error else done.result())

        done.add_done_callback(pass_on)
        return waiter

    def send(self) -> None:
        """Hand over what was written in this loop so far."""
        writes = self._writes.pop(asyncio.get_running_loop(), None)
        if not writes:
            return
        try:
            self._writer.submit(writes)
        except LedgerError as error:
            for write in writes:
                write.done(error)


@dataclass(slots=True)
class _Together:
    """The outcome of several writes: `settle` is called once, when all of them are done."""

    settle: Callable[[LedgerError | None], None]
    open: int
    error: LedgerError | None = None

    def done(self, error: LedgerError | None) -> None:
        """One of them is done; called on the writer thread."""
        self.error = self.error or error
        self.open -= 1
        if not self.open:
            self.settle(self.error)


class Waking:
    """Outcomes for the waiters of event loops, from another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ready: dict[asyncio.AbstractEventLoop, list[_Outcome]] = {}

    def wake(
        self,
        waiter: asyncio.Future[Any],
        error: BaseException | None,
        value: object = None,
        *,
        committed: Callable[[], None] | None = None,
    ) -> None:
        """Note an outcome; those that are noted before the loop has its next turn are passed on together."""
        loop = waiter.get_loop()
        with self._lock:
            ready = self._ready.setdefault(loop, [])
            ready.append((waiter, error, value, committed))
            is_first = len(ready) == 1
        if is_first:
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(self._hand_over, loop)

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        """Pass on everything that is done; runs on the loop."""
        with self._lock:
            ready = self._ready.pop(loop, [])
        for waiter, error, value, committed in ready:
            if committed is not None and error is None:
                committed()
            if waiter.done():
                continue
            if error is None:
                waiter.set_result(value)
            else:
                waiter.set_exception(error)


_Outcome = tuple[
    "asyncio.Future[Any]",
    "BaseException | None",
    object,
    "Callable[[], None] | None",
]
