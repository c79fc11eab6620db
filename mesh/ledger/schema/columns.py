"""Column types that behave alike on SQLite and PostgreSQL.

Money is a REAL on SQLite, so that plain SQL can sum it, and comes back as the exact `Decimal` that went in (up to 15
significant digits). Timestamps are stored as UTC without a zone and come back aware. Text and JSON never make a write
fail: what an encoding cannot hold is replaced, so that a hostile answer cannot keep its own verdict out of the ledger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, TypeAlias

from sqlalchemy import (
    JSON,
    REAL,
    TIMESTAMP,
    DateTime,
    Dialect,
    Double,
    FunctionElement,
    Numeric,
    Text,
    TypeDecorator,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeEngine

from judgemesh.contracts.money import Money
from judgemesh.mesh.ledger.encoding import storable

Row: TypeAlias = dict[str, Any]
"""The values of a row by column."""

PRICES: Final = (
    "price_input_per_million",
    "price_cached_input_per_million",
    "price_cache_write_per_million",
    "price_output_per_million",
    "price_reasoning_per_million",
)
TOKENS: Final = (
    "input_tokens_uncached",
    "input_tokens_cached",
    "input_tokens_cache_write",
    "output_tokens",
    "reasoning_tokens",
)
"""Fields of a price snapshot and of a usage that are columns of the same name."""
MORE_PRICES: Final = (
    "price_cache_write_1h_per_million",
    "price_search_per_thousand",
)
USAGE_TERMS: Final = (
    "input_tokens_cache_write_1h",
    "searches",
    "service_tier",
)
"""Fields of a price snapshot and of a usage that few calls have: they are kept in JSON."""


class _JsonText(sqlite.JSON):
    """JSON in a TEXT column. In a column declared `JSON`, SQLite turns the text of a number into a number."""


class UtcNow(FunctionElement[datetime]):
    """SQL for the current moment in UTC: the default of every `created_at`."""

    type = DateTime()
    inherit_cache = True


@compiles(_JsonText, "sqlite")
def _text(*_: object, **__: object) -> str:
    return "TEXT"


@compiles(UtcNow, "sqlite")
def _sqlite_now(*_: object, **__: object) -> str:
    return "CURRENT_TIMESTAMP"


@compiles(UtcNow, "postgresql")
def _postgresql_now(*_: object, **__: object) -> str:
    return "(now() AT TIME ZONE 'utc')"


OrderedJsonColumn = JSON(none_as_null=True).with_variant(
    _JsonText(none_as_null=True), "sqlite"
)
"""JSON whose key order matters: PostgreSQL's JSON keeps the order of the keys of an object."""

JsonColumn = OrderedJsonColumn.with_variant(JSONB(none_as_null=True), "postgresql")
"""JSON whose key order does not matter: PostgreSQL's JSONB sorts the keys of an object."""


class MoneyColumn(TypeDecorator[Decimal]):
    """An amount of money: REAL on SQLite, NUMERIC on PostgreSQL, `Decimal` in Python."""

    impl = Double
    cache_ok = True

    def load_dialect_impl(
        self, dialect: Dialect
    ) -> TypeEngine[Decimal] | TypeEngine[float]:
        """NUMERIC where it is exact."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(Numeric())
        return REAL()

    def process_bind_param(
        self, value: Decimal | None, dialect: Dialect
    ) -> Decimal | float | None:
        """Raises ValueError for an amount that no float can hold."""
        if value is None or dialect.name == "postgresql":
            return value
        return stored_money(value)

    def process_result_value(self, value: object, dialect: Dialect) -> Decimal | None:  # noqa: ARG002 (SQLAlchemy's signature)
        """The shortest decimal that is the stored number."""
        return None if value is None else stored_amount(value)


def stored_money(value: Decimal) -> float:
    """An amount of money as SQLite stores it.

    Raises:
        ValueError: no float can hold it.
    """
    stored = float(value)
    if not math.isfinite(stored):
        raise ValueError(f"the amount {value} is too large to store")
    return stored


def stored_amount(value: object) -> Decimal:
    """The amount of money that a database holds as this number."""
    return Decimal(str(value)).normalize() + Decimal(0)


class UtcColumn(TypeDecorator[datetime]):
    """A moment, stored as UTC."""

    impl = TIMESTAMP
    cache_ok = True

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002 (SQLAlchemy's signature)
    ) -> datetime | None:
        """Raises ValueError for a moment without a time zone: it could be any of 38."""
        return None if value is None else _as_utc(value)

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002 (SQLAlchemy's signature)
    ) -> datetime | None:
        """Aware, in UTC."""
        return None if value is None else value.replace(tzinfo=UTC)


_MOMENT_CHARS: Final = len("2026-01-31 12:00:00.000000")


def utc_text(value: datetime) -> str:
    """A moment as SQLite stores it: what SQLAlchemy makes of it, in a quarter of the time.

    Raises:
        ValueError: it has no time zone.
    """
    if value.tzinfo is not UTC:
        value = _as_utc(value).replace(tzinfo=UTC)
    return value.isoformat(" ", "microseconds")[:_MOMENT_CHARS]


def _as_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError(f"{value.isoformat()} has no time zone")
    if value.tzinfo is not UTC:
        value = value.astimezone(UTC)
    return value.replace(tzinfo=None)


class TextColumn(TypeDecorator[str]):
    """Text; characters the database cannot hold become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Lone surrogates have no UTF-8; PostgreSQL has no NUL."""
        if value is None or (value.isascii() and "\0" not in value):
            return value
        return storable(value, nul=dialect.name != "postgresql")


def money_columns(money: Money | None, amount: str, currency: str) -> Row:
    """`money` as the values of the columns `amount` and `currency`; two nulls for unknown money."""
    if money is None:
        return {amount: None, currency: None}
    return {amount: money.amount, currency: money.currency}


class NamesColumn(TypeDecorator[Sequence[str]]):
    """A list of names, one on each line: a list of one name is that name."""

    impl = TextColumn
    cache_ok = True

    def process_bind_param(self, value: Sequence[str] | None, dialect: Dialect) -> str:
        """The names as text."""
        return names_text(value, nul=dialect.name != "postgresql")

    def process_result_value(self, value: object, dialect: Dialect) -> list[str]:  # noqa: ARG002 (SQLAlchemy's signature)
        """The names; none of an empty text."""
        return str(value).split("\n") if value else []


def names_text(names: Sequence[str] | None, *, nul: bool = True) -> str:
    """A list of names as it is stored."""
    lines = "\n".join([name.replace("\n", " ") for name in names or ()])
    return storable(lines, nul=nul)
