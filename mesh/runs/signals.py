"""SIGINT and SIGTERM as the cancellation of a scope, so that work in progress ends in good order."""

from __future__ import annotations

import _thread
import asyncio
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Final

import anyio

FORCED_AFTER_S: Final = 1.5
"""How long work in progress may take to end in good order before `KeyboardInterrupt` ends it."""


@contextmanager
def cancelled_by_signals() -> Generator[anyio.CancelScope]:
    """A scope that the first SIGINT or SIGTERM cancels; a second one has its usual effect.

    Where the event loop does not come to the cancellation within `FORCED_AFTER_S`, because something blocks it, the
    main thread is interrupted as by a second Ctrl-C. Outside the main thread, where signals cannot be handled, it is a
    plain scope.
    """
    scope = anyio.CancelScope()
    if threading.current_thread() is not threading.main_thread():
        yield scope
        return
    stop = _Stop(scope, asyncio.get_running_loop())
    stop.handle()
    try:
        yield scope
    finally:
        stop.restore()


@contextmanager
def forced_interrupts() -> Generator[None]:
    """Where a SIGINT does not end the work within `FORCED_AFTER_S`, it is sent again.

    The handler of `asyncio.run` cancels the main task, which work that computes does not notice, and raises
    `KeyboardInterrupt` the second time.
    """
    handler = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not callable(handler):
        yield
        return
    again = threading.Timer(FORCED_AFTER_S, _interrupt_main)
    again.daemon = True

    def first(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, handler)
        again.start()
        handler(number, frame)

    signal.signal(signal.SIGINT, first)
    try:
        yield
    finally:
        again.cancel()
        signal.signal(signal.SIGINT, handler)


@dataclass(slots=True)
class _Stop:
    """What a signal does to the scope. The handlers run between two steps of Python, the loop busy or not."""

    scope: anyio.CancelScope
    loop: asyncio.AbstractEventLoop
    before: dict[signal.Signals, Any] = field(
        default_factory=dict["signal.Signals", Any]
    )
    timer: threading.Timer | None = None

    def handle(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            self.before[number] = signal.signal(number, self._first)

    def _first(self, _number: int, _frame: FrameType | None) -> None:
        """Cancel, and let the next signal have its usual effect."""
        self.loop.call_soon_threadsafe(self.scope.cancel)
        self._restore_handlers()
        # `_interrupt_main` needs a handler that raises. A shell starts background jobs with SIGINT ignored, and that of
        # `asyncio.run` only asks the loop, which is blocked then.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        self.timer = threading.Timer(FORCED_AFTER_S, _interrupt_main)
        self.timer.daemon = True
        self.timer.start()

    def restore(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self._restore_handlers()

    def _restore_handlers(self) -> None:
        while self.before:
            number, handler = self.before.popitem()
            signal.signal(number, handler)


def _interrupt_main() -> None:
    """`KeyboardInterrupt` in the main thread, also where a call of the system waits: a signal ends the wait."""
    main = threading.main_thread().ident
    if main is None or not hasattr(signal, "pthread_kill"):  # Windows
        _thread.interrupt_main()
        return
    signal.pthread_kill(main, signal.SIGINT)
