"""Signals that end a measurement, and the moments in which they wait.

Python drops what a signal handler raises while the functions of `os.register_at_fork` run, and
`subprocess` runs them for a process that is prepared before its command. An interrupt that came at
that moment was lost, so that the measurement went on.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class _Waiting:
    """held: contexts in which a signal waits. came: whether one does."""

    held: int = 0
    came: bool = False


_waiting: Final = _Waiting()


@contextmanager
def signals_as_interrupts() -> Generator[None]:
    """End a measurement at SIGTERM and SIGHUP as at Ctrl-C. In the main thread only.

    SIGINT is handled too: a shell starts background jobs with SIGINT ignored.

    Raises:
        KeyboardInterrupt: one of the signals came.
    """
    before: dict[signal.Signals, Any] = {}
    for number in _SIGNALS:
        before[number] = signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupts_wait() -> Generator[None]:
    """Let the signals of `signals_as_interrupts` wait until the end of the context.

    Raises:
        KeyboardInterrupt: one of them came meanwhile.
    """
    _waiting.held += 1
    try:
        yield
    finally:
        _waiting.held -= 1
        if _waiting.came and not _waiting.held:
            _waiting.came = False
            raise KeyboardInterrupt


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    if not _waiting.held:
        raise KeyboardInterrupt
    _waiting.came = True
