"""What one step costs, case by case: which price holds, what is reported, what stays unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    Costs,
    CostStatus,
    ModelCall,
    StateType,
    Step,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.tracing.bill.cost import priced, priced_step
from judgemesh.mesh.tracing.steps.packed import PackedSteps

MILLION = Usage(1_000_000)
ONE = PriceSnapshot("alpha", Decimal(1), Decimal(1), price_version="1")
TWO = PriceSnapshot("alpha", Decimal(2), Decimal(2), price_version="2")
OTHER = PriceSnapshot("beta", Decimal(4), Decimal(4), currency="EUR")


def usd(text: str) -> Money:
    return Money(Decimal(text))


def step(**fields: Any) -> Step:
    known: dict[str, Any] = {"usage": MILLION, "usage_status": UsageStatus.OK}
    known |= {"step_id": 1, "model_name": "alpha", **fields}
    return Step(trace_id="t", state_type=StateType.THINK, **known)


def call(**fields: Any) -> ModelCall:
    known: dict[str, Any] = {"usage": MILLION, "usage_status": UsageStatus.OK}
    known |= {"model_name": "alpha", **fields}
    return ModelCall(**known)


class Shelf:
    """A book of prices by name; it remembers what it was asked."""

    def __init__(self, *prices: PriceSnapshot) -> None:
        self.prices = {price.model_name: price for price in prices}
        self.asked: list[tuple[str, int, str, date | None]] = []

    def find(
        self,
        model: str,
        *,
        input_tokens: int = 0,
        service_tier: str = "",
        day: date | None = None,
    ) -> PriceSnapshot | None:
        self.asked.append((model, input_tokens, service_tier, day))
        return self.prices.get(model)


NONE = CostStatus.NONE
PRICED = CostStatus.PRICED
REPORTED = CostStatus.REPORTED
UNKNOWN = CostStatus.UNKNOWN
STORED = {"alpha": ONE}

# The step, the prices that came with the trace, then: cost of the model, of the step, and where it comes from.
CASES: dict[str, tuple[Step, dict[str, PriceSnapshot], Money | None, Money | None, CostStatus]] = {
    "a stored price": (step(), STORED, usd("1"), usd("1"), PRICED),
    "its own price": (step(price=TWO), STORED, usd("2"), usd("2"), PRICED),
    "a stored price before a report": (step(reported_cost=usd("9")), STORED, usd("1"), usd("1"), PRICED),
    "a report": (step(reported_cost=usd("9")), {}, usd("9"), usd("9"), REPORTED),
    "a report without usage": (
        step(usage=None, usage_status=UsageStatus.NONE, reported_cost=usd("9")), {}, usd("9"), usd("9"), REPORTED),
    "nothing known": (step(), {}, None, None, UNKNOWN),
    "missing usage": (step(usage=None, usage_status=UsageStatus.MISSING), STORED, None, None, UNKNOWN),
    "malformed usage": (step(usage_status=UsageStatus.MALFORMED), STORED, None, None, UNKNOWN),
    "malformed usage with a report": (
        step(usage_status=UsageStatus.MALFORMED, reported_cost=usd("9")), STORED, usd("9"), usd("9"), REPORTED),
    "no model": (step(usage=None, usage_status=UsageStatus.NONE), STORED, None, None, NONE),
    "no model, and a tool": (
        step(usage=None, usage_status=UsageStatus.NONE, costs=Costs(tool=usd("3"))), STORED, None, usd("3"), REPORTED),
    "a model and a tool": (step(costs=Costs(tool=usd("3"))), STORED, usd("1"), usd("4"), PRICED),
    "an unknown model and a tool": (step(costs=Costs(tool=usd("3"))), {}, None, None, UNKNOWN),
    "tools in another currency": (step(costs=Costs(tool=Money(Decimal(3), "EUR"))), STORED, usd("1"), None, PRICED),
    "a report of the whole step": (step(reported_state_cost=usd("7")), {}, None, usd("7"), REPORTED),
    "a price before a report of the whole": (
        step(reported_state_cost=usd("7")), STORED, usd("1"), usd("1"), PRICED),
    "billed before as reported": (
        step(costs=Costs(llm=usd("5")), cost_status=REPORTED), STORED, usd("5"), usd("5"), REPORTED),
    "billed before as priced": (
        step(costs=Costs(llm=usd("5")), cost_status=PRICED), STORED, usd("1"), usd("1"), PRICED),
    "two calls": (step(calls=(call(), call())), STORED, usd("2"), usd("2"), PRICED),
    "two calls, one unknown": (step(calls=(call(), call(model_name="beta"))), STORED, None, None, UNKNOWN),
    "two calls, one unknown, with a report": (
        step(calls=(call(), call(model_name="beta")), reported_cost=usd("9")), STORED, usd("9"), usd("9"), REPORTED),
    "two calls, one reported": (
        step(calls=(call(), call(model_name="beta", reported_cost=usd("3")))), STORED, usd("4"), usd("4"), REPORTED),
    "two currencies": (
        step(calls=(call(), call(model_name="beta"))), {**STORED, "beta": OTHER}, None, None, UNKNOWN),
    "the model of the step": (step(calls=(call(model_name=None), call())), STORED, usd("2"), usd("2"), PRICED),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_a_step_costs(name: str) -> None:
    given, stored, llm, state, status = CASES[name]
    one = priced_step(given, stored)
    assert (one.costs.llm, one.costs.state, one.cost_status) == (llm, state, status)
    assert priced_step(one, stored) == one


def test_the_price_of_a_step_is_that_of_all_its_calls() -> None:
    assert priced_step(step(), STORED).price == ONE
    assert priced_step(step(), {}).price is None
    kept = priced_step(step(price=TWO, usage_status=UsageStatus.MALFORMED), {})
    assert kept.price == TWO
    two = step(calls=(call(), call(price=TWO)), price=ONE)
    assert priced_step(two, STORED).price is None
    assert priced_step(step(calls=(call(), call())), STORED).price == ONE
    assert priced_step(step(calls=(call(model_name="x"),), price=ONE), {}).price is None
    assert [one.cost for one in priced_step(two, STORED).calls] == [usd("1"), usd("2")]
    assert priced_step(step(), STORED).calls == ()


def test_the_book_is_asked_for_the_size_tier_and_day() -> None:
    shelf = Shelf(ONE)
    usage = replace(MILLION, service_tier="flex")
    day = date(2026, 2, 3)
    one = priced_step(step(usage=usage), {}, shelf, day=day)
    assert (one.costs.llm, one.price) == (usd("1"), ONE)
    assert shelf.asked[-1] == ("alpha", 1_000_000, "flex", day)
    assert priced_step(step(), {"alpha": TWO}, shelf).price == TWO
    before = len(shelf.asked)
    assert priced_step(step(reported_cost=usd("9")), {}, shelf).price is None
    assert priced_step(step(usage=None), {}, shelf).price is None
    assert len(shelf.asked) == before


def test_a_price_is_kept_under_the_name_it_was_found_by() -> None:
    shelf = Shelf(replace(ONE, model_name="openai/alpha"))
    shelf.prices["openai/alpha"] = ONE
    one = priced_step(step(provider="openai"), {}, shelf)
    assert one.price is not None
    assert (one.price.model_name, one.costs.llm) == ("openai/alpha", usd("1"))
    inner = step(provider="openai", calls=(call(), call(provider="azure")))
    first, second = priced_step(inner, {}, shelf).calls
    assert (first.cost, second.cost) == (usd("1"), None)


@pytest.mark.parametrize("pack", [tuple, PackedSteps])
def test_a_trace_keeps_the_prices_of_its_steps(pack: Any) -> None:
    start = datetime(2026, 2, 3, 23, tzinfo=UTC)
    own = datetime(2026, 2, 5, tzinfo=UTC)
    given: Iterable[Step] = (
        step(),
        step(step_id=2, start_time=own),
        step(step_id=3, price=TWO),
        step(step_id=4, calls=(call(model_name="beta"), call())),
    )
    shelf = Shelf(ONE, OTHER)
    trace = Trace(trace_id="t", steps=pack(given), start_time=start)
    result = priced(trace, shelf)
    assert type(result.steps) is type(trace.steps)
    assert [day for *_, day in shelf.asked][:2] == [start.date(), own.date()]
    assert dict(result.prices) == {"alpha": ONE, "alpha@2": TWO, "beta": OTHER}
    assert priced(result) == result
    third = replace(TWO, price_input_per_million=Decimal(3))
    more = replace(result, steps=(step(price=third), step(price=ONE)))
    assert list(priced(more).prices) == ["alpha", "alpha@2", "beta", "alpha@2@2"]
    assert priced(Trace(trace_id="t", steps=())).prices == {}
