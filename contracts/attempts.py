"""Attempts to get an answer: from a model (`judge_call`) or an evidence source (`source_lookup`)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple

from judgemesh.contracts.money import Money
from judgemesh.contracts.needs import Ask
from judgemesh.contracts.quick_init import quick_init
from judgemesh.contracts.usage import PriceSnapshot, Usage


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAttempt:
    """One attempt, successful or not. Attempt numbers count from 1 for each question and sample.

    question_id, vote: of a call that asks several questions, all of them, in the order asked, with commas between.

    cost: what the attempt cost; None when it is unknown (then `cost_unknown` says so in the ledger), zero money for a
        cache hit and for an attempt the provider did not bill.
    provider_cost: the client library's own figure, a cross-check only.
    reply: the text that the model returned. The ledger keeps it with the content of the result.
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
    reply: str | None = None


class JudgeRequest(NamedTuple):
    """What is known of an attempt before it is sent; see `JudgeAttempt`."""

    validator_name: str
    question_id: str
    model_requested: str
    prompt_name: str
    prompt_digest: str
    message_digest: str
    created_at: datetime
    sample_index: int
    attempt: int
    parameters: Mapping[str, object]


def why_unknown(model: str, *, has_usage: bool, error_type: str | None) -> str:
    """Why the cost of an attempt is not known, in words."""
    if error_type is not None and not has_usage:
        return f"{error_type}: the provider may have billed it"
    return f"no price for {model}" if has_usage else "the provider reported no usage"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """What is known about a question before its votes.

    Args:
        p_yes: the model's own probability of "yes", 0..1.
        backend: how it was asked for (`decision`, `first_token`).
    """

    p_yes: float
    backend: str

    @property
    def votes_backend(self) -> str:
        """The backend of votes that were asked for because P(yes) settled nothing."""
        return f"{self.backend}, then votes"


async def _record_nothing(_attempt: JudgeAttempt, /) -> None:
    """Without a ledger nothing is kept."""


def _note_nothing(_request: JudgeRequest, /) -> None:
    """Without a ledger nothing is noted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContext:
    """The validator that asks, and where each attempt is recorded.

    Args:
        record: awaited before an answer is used, so that no cost is lost.
        record_together: as `record`, where no other question waits for this answer: it may take a moment longer, and
            costs less. None where it is no different.
        sent: called just before a request is sent, with what is known of its attempt by then.
        priors: what is known about questions before their votes.
        begun: the place of the result among those that were begun: where calls wait for a slot, those of the result
            that was begun first go first.
    """

    validator_name: str
    record: Callable[[JudgeAttempt], Awaitable[None]] = _record_nothing
    record_together: Callable[[JudgeAttempt], Awaitable[None]] | None = None
    sent: Callable[[JudgeRequest], None] = _note_nothing
    priors: Mapping[Ask, Prior] = field(default_factory=dict[Ask, Prior])
    begun: int = 0


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
    """The validator that looks something up, and where that is recorded."""

    validator_name: str
    record: Callable[[SourceLookup], Awaitable[None]]
