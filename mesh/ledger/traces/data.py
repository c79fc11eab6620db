"""Pure: money, prices and model calls of a trace as JSON data, and back. Columns of JSON hold what others cannot."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, cast

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import ModelCall, UsageStatus
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.ledger.schema.columns import (
    MORE_PRICES,
    PRICES,
    TOKENS,
    USAGE_TERMS,
    Row,
)

_EMPTY: Final[tuple[object, ...]] = (None, "", [], {}, False)


def without_empty(data: Row) -> Row:
    """The fields that say something."""
    return {name: value for name, value in data.items() if value not in _EMPTY}


def as_object(value: object) -> Row:
    """A JSON object; an empty one for anything else."""
    return cast("Row", value) if isinstance(value, dict) else {}


def money_data(money: Money | None) -> list[str] | None:
    """`[amount, currency]`."""
    return None if money is None else [str(money.amount), money.currency]


def money_from_data(data: object) -> Money | None:
    """The money that `money_data` wrote."""
    if not isinstance(data, list):
        return None
    amount, currency = cast("list[str]", data)
    return Money(Decimal(amount), currency)


def price_data(price: PriceSnapshot | None) -> Row | None:
    """Prices as text."""
    if price is None:
        return None
    data: Row = {
        "model_name": price.model_name,
        "currency": price.currency,
        "price_version": price.price_version,
    }
    for name in PRICES:
        amount: Decimal | None = getattr(price, name)
        data[name] = None if amount is None else str(amount)
    return {**data, **more_price_data(price)}


def more_price_data(price: PriceSnapshot) -> Row:
    """What the columns of a price do not hold."""
    data: Row = {"terms": price.terms}
    for name in MORE_PRICES:
        amount: Decimal | None = getattr(price, name)
        data[name] = None if amount is None else str(amount)
    return without_empty(data)


def price_from_data(data: Mapping[str, Any]) -> PriceSnapshot | None:
    """The prices of `price_data`, or of a row of `trace_price_snapshot`; None for an empty object."""
    if not data:
        return None
    amounts: dict[str, Decimal | None] = {}
    for name in (*PRICES, *MORE_PRICES):
        value = data.get(name)
        amounts[name] = None if value is None else Decimal(str(value))
    return PriceSnapshot(
        model_name=data["model_name"],
        price_input_per_million=amounts.pop("price_input_per_million") or Decimal(0),
        price_output_per_million=amounts.pop("price_output_per_million") or Decimal(0),
        currency=data["currency"],
        price_version=data["price_version"],
        terms=data.get("terms", ""),
        **amounts,
    )


def tokens_of(usage: Usage | None) -> Row:
    """The token counts of a usage by name; None for each where the usage is unknown."""
    if usage is None:
        return dict.fromkeys(TOKENS)
    return {name: getattr(usage, name) for name in TOKENS}


def usage_terms(usage: Usage | None) -> Row:
    """What the columns of a usage do not hold."""
    if usage is None:
        return {}
    return without_empty({name: getattr(usage, name) for name in USAGE_TERMS})


def call_data(call: ModelCall) -> Row:
    """One model call of a step."""
    usage = call.usage
    return without_empty(
        {
            "model_name": call.model_name,
            "provider": call.provider,
            "usage": None
            if usage is None
            else {**tokens_of(usage), **usage_terms(usage)},
            "usage_raw": None if usage is None else dict(usage.raw),
            "cache_unreported": usage is not None and not usage.cache_reported,
            "output_is_at_most": usage is not None and usage.output_is_at_most,
            "usage_status": call.usage_status.value,
            "latency_ms": call.latency_ms,
            "cost": money_data(call.cost),
            "reported_cost": money_data(call.reported_cost),
            "price": price_data(call.price),
        }
    )


def call_from_data(value: object) -> ModelCall:
    """The call that `call_data` wrote."""
    data = as_object(value)
    usage: Usage | None = None
    if data.get("usage") is not None:
        raw = as_object(data.get("usage_raw"))
        usage = Usage(
            **as_object(data["usage"]),
            raw=raw,
            cache_reported=not data.get("cache_unreported"),
            output_is_at_most=bool(data.get("output_is_at_most")),
        )
    return ModelCall(
        model_name=data.get("model_name"),
        provider=data.get("provider", ""),
        usage=usage,
        usage_status=UsageStatus(data["usage_status"]),
        latency_ms=data.get("latency_ms"),
        cost=money_from_data(data.get("cost")),
        reported_cost=money_from_data(data.get("reported_cost")),
        price=price_from_data(as_object(data.get("price"))),
    )
