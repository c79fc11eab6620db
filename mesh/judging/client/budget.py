"""`--max-cost`: the worst case of a call is reserved before it is sent, so that a run cannot overspend."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

import anyio

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.money import Money
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.judging.errors import BudgetSpent

_PER_MESSAGE: Final = 16  # tokens a provider's chat template may add to each message
_OUTPUT_WITHOUT_LIMIT: Final = 16_384
OUTPUT_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def worst_usage(call: ModelCall) -> Usage:
    """The most tokens a call can use: a token has at least one byte.

    Without an output limit among the parameters, 16,384 tokens are assumed.
    """
    size = sum(
        len(message["content"].encode("utf-8", "surrogatepass")) + _PER_MESSAGE
        for message in call.messages
    )
    if call.response_schema is not None:
        size += len(json.dumps(dict(call.response_schema)))
    return Usage(
        input_tokens_cache_write=size, output_tokens=output_limit(call.parameters)
    )


def output_limit(parameters: Mapping[str, Any]) -> int:
    """How many tokens the parameters let the model write."""
    limits: list[int] = []
    for name in OUTPUT_LIMITS:
        limit = parameters.get(name)
        if isinstance(limit, int):
            limits.append(limit)
    return max(limits, default=_OUTPUT_WITHOUT_LIMIT)


def longer_reply(parameters: Mapping[str, Any], answers: int) -> dict[str, Any]:
    """The parameters with room for several answers in one reply.

    A limit is multiplied by the number of answers, up to 4,096 tokens; a higher limit
    stays as it is.
    """
    longer = dict(parameters)
    for name in OUTPUT_LIMITS:
        limit = longer.get(name)
        if isinstance(limit, int):
            longer[name] = max(limit, min(limit * answers, MAX_REPLY_TOKENS))
    return longer


MAX_REPLY_TOKENS: Final = 4096
"""Of a reply with several answers; nearly every model can write as many."""


def worst_cost(call: ModelCall, price: PriceSnapshot) -> Money:
    """The most a call can cost: the dearest kind of input, the dearest kind of output."""
    usage = worst_usage(call)
    size, output = usage.input_total, usage.output_tokens
    kinds = (
        Usage(input_tokens_uncached=size, output_tokens=output),
        Usage(input_tokens_cache_write=size, output_tokens=output),
        Usage(input_tokens_uncached=size, reasoning_tokens=output),
        Usage(input_tokens_cache_write=size, reasoning_tokens=output),
    )
    return max((price.cost(kind) for kind in kinds), key=lambda money: money.amount)


@dataclass(slots=True)
class JudgeBudget:
    """What a run may cost in all, in the currency of its prices.

    Attributes:
        spent: the cost so far, earlier sessions of the run included; an attempt of
            unknown cost counts with its worst case.
        held: reserved for calls that were sent.
        stopped: whether a call was refused because the budget did not cover it.
    """

    limit: Decimal
    spent: Decimal = Decimal(0)
    held: Decimal = field(default=Decimal(0), init=False)
    stopped: bool = field(default=False, init=False)
    currency: str | None = field(default=None, init=False)
    _changed: anyio.Event | None = field(default=None, init=False)

    def accept(self, model: str, price: PriceSnapshot | None) -> PriceSnapshot:
        """The price of a model that this budget pays for.

        Raises:
            ConfigError: the model has no price, or one in another currency than the others.
        """
        if price is None:
            raise ConfigError(
                f"{model} has no price, so a budget cannot be kept",
                where="--max-cost",
                hint=f'give one with --prices FILE: version = "mine" and [models."{model}"] with input and output '
                "in money per million tokens",
            )
        if self.currency not in (None, price.currency):
            raise ConfigError(
                f"{model} is priced in {price.currency}, another judge in {self.currency}",
                where="--max-cost",
            )
        self.currency = price.currency
        return price

    async def reserve(self, worst: Money) -> None:
        """Reserve the worst case of a call; wait while calls that were sent may cost less.

        Raises:
            BudgetSpent: the budget does not cover it even then.
        """
        while self.spent + self.held + worst.amount > self.limit:
            if self.held == 0 or self.spent + worst.amount > self.limit:
                self.stopped = True
                raise BudgetSpent(
                    f"the next call may cost {worst.amount:f} {worst.currency}, and of the budget of {self.limit:f} "
                    f"only {max(self.limit - self.spent, Decimal(0)):f} is left"
                )
            self._changed = self._changed or anyio.Event()
            await self._changed.wait()
        self.held += worst.amount

    def settle(self, worst: Money, cost: Money | None) -> None:
        """Replace the worst case of a call by its cost, if that is known."""
        self.held -= worst.amount
        self.spent += worst.amount if cost is None else cost.amount
        if self._changed is not None:
            self._changed.set()
            self._changed = None
