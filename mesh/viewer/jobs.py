"""Answers that take longer than a page may: worked out once in the background, and kept for who asks again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias, TypeVar, cast

T = TypeVar("T")

Key: TypeAlias = tuple[object, ...]
"""Of an answer: its kind, then what it is about; all hashable."""

_KEPT: Final = 32
PATIENCE_S: Final = 0.05
"""A short answer comes with the page that asks for it; the page of a longer one asks again."""


class Jobs:
    """The last answers by key, and those that are being worked out."""

    def __init__(self) -> None:
        self._tasks: OrderedDict[Key, asyncio.Task[Any]] = OrderedDict()

    async def answer(self, key: Key, work: Callable[[], Awaitable[T]]) -> T | None:
        """The answer under `key`; None while it is being worked out.

        Raises:
            Exception: whatever `work` raised; the next to ask starts it again.
        """
        task = self._tasks.get(key)
        if task is None:
            task = asyncio.ensure_future(_awaited(work))
            self._tasks[key] = task
            self._forget_oldest()
        self._tasks.move_to_end(key)
        done, _ = await asyncio.wait([task], timeout=PATIENCE_S)
        if not done:
            return None
        if task.cancelled() or task.exception() is not None:
            self._tasks.pop(key, None)
        return cast("T", task.result())

    def forget(self, kind: str) -> None:
        """Work out again what has a key that begins with `kind`."""
        for key in [key for key in self._tasks if key[0] == kind]:
            self._tasks.pop(key).cancel()

    async def close(self) -> None:
        """End what is being worked out."""
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _forget_oldest(self) -> None:
        while len(self._tasks) > _KEPT:
            _, task = self._tasks.popitem(last=False)
            task.cancel()


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
