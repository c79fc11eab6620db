"""What steps cost (article 002, sections 20 to 23). Pure: prices are handed in.

The model's part of a step, the first of these that is there:

1. tokens times the price that came with the trace: what held when the run was made;
2. what the trace itself reports as cost: what was charged;
3. tokens times the price of the price book: what it costs by that book's date, kept with the step from then on.

A step whose usage is absent or unpriced has an unknown cost, which is not 0. What a trace reports is kept beside what
was computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from judgemesh.contracts.tracing import (
    Costs,
    CostStatus,
    ModelCall,
    Step,
    Trace,
    UsageStatus,
    side_by_side,
)
from judgemesh.contracts.usage import Money, PriceSnapshot
from judgemesh.mesh.tracing.steps.packed import PackedSteps


class Prices(Protocol):
    """Where prices are found: a `PriceBook`, or anything with this method."""

    def find(self, model: str, *, input_tokens: int = 0) -> PriceSnapshot | None:
        """The price of a model for a call of that many input tokens; None when it is unknown."""
        ...


def priced(trace: Trace, book: Prices | None = None) -> Trace:
    """The trace with costs in every step and the prices that made them in `prices`.

    Doing it again, with any book or none, changes no cost that is known: a step keeps the price it was billed with.
    """
    used: set[PriceSnapshot] = set()

    def each() -> Iterator[Step]:
        for given in trace.steps:
            step = priced_step(given, trace.prices, book)
            used.update(
                price
                for price in (step.price, *(call.price for call in step.calls))
                if price
            )
            yield step

    steps = (
        PackedSteps(each()) if isinstance(trace.steps, PackedSteps) else tuple(each())
    )
    return replace(trace, steps=steps, prices=_snapshots(trace.prices, used))


def priced_step(
    step: Step, stored: Mapping[str, PriceSnapshot], book: Prices | None = None
) -> Step:
    """One step with its costs. `stored`: the prices that came with the trace, by model."""
    calls = step.calls or _only_call(step)
    done = [_priced_call(call, step, stored, book) for call in calls]
    llm, status = _llm(step, done)
    costs = replace(step.costs, llm=llm, state=None)
    prices = {price for call in done if (price := call.price) is not None}
    return replace(
        step,
        calls=tuple(done) if step.calls else (),
        price=prices.pop()
        if len(prices) == 1
        else step.price
        if not step.calls
        else None,
        costs=replace(costs, state=_state(step, costs, status)),
        cost_status=_status(step, costs, status),
    )


def _only_call(step: Step) -> tuple[ModelCall, ...]:
    if (
        step.usage is None
        and step.reported_cost is None
        and step.usage_status is not UsageStatus.MISSING
    ):
        return ()
    return (
        ModelCall(
            model_name=step.model_name,
            provider=step.provider,
            usage=step.usage,
            usage_status=step.usage_status,
            reported_cost=step.reported_cost,
            price=step.price,
            cost=step.costs.llm if step.cost_status is CostStatus.REPORTED else None,
        ),
    )


def _priced_call(
    call: ModelCall,
    step: Step,
    stored: Mapping[str, PriceSnapshot],
    book: Prices | None,
) -> ModelCall:
    if call.cost is not None and call.price is None:
        return call  # billed before, by what the trace reports
    model, provider = call.model_name or step.model_name, call.provider or step.provider
    names = [
        name
        for name in (f"{provider}/{model}" if provider and model else None, model)
        if name
    ]
    price = call.price or next((stored[name] for name in names if name in stored), None)
    if price is None and call.reported_cost is not None:
        return replace(call, cost=call.reported_cost)
    if price is None and book is not None and call.usage is not None:
        tokens = call.usage.input_total
        found = ((name, book.find(name, input_tokens=tokens)) for name in names)
        # The price goes by the name the trace knows the model by, so that it is found again.
        price = next(
            (
                replace(price, model_name=name)
                for name, price in found
                if price is not None
            ),
            None,
        )
    if price is None or call.usage is None:
        return replace(call, cost=call.reported_cost)
    return replace(call, price=price, cost=price.cost(call.usage))


def _llm(step: Step, calls: list[ModelCall]) -> tuple[Money | None, CostStatus]:
    if not calls:
        return None, CostStatus.NONE
    if any(call.cost is None for call in calls):
        whole = step.reported_cost if step.calls else None
        return (
            (whole, CostStatus.REPORTED)
            if whole is not None
            else (None, CostStatus.UNKNOWN)
        )
    amounts = side_by_side(call.cost for call in calls)
    if len(amounts) != 1:
        return None, CostStatus.UNKNOWN
    by_price = all(call.price is not None for call in calls)
    return amounts[0], CostStatus.PRICED if by_price else CostStatus.REPORTED


def _state(step: Step, costs: Costs, llm: CostStatus) -> Money | None:
    """The sum of the parts where the model's part is priced; else the whole that the trace reports, if it does."""
    if llm is not CostStatus.PRICED and step.reported_state_cost is not None:
        return step.reported_state_cost
    amounts = costs.amounts()
    return amounts[0] if llm is not CostStatus.UNKNOWN and len(amounts) == 1 else None


def _status(step: Step, costs: Costs, llm: CostStatus) -> CostStatus:
    if llm is CostStatus.PRICED:
        return llm
    if step.reported_state_cost is not None:
        return CostStatus.REPORTED
    return CostStatus.REPORTED if llm is CostStatus.NONE and costs.amounts() else llm


def _snapshots(
    stored: Mapping[str, PriceSnapshot], used: Iterable[PriceSnapshot]
) -> dict[str, PriceSnapshot]:
    """The stored prices and those the steps were priced with; a second price of one model gets its version's name."""
    found = dict(stored)
    for price in sorted(
        used,
        key=lambda price: (price.model_name, price.price_version, price_order(price)),
    ):
        if price in found.values():
            continue
        key = price.model_name
        while key in found:
            key = f"{key}@{price.price_version}"
        found[key] = price
    return found


def price_order(price: PriceSnapshot) -> str:
    """A text that tells two prices of one model and version apart, for sorting."""
    return repr(price)
