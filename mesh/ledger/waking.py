"""Between an event loop and the writer thread: one crossing for many writes, each way.

Writes of one turn of the loop are handed over together: they are those of calls that were answered at one moment, and
share a commit. Those that are committed together wake the loop once, when all of them are noted: a loop that the first
one wakes takes the interpreter's lock from the writer, and is woken again by the next. A waiter that is cancelled takes
no error with it that nobody reads.
"""

from __future__ import annotations

import asyncio
from collections import deque
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
    """Writes on their way to a writer, which has one outbox. A waiter that is cancelled leaves its write as it is."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._waking = Waking()
        writer.settled = self._waking.wake
        self._writes: dict[asyncio.AbstractEventLoop, list[_Written]] = {}

    def write(
        self,
        build: Callable[[], WriteBatch],
        *,
        can_wait: bool,
        results: int = 1,
        leads: bool = False,
        committed: Callable[[], None] | None = None,
    ) -> asyncio.Future[None]:
        """Hand over a batch at the end of this turn of the loop; the future is done when it is committed.

        can_wait, results: see `Write`. leads: a batch of 0 results that comes next is added to this one, and shares its
        future. committed: called on the loop then, also where the future is cancelled.
        """
        loop = asyncio.get_running_loop()
        writes = self._writes.get(loop)
        if writes is None:
            writes = self._writes[loop] = []
            loop.call_soon(self.send)
        elif not results:
            before, waiter, leading = writes[-1]
            if leading and before.can_wait == can_wait:
                before.builds.append(build)
                return waiter
        waiter = loop.create_future()
        done = partial(self._waking.note, waiter, committed)
        writes.append((Write([build], done, can_wait, results), waiter, leads))
        return waiter

    def write_graded(self, batches: Sequence[WriteBatch]) -> asyncio.Future[None]:
        """Hand over batches of results, at once; the future is done when each of them is, with the first error."""
        self.send()
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        note = partial(self._waking.note, waiter, None)
        done = _Together(note, len(batches)).done
        writes = [
            Write(
                [partial(_same, batch)],
                done,
                can_wait=True,
                results=len(batch.replaces),
            )
            for batch in batches
        ]
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
            value = None if error else done.result()
            self._waking.note(waiter, None, error, value)
            self._waking.wake()

        done.add_done_callback(pass_on)
        return waiter

    def send(self) -> None:
        """Hand over what was written in this loop so far."""
        written = self._writes.pop(asyncio.get_running_loop(), None)
        if not written:
            return
        writes = [write for write, _, _ in written]
        try:
            self._writer.submit(writes)
        except LedgerError as error:
            for write in writes:
                write.done(error)
            self._waking.wake()


_Written = tuple[Write, "asyncio.Future[None]", bool]


def _same(batch: WriteBatch) -> WriteBatch:
    return batch


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
        self._noted: deque[_Outcome] = deque()

    def note(
        self,
        waiter: asyncio.Future[Any],
        committed: Callable[[], None] | None,
        error: BaseException | None,
        value: object = None,
    ) -> None:
        """Note an outcome, which its waiter gets with the next `wake`."""
        self._noted.append((waiter, committed, error, value))

    def wake(self) -> None:
        """Pass on what was noted: each loop is woken once. Safe to be called by several threads."""
        by_loop: dict[asyncio.AbstractEventLoop, list[_Outcome]] = {}
        with suppress(IndexError):  # nothing is left, or another thread took it
            while True:
                outcome = self._noted.popleft()
                by_loop.setdefault(outcome[0].get_loop(), []).append(outcome)
        for loop, outcomes in by_loop.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(_hand_over, outcomes)


_Outcome = tuple[
    "asyncio.Future[Any]",
    "Callable[[], None] | None",
    "BaseException | None",
    object,
]


def _hand_over(outcomes: Sequence[_Outcome]) -> None:
    """Settle the waiters of a loop; runs on it."""
    for waiter, committed, error, value in outcomes:
        if committed is not None and error is None:
            committed()
        if waiter.done():
            continue
        if error is None:
            waiter.set_result(value)
        else:
            waiter.set_exception(error)
