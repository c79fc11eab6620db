"""Bounded look-ahead over a stream of work: at most `limit` items are in progress, whatever the stream's length."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
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
    left: Callable[[int], None] | None = None,
) -> AsyncGenerator[R]:
    """The results of `work` over `items`, as they finish or (`ordered`) as they came in.

    The next item is taken only when a result has been taken, so a slow consumer slows the source; a slow source keeps
    no result back. The first exception of `work` ends the stream; leaving the loop early cancels the work in progress.

    left: called with the number of items in progress, from when the source has no more.
    """
    finished: dict[int, R] = {}
    following = 0
    with rare_collections(limit):
        async with _Window(_each(items), work, limit, left) as window:
            while group := await window.finished():
                for index, value in group:
                    if not ordered:
                        yield value
                        window.make_room(1)
                        continue
                    finished[index] = value
                    while following in finished:
                        yield finished.pop(following)
                        following += 1
                        window.make_room(1)


async def windowed_groups(
    items: Iterable[T] | AsyncIterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    limit: int,
) -> AsyncGenerator[list[R]]:
    """As `windowed`, in the order in which they finish: everything that is finished comes in one list."""
    with rare_collections(limit):
        async with _Window(_each(items), work, limit) as window:
            while group := await window.finished():
                yield [value for _, value in group]
                window.make_room(len(group))


class _Window(Generic[T, R]):
    """The items in progress: a task for each, one that takes them from the source, and what has finished."""

    def __init__(
        self,
        source: AsyncIterator[T],
        work: Callable[[T], Awaitable[R]],
        limit: int,
        left: Callable[[int], None] | None = None,
    ) -> None:
        self._source = source
        self._work = work
        self._left = left
        self._room = asyncio.Semaphore(limit)
        self._tasks: set[asyncio.Task[None]] = set()
        self._finished: deque[tuple[int, R | None, BaseException | None]] = deque()
        self._news = asyncio.Event()
        self._in_progress = 0
        self._is_exhausted = False

    async def __aenter__(self) -> Self:
        self._begin(self._take())
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancel the work in progress and wait for it, even when the consumer is being cancelled itself.

        The work's own clean-up is done before the stream ends.
        """
        for task in self._tasks:
            task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def finished(self) -> list[tuple[int, R]]:
        """Index and result of all items that have finished, at least one; empty when there are no more.

        Raises what the source or the work raised, after the results of before.
        """
        while not self._finished:
            if self._is_exhausted and not self._in_progress:
                return []
            self._news.clear()
            await self._news.wait()
        group: list[tuple[int, R]] = []
        while self._finished:
            index, value, error = self._finished[0]
            if error is not None:
                if group:
                    break
                raise error
            self._finished.popleft()
            group.append((index, cast("R", value)))
        return group

    def make_room(self, count: int) -> None:
        """Let the source be asked for that many more items."""
        for _ in range(count):
            self._room.release()

    async def _take(self) -> None:
        """Take items from the source, each when there is room for it."""
        index = 0
        error = None
        try:
            while True:
                await self._room.acquire()
                item = await anext(self._source)
                self._in_progress += 1
                self._begin(self._run(index, item))
                index += 1
        except StopAsyncIteration:
            pass
        except BaseException as raised:  # noqa: BLE001 (handed to the consumer)
            error = raised
        self._is_exhausted = True
        if error is not None:
            self._finished.append((index, None, error))
        self._tell()

    async def _run(self, index: int, item: T) -> None:
        value, error = None, None
        try:
            value = await self._work(item)
        except BaseException as raised:  # noqa: BLE001 (handed to the consumer)
            error = raised
        self._in_progress -= 1
        self._finished.append((index, value, error))
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        if self._is_exhausted and self._left is not None:
            self._left(self._in_progress)

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _each(items: Iterable[T] | AsyncIterable[T]) -> AsyncIterator[T]:
    """Both kinds of stream as an async one; the event loop gets a turn at every item."""
    if isinstance(items, AsyncIterable):
        async for item in items:
            yield item
        return
    for item in items:
        yield item
        await asyncio.sleep(0)
