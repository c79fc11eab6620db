"""Values of a trace, read as what they should be. Pure; nothing here raises."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias, cast

from judgemesh.contracts.money import CURRENCY, Money, exact_amount
from judgemesh.contracts.tracing import (
    CONTEXT_SOURCES,
    Access,
    Basis,
    ContextBreakdown,
)
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.pricing.usage_shapes import whole_number

Fields: TypeAlias = Mapping[str, Any]

_PRICES: Final = (
    "price_input_per_million",
    "price_output_per_million",
    "price_cached_input_per_million",
    "price_cache_write_per_million",
    "price_reasoning_per_million",
    "price_cache_write_1h_per_million",
    "price_search_per_thousand",
)


MAX_NUMBER: Final = 1e15
"""More than this is no duration, size or share, and sums of it would leave the range of numbers."""

# --- numbers and text ---


def count_of(value: object) -> int | None:
    """A token count: a whole number of 0 or more, also as text or float; else None."""
    number = whole_number(value)
    return number if number is not None and number >= 0 else None


def number_of(value: object) -> float | None:
    """A number from 0 to `MAX_NUMBER`; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= MAX_NUMBER else None


def text_of(value: object) -> str | None:
    """Text that is not empty; a number as text; else None."""
    if isinstance(value, str):
        return value or None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else None


def access_of(value: object) -> Access | None:
    """`read` or `write`; else None."""
    if value == "read":
        return "read"
    return "write" if value == "write" else None


def first_number(fields: Fields, *names: str) -> float | None:
    """The first of these fields that is a number (`number_of`). Names may be empty."""
    for name in names:
        number = number_of(fields.get(name))
        if name and number is not None:
            return number
    return None


def first_count(fields: Fields, *names: str) -> int | None:
    """The first of these fields that is a count (`count_of`). Names may be empty."""
    for name in names:
        count = count_of(fields.get(name))
        if name and count is not None:
            return count
    return None


def moment_of(value: object) -> datetime | None:
    """A moment from ISO 8601 text (without a zone: UTC) or seconds since 1970."""
    try:
        if isinstance(value, datetime):
            moment = value
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            moment = datetime.fromtimestamp(value, UTC)
        else:
            return None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


# --- objects ---


def part_of(fields: Fields, key: str) -> Fields:
    """The object under `key`; empty where there is none."""
    return fields_of(fields.get(key))


def fields_of(value: object) -> Fields:
    """A JSON object; empty for anything else."""
    return cast("Fields", value) if isinstance(value, Mapping) else {}


# --- money and prices ---


def currency_of(value: object) -> str | None:
    """A currency's three letters; else None."""
    return value if isinstance(value, str) and CURRENCY.match(value) else None


def money_of(value: object, currency: str) -> Money | None:
    """An amount in `currency`, or `{amount, currency}`; else None."""
    if isinstance(value, Mapping):
        fields = cast("Fields", value)
        currency = currency_of(fields.get("currency")) or currency
        value = fields.get("amount")
    exact = exact_amount(value)
    return None if exact is None else Money(exact, currency)


def price_of(value: object, *, currency: str | None = None) -> PriceSnapshot | None:
    """A price snapshot in the article's form (section 23).

    None unless it has at least the prices of input and output.
    """
    fields = fields_of(value)
    prices: dict[str, Decimal] = {}
    for name in _PRICES:
        price = exact_amount(fields.get(name))
        if price is not None:
            prices[name] = price
    if not {"price_input_per_million", "price_output_per_million"} <= prices.keys():
        return None
    return PriceSnapshot(
        model_name=text_of(fields.get("model_name")) or "",
        currency=currency_of(fields.get("currency")) or currency or "USD",
        price_version=text_of(fields.get("price_version")) or "",
        terms=text_of(fields.get("terms")) or "",
        **prices,
    )


def price_fields(price: PriceSnapshot) -> dict[str, object]:
    """A price snapshot as JSON data that `price_of` reads back equal."""
    fields: dict[str, object] = {"model_name": price.model_name}
    for name in _PRICES:
        amount: Decimal | None = getattr(price, name)
        if amount is not None:
            fields[name] = str(amount)
    fields["currency"] = price.currency
    fields["price_version"] = price.price_version
    if price.terms:
        fields["terms"] = price.terms
    return fields


# --- context ---


def breakdown_of(value: object, basis: object = None) -> ContextBreakdown | None:
    """A breakdown from the field `input_token_breakdown`; None where it names no source.

    basis: what the trace says beside it: `measured` or `estimated`.
    """
    fields = fields_of(value)
    counts: dict[str, int] = {}
    for source in CONTEXT_SOURCES:
        count = count_of(fields.get(f"{source}_tokens"))
        if count is not None:
            counts[f"{source}_tokens"] = count
    if not counts:
        return None
    is_estimated = "estimated" in (basis, fields.get("basis"))
    stated: Basis = "estimated" if is_estimated else "measured"
    return ContextBreakdown(**counts, basis=stated)
