"""Limits on concurrent calls and on calls a minute. The clock is passed in.

`Window` is the number of concurrent calls to one model. It is halved when the provider
answers 429 and grows by one for every full round of answers (additive increase,
multiplicative decrease); a failing server (5xx) stops the growth for one such round.
`RateLimit` is a rate a minute, kept by reserving slots (generic cell rate algorithm).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final

_SHRINK: Final = 0.5
_PER_MINUTE_S: Final = 60.0


@dataclass(slots=True)
class Window:
    """Slots for concurrent calls: `max_size` at the start, and never more."""

    max_size: int
    size: float = field(init=False)
    in_flight: int = field(default=0, init=False)
    _paused: int = field(default=0, init=False)
    _shrunk_at: float = field(default=float("-inf"), init=False)
    _queue: list[tuple[int, int, asyncio.Future[None]]] = field(
        default_factory=list[tuple[int, int, "asyncio.Future[None]"]], init=False
    )
    _numbers: Iterator[int] = field(default_factory=count, init=False)

    def __post_init__(self) -> None:
        if self.max_size < 1:
            raise ValueError(f"a window has 1 slot or more, got {self.max_size}")
        self.size = float(self.max_size)

    def is_awaited(self, *, others: bool = False) -> bool:
        """Whether a call waits for a slot: one that is given back is taken at once.

        others: whether calls are about to ask for one.
        """
        return (others or bool(self._queue)) and self.in_flight <= int(self.size)

    async def enter(self, begun: int = 0) -> None:
        """Wait for a free slot, and take it. Calls of a lower number go first, those of one number as they came."""
        if self.in_flight < int(self.size) and not self._queue:
            self.in_flight += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        place = begun, next(self._numbers), turn
        heappush(self._queue, place)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self.leave()  # cancelled just after the slot was handed over
            elif place in self._queue:
                self._queue.remove(place)
                heapify(self._queue)
            raise

    def leave(self) -> None:
        """Give the slot back, or hand it to the call that goes first."""
        self.in_flight -= 1
        while self._queue and self.in_flight < int(self.size):
            *_, turn = heappop(self._queue)
            if not turn.done():  # else it was cancelled, and does not wait any more
                self.in_flight += 1
                turn.set_result(None)

    def answered(self) -> None:
        """A call was answered: grow a little."""
        if self._paused > 0:
            self._paused -= 1
        else:
            self.size = min(float(self.max_size), self.size + 1.0 / self.size)

    def too_many(self, started: float, now: float) -> None:
        """The provider answered 429. Calls sent before the last halving do not count again."""
        if started >= self._shrunk_at:
            self.size = max(1.0, self.size * _SHRINK)
            self._shrunk_at = now

    def troubled(self) -> None:
        """The provider failed: no growth for the next round of answers."""
        self._paused = int(self.size)


@dataclass(slots=True)
class RateLimit:
    """A rate a minute. `reserve` takes the next slot; a slot is never given back.

    A slot of weight w delays the next one by w / rate minutes, so that within a minute no
    more than the rate passes beyond `burst` (in slots, at least one).
    """

    per_minute: float
    burst: float = 1.0
    _free_at: float = field(default=float("-inf"), init=False)

    def __post_init__(self) -> None:
        if not self.per_minute > 0:
            raise ValueError(f"a rate must be above 0, got {self.per_minute}")

    def reserve(self, now: float, weight: float = 1.0) -> float:
        """Seconds to wait before the slot begins."""
        apart = _PER_MINUTE_S / self.per_minute
        ahead = max(0.0, self.burst - 1.0) * apart
        start = max(now - ahead, self._free_at)
        self._free_at = start + weight * apart
        return max(0.0, start - now)
