"""Everything that the calls to one model share: permits, rate limits, circuit breaker, budget.

One `Channels` serves every client of a mesh, so that two judges, or sixty validators, on
one model do not each take the provider's limits for their own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import anyio

from judgemesh.contracts.errors import (
    JudgeError,
    JudgeRateLimited,
    JudgeTimeout,
    JudgeUnavailable,
)
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.money import Money
from judgemesh.mesh.judging.client.attempts import NO_COST
from judgemesh.mesh.judging.client.breaker import AccessGuard, Breaker, RetryBudget
from judgemesh.mesh.judging.client.budget import JudgeBudget
from judgemesh.mesh.judging.client.capabilities import Capabilities
from judgemesh.mesh.judging.client.limits import RateLimit, Window
from judgemesh.mesh.judging.client.retry import Sleep
from judgemesh.mesh.judging.client.warm_up import CacheWarmUp, Turn
from judgemesh.mesh.judging.errors import AccessDenied

_CHARS_PER_TOKEN: Final = 4


@dataclass(slots=True, kw_only=True)
class Channel:
    """The limits of one model of one provider, and what is known about it."""

    window: Window
    monotonic: Callable[[], float]
    sleep: Sleep
    requests: RateLimit | None = None
    tokens: RateLimit | None = None
    budget: JudgeBudget | None = None
    breaker: Breaker = field(default_factory=Breaker)
    access: AccessGuard = field(default_factory=AccessGuard)
    retries: RetryBudget = field(default_factory=RetryBudget)
    warm_up: CacheWarmUp = field(default_factory=CacheWarmUp)
    capabilities: Capabilities = field(default_factory=Capabilities)

    async def acquire(
        self, call: ModelCall, worst: Money | None = None, begun: int = 0
    ) -> Permit:
        """Wait until the call may be sent.

        Args:
            call: what is to be sent.
            worst: the most that it can cost, reserved from the budget if there is one.
            begun: calls of a lower number go first.

        Raises:
            AccessDenied: the provider refuses access.
            CircuitOpen: the provider is down.
            BudgetSpent: the budget does not cover the call.
        """
        await self.window.enter(begun)
        permit = Permit(self)
        try:
            self.access.check()
            permit.number = self.breaker.check(self.monotonic())
            await self._wait_for_rate_limits(call)
            permit.acquired_at = self.monotonic()
            if self.budget is not None and worst is not None:
                await self.budget.reserve(worst)
                permit.reserved = worst
        except BaseException:
            permit.release()
            raise
        return permit

    async def _wait_for_rate_limits(self, call: ModelCall) -> None:
        now = self.monotonic()
        wait_s = 0.0
        if self.requests is not None:
            wait_s = self.requests.reserve(now)
        if self.tokens is not None:
            chars = sum(len(message["content"]) for message in call.messages)
            tokens = chars / _CHARS_PER_TOKEN
            wait_s = max(wait_s, self.tokens.reserve(now, weight=tokens))
        if wait_s > 0:
            await self.sleep(wait_s)

    def learn(self, error: JudgeError | None, permit: Permit) -> None:
        """Adjust the limits to the outcome of a call that was sent."""
        now = self.monotonic()
        if isinstance(error, AccessDenied):
            self.access.denied(error)
        elif error is None:
            self.access.granted()
        if isinstance(error, JudgeRateLimited):
            self.window.too_many(permit.acquired_at, now)
            return
        failed = isinstance(error, JudgeTimeout | JudgeUnavailable)
        if failed:
            self.window.troubled()
        else:
            self.window.answered()
        self.breaker.record(permit.number, failed=failed, now=now)


@dataclass(slots=True)
class Permit:
    """The permission to send one attempt. It must be released.

    Attributes:
        number: of the attempt among all that the circuit breaker let through; 0 for none.
        turn: that of the call among those with the same prefix.
        sent: whether the attempt was sent; if not, it cost nothing.
        cost: what the attempt cost; None while that is unknown.
    """

    channel: Channel
    number: int = 0
    acquired_at: float = 0.0
    reserved: Money | None = None
    turn: Turn | None = None
    sent: bool = False
    cost: Money | None = None
    _released: bool = field(default=False, init=False)

    def answered(self) -> bool:
        """Let the calls with the same prefix follow. Whether another call will take the slot at once."""
        others = self.turn is not None and self.turn.end()
        return self.channel.window.is_awaited(others=others)

    def release(self) -> None:
        """Give the permit back and settle the budget. Safe to call twice."""
        if self._released:
            return
        self._released = True
        channel = self.channel
        if channel.budget is not None and self.reserved is not None:
            channel.budget.settle(self.reserved, self.cost if self.sent else NO_COST)
        if self.number:
            channel.breaker.gave_up(self.number)
        channel.window.leave()


class Channels:
    """The channels of a mesh, one for each gateway and model, and its budget.

    Args:
        concurrency: calls to one model at a time, at most; fewer while the provider
            answers 429.
        requests_per_minute, tokens_per_minute: limits of a model; input tokens are
            estimated at one for every four characters.
        budget: what the run may cost.
        warm_up: whether one call of a result fills the provider's prefix cache first.
        monotonic, sleep: time, injectable for tests.
    """

    def __init__(
        self,
        *,
        concurrency: int = 16,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        budget: JudgeBudget | None = None,
        warm_up: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self.budget = budget
        self._concurrency = concurrency
        self._rpm, self._tpm = requests_per_minute, tokens_per_minute
        self._warm_up = warm_up
        self._monotonic, self._sleep = monotonic, sleep
        self._channels: dict[tuple[str, str], Channel] = {}

    def channel(self, gateway: str, model: str) -> Channel:
        """The channel of a model; the same for every client."""
        channel = self._channels.get((gateway, model))
        if channel is None:
            channel = self._channels[gateway, model] = Channel(
                window=Window(self._concurrency),
                monotonic=self._monotonic,
                sleep=self._sleep,
                requests=None if self._rpm is None else RateLimit(self._rpm),
                tokens=None if self._tpm is None else RateLimit(self._tpm),
                budget=self.budget,
                warm_up=CacheWarmUp(enabled=self._warm_up),
            )
        return channel

    @property
    def denied(self) -> str | None:
        """Why a provider refuses access for good, with the model; None where none does."""
        for (_, model), channel in self._channels.items():
            if channel.access.why is not None:
                return f"judge {model}: {channel.access.why}"
        return None
