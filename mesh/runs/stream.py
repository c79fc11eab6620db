"""Bounded look-ahead over a stream of work: at most `limit` items are in progress, whatever the stream's length."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
)
from typing import Generic, Self, TypeVar, cast

import anyio

from judgemesh.mesh.runs.collector import rare_collections

T = TypeVar("T")
R = TypeVar("R")


async def windowed(
    items: Iterable[T] | AsyncIterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    limit: int,
    ordered: bool = False,
) -> AsyncGenerator[R]:
    """The results of `work` over `items`, as they finish or (`ordered`) as they came in.

    The next item is taken only when a result has been taken, so a slow consumer slows the source. The first exception
    of `work` ends the stream; leaving the loop early cancels the work in progress.
    """
    yielded = 0
    finished: dict[int, R] = {}
    with rare_collections():
        async with _Window(_each(items), work) as window:
            while True:
                await window.fill(yielded + limit)
                if yielded == window.taken:
                    return
                index, value = await window.finished()
                if not ordered:
                    yielded += 1
                    yield value
                    continue
                finished[index] = value
                while yielded in finished:
                    yielded += 1
                    yield finished.pop(yielded - 1)


async def windowed_groups(
    items: Iterable[T] | AsyncIterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    limit: int,
) -> AsyncGenerator[list[R]]:
    """As `windowed`, in the order in which they finish: everything that is finished comes in one list."""
    yielded = 0
    with rare_collections():
        async with _Window(_each(items), work) as window:
            while True:
                await window.fill(yielded + limit)
                if yielded == window.taken:
                    return
                group = [(await window.finished())[1]]
                while window.has_finished:
                    group.append((await window.finished())[1])
                yielded += len(group)
                yield group


class _Window(Generic[T, R]):
    """The items in progress: a task for each, and a queue of their outcomes."""

    def __init__(
        self, source: AsyncIterator[T], work: Callable[[T], Awaitable[R]]
    ) -> None:
        self.taken = 0
        self._source = source
        self._work = work
        self._exhausted = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._queue: asyncio.Queue[tuple[int, R | None, BaseException | None]] = (
            asyncio.Queue()
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancel the work in progress and wait for it, even when the consumer is being cancelled itself.

        The work's own clean-up is done before the stream ends.
        """
        for task in self._tasks:
            task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def fill(self, count: int) -> None:
        """Take items until `count` have been taken in all, or there are no more."""
        while not self._exhausted and self.taken < count:
            try:
                item = await anext(self._source)
            except StopAsyncIteration:
                self._exhausted = True
                return
            task = asyncio.create_task(self._run(self.taken, item))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            self.taken += 1

    @property
    def has_finished(self) -> bool:
        """Whether the next item is finished already."""
        return not self._queue.empty()

    async def finished(self) -> tuple[int, R]:
        """Index and result of the next item to finish; raises what its work raised."""
        index, value, error = await self._queue.get()
        if error is not None:
            raise error
        return index, cast("R", value)

    async def _run(self, index: int, item: T) -> None:
        try:
            self._queue.put_nowait((index, await self._work(item), None))
        except BaseException as error:  # noqa: BLE001 (handed to the consumer)
            self._queue.put_nowait((index, None, error))


async def _each(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """Both kinds of stream as an async one; the event loop gets a turn at every item."""
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
        return
    for item in items:
        yield item
        await asyncio.sleep(0)
