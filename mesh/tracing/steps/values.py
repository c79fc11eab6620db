"""Values of a trace as they come (JSON of strangers), read as what they should be. Pure; nothing here raises."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias, cast

from judgemesh.contracts.tracing import CONTEXT_SOURCES, Basis, ContextBreakdown
from judgemesh.contracts.usage import CURRENCY, Money, PriceSnapshot

Fields: TypeAlias = Mapping[str, Any]


def count_of(value: object) -> int | None:
    """A token count: a whole number of 0 or more, also as text or as a float without fraction; else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value) if len(value) < 20 else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and 0 <= value < 2**63 else None


def number_of(value: object) -> float | None:
    """A finite number of 0 or more; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < float("inf") else None


def text_of(value: object) -> str | None:
    """Text that is not empty; a number as text; else None."""
    if isinstance(value, bool) or value is None:
        return None
    text = (
        value
        if isinstance(value, str)
        else str(value)
        if isinstance(value, int | float)
        else ""
    )
    return text or None


def decimal_of(value: object) -> Decimal | None:
    """An exact amount of 0 or more from a number or its text; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        exact = Decimal(str(value))
    except InvalidOperation:
        return None
    return exact if exact.is_finite() and exact >= 0 else None


def currency_of(value: object) -> str | None:
    """A currency's three letters; else None."""
    return value if isinstance(value, str) and CURRENCY.match(value) else None


def money_of(value: object, currency: str) -> Money | None:
    """An amount in `currency`, or `{amount, currency}`; else None."""
    if isinstance(value, Mapping):
        given = cast("Fields", value)
        value, currency = (
            given.get("amount"),
            currency_of(given.get("currency")) or currency,
        )
    exact = decimal_of(value)
    return None if exact is None else Money(exact, currency)


def moment_of(value: object) -> datetime | None:
    """A moment from ISO 8601 text (without a zone: UTC) or seconds since 1970; else None."""
    try:
        if isinstance(value, datetime):
            found = value
        elif isinstance(value, str):
            found = datetime.fromisoformat(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found = datetime.fromtimestamp(value, UTC)
        else:
            return None
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def part_of(fields: Fields, key: str) -> Fields:
    """The object under `key`; empty where there is none."""
    return fields_of(fields.get(key))


def fields_of(value: object) -> Fields:
    """A JSON object; empty for anything else."""
    if not isinstance(value, Mapping):
        return {}
    return cast("Fields", value)


def breakdown_of(value: object, basis: object = None) -> ContextBreakdown | None:
    """A context breakdown from the field `input_token_breakdown`; None where no source is named."""
    given = fields_of(value)
    tokens = {
        f"{source}_tokens": count_of(given.get(f"{source}_tokens"))
        for source in CONTEXT_SOURCES
    }
    known = {name: number for name, number in tokens.items() if number is not None}
    if not known:
        return None
    stated: Basis = (
        "estimated" if "estimated" in (basis, given.get("basis")) else "measured"
    )
    return ContextBreakdown(**known, basis=stated)


_PRICES = (
    "price_input_per_million",
    "price_output_per_million",
    "price_cached_input_per_million",
    "price_cache_write_per_million",
    "price_reasoning_per_million",
)


def price_of(value: object, *, currency: str | None = None) -> PriceSnapshot | None:
    """A price snapshot in the article's form (section 23); None unless it has at least a price of input and output."""
    given = fields_of(value)
    prices = [decimal_of(given.get(name)) for name in _PRICES]
    if prices[0] is None or prices[1] is None:
        return None
    return PriceSnapshot(
        model_name=text_of(given.get("model_name")) or "",
        price_input_per_million=prices[0],
        price_output_per_million=prices[1],
        price_cached_input_per_million=prices[2],
        price_cache_write_per_million=prices[3],
        price_reasoning_per_million=prices[4],
        currency=currency_of(given.get("currency")) or currency or "USD",
        price_version=text_of(given.get("price_version")) or "",
    )


def price_fields(price: PriceSnapshot) -> dict[str, object]:
    """A price snapshot as JSON data that `price_of` reads back equal."""
    amounts = {name: getattr(price, name) for name in _PRICES}
    return {
        "model_name": price.model_name,
        **{name: str(amount) for name, amount in amounts.items() if amount is not None},
        "currency": price.currency,
        "price_version": price.price_version,
    }
