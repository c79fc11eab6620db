"""When to stop asking a provider that is down, and how many questions may be asked again at all. Pure."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from judgemesh.mesh.judging.errors import CircuitOpen


@dataclass(slots=True)
class Breaker:
    """Opens when half of 20 calls sent one after the other failed (10 at least are over); after 30 s one call finds out
    whether it may close.

    Failed means that the provider did not answer: a time-out, a 5xx, a broken connection. A 429 and an unreadable
    answer are answers. The calls are taken in the order in which they were *sent*: time-outs come back long after the
    answers of their time, and then in a row, which says nothing about the provider now.
    """

    last: int = 20
    least: int = 10
    share: float = 0.5
    open_s: float = 30.0
    _sent: int = field(default=0, init=False)
    _outcomes: OrderedDict[int, bool] = field(
        default_factory=OrderedDict[int, bool], init=False
    )
    _closed_since: int = field(default=0, init=False)
    _opened_at: float | None = field(default=None, init=False)
    _probe: int | None = field(default=None, init=False)

    def check(self, now: float) -> int:
        """Let a call through; its number among all that were.

        Raises:
            CircuitOpen: the provider is taken to be down.
        """
        if self._opened_at is not None:
            left = self.open_s - (now - self._opened_at)
            if left > 0 or self._probe is not None:
                when = (
                    f"in {left:.0f} s"
                    if left > 0
                    else "when the call that is on its way comes back"
                )
                raise CircuitOpen(
                    f"the provider failed too often and is left alone; the next try is {when}"
                )
            self._probe = self._sent + 1
        self._sent += 1
        return self._sent

    def gave_up(self, number: int) -> None:
        """A call that was let through is over, whether it said anything about the provider or not."""
        if number == self._probe:
            self._probe = None

    def record(self, number: int, *, failed: bool, now: float) -> None:
        """What became of a call that was let through."""
        if number == self._probe:
            self._outcomes.clear()
            self._closed_since, self._opened_at = number, now if failed else None
            return
        if self._opened_at is not None or number < self._closed_since:
            return  # sent before it opened
        self._outcomes[number] = failed
        if len(self._outcomes) > _REMEMBERED:
            self._outcomes.popitem(last=False)
        if failed and self._down_around(number):
            self._opened_at = now

    def _down_around(self, number: int) -> bool:
        """Whether half of the calls sent up to this one failed, as far as they are over."""
        sent = range(number - self.last + 1, number + 1)
        known = [self._outcomes[one] for one in sent if one in self._outcomes]
        return len(known) >= self.least and sum(known) >= self.share * len(known)


_REMEMBERED: Final = 10_000


@dataclass(slots=True)
class RetryBudget:
    """How many attempts may be repeats: a share of all first attempts, and `reserve` on top for short runs.

    It keeps retries from multiplying the load of a provider that is in trouble already.
    """

    share: float = 0.1
    reserve: float = 10.0
    _left: float = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.reserve

    def first(self) -> None:
        """A question is asked for the first time."""
        self._left += self.share

    def take(self) -> bool:
        """Whether one more repeat may be made; it is counted."""
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
