"""What becomes of an attempt, as a row of the ledger: usage, money, verdict or fault. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.errors import JudgeError
from judgemesh.contracts.gateway import ModelReply
from judgemesh.contracts.usage import Money, PriceSnapshot
from judgemesh.mesh.judging.errors import is_unbilled
from judgemesh.mesh.judging.replies.parse import Reading
from judgemesh.mesh.judging.replies.several import Readings
from judgemesh.mesh.pricing.prices import PriceBook

_MAX_MESSAGE: Final = 500


@dataclass(frozen=True, slots=True)
class Rows:
    """Completes the row of an attempt, priced with one price book."""

    prices: PriceBook

    def succeeded(
        self, row: JudgeAttempt, reply: ModelReply, value: object, *, latency_ms: float
    ) -> JudgeAttempt:
        """An answer that could be read."""
        vote, reason = _said(value)
        return replace(
            self._billed(row, reply),
            status="ok",
            latency_ms=latency_ms,
            vote=vote,
            reason=reason,
        )

    def failed(
        self,
        row: JudgeAttempt,
        reply: ModelReply | None,
        error: JudgeError,
        *,
        latency_ms: float,
    ) -> JudgeAttempt:
        """A fault. An unreadable reply is billed like any other; without a reply the kind of error decides.

        The cost is zero only where the provider surely billed nothing, else unknown.
        """
        if reply is not None:
            row = self._billed(row, reply)
        elif is_unbilled(error):
            row = replace(row, cost=_nothing(self.prices.find(row.model_requested)))
        message = one_line(error)
        return replace(
            row,
            status="error",
            latency_ms=latency_ms,
            error_type=error.error_type,
            error_message=message,
        )

    def from_cache(
        self, row: JudgeAttempt, reply: ModelReply, value: object, *, latency_ms: float
    ) -> JudgeAttempt:
        """An answer that was kept: it costs nothing now, and shows what it would have cost."""
        row = self.succeeded(row, reply, value, latency_ms=latency_ms)
        return replace(
            row,
            cache_hit=True,
            cost=_nothing(row.price),
            cost_avoided=row.cost,
            provider_cost=None,
        )

    def _billed(self, row: JudgeAttempt, reply: ModelReply) -> JudgeAttempt:
        cost, price = self.prices.cost(row.model_requested, reply.usage)
        return replace(
            row,
            model_served=reply.model_served,
            usage=reply.usage,
            cost=cost,
            price=price,
            provider_cost=reply.provider_cost,
        )


def _said(value: object) -> tuple[str | None, str | None]:
    """Vote and reason of an answer that has them; of several questions, theirs in the order asked."""
    if isinstance(value, Reading):
        return value.vote.value, value.reason
    return (value.votes, value.reasons) if isinstance(value, Readings) else (None, None)


def one_line(error: BaseException) -> str:
    """An error as one line of bounded length."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= _MAX_MESSAGE else f"{text[:_MAX_MESSAGE]}..."


def _nothing(price: PriceSnapshot | None) -> Money:
    return Money(Decimal(0), price.currency if price is not None else "USD")
