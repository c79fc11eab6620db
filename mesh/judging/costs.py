"""Sums of money that may be unknown or in several currencies. Pure."""

from __future__ import annotations

from decimal import Decimal

from judgemesh.contracts.money import Money, total


def sum_of(*amounts: Money | None) -> Money | None:
    """The sum; None if an amount is unknown or if they are in several currencies.

    Amounts of 0 count for every currency.
    """
    if any(amount is None for amount in amounts):
        return None
    nonzero = [amount for amount in amounts if amount is not None and amount.amount]
    if len({amount.currency for amount in nonzero}) > 1:
        return None
    return total(nonzero) if nonzero else Money(Decimal(0))


def sum_known(*amounts: Money | None) -> Money | None:
    """The sum of the amounts that are known; None if none is."""
    known = [amount for amount in amounts if amount is not None]
    return sum_of(*known) if known else None
