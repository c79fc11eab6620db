"""The circuit breakers and the retry budget of a provider. Pure: the time is passed in."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from judgemesh.mesh.judging.errors import AccessDenied, CircuitOpen


@dataclass(slots=True)
class Breaker:
    """A circuit breaker. It opens when half of the last 20 calls failed.

    After 30 s one call, the probe, finds out whether it may close. A call failed if the
    provider did not answer: a time-out, a 5xx, a broken connection. A 429 and a reply that
    cannot be read are answers. Calls are counted in the order in which they were *sent*:
    time-outs return long after the answers to calls of their time, and then in a row,
    which says nothing about the provider now.

    Args:
        window: calls that are looked at.
        min_known: how many of them must be over.
        share: of them that failed.
        open_s: seconds until the probe.
    """

    window: int = 20
    min_known: int = 10
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
        """Let a call through, and return its number among all that were.

        Raises:
            CircuitOpen: the circuit breaker is open.
        """
        if self._opened_at is not None:
            left_s = self.open_s - (now - self._opened_at)
            failed = "the provider failed too often: the circuit breaker is open"
            if left_s > 0:
                raise CircuitOpen(f"{failed}; the next attempt is in {left_s:.0f} s")
            if self._probe is not None:
                raise CircuitOpen(f"{failed} while one call tests the provider")
            self._probe = self._sent + 1
        self._sent += 1
        return self._sent

    def gave_up(self, number: int) -> None:
        """A call that was let through is over, with or without an outcome."""
        if number == self._probe:
            self._probe = None

    def record(self, number: int, *, failed: bool, now: float) -> None:
        """The outcome of a call that was let through."""
        if number == self._probe:
            self._outcomes.clear()
            self._closed_since = number
            self._opened_at = None
            if failed:
                self._opened_at = now
            return
        if self._opened_at is not None or number < self._closed_since:
            return  # sent before it opened
        self._outcomes[number] = failed
        if len(self._outcomes) > _MAX_OUTCOMES:
            self._outcomes.popitem(last=False)
        if failed and self._down_around(number):
            self._opened_at = now

    def _down_around(self, number: int) -> bool:
        """Whether half of the calls sent up to this one failed, of those that are over."""
        sent = range(number - self.window + 1, number + 1)
        known = failed = 0
        for call in sent:
            if call in self._outcomes:
                known += 1
                failed += self._outcomes[call]
        return known >= self.min_known and failed >= self.share * known


_MAX_OUTCOMES: Final = 10_000


@dataclass(slots=True)
class AccessGuard:
    """Stops all calls to a model once its provider refuses access: no further call could end otherwise.

    One refusal is enough where the provider has answered nothing yet. Later it takes
    several in a row, because some providers use the same statuses for a single request.

    Attributes:
        why: the refusal that stopped the calls; None while they may go on.
    """

    in_a_row: int = 3
    why: str | None = field(default=None, init=False)
    _refused: int = field(default=0, init=False)
    _answered: bool = field(default=False, init=False)

    def check(self) -> None:
        """Let a call through.

        Raises:
            AccessDenied: access was refused for good.
        """
        if self.why is not None:
            raise AccessDenied(self.why)

    def granted(self) -> None:
        """A call was answered."""
        self._answered = True
        self._refused = 0

    def denied(self, error: AccessDenied) -> None:
        """A call was refused."""
        self._refused += 1
        if not self._answered or self._refused >= self.in_a_row:
            self.why = str(error)


@dataclass(slots=True)
class RetryBudget:
    """How many attempts may be retries: a share of all samples, and a reserve for short runs.

    It keeps retries from multiplying the load of a provider that is failing already.
    """

    share: float = 0.1
    reserve: float = 10.0
    _left: float = field(init=False)

    def __post_init__(self) -> None:
        self._left = self.reserve

    def first(self) -> None:
        """Count a new sample."""
        self._left += self.share

    def take(self) -> bool:
        """Take one retry; False if there is none left."""
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
