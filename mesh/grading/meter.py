"""What grading one result took: every judge attempt, its records, and where attempts and look-ups are recorded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Protocol

from judgemesh.contracts.money import FREE, Money, total

if TYPE_CHECKING:
    from judgemesh.contracts.attempts import (
        JudgeAttempt,
        JudgeRequest,
        SourceLookup,
    )
    from judgemesh.contracts.result_parts.actions import ExecutionRecord


class AttemptSink(Protocol):
    """Where attempts are recorded as they happen."""

    def sent(self, request: JudgeRequest, /) -> None:
        """Note a request that is about to be sent, so that it is on record if this process is killed."""
        ...

    def record(
        self, attempt: JudgeAttempt, /, *, can_wait: bool = False
    ) -> Awaitable[None]:
        """Record one attempt; it is durable when the returned value was awaited.

        can_wait: a little later is as good.
        """
        ...


@dataclass(slots=True, eq=False, repr=False)
class Meter:
    """The attempts that one result caused. `sink` and `lookup_sink` record each attempt and look-up as it happens.

    records: what record sources said about the result.
    begun: the place of the result among those that were begun in this process.
    """

    sink: AttemptSink | None = None
    attempts: list[JudgeAttempt] = field(default_factory=list["JudgeAttempt"])
    lookup_sink: Callable[[SourceLookup], Awaitable[None]] | None = None
    records: list[ExecutionRecord] = field(default_factory=list["ExecutionRecord"])
    begun: int = field(default_factory=count(1).__next__)

    def record(self, attempt: JudgeAttempt) -> Awaitable[None]:
        """Count an attempt and pass it on; await the returned value before the answer is used."""
        return self._passed_on(attempt, can_wait=False)

    def record_together(self, attempt: JudgeAttempt) -> Awaitable[None]:
        """`record`, where a little later is as good."""
        return self._passed_on(attempt, can_wait=True)

    def _passed_on(self, attempt: JudgeAttempt, *, can_wait: bool) -> Awaitable[None]:
        self.attempts.append(attempt)
        if self.sink is None:
            return _nothing()
        return self.sink.record(attempt, can_wait=can_wait)

    def sent(self, request: JudgeRequest) -> None:
        """Note a request that is about to be sent."""
        if self.sink is not None:
            self.sink.sent(request)

    async def record_lookup(self, lookup: SourceLookup) -> None:
        """Pass a look-up on."""
        if self.lookup_sink is not None:
            await self.lookup_sink(lookup)

    def attempts_of(self, validator_name: str) -> tuple[JudgeAttempt, ...]:
        """The attempts that one validator caused."""
        return tuple(
            attempt
            for attempt in self.attempts
            if attempt.validator_name == validator_name
        )

    def cost(self) -> Money | None:
        """The cost of all attempts; None when the cost of one of them is unknown."""
        if not self.attempts:
            return FREE
        return total(attempt.cost for attempt in self.attempts)

    def cost_avoided(self) -> Money | None:
        """What cache hits would have cost; None when there were none."""
        if not self.attempts:
            return None
        avoided = [
            attempt.cost_avoided
            for attempt in self.attempts
            if attempt.cost_avoided is not None
        ]
        return total(avoided) if avoided else None

    def calls(self) -> int:
        """The number of attempts that went to a provider."""
        return sum(not attempt.cache_hit for attempt in self.attempts)


async def _nothing() -> None:
    """Nothing is to be recorded."""
