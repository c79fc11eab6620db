"""Garbage is looked for less often while a stream of results is graded.

Grading holds many objects for the time of a request, and makes few cycles. By default Python looks for cycles after
every 700 new objects that stay, which took a tenth of the time of a judge call and found nothing. Here it looks for
them when there are more objects than results in progress hold. Why that is set for the whole process, and when it is
not: `docs/decisions/0052-garbage-collector.md`.
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock
from typing import Final

_LEAST: Final = 10_000
_MOST: Final = 200_000
_OF_A_RESULT: Final = 600
"""Objects of a result in progress that waits for the answers to five questions, with a fifth to spare."""


class _Streams:
    """The streams in progress in this process: the first one sets the threshold, the last one sets it back."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._count = 0
        self._set = 0
        self._before: tuple[int, int, int] | None = None

    def begin(self, collect_after: int) -> None:
        with self._lock:
            self._count += 1
            youngest, *older = before = gc.get_threshold()
            # 0: the program has switched collections off. More: it has chosen a threshold of its own.
            if self._count == 1 and 0 < youngest < collect_after:
                self._set, self._before = collect_after, before
                gc.set_threshold(collect_after, *older)

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count or self._before is None:
                return
            if gc.get_threshold()[0] == self._set:  # else the program has changed it
                gc.set_threshold(*self._before)
            self._before = None


_STREAMS: Final = _Streams()


def collect_after(in_progress: int) -> int:
    """New objects that stay, after which the youngest generation is searched."""
    return min(max(_LEAST, _OF_A_RESULT * in_progress), _MOST)


@contextmanager
def rare_collections(in_progress: int) -> Generator[None]:
    """While a stream is, with so many results in progress. Streams may overlap, also in several threads."""
    _STREAMS.begin(collect_after(in_progress))
    try:
        yield
    finally:
        _STREAMS.end()
