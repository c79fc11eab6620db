"""An event loop in a thread of its own, for asynchronous code of plug-ins.

A plug-in that blocks it costs the deadline of the calls that wait for it: its thread is interrupted, and where that
does not help, the next call gets a new loop. All calls use the same loop while it answers, so that a plug-in may keep a
client between calls.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from judgemesh.mesh.isolation.faults import PluginFault, carried
from judgemesh.mesh.isolation.interrupting import interrupt

T = TypeVar("T")

_ANSWERS_WITHIN_S: Final = 0.5
_COMES_WITHIN_S: Final = 0.25
_MAX_BLOCKED: Final = 8


@dataclass(slots=True)
class _Loop:
    """A loop and its thread. `is_doubtful`: a call to it was cancelled, and it may be blocked."""

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    process_id: int = field(default_factory=os.getpid)
    is_doubtful: bool = False

    thread: threading.Thread = field(init=False)

    def start(self) -> None:
        self.thread = threading.Thread(
            target=self._serve, name="judgemesh-plugins", daemon=True
        )
        self.thread.start()

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        while True:
            try:
                self.loop.run_forever()
            except BaseException:  # noqa: BLE001, S112 (a task of a plug-in wanted to end the process)
                continue

    def give_up(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        """Cancel tasks; interrupt the thread where it does not come to that."""
        self.is_doubtful = True
        came = threading.Event()

        def cancel() -> None:
            came.set()
            for task in tasks:
                task.cancel()

        here = asyncio.get_running_loop()

        def interrupt_while_blocked() -> None:
            if not came.is_set():
                interrupt(self.thread)
                here.call_later(_COMES_WITHIN_S, interrupt_while_blocked)

        self.loop.call_soon_threadsafe(cancel)
        here.call_later(_COMES_WITHIN_S, interrupt_while_blocked)

    async def answers(self) -> bool:
        """Whether the loop comes to a new call soon."""
        pong: Future[None] = Future()
        self.loop.call_soon_threadsafe(pong.set_result, None)
        done, _ = await asyncio.wait(
            [asyncio.wrap_future(pong)], timeout=_ANSWERS_WITHIN_S
        )
        return bool(done)


class PluginLoop:
    """Runs coroutines of plug-ins. One for the whole process: `PLUGINS`."""

    def __init__(self) -> None:
        self._current: _Loop | None = None
        self._blocked = 0

    async def run(self, make: Callable[[], Awaitable[T]]) -> T:
        """Await what `make()` returns, in the thread of the plug-ins; whatever it raises is an `Exception` here.

        Raises:
            PluginFault: it raised what would end the run, or too many plug-ins block their loops.
        """
        current = await self._usable()
        outcome: Future[T] = Future()
        tasks: list[asyncio.Task[None]] = []

        def begin() -> None:
            tasks.append(current.loop.create_task(_contained(make, outcome)))

        current.loop.call_soon_threadsafe(begin)
        try:
            return await asyncio.wrap_future(outcome)
        except asyncio.CancelledError:
            current.give_up(tasks)
            raise

    async def _usable(self) -> _Loop:
        current = self._current
        if current is not None and current.process_id != os.getpid():
            current = None  # a fork has no threads
        if current is not None and current.is_doubtful:
            current.is_doubtful = False
            if not await current.answers():
                self._blocked += 1
                current = None if self._current is current else self._current
        if current is None:
            if self._blocked >= _MAX_BLOCKED:
                raise PluginFault(f"{_MAX_BLOCKED} earlier calls block their thread")
            current = _Loop()
            current.start()
        self._current = current
        return current


async def _contained(make: Callable[[], Awaitable[Any]], outcome: Future[Any]) -> None:
    try:
        result = await make()
    except BaseException as error:  # noqa: BLE001 (what a plug-in raises is data)
        if not outcome.cancelled():
            outcome.set_exception(carried(error))
    else:
        if not outcome.cancelled():
            outcome.set_result(result)


PLUGINS: Final = PluginLoop()
