"""What all calls of a mesh share: places and pace for each model, the circuit breaker, the retry budget, the money.

One `Traffic` serves every caller of a mesh, so that two judges, or sixty validators, on one model do not each believe
that they have the provider to themselves.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil, log
from typing import Final

import anyio

from judgemesh.contracts.errors import (
    JudgeError,
    JudgeRateLimited,
    JudgeTimeout,
    JudgeUnavailable,
)
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.usage import Money
from judgemesh.mesh.judging.client.breaker import Breaker, RetryBudget
from judgemesh.mesh.judging.client.budget import Budget
from judgemesh.mesh.judging.client.capabilities import Capabilities
from judgemesh.mesh.judging.client.limits import Pace, Window
from judgemesh.mesh.judging.client.retry import Sleep

_FAILED: Final = (JudgeTimeout, JudgeUnavailable)
_BYTES_PER_TOKEN: Final = 4
_SHORTEST_PREFIX: Final = (
    4096  # characters: about 1,024 tokens, the least that providers cache
)
_SHARED: Final = 0.9  # of a prompt: what is before its question
_STEP: Final = (
    log(2.0) / 4
)  # prompts of nearly the same length are compared over the same length
_KEPT_PREFIXES: Final = 4096


@dataclass(slots=True)
class Warmth:
    """Lets one call of a result fill the provider's prefix cache, and only then the others go.

    Sent all at once, calls with one long beginning are each billed for it in full, some providers adding a price for
    writing it into their cache that many times.
    """

    patience_s: float = 20.0
    _prefixes: OrderedDict[int, anyio.Event] = field(
        default_factory=OrderedDict[int, anyio.Event], init=False
    )

    @asynccontextmanager
    async def turn(self, call: ModelCall) -> AsyncGenerator[None]:
        """Wait while another call with the same beginning is the first of its kind on the way."""
        key = prefix_key(call)
        if key is None:
            yield
            return
        known = self._prefixes.get(key)
        if known is not None:
            if not known.is_set():
                with anyio.move_on_after(self.patience_s):
                    await known.wait()
            yield
            return
        first = self._prefixes[key] = anyio.Event()
        if len(self._prefixes) > _KEPT_PREFIXES:
            self._prefixes.popitem(last=False)[1].set()
        try:
            yield
        finally:
            first.set()


def prefix_key(call: ModelCall) -> int | None:
    """What calls have in common that differ in their question only; None when that is too short to be cached."""
    text = "\0".join(message["content"] for message in call.messages)
    length = int(_SHARED * len(text))
    if length < _SHORTEST_PREFIX:
        return None
    steps = int(log(length / _SHORTEST_PREFIX) / _STEP)
    return hash((call.model, text[: ceil(_SHORTEST_PREFIX * 2.0 ** (steps / 4))]))


@dataclass(slots=True)
class Trip:
    """One attempt: whether it was sent at all, and what it cost once that is known."""

    sent: bool = False
    cost: Money | None = None


@dataclass(slots=True, kw_only=True)
class Lane:
    """The way to one model of one provider."""

    window: Window
    monotonic: Callable[[], float]
    sleep: Sleep
    requests: Pace | None = None
    tokens: Pace | None = None
    breaker: Breaker = field(default_factory=Breaker)
    retries: RetryBudget = field(default_factory=RetryBudget)
    warmth: Warmth | None = field(default_factory=Warmth)
    capabilities: Capabilities = field(default_factory=Capabilities)

    @asynccontextmanager
    async def place(self, call: ModelCall) -> AsyncGenerator[Trip]:
        """A place among the calls on their way, at the pace that is allowed.

        What the body raises is learnt from, once it says that the call was sent.

        Raises:
            CircuitOpen: the provider is down; nothing may be sent.
        """
        await self.window.enter()
        try:
            number = self.breaker.check(self.monotonic())
            try:
                await self._keep_pace(call)
                started = self.monotonic()
                trip = Trip()
                try:
                    yield trip
                except JudgeError as error:
                    if trip.sent:
                        self._learn(error, started, number)
                    raise
                self._learn(None, started, number)
            finally:
                self.breaker.gave_up(number)
        finally:
            self.window.leave()

    async def _keep_pace(self, call: ModelCall) -> None:
        now = self.monotonic()
        wait_s = 0.0
        if self.requests is not None:
            wait_s = self.requests.reserve(now)
        if self.tokens is not None:
            size = (
                sum(len(message["content"]) for message in call.messages)
                / _BYTES_PER_TOKEN
            )
            wait_s = max(wait_s, self.tokens.reserve(now, weight=size))
        if wait_s > 0:
            await self.sleep(wait_s)

    def _learn(self, error: JudgeError | None, started: float, number: int) -> None:
        now = self.monotonic()
        if isinstance(error, JudgeRateLimited):
            self.window.too_many(started, now)
            return
        failed = isinstance(error, _FAILED)
        if failed:
            self.window.troubled()
        else:
            self.window.answered()
        self.breaker.record(number, failed=failed, now=now)


class Traffic:
    """The lanes of a mesh, one for each gateway and model, and its budget.

    Args:
        concurrency: calls on their way to one model at once, at most; fewer while the provider says 429.
        requests_per_minute, tokens_per_minute: a model's limits, where its provider has them; input tokens are
            estimated, one for every four characters.
        budget: what the run may cost.
        warm_up: whether one call of a result goes ahead to fill the provider's prefix cache.
        monotonic, sleep: time, injectable for tests.
    """

    def __init__(
        self,
        *,
        concurrency: int = 16,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        budget: Budget | None = None,
        warm_up: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Sleep = anyio.sleep,
    ) -> None:
        self.budget = budget
        self._concurrency = concurrency
        self._rpm, self._tpm = requests_per_minute, tokens_per_minute
        self._warm_up = warm_up
        self._monotonic, self._sleep = monotonic, sleep
        self._lanes: dict[tuple[str, str], Lane] = {}

    def lane(self, gateway: str, model: str) -> Lane:
        """The lane of a model; the same for everybody who asks."""
        lane = self._lanes.get((gateway, model))
        if lane is None:
            lane = self._lanes[gateway, model] = Lane(
                window=Window(self._concurrency),
                monotonic=self._monotonic,
                sleep=self._sleep,
                requests=None if self._rpm is None else Pace(self._rpm),
                tokens=None if self._tpm is None else Pace(self._tpm),
                warmth=Warmth() if self._warm_up else None,
            )
        return lane
