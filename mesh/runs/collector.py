"""Garbage is looked for less often while a stream of results is graded.

Grading holds many objects for the time of a request, and makes few cycles. By default Python looks for cycles after
every 700 new objects that stay, which took a tenth of the time of a judge call and found nothing; why it is set for the
whole process, and when it is not: `docs/decisions/0052-garbage-collector.md`.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import Final

COLLECT_AFTER: Final = 10_000
"""New objects that stay, after which the youngest generation is searched."""


class _Streams:
    """The streams in progress in this process: the first one sets the threshold, the last one sets it back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._before: tuple[int, int, int] | None = None

    def begin(self) -> None:
        with self._lock:
            self._count += 1
            youngest, *older = before = gc.get_threshold()
            # 0: the program has switched collections off. More: it has chosen a threshold of its own.
            if self._count == 1 and 0 < youngest < COLLECT_AFTER:
                self._before = before
                gc.set_threshold(COLLECT_AFTER, *older)

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count or self._before is None:
                return
            if (
                gc.get_threshold()[0] == COLLECT_AFTER
            ):  # else the program has changed it
                gc.set_threshold(*self._before)
            self._before = None


_STREAMS: Final = _Streams()


@contextmanager
def rare_collections() -> Generator[None]:
    """While a stream is in progress. Streams may overlap, also in several threads."""
    _STREAMS.begin()
    try:
        yield
    finally:
        _STREAMS.end()
