"""One thread that writes, with natural group commit.

The thread takes whatever is queued (up to a limit) and writes it in one transaction. While that commits, the next
group gathers by itself, and a lone result never waits for others. While a stream is graded (`gathering`), a group waits
a moment for more: a commit costs as much as the rows of several results.

A group that fails is written again one batch at a time, so that only the bad one reports an error. That is pointless
for faults of the database itself (locked, disk full, connection lost), which every batch would meet: then all of the
group report it.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import inf
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.batch import WriteBatch, write
from judgemesh.mesh.ledger.faults import ledger_error

T = TypeVar("T")

GROUP_LIMIT: Final = 256
"""Batches, or results, from which on a transaction takes no more: bounds how long one waits and what is repeated."""
_GATHER_S: Final = 0.02
"""How long a group of a stream gathers at most."""


@dataclass(slots=True)
class Write:
    """Rows to be built and written. Building happens on the writer thread, where a fault concerns this job alone.

    builds: make the batches, at least one.
    done: called on the writer thread when they are committed, with None, or with the reason why they cannot be.
    can_wait: nobody waits for this write before the next question is asked, so that it may wait for others.
    results: how many results of a stream wait for it; so much more complete it makes a group. 0 where it belongs to
    the write before it.
    """

    builds: list[Callable[[], WriteBatch]]
    done: Callable[[LedgerError | None], None]
    can_wait: bool
    results: int = 1


_Call = Callable[[], None]
"""Anything else that needs the writing connection; settles its own future."""


def _nothing() -> None:
    """Each write tells its own waiter."""


class Writer:
    """Owns the only thread that uses the writing engine. Every future it gives fails with LedgerError alone.

    settled: called on that thread when all writes of a group are done.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._connection: Connection | None = None
        self._name = name
        self.settled: _Call = _nothing
        self._jobs: deque[Sequence[Write] | _Call] = deque()
        self._closed = self._finished = False
        self._gathered = 0
        self._missing = 1  # so many results wake the thread
        self._arrived = threading.Condition(threading.Lock())
        # A daemon, so that a program that forgot to close its ledger can still end; what was awaited is committed.
        self._thread = threading.Thread(
            target=self._loop, name="judgemesh-ledger", daemon=True
        )
        self._thread.start()

    def write(
        self, build: Callable[[], WriteBatch], *, can_wait: bool = False
    ) -> Future[None]:
        """Queue one batch; the future is done when it is committed. `can_wait`: a little later is as good.

        Raises:
            LedgerError: the writer is closed.
        """
        done: Future[None] = Future()
        self.submit([Write([build], partial(_settle, done), can_wait)])
        return done

    def submit(self, writes: Sequence[Write]) -> None:
        """Queue batches that belong to one moment; they share a commit, as far as a group holds them.

        Raises:
            LedgerError: the writer is closed.
        """
        self._put(writes)

    def call(self, function: Callable[[Connection], T]) -> Future[T]:
        """Queue `function`, run in a transaction of its own after everything queued before it.

        Raises:
            LedgerError: the writer is closed.
        """
        done: Future[T] = Future()

        def run() -> None:
            try:
                with self._transaction() as connection:
                    value = function(connection)
            except Exception as error:  # noqa: BLE001 (the exception becomes the caller's; the thread must live on)
                done.set_exception(ledger_error(error, self._name))
            else:
                done.set_result(value)

        self._put(run)
        return done

    @contextmanager
    def gathering(self, count: int) -> Generator[Callable[[int], None]]:
        """While a stream of results is written: a group is complete with `count` results, or in time.

        To be called with the number of results in progress, from when no more begin: a group waits for no others.
        """
        awaited = 0

        def await_results(count: int) -> None:
            nonlocal awaited
            with self._arrived:
                self._gathered += count - awaited
                awaited = count
                self._arrived.notify()

        await_results(count)
        try:
            yield await_results
        finally:
            await_results(0)

    def close(self) -> None:
        """Write what is queued, then end the thread. Blocks; safe to call twice."""
        with self._arrived:
            if not self._closed:
                self._closed = True
                self._jobs.append(self._finish)
                self._arrived.notify()
        self._thread.join()

    def _finish(self) -> None:
        self._finished = True

    def _put(self, job: Sequence[Write] | _Call) -> None:
        """Queue a job. The thread is woken when its group is complete: to wake it for each write costs more."""
        with self._arrived:
            if self._closed:
                raise LedgerError(f"ledger {self._name} is closed")
            self._jobs.append(job)
            if not callable(job) and all(write.can_wait for write in job):
                self._missing -= max(1, _results_of(job))
                if self._missing > 0:
                    return
            self._arrived.notify()

    def _loop(self) -> None:
        while not self._finished:
            group, call = self._next_group()
            if group:
                self._commit(group)
                self.settled()
            if call is not None:
                call()
        if self._connection is not None:
            self._connection.close()

    def _next_group(self) -> tuple[list[Write], _Call | None]:
        """Wait for a job. The writes in the queue, up to the limit, and the job of another kind that ended them."""
        group: list[Write] = []
        results = 0
        until = inf
        is_due = False
        with self._arrived:
            while True:
                while self._jobs:
                    job = self._jobs.popleft()
                    if callable(job):
                        return group, job
                    group += job
                    results += _results_of(job)
                    if max(len(group), results) >= GROUP_LIMIT:
                        return group, None
                self._missing = self._missing_of(group, results)
                if group and until == inf:
                    until = time.monotonic() + _GATHER_S
                if is_due or self._missing <= 0:
                    return group, None
                is_due = not self._wait(until)

    def _missing_of(self, group: Sequence[Write], results: int) -> int:
        """How many results a group waits for; the first write is waited for as long as it takes."""
        if not group:
            return 1
        if not all(write.can_wait for write in group):
            return 0
        return self._gathered - results

    def _wait(self, until: float) -> bool:
        """Wait until the thread is woken, or it is time, also where the clock stands still; False where it is time."""
        if until == inf:
            return self._arrived.wait()
        left_s = until - time.monotonic()
        return left_s > 0 and self._arrived.wait(left_s)

    def _commit(self, group: Sequence[Write]) -> None:
        ready: list[tuple[Write, list[WriteBatch]]] = []
        for job in group:
            try:
                ready.append((job, [build() for build in job.builds]))
            except Exception as error:  # noqa: BLE001 (a report that cannot become rows is its caller's error alone)
                job.done(ledger_error(error, self._name))
        fault = self._transact([batch for _, batches in ready for batch in batches])
        number = sum(max(1, len(batch.replaces)) for _, each in ready for batch in each)
        may_be_of_one = number > 1 and not isinstance(fault, OperationalError)
        for job, batches in ready:
            if fault is not None and may_be_of_one:
                self._end(job, self._one_by_one(batches))
            else:
                self._end(job, fault)

    def _end(self, job: Write, fault: Exception | None) -> None:
        job.done(None if fault is None else ledger_error(fault, self._name))

    def _one_by_one(self, batches: Sequence[WriteBatch]) -> Exception | None:
        """Write what a group holds that failed; the fault of the first result that cannot be written."""
        parts = chain.from_iterable(batch.one_by_one() for batch in batches)
        faults = [self._transact([part]) for part in parts]
        return next(filter(None, faults), None)

    @contextmanager
    def _transaction(self) -> Generator[Connection]:
        """A transaction; a connection to SQLite is kept for the next one, as long as nothing fails.

        The pool looks after every connection that it is given back. It asks a server whether it is still there.
        """
        connection = self._connection or self._engine.connect()
        self._connection = None
        keep = False
        try:
            with connection.begin():
                yield connection
            keep = self._engine.dialect.name == "sqlite"
        finally:
            if keep:
                self._connection = connection
            else:
                connection.close()

    def _transact(self, batches: Sequence[WriteBatch]) -> Exception | None:
        if not batches:
            return None
        try:
            with self._transaction() as connection:
                write(connection, batches)
        except Exception as error:  # noqa: BLE001 (handed to the callers of these batches)
            return error
        return None


def _results_of(writes: Sequence[Write]) -> int:
    """By how many results they make a group more complete."""
    return sum(write.results for write in writes)


def _settle(done: Future[None], error: LedgerError | None) -> None:
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
