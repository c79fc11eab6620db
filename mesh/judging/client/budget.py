"""`--max-cost`: the worst case of a call is set aside before it is made, so that a run cannot overspend."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

import anyio

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.usage import Money, PriceSnapshot, Usage
from judgemesh.mesh.judging.errors import BudgetSpent

_PER_MESSAGE: Final = 16  # tokens a provider's chat template may add to each message
_OUTPUT_WITHOUT_LIMIT: Final = 16_384
OUTPUT_LIMITS: Final = ("max_tokens", "max_completion_tokens", "max_output_tokens")


def worst_usage(call: ModelCall) -> Usage:
    """The most a call can use: a token is a byte at least, and every token of output may be written.

    Without an output limit among the parameters 16,384 tokens are assumed.
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
    given = (parameters.get(name) for name in OUTPUT_LIMITS)
    return max(
        (limit for limit in given if isinstance(limit, int)),
        default=_OUTPUT_WITHOUT_LIMIT,
    )


def longer_reply(parameters: Mapping[str, Any], answers: int) -> dict[str, Any]:
    """The parameters with room for so many answers in one reply: their limit for each, 4,096 tokens for all at most.

    A limit that is higher stays as it is.
    """
    return {
        name: max(value, min(value * answers, MOST_REPLY))
        if name in OUTPUT_LIMITS and isinstance(value, int)
        else value
        for name, value in parameters.items()
    }


MOST_REPLY: Final = 4096
"""Tokens of a reply with several answers: 512 for each of eight, and no more than nearly every model can write."""


def worst_cost(call: ModelCall, price: PriceSnapshot) -> Money:
    """The most a call can cost at a price: the dearest kind of input, the dearest kind of output."""
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
class Budget:
    """What a run may cost in all, in the currency of its prices.

    spent: known cost so far, earlier sessions of the run included; an attempt whose cost stays unknown counts with its
        worst case. held: set aside for calls on their way. stopped: whether a call was refused for want of money.
    """

    limit: Decimal
    spent: Decimal = Decimal(0)
    held: Decimal = field(default=Decimal(0), init=False)
    stopped: bool = field(default=False, init=False)
    currency: str | None = field(default=None, init=False)
    _changed: anyio.Event | None = field(default=None, init=False)

    def accept(self, model: str, price: PriceSnapshot | None) -> PriceSnapshot:
        """The price of a model this budget pays for.

        Raises:
            ConfigError: the model has no price, or one in another currency than the others.
        """
        if price is None:
            raise ConfigError(
                f"{model} has no price, so a budget cannot be kept",
                where="--max-cost",
                hint=f'give one with --prices FILE: version = "mine" and [models."{model}"] with input and output '
                "in money a million tokens",
            )
        if self.currency not in (None, price.currency):
            raise ConfigError(
                f"{model} is priced in {price.currency}, another judge in {self.currency}",
                where="--max-cost",
            )
        self.currency = price.currency
        return price

    async def reserve(self, worst: Money) -> None:
        """Set the worst case of a call aside; while calls on their way may still give money back, wait for them.

        Raises:
            BudgetSpent: even then it would not do.
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
        """A call came back: what it really cost is spent, all of its worst case when nobody knows."""
        self.held -= worst.amount
        self.spent += worst.amount if cost is None else cost.amount
        if self._changed is not None:
            self._changed.set()
            self._changed = None
