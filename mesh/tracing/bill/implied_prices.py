"""Prices that a trace does not state and that its reported costs imply. Pure.

A trace may say what each call cost and how many tokens it had, and no price. Two calls
at list price determine the prices of input and output. The prices count as implied when
at least `MIN_CALLS` calls cost exactly what they say and no call costs more: a call that
costs less has a discount, such as cached input.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations, islice
from typing import Final, TypeAlias

from judgemesh.contracts.tracing import Step
from judgemesh.mesh.tracing.bill.model_calls import calls_of

MIN_CALLS: Final = 3
_MAX_CALLS: Final = 24
"""The search tries every pair of this many calls of a model."""
_MAX_STEPS: Final = 2_000
_TOLERANCE: Final = Decimal("1e-6")

ModelKey: TypeAlias = tuple[str | None, str]
"""A model and a currency."""


@dataclass(frozen=True, slots=True)
class ImpliedPrice:
    """Prices of one token that reported costs imply.

    calls: how many calls cost exactly so. discounted: how many cost less.
    """

    input: Decimal
    output: Decimal
    calls: int
    discounted: int = 0


ImpliedPrices: TypeAlias = Mapping[ModelKey, ImpliedPrice]


@dataclass(frozen=True, slots=True)
class _Billed:
    """One call with a reported cost: its input and output tokens and its cost."""

    input: int
    output: int
    cost: Decimal


def implied_prices(steps: Iterable[Step]) -> ImpliedPrices:
    """The prices that the costs of unpriced calls imply, by model and currency.

    The first `_MAX_STEPS` steps tell.
    """
    billed: dict[ModelKey, list[_Billed]] = {}
    for step in islice(steps, _MAX_STEPS):
        for call in calls_of(step):
            if call.price is not None or call.cost is None or call.usage is None:
                continue
            model = call.model_name or step.model_name
            calls = billed.setdefault((model, call.cost.currency), [])
            output = call.usage.output_tokens + call.usage.reasoning_tokens
            calls.append(_Billed(call.usage.input_total, output, call.cost.amount))
    prices: dict[ModelKey, ImpliedPrice] = {}
    for key, calls in billed.items():
        price = _fitting(calls)
        if price is not None:
            prices[key] = price
    return prices


def _fitting(calls: Sequence[_Billed]) -> ImpliedPrice | None:
    """The prices that most calls fit and that no call exceeds."""
    best: ImpliedPrice | None = None
    for one, other in combinations(calls[:_MAX_CALLS], 2):
        price = _solved(one, other)
        if price is None:
            continue
        fit = _fit(price, calls)
        if fit is not None and (best is None or fit.calls > best.calls):
            best = fit
    return best


def _solved(one: _Billed, other: _Billed) -> tuple[Decimal, Decimal] | None:
    """The prices of input and output under which both calls cost what they cost."""
    determinant = Decimal(one.input * other.output - other.input * one.output)
    if not determinant:
        return None
    price_in = (one.cost * other.output - other.cost * one.output) / determinant
    price_out = (other.cost * one.input - one.cost * other.input) / determinant
    # No provider sells output cheaper than input.
    return (price_in, price_out) if 0 < price_in <= price_out else None


def _fit(
    price: tuple[Decimal, Decimal], calls: Sequence[_Billed]
) -> ImpliedPrice | None:
    exact = discounted = 0
    for call in calls:
        expected = call.input * price[0] + call.output * price[1]
        if abs(call.cost - expected) <= expected * _TOLERANCE:
            exact += 1
        elif call.cost < expected:
            discounted += 1
        else:
            return None
    if exact < MIN_CALLS:
        return None
    return ImpliedPrice(*price, exact, discounted)
