"""Faults at await points: whenever a task of an event loop waits, that is a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Generator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from judgemesh.mesh.testing.faults.fault import Moments
from judgemesh.mesh.testing.faults.signals import SIGNALS, send

KINDS: Final = ("cancel", "memory", *SIGNALS)


@contextmanager
def faulty_awaits(moments: Moments) -> Generator[None]:
    """The fault happens at the n-th await point of the loops that are made in this block, and of the running one."""
    make = asyncio.events.new_event_loop

    def new_event_loop() -> asyncio.AbstractEventLoop:
        loop = make()
        loop.set_task_factory(_Factory(moments))
        return loop

    running = _running_loop()
    before = running.get_task_factory() if running else None
    if running is not None:
        running.set_task_factory(_Factory(moments))
    try:
        with patch("asyncio.events.new_event_loop", new_event_loop):
            yield
    finally:
        if running is not None:
            running.set_task_factory(before)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class _Factory:
    """Makes tasks whose await points are counted; the first one is what `cancel` cancels."""

    def __init__(self, moments: Moments) -> None:
        self._moments = moments
        self._first: asyncio.Task[Any] | None = None

    def __call__(
        self,
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        **options: Any,
    ) -> asyncio.Task[Any]:
        counted = _counted(_Steps(coroutine, self))
        task: asyncio.Task[Any] = asyncio.Task(counted, loop=loop, **options)
        # A task that is cancelled before its first step ends `counted`, and would leave the coroutine not begun.
        task.add_done_callback(lambda _task: coroutine.close())
        if self._first is None:
            self._first = task
        return task

    def wait(self) -> None:
        """Count an await point.

        Raises:
            MemoryError: this is the moment, and the kind is `memory`.
        """
        if not self._moments.next():
            return
        kind = self._moments.fault.kind
        if kind == "memory":
            raise MemoryError
        if kind in SIGNALS:
            send(kind)
        elif self._first is not None:
            self._first.cancel()


class _Steps:
    """A coroutine, step by step: each time it waits, the factory is told."""

    def __init__(
        self,
        coroutine: Coroutine[Any, Any, Any] | Generator[Any, None, Any],
        factory: _Factory,
    ) -> None:
        self._coroutine = coroutine
        self._factory = factory

    def __await__(self) -> Generator[Any, Any, Any]:
        sent: Any = None
        thrown: BaseException | None = None
        while True:
            try:
                if thrown is None:
                    awaited = self._coroutine.send(sent)
                else:
                    awaited = self._coroutine.throw(thrown)
            except StopIteration as done:
                return done.value
            sent = thrown = None
            try:
                self._factory.wait()
                sent = yield awaited
            except BaseException as error:  # noqa: BLE001 (thrown into the coroutine, as the loop would)
                thrown = error


async def _counted(steps: _Steps) -> Any:
    return await steps
