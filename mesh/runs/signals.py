"""SIGINT and SIGTERM as the cancellation of a scope, so that work in progress ends in good order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress

import anyio


@contextmanager
def cancelled_by_signals() -> Generator[anyio.CancelScope]:
    """A scope that the first SIGINT or SIGTERM cancels; a second one has its usual effect.

    Outside the main thread, where signals cannot be handled, it is a plain scope.
    """
    scope = anyio.CancelScope()
    loop = asyncio.get_running_loop()
    handled: list[signal.Signals] = []

    def stop_handling() -> None:
        while handled:
            loop.remove_signal_handler(handled.pop())

    def stop() -> None:
        scope.cancel()
        stop_handling()

    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, stop)
            handled.append(number)
    try:
        yield scope
    finally:
        stop_handling()
