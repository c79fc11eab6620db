"""What steps cost (article 002, sections 20 to 23). Pure: prices are arguments.

The cost of a model call is the first of these that is there:

1. tokens times the price that came with the trace: what held when the run was made;
2. what the trace itself reports as cost: what was charged;
3. tokens times the price of the price book: what it costs by the date of the book. The
   step keeps that price from then on.

A step whose usage is absent or unpriced has an unknown cost, which is not 0. What a
trace reports is kept beside what was computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Protocol

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    Costs,
    CostStatus,
    ModelCall,
    Step,
    Trace,
    UsageStatus,
    side_by_side,
)
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.pricing.providers import price_names
from judgemesh.mesh.tracing.steps.packed import PackedSteps


class Prices(Protocol):
    """A `PriceBook`, or anything else that finds prices."""

    def find(
        self,
        model: str,
        *,
        input_tokens: int = 0,
        service_tier: str = "",
        day: date | None = None,
    ) -> PriceSnapshot | None:
        """The price of a model for a call of that size, tier and day; None: unknown."""
        ...


def priced(trace: Trace, book: Prices | None = None) -> Trace:
    """The trace with costs in every step, and their prices in `prices`.

    Pricing it again, with any book or none, changes no cost that is known: a step keeps
    the price it was billed with.
    """
    used: set[PriceSnapshot] = set()

    def priced_steps() -> Iterator[Step]:
        for unpriced in trace.steps:
            day = _day(unpriced.start_time or trace.start_time)
            step = priced_step(unpriced, trace.prices, book, day=day)
            prices = [step.price, *(call.price for call in step.calls)]
            used.update(price for price in prices if price is not None)
            yield step

    steps: Sequence[Step]
    if isinstance(trace.steps, PackedSteps):
        steps = PackedSteps(priced_steps())
    else:
        steps = tuple(priced_steps())
    return replace(trace, steps=steps, prices=_snapshots(trace.prices, used))


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()


def priced_step(
    step: Step,
    stored: Mapping[str, PriceSnapshot],
    book: Prices | None = None,
    *,
    day: date | None = None,
) -> Step:
    """One step with its costs.

    Args:
        step: the step.
        stored: the prices that came with the trace, by model.
        book: the prices of what the trace does not price.
        day: when the step ran; the book's price of that day holds.
    """
    unpriced = step.calls or _only_call(step)
    calls = [_priced_call(call, step, stored, book, day) for call in unpriced]
    llm, status = _llm_cost(step, calls)
    costs = replace(step.costs, llm=llm, state=None)
    return replace(
        step,
        calls=tuple(calls) if step.calls else (),
        price=_price_of_step(step, calls),
        costs=replace(costs, state=_state_cost(step, costs, status)),
        cost_status=_cost_status(step, costs, status),
    )


def _price_of_step(step: Step, calls: Iterable[ModelCall]) -> PriceSnapshot | None:
    """The price that all priced calls of the step have."""
    prices = {call.price for call in calls if call.price is not None}
    if len(prices) == 1:
        return prices.pop()
    return None if step.calls else step.price


# --- one call ---


def _only_call(step: Step) -> tuple[ModelCall, ...]:
    """The step as a call, where it is one; no call, where nothing was called."""
    has_usage = step.usage is not None or step.usage_status is UsageStatus.MISSING
    if not has_usage and step.reported_cost is None:
        return ()
    was_reported = step.cost_status is CostStatus.REPORTED
    call = ModelCall(
        model_name=step.model_name,
        provider=step.provider,
        usage=step.usage,
        usage_status=step.usage_status,
        reported_cost=step.reported_cost,
        price=step.price,
        cost=step.costs.llm if was_reported else None,
    )
    return (call,)


def _priced_call(
    call: ModelCall,
    step: Step,
    stored: Mapping[str, PriceSnapshot],
    book: Prices | None,
    day: date | None,
) -> ModelCall:
    if call.cost is not None and call.price is None:
        return call  # billed before, with the cost that the trace reports
    model = call.model_name or step.model_name or ""
    names = price_names(call.provider or step.provider, model)
    price = call.price or _stored_price([*names, model], stored)
    if price is None and call.reported_cost is not None:
        return replace(call, cost=call.reported_cost)
    if price is None and book is not None and call.usage is not None:
        price = _book_price(names, book, call.usage, day)
    is_malformed = call.usage_status is UsageStatus.MALFORMED
    if price is None or call.usage is None or is_malformed:
        return replace(call, cost=call.reported_cost)
    return replace(call, price=price, cost=price.cost(call.usage))


def _stored_price(
    names: Iterable[str], stored: Mapping[str, PriceSnapshot]
) -> PriceSnapshot | None:
    for name in names:
        if name in stored:
            return stored[name]
    return None


def _book_price(
    names: Iterable[str], book: Prices, usage: Usage, day: date | None
) -> PriceSnapshot | None:
    """The price of the book, under the name by which the trace will look it up again."""
    for name in names:
        price = book.find(
            name,
            input_tokens=usage.input_total,
            service_tier=usage.service_tier,
            day=day,
        )
        if price is not None:
            return replace(price, model_name=name)
    return None


# --- one step ---


def _llm_cost(
    step: Step, calls: Sequence[ModelCall]
) -> tuple[Money | None, CostStatus]:
    """The cost of the step's model calls together, and where it comes from."""
    if not calls:
        return None, CostStatus.NONE
    if any(call.cost is None for call in calls):
        if step.calls and step.reported_cost is not None:
            return step.reported_cost, CostStatus.REPORTED
        return None, CostStatus.UNKNOWN
    amounts = side_by_side(call.cost for call in calls)
    if len(amounts) != 1:
        return None, CostStatus.UNKNOWN
    if all(call.price is not None for call in calls):
        return amounts[0], CostStatus.PRICED
    return amounts[0], CostStatus.REPORTED


def _state_cost(step: Step, costs: Costs, llm: CostStatus) -> Money | None:
    """The cost of the whole step.

    The sum of the parts where the model's part is priced; else what the trace reports;
    else the sum, if the model's part is known.
    """
    if llm is not CostStatus.PRICED and step.reported_state_cost is not None:
        return step.reported_state_cost
    if llm is CostStatus.UNKNOWN:
        return None
    amounts = costs.amounts()
    return amounts[0] if len(amounts) == 1 else None


def _cost_status(step: Step, costs: Costs, llm: CostStatus) -> CostStatus:
    if llm is CostStatus.PRICED:
        return llm
    if step.reported_state_cost is not None:
        return CostStatus.REPORTED
    if llm is CostStatus.NONE and costs.amounts():
        return CostStatus.REPORTED
    return llm


# --- prices of a trace ---


def _snapshots(
    stored: Mapping[str, PriceSnapshot], used: Iterable[PriceSnapshot]
) -> dict[str, PriceSnapshot]:
    """The stored prices and those the steps were priced with, by model.

    The key of a second price of one model has the name of its version.
    """
    snapshots = dict(stored)
    for price in sorted(used, key=_price_order):
        if price in snapshots.values():
            continue
        key = price.model_name
        while key in snapshots:
            key = f"{key}@{price.price_version}"
        snapshots[key] = price
    return snapshots


def _price_order(price: PriceSnapshot) -> tuple[str, str, str]:
    # The text tells two prices of one model and version apart.
    return (price.model_name, price.price_version, repr(price))
