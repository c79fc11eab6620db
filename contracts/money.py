"""Exact amounts of money."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

CURRENCY = re.compile(r"[A-Z]{3}\Z")
MAX_AMOUNT: Final = Decimal(10) ** 15
"""More than this is no amount of money, and sums of it would leave the range of the ledger's columns."""


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount in a named currency. Unknown money is `None`, never `Money(0)`."""

    amount: Decimal
    currency: str = "USD"

    def __post_init__(self) -> None:
        if not self.amount.is_finite():
            raise ValueError(f"an amount of money must be finite, got {self.amount}")
        if not CURRENCY.match(self.currency):
            raise ValueError(
                f"a currency is three capital letters, got {self.currency!r}"
            )

    def __reduce__(self) -> tuple[type[Money], tuple[Decimal, str]]:
        """Pickled as its two values: the state of a frozen class with slots is read and set by Python code."""
        return Money, (self.amount, self.currency)

    def __add__(self, other: Money) -> Money:
        if self.currency != other.currency:
            raise ValueError(f"cannot add {other.currency} to {self.currency}")
        return Money(self.amount + other.amount, self.currency)


FREE: Final = Money(Decimal(0))


def exact_amount(value: object) -> Decimal | None:
    """An amount of money out of a number or the text of one, 0 to `MAX_AMOUNT`; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        amount = Decimal(str(value))
    except (
        ValueError,
        ArithmeticError,
    ):  # an integer may have too many digits to print
        return None
    if not amount.is_finite() or not 0 <= amount <= MAX_AMOUNT:
        return None
    return amount


def total(amounts: Iterable[Money | None], currency: str = "USD") -> Money | None:
    """The sum of the amounts; None when one is unknown; zero in `currency` for none.

    Raises:
        ValueError: the amounts are in several currencies.
    """
    first: Money | None = None
    others: list[Decimal] = []
    for amount in amounts:
        if amount is None:
            return None
        if first is None:
            first = amount
        elif amount.currency != first.currency:
            raise ValueError(f"cannot add {amount.currency} to {first.currency}")
        else:
            others.append(amount.amount)
    if first is None:
        return FREE if currency == FREE.currency else Money(Decimal(0), currency)
    return Money(sum(others, first.amount), first.currency) if others else first
