"""Tokens: the canonical usage of one model call, and the price it is billed with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.quick_init import quick_init

_PER_MILLION: Final = Decimal(1_000_000)
_QUANTUM: Final = Decimal("1e-12")
_NOTHING: Final = Decimal(0)


@quick_init
@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, every token counted once.

    input_total = uncached + cached + cache_write. `output_tokens` are visible output
    only: reasoning is not part of it.

    input_tokens_cache_write_1h: the part of `input_tokens_cache_write` that is kept for
        an hour or longer, which some providers sell at a price of its own.
    searches: web searches, or units of a reranker, that the provider bills by number.
    service_tier: the tier the call is billed in (`flex`, `priority`, `batch`); empty for
        the standard one.
    cache_reported: whether `input_tokens_cached` was reported; where it was not, its 0
        says nothing.
    output_is_at_most: whether `output_tokens` can be too high, because what recorded the
        call is known to count more than was billed.
    raw: what the provider reported, unchanged.
    """

    input_tokens_uncached: int = 0
    input_tokens_cached: int = 0
    input_tokens_cache_write: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    raw: Mapping[str, object] = field(default_factory=dict[str, object], compare=False)
    cache_reported: bool = field(default=True, compare=False, kw_only=True)
    output_is_at_most: bool = field(default=False, compare=False, kw_only=True)
    input_tokens_cache_write_1h: int = field(default=0, kw_only=True)
    searches: int = field(default=0, kw_only=True)
    service_tier: str = field(default="", kw_only=True)

    @property
    def input_total(self) -> int:
        """All input tokens of the call."""
        return (
            self.input_tokens_uncached
            + self.input_tokens_cached
            + self.input_tokens_cache_write
        )

    @property
    def total(self) -> int:
        """All tokens of the call."""
        return self.input_total + self.output_tokens + self.reasoning_tokens


@dataclass(frozen=True, slots=True)
class PriceSnapshot:
    """Prices of one model per million tokens, as known at `price_version`.

    None for the cached or cache-write price: the provider has none, and such tokens
    cost the input price. None for the price of long cache writes: they cost as others.
    None for the reasoning price: reasoning is billed as output. None for the price of
    1,000 searches: they are not billed.

    terms: under which conditions the prices hold (`priority`, `above_200k`); empty for
        the standard ones.
    """

    model_name: str
    price_input_per_million: Decimal
    price_output_per_million: Decimal
    price_cached_input_per_million: Decimal | None = None
    price_cache_write_per_million: Decimal | None = None
    price_reasoning_per_million: Decimal | None = None
    price_cache_write_1h_per_million: Decimal | None = None
    price_search_per_thousand: Decimal | None = None
    currency: str = "USD"
    price_version: str = ""
    terms: str = ""

    def cost(self, usage: Usage) -> Money:
        """What `usage` costs at these prices, to 1e-12.

        The formula of article 002, section 20, with a price for cache writes.
        """
        uncached = self.price_input_per_million
        output = self.price_output_per_million
        amount = usage.input_tokens_uncached * uncached + usage.output_tokens * output
        # Most of the others are 0.
        if usage.input_tokens_cached:
            cached = _price_or(self.price_cached_input_per_million, uncached)
            amount += usage.input_tokens_cached * cached
        long_tokens = usage.input_tokens_cache_write_1h
        if usage.input_tokens_cache_write or long_tokens:
            write = _price_or(self.price_cache_write_per_million, uncached)
            long_write = _price_or(self.price_cache_write_1h_per_million, write)
            amount += (usage.input_tokens_cache_write - long_tokens) * write
            amount += long_tokens * long_write
        if usage.reasoning_tokens:
            reasoning = _price_or(self.price_reasoning_per_million, output)
            amount += usage.reasoning_tokens * reasoning
        if usage.searches:
            search = _price_or(self.price_search_per_thousand, _NOTHING)
            amount += usage.searches * 1000 * search
        amount /= _PER_MILLION
        return Money(amount.quantize(_QUANTUM).normalize() + _NOTHING, self.currency)


def _price_or(price: Decimal | None, fallback: Decimal) -> Decimal:
    return fallback if price is None else price
