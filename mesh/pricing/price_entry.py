"""The prices of one model in a price file, checked. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.money import exact_amount

REQUIRED = ("input", "output")


def checked_prices(
    entry: Mapping[str, Any],
    fields: Mapping[str, str],
    where: str,
    other_keys: Iterable[str] = (),
) -> dict[str, Decimal]:
    """The prices of an entry, per million tokens, by field of `PriceSnapshot`.

    Args:
        entry: the entry as it stands in the file.
        fields: the file's keys and the fields they stand for.
        where: file and entry, for messages.
        other_keys: further keys that an entry may have.

    Raises:
        ConfigError: a key is unknown, a required price is missing, or a price is not a
            number of 0 or more.
    """
    known = [*fields, *sorted(other_keys)]
    unknown = sorted(set(entry) - set(known))
    if unknown:
        hint = f"expected {', '.join(known)}"
        raise ConfigError(f"unknown key {unknown[0]!r}", where=where, hint=hint)
    for key in REQUIRED:
        if entry.get(key) is None:
            raise ConfigError(f"needs a price {key!r} per million tokens", where=where)
    prices: dict[str, Decimal] = {}
    for key, field in fields.items():
        value = entry.get(key)
        if value is not None:
            prices[field] = _amount(value, key, where)
    return prices


def _amount(value: object, key: str, where: str) -> Decimal:
    amount = None if isinstance(value, str) else exact_amount(value)
    if amount is None:
        raise ConfigError(
            f"{key} must be a number of 0 or more, got {value!r}", where=where
        )
    return amount
