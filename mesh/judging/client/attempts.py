"""Attempts as rows of the ledger: usage, cost, vote or fault. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal

from judgemesh.contracts.attempts import JudgeAttempt, JudgeRequest
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.gateway import ModelCall, ModelReply
from judgemesh.contracts.money import Money, total
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.judging.client.sample import Sample
from judgemesh.mesh.judging.errors import is_unbilled
from judgemesh.mesh.judging.replies.parse import VerdictReading
from judgemesh.mesh.judging.replies.several import Readings
from judgemesh.mesh.pricing.prices import PriceBook

NO_COST: Final = Money(Decimal(0))
MAX_MESSAGE_CHARS: Final = 500
_NO_REPLY: Final = ModelReply(text="")


@dataclass(slots=True, kw_only=True)
class AttemptLog:
    """The attempts of one sample: their number, their costs, and a row for each."""

    sample: Sample[Any]
    prices: PriceBook
    attempts: int = 0
    costs: list[Money | None] = field(default_factory=list["Money | None"])

    def cost(self) -> Money | None:
        """The cost of all attempts; None if that of one is unknown."""
        return total(self.costs)

    def request(self, call: ModelCall, *, created_at: datetime) -> JudgeRequest:
        """What is known of the latest attempt before it is sent."""
        sample = self.sample
        return JudgeRequest(
            sample.context.validator_name,
            sample.question_id,
            call.model,
            sample.prompt.ref,
            sample.prompt.digest,
            sample.framed.digest,
            created_at,
            sample.sample_index,
            self.attempts,
            call.parameters,
        )

    def row(
        self,
        call: ModelCall,
        *,
        created_at: datetime,
        latency_ms: float,
        reply: ModelReply | None = None,
        value: object = None,
        error: JudgeError | None = None,
        cache_hit: bool = False,
    ) -> JudgeAttempt:
        """The row of the latest attempt, or of an answer from the cache.

        Args:
            call: what was sent.
            created_at: when it was sent.
            latency_ms: how long it took.
            reply: what the provider returned, if anything.
            value: what was read from it.
            error: why there is no value.
            cache_hit: the answer costs nothing; the row shows what it would cost.
        """
        cost, price = self._bill(call, reply, error)
        cost_avoided = None
        if cache_hit:
            cost, cost_avoided = _no_cost(price), cost
        else:
            self.costs.append(cost)
        text = None if reply is None else reply.text
        sample, reply = self.sample, reply or _NO_REPLY
        vote, reason = _vote_and_reason(value)
        status: Literal["ok", "error"] = "ok"
        error_type = error_message = None
        if error is not None:
            status = "error"
            error_type = error.error_type
            error_message = one_line(error)
        return JudgeAttempt(
            validator_name=sample.context.validator_name,
            question_id=sample.question_id,
            sample_index=sample.sample_index,
            prompt_name=sample.prompt.ref,
            prompt_digest=sample.prompt.digest,
            message_digest=sample.framed.digest,
            model_requested=call.model,
            parameters=dict(call.parameters),
            created_at=created_at,
            attempt=max(self.attempts, 1),
            status=status,
            latency_ms=latency_ms,
            vote=vote,
            reason=reason,
            error_type=error_type,
            error_message=error_message,
            cache_hit=cache_hit,
            model_served=reply.model_served,
            usage=reply.usage,
            provider_cost=None if cache_hit else reply.provider_cost,
            price=price,
            cost=cost,
            cost_avoided=cost_avoided,
            reply=text,
        )

    def _bill(
        self, call: ModelCall, reply: ModelReply | None, error: JudgeError | None
    ) -> tuple[Money | None, PriceSnapshot | None]:
        """The cost of an attempt and the price it follows from.

        A reply that cannot be read is billed like any other. Without a reply the cost
        is zero if the provider certainly billed nothing, else unknown.
        """
        if reply is not None:
            return self.prices.cost(call.model, reply.usage)
        if error is not None and is_unbilled(error):
            return _no_cost(self.prices.find(call.model)), None
        return None, None


def one_line(error: BaseException) -> str:
    """The message of an error as one line of at most 500 characters."""
    text = " ".join(str(error).split()) or type(error).__name__
    if len(text) <= MAX_MESSAGE_CHARS:
        return text
    return f"{text[:MAX_MESSAGE_CHARS]}..."


def _vote_and_reason(value: object) -> tuple[str | None, str | None]:
    """Vote and reason of a value that has them; of several questions, in their order."""
    if isinstance(value, VerdictReading):
        return str(value.vote), value.reason
    if isinstance(value, Readings):
        return value.votes, value.reasons
    return None, None


def _no_cost(price: PriceSnapshot | None) -> Money:
    if price is None:
        return NO_COST
    return Money(Decimal(0), price.currency)
