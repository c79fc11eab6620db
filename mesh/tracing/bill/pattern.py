"""What a cost pattern is, and what its check gets and gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from judgemesh.contracts.tracing import StateType, Step, Trace
from judgemesh.contracts.usage import Money
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.sums import MoneySums, cut, plain

Number: TypeAlias = int | float

MIN_TOKENS = 2_000
"""Below this many tokens a ratio is an accident and no pattern."""


@dataclass(frozen=True, slots=True)
class PricedRun:
    """A priced run and its bill."""

    trace: Trace
    bill: Bill

    def steps_of(self, state: StateType) -> list[Step]:
        """The steps of one state."""
        return [step for step in self.trace.steps if step.state_type is state]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternMatch:
    """What a pattern's check found.

    saving: an estimate under `assumption`, one amount for each currency.
    """

    numbers: Mapping[str, Number]
    steps: tuple[int, ...]
    assumption: str
    saving: tuple[Money, ...] = ()
    saving_tokens: int | None = None


Check: TypeAlias = Callable[[PricedRun], PatternMatch | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingPattern:
    """A cost pattern.

    cause: why it happens. direction: what to change. threshold: from when on it is
    reported; a default and no law. check: finds it in a run.
    """

    code: str
    title: str
    cause: str
    direction: str
    threshold: str
    check: Check


def step_ids(steps: Iterable[Step]) -> tuple[int, ...]:
    """The numbers of steps."""
    return tuple(step.step_id for step in steps)


def cost_of(steps: Iterable[Step]) -> tuple[Money, ...]:
    """What steps cost together, one amount for each currency."""
    sums = MoneySums()
    for step in steps:
        sums.add_all(step.costs.amounts())
    return sums.money


def tokens_of(steps: Iterable[Step]) -> int:
    """All tokens of steps."""
    return sum(step.usage.total for step in steps if step.usage is not None)


def scaled(amounts: Iterable[Money], factor: Decimal) -> tuple[Money, ...]:
    """The amounts times a factor, to 1e-12."""
    products: list[Money] = []
    for money in amounts:
        product = plain(cut(money.amount * factor))
        products.append(Money(product, money.currency))
    return tuple(products)
