"""Whether a computed cost is exact, or only a bound of what was paid. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from enum import StrEnum
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import ModelCall, UsageStatus
from judgemesh.contracts.usage import PriceSnapshot

_PER_MILLION: Final = Decimal(1_000_000)


class Bound(StrEnum):
    """What the cost of a model call says of what was paid.

    AT_MOST: the call was billed as if none of its input was read from a cache, because it
        does not report cached tokens; or its output tokens can be too many.
    OPEN: what was paid can be less or more. Cached tokens are not reported, and the price
        has a surcharge for writing the cache; or the token counts contradict each other,
        or are those of a stream that ended early.
    """

    EXACT = "exact"
    AT_MOST = "at_most"
    OPEN = "open"


def bound_of(call: ModelCall) -> Bound:
    """Of a call whose cost was computed from a price; a reported cost is exact."""
    price, usage = call.price, call.usage
    if price is None or usage is None:
        return Bound.EXACT
    if call.usage_status is UsageStatus.INCONSISTENT:
        return Bound.OPEN
    lacks_cache = not usage.cache_reported and usage.input_tokens_uncached > 0
    if lacks_cache and _has_write_surcharge(price):
        return Bound.OPEN
    if usage.output_is_at_most or unreported_saving(call) is not None:
        return Bound.AT_MOST
    return Bound.EXACT


def is_at_most(bounds: Iterable[Bound]) -> bool:
    """Whether what was paid for all of these calls can be less than their cost, and cannot be more."""
    found = set(bounds)
    return Bound.AT_MOST in found and Bound.OPEN not in found


def unreported_saving(call: ModelCall) -> Money | None:
    """What the cost of a call that does not report cached tokens can be too high by.

    None where it reports them, where the price has no discount for them, and where it has
    a surcharge for writing the cache.
    """
    price, usage = call.price, call.usage
    if price is None or usage is None or usage.cache_reported:
        return None
    uncached = price.price_input_per_million
    cached = price.price_cached_input_per_million
    if cached is None or cached >= uncached or _has_write_surcharge(price):
        return None
    most = usage.input_tokens_uncached * (uncached - cached) / _PER_MILLION
    return Money(most, price.currency) if most else None


def _has_write_surcharge(price: PriceSnapshot) -> bool:
    """Whether input that is written to the cache can cost more than other input."""
    writes = (
        price.price_cache_write_per_million,
        price.price_cache_write_1h_per_million,
    )
    return any(
        write is not None and write > price.price_input_per_million for write in writes
    )
