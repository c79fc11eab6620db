"""One attempt to get an answer: out of a model (`judge_call`), or out of an evidence source (`source_lookup`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from judgemesh.contracts.needs import Ask
from judgemesh.contracts.usage import Money, PriceSnapshot, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAttempt:
    """One attempt, successful or not. Attempt numbers count from 1 for each question and sample.

    question_id, vote: of a call that asks several questions, all of them, in the order asked, with commas between.

    cost: what the attempt cost; None when it is unknown (then `cost_unknown` says so in the ledger), zero money for a
        cache hit and for an attempt the provider did not bill.
    provider_cost: the client library's own figure, a cross-check only.
    """

    validator_name: str
    question_id: str
    model_requested: str
    prompt_name: str
    prompt_digest: str
    message_digest: str
    created_at: datetime
    latency_ms: float
    status: Literal["ok", "error"]
    sample_index: int = 0
    attempt: int = 1
    model_served: str | None = None
    parameters: Mapping[str, object] = field(default_factory=dict[str, object])
    usage: Usage | None = None
    cost: Money | None = None
    cost_avoided: Money | None = None
    provider_cost: float | None = None
    price: PriceSnapshot | None = None
    cache_hit: bool = False
    error_type: str | None = None
    error_message: str | None = None
    vote: str | None = None
    reason: str | None = None


@dataclass(slots=True, eq=False, weakref_slot=True)
class Company:
    """Questions that one validator puts at the same moment; a judge may ask several of them in one call.

    Whoever passes a question on to a judge says with `leave` that it is answered, so that nobody waits for a question
    that goes no further.
    """

    needs: tuple[Ask, ...]
    gone: set[int] = field(default_factory=set[int])
    _listeners: list[Callable[[int], None]] = field(
        default_factory=list["Callable[[int], None]"]
    )

    def place(self, need: Ask) -> int | None:
        """Which of the questions this is; None for none of them."""
        return self.needs.index(need) if need in self.needs else None

    def leave(self, need: Ask) -> None:
        """The question is answered, however that came about."""
        place = self.place(need)
        if place is not None:
            self.gone.add(place)
            for tell in self._listeners:
                tell(place)

    def listen(self, tell: Callable[[int], None]) -> None:
        """Have `tell` called with the place of each question that is answered from now on."""
        self._listeners.append(tell)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """Who asks, and where each attempt is recorded (awaited before the answer is used, so no spend goes missing).

    company: the questions put together with this one, where there are several.
    """

    validator_name: str
    record: Callable[[JudgeAttempt], Awaitable[None]]
    company: Company | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLookup:
    """One look-up in an evidence source.

    query: what was asked, and `want_text`. status: `found`, `not_found`, `not_covered` or `unanswered`.
    answered_at: when the source said so; for an answer out of the ledger the time of the first asking.
    """

    validator_name: str
    source: str
    query: Mapping[str, object]
    status: str
    answered_at: datetime
    ref: str | None = None
    fields: Mapping[str, object] = field(default_factory=dict[str, object])
    cache_hit: bool = False
    latency_ms: float = 0.0
    error_type: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupContext:
    """Who looks something up, and where that is recorded."""

    validator_name: str
    record: Callable[[SourceLookup], Awaitable[None]]
