"""An attempt to get an answer from a model as a row of `judge_call`, the prices it was billed by, and the way back."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, select

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.money import Money
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.ledger.report_rows import eval_id_of
from judgemesh.mesh.ledger.schema.columns import PRICES, TOKENS, Row
from judgemesh.mesh.ledger.schema.tables import judge_call

COST_KNOWN: Final = "known"
COST_UNKNOWN: Final = "COST_UNKNOWN"

_SAME_NAME: Final = (
    "validator_name",
    "question_id",
    "sample_index",
    "attempt",
    "model_requested",
    "model_served",
    "prompt_name",
    "prompt_digest",
    "message_digest",
    "provider_cost",
    "cache_hit",
    "latency_ms",
    "status",
    "error_type",
    "error_message",
    "vote",
    "reason",
    "created_at",
)
"""Fields of an attempt that are columns of the same name."""
_SAME_VALUES: Final = attrgetter(*_SAME_NAME)


def attempt_rows(
    run_id: str, result_id: str, attempt: JudgeAttempt
) -> tuple[Row, Row | None]:
    """The `judge_call` row of an attempt, and the `price_snapshot` row it refers to if a price was known."""
    price: Row | None = None
    if attempt.price is not None:
        price = price_row(attempt.price, created_at=attempt.created_at)
    values = (
        run_id,
        eval_id_of(run_id, result_id),
        *_SAME_VALUES(attempt),
        attempt.parameters,
        *_usage_values(attempt.usage),
        COST_UNKNOWN if attempt.cost is None else COST_KNOWN,
        *_money_values(attempt.cost),
        *_money_values(attempt.cost_avoided),
        None if price is None else price["price_snapshot_id"],
    )
    return dict(zip(_COLUMNS, values, strict=True)), price


_COLUMNS: Final = (
    "run_id",
    "eval_id",
    *_SAME_NAME,
    "parameters",
    *TOKENS,
    "usage_raw",
    "cost_status",
    "cost",
    "currency",
    "cost_avoided",
    "cost_avoided_currency",
    "price_snapshot_id",
)
_TOKEN_VALUES: Final = attrgetter(*TOKENS)


def _usage_values(usage: Usage | None) -> tuple[object, ...]:
    """Nulls when the provider reported no usage, which is not a usage of zero."""
    if usage is None:
        return (None,) * (len(TOKENS) + 1)
    return (*_TOKEN_VALUES(usage), usage.raw)


def _money_values(money: Money | None) -> tuple[object, object]:
    return (None, None) if money is None else (money.amount, money.currency)


def price_row(price: PriceSnapshot, *, created_at: datetime) -> Row:
    """The row of a price snapshot. Its id is the digest of its content: equal prices are one row."""
    return {**_price_content(price), "created_at": created_at}


@lru_cache(maxsize=256)
def _price_content(price: PriceSnapshot) -> Row:
    """Cached, because the calls of a run are billed by the same few prices."""
    content: Row = {
        "model_name": price.model_name,
        **{name: getattr(price, name) for name in PRICES},
        "currency": price.currency,
        "price_version": price.price_version,
    }
    canonical = {name: _canonical(value) for name, value in content.items()}
    digest = hashlib.sha256(json.dumps(canonical, sort_keys=True).encode()).hexdigest()
    return {"price_snapshot_id": f"sha256:{digest}", **content}


def _canonical(value: object) -> object:
    """1, 1.0 and 1.00 are one price."""
    if isinstance(value, Decimal):
        return format(value.normalize() + Decimal(0), "f")
    return value


def attempts(connection: Connection, run_id: str, result_id: str) -> list[JudgeAttempt]:
    """The attempts made for a result, in the order in which they were recorded; without the prices."""
    query = (
        select(judge_call)
        .where(
            judge_call.c.run_id == run_id,
            judge_call.c.eval_id == eval_id_of(run_id, result_id),
        )
        .order_by(judge_call.c.judge_call_id)
    )
    return [_attempt(dict(row)) for row in connection.execute(query).mappings()]


def _attempt(row: dict[str, Any]) -> JudgeAttempt:
    usage = None
    if row["output_tokens"] is not None:
        tokens = {name: row[name] for name in TOKENS}
        usage = Usage(**tokens, raw=row["usage_raw"] or {})
    return JudgeAttempt(
        **{name: row[name] for name in _SAME_NAME},
        parameters=row["parameters"] or {},
        usage=usage,
        cost=_money(row, "cost", "currency"),
        cost_avoided=_money(row, "cost_avoided", "cost_avoided_currency"),
    )


def _money(row: dict[str, Any], amount: str, currency: str) -> Money | None:
    if row[amount] is None:
        return None
    return Money(row[amount], row[currency])
