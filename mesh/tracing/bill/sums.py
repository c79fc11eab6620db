"""Sums over steps that do not depend on their order, and shares of them.

Whole numbers and exact amounts; amounts have one total for each currency.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, Decimal
from typing import Final

from judgemesh.contracts.tracing import CostStatus, Step, UsageStatus
from judgemesh.contracts.usage import Money, Usage

_QUANTUM: Final = Decimal("1e-12")
_IMPOSSIBLE: Final = frozenset({UsageStatus.INCONSISTENT, UsageStatus.MALFORMED})


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


@dataclass(slots=True)
class StepSums:
    """What a group of steps used and cost. Latency in microseconds."""

    steps: int = 0
    uncached: int = 0
    cached: int = 0
    cache_write: int = 0
    cache_unknown: int = 0
    output: int = 0
    reasoning: int = 0
    latency_us: int = 0
    failed: int = 0
    inconsistent: int = 0
    usage_missing: int = 0
    cost_unknown: int = 0
    cost: MoneySums = field(default_factory=MoneySums)

    def add_usage(self, usage: Usage | None) -> None:
        """Count the tokens of a call or a step."""
        if usage is not None:
            self.uncached += usage.input_tokens_uncached
            self.cached += usage.input_tokens_cached
            self.cache_write += usage.input_tokens_cache_write
            if not usage.cache_reported:
                self.cache_unknown += usage.input_total
            self.output += usage.output_tokens
            self.reasoning += usage.reasoning_tokens

    def add_step(self, step: Step) -> None:
        """Count a whole step."""
        self.steps += 1
        self.add_usage(step.usage)
        self.latency_us += whole_us(step.latency_ms)
        self.failed += step.status != "success"
        self.inconsistent += step.usage_status in _IMPOSSIBLE
        self.usage_missing += step.usage_status is UsageStatus.MISSING
        self.cost_unknown += step.cost_status is CostStatus.UNKNOWN
        self.cost.add_all(step.costs.amounts())

    @property
    def latency_ms(self) -> float:
        """Time of the steps together."""
        return self.latency_us / 1000

    @property
    def input_tokens(self) -> int:
        """All input tokens."""
        return self.uncached + self.cached + self.cache_write

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output + self.reasoning


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
