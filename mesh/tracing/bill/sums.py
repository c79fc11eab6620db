"""Sums of money that do not depend on their order, and shares of them.

Exact amounts, with one total for each currency.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from typing import Final

from judgemesh.contracts.money import Money

_QUANTUM: Final = Decimal("1e-12")


@dataclass(slots=True)
class MoneySums:
    """Amounts, one total for each currency."""

    totals: dict[str, Decimal] = field(default_factory=dict[str, Decimal])

    def add(self, money: Money | None) -> None:
        """Add an amount; None adds nothing."""
        if money is not None:
            total = self.totals.get(money.currency, Decimal(0))
            self.totals[money.currency] = total + money.amount

    def add_all(self, amounts: Iterable[Money]) -> None:
        """Add several amounts."""
        for money in amounts:
            self.add(money)

    @property
    def money(self) -> tuple[Money, ...]:
        """One amount for each currency, in the order of their names."""
        totals = sorted(self.totals.items())
        return tuple(Money(plain(amount), currency) for currency, amount in totals)


def whole_us(latency_ms: float | None) -> int:
    """Whole microseconds: sums of them do not depend on their order."""
    return round((latency_ms or 0.0) * 1000)


def plain(amount: Decimal) -> Decimal:
    """The amount without trailing zeros and without an exponent."""
    return amount.normalize() + Decimal(0)


def cut(amount: Decimal) -> Decimal:
    """The amount to 1e-12, cut and not rounded up."""
    return amount.quantize(_QUANTUM, ROUND_DOWN)


def single_amount(money: Sequence[Money]) -> Decimal:
    """The amount, for sorting; 0 for none and for several currencies."""
    return money[0].amount if len(money) == 1 else Decimal(0)


def ratio(part: int | Decimal, whole: int | Decimal) -> float | None:
    """`part / whole`; None where the whole is 0."""
    return None if not whole else float(Decimal(part) / Decimal(whole))


def share_of(part: Sequence[Money], whole: Sequence[Money]) -> float | None:
    """The share of a cost in another; None in several currencies and of no cost."""
    if len(whole) != 1 or len(part) > 1:
        return None
    if not part:
        return ratio(Decimal(0), whole[0].amount)
    if part[0].currency != whole[0].currency:
        return None
    return ratio(part[0].amount, whole[0].amount)


def allotted(amount: Decimal, weights: Sequence[int | Decimal]) -> list[Decimal]:
    """`amount` split by weight into parts that add up to it exactly.

    What rounding leaves goes to the heaviest.
    """
    whole = sum(map(Decimal, weights), Decimal(0))
    if whole == amount:
        return list(map(Decimal, weights))
    if not whole:
        return [Decimal(0)] * len(weights)
    parts = [cut(amount * weight / whole) for weight in weights]
    heaviest = weights.index(max(weights))
    parts[heaviest] += amount - sum(parts)
    return parts
