"""Helpers that make columns, so that the schema reads as a list of names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from sqlalchemy import (
    DOUBLE_PRECISION,
    BigInteger,
    Boolean,
    Column,
    Identity,
    Integer,
)

from judgemesh.mesh.ledger.schema.columns import (
    JsonColumn,
    MoneyColumn,
    NamesColumn,
    OrderedJsonColumn,
    TextColumn,
    UtcColumn,
    UtcNow,
)

_AutoId: Final = BigInteger().with_variant(Integer, "sqlite")


def text(*names: str) -> list[Column[str]]:
    """Optional text."""
    return [Column(name, TextColumn) for name in names]


def required_text(*names: str) -> list[Column[str]]:
    """Text that every row has."""
    return [Column(name, TextColumn, nullable=False) for name in names]


def names(*columns: str) -> list[Column[Sequence[str]]]:
    """Lists of names."""
    return [Column(name, NamesColumn, nullable=False) for name in columns]


def number(*names: str) -> list[Column[float]]:
    """Scores, rates and durations."""
    return [Column(name, DOUBLE_PRECISION) for name in names]


def count(*names: str) -> list[Column[int]]:
    """Whole numbers, 64 bits wide."""
    return [Column(name, BigInteger) for name in names]


def required_integer(*names: str) -> list[Column[int]]:
    """Small whole numbers that every row has."""
    return [Column(name, Integer, nullable=False) for name in names]


def flag(*names: str) -> list[Column[bool]]:
    """Yes, no or unknown."""
    return [Column(name, Boolean) for name in names]


def required_flag(*names: str) -> list[Column[bool]]:
    """Yes or no."""
    return [Column(name, Boolean, nullable=False) for name in names]


def money(*names: str) -> list[Column[Decimal]]:
    """Amounts of money. Their currency is in a column of its own."""
    return [Column(name, MoneyColumn) for name in names]


def json(*names: str) -> list[Column[object]]:
    """JSON documents."""
    return [Column(name, JsonColumn) for name in names]


def ordered_json(*names: str) -> list[Column[object]]:
    """JSON documents that keep the order of their keys."""
    return [Column(name, OrderedJsonColumn) for name in names]


def time(*names: str) -> list[Column[datetime]]:
    """Moments, in UTC."""
    return [Column(name, UtcColumn) for name in names]


def created_at() -> Column[datetime]:
    """When the row was made; the database's clock where the program names no moment."""
    return Column("created_at", UtcColumn, server_default=UtcNow())


def text_key(name: str) -> Column[str]:
    """Text that identifies the row."""
    return Column(name, TextColumn, primary_key=True)


def position_key(name: str, *, wide: bool = False) -> Column[int]:
    """The part of a primary key that counts within its parent; 64 bits `wide` on request."""
    kind = BigInteger if wide else Integer
    return Column(name, kind, primary_key=True, autoincrement=False)


def auto_id(name: str) -> Column[int]:
    """A number that the database assigns."""
    return Column(name, _AutoId, Identity(), primary_key=True)
