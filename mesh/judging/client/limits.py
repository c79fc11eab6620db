"""How many calls go out at once, and how fast: pure bookkeeping over a clock that is passed in.

`Window` is the number of calls that may be on their way to one model. It shrinks by half when the provider says that
it is too much (429), and grows by one for every full round of answers (additive increase, multiplicative decrease); a
failing server (5xx) stops the growth for one such round. `Pace` is a rate a minute, kept by reserving slots (GCRA).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

import anyio

_SHRINK: Final = 0.5
_PER_MINUTE_S: Final = 60.0


@dataclass(slots=True)
class Window:
    """Places for calls on their way. `most` is where it starts and what it never exceeds."""

    most: int
    size: float = field(init=False)
    in_flight: int = field(default=0, init=False)
    _paused: int = field(default=0, init=False)
    _shrunk_at: float = field(default=float("-inf"), init=False)
    _queue: deque[anyio.Event] = field(default_factory=deque["anyio.Event"], init=False)

    def __post_init__(self) -> None:
        if self.most < 1:
            raise ValueError(f"a window needs 1 place or more, got {self.most}")
        self.size = float(self.most)

    async def enter(self) -> None:
        """Wait for a free place, first come first served, and take it."""
        if self.in_flight < int(self.size) and not self._queue:
            self.in_flight += 1
            return
        turn = anyio.Event()
        self._queue.append(turn)
        try:
            await turn.wait()
        except BaseException:
            if (
                turn.is_set()
            ):  # the place was handed over in the same moment: somebody else gets it
                self.leave()
            else:
                self._queue.remove(turn)
            raise

    def leave(self) -> None:
        """Give the place back, or to whoever waits longest."""
        self.in_flight -= 1
        while self._queue and self.in_flight < int(self.size):
            self.in_flight += 1
            self._queue.popleft().set()

    def answered(self) -> None:
        """A call was answered: room for more, a little."""
        if self._paused > 0:
            self._paused -= 1
        else:
            self.size = min(float(self.most), self.size + 1.0 / self.size)

    def too_many(self, started: float, now: float) -> None:
        """The provider said 429. Calls that were sent before the last shrinking say nothing new."""
        if started >= self._shrunk_at:
            self.size = max(1.0, self.size * _SHRINK)
            self._shrunk_at = now

    def troubled(self) -> None:
        """The provider failed: no growth for the next round of answers."""
        self._paused = int(self.size)


@dataclass(slots=True)
class Pace:
    """A rate a minute. `reserve` books the next slot and says how long to wait for it; nothing is ever given back.

    A slot of weight w moves the next one by w minutes over the rate, so that at no time more than the rate passes
    within a minute beyond `burst` (in units of the rate, at least one slot).
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
