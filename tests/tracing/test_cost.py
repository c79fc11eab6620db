"""Prices and sums: nothing counted twice, parts that make up their whole, and old bills that stay what they were."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    CostStatus,
    ModelCall,
    StateType,
    Step,
    Trace,
    UsageStatus,
    side_by_side,
)
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.reporting.bill.data import bill_json
from judgemesh.mesh.reporting.bill.rows import total_cost_text
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.steps.from_fields import step_of

D = Decimal
MODELS = ("alpha", "beta", "unpriced")


class Book:
    """A price book whose prices have a date."""

    def __init__(self, factor: int = 1, version: str = "v1") -> None:
        self.factor, self.version = factor, version

    def find(
        self,
        model: str,
        *,
        input_tokens: int = 0,
        service_tier: str = "",
        day: date | None = None,
    ) -> PriceSnapshot | None:
        if model not in {"alpha", "beta"}:
            return None
        dearer = 2 if input_tokens > 200_000 else 1
        return PriceSnapshot(
            model_name=f"provider/{model}",
            price_input_per_million=D("2.13") * self.factor * dearer,
            price_output_per_million=D("8.77") * self.factor,
            price_cached_input_per_million=D("0.31"),
            price_cache_write_per_million=D("2.66"),
            price_reasoning_per_million=D("9.01") if model == "beta" else None,
            currency="USD" if model == "alpha" else "EUR",
            price_version=f"{self.version}{'+long' if dearer == 2 else ''}",
        )


tokens = st.integers(0, 400_000)
usages = st.builds(Usage, tokens, tokens, tokens, tokens, tokens)
money = st.builds(Money, st.decimals(0, 10, places=4), st.sampled_from(["USD", "EUR"]))
maybe_money = st.none() | money
calls = st.builds(
    ModelCall,
    model_name=st.sampled_from(MODELS),
    usage=st.none() | usages,
    reported_cost=maybe_money,
)
breakdowns = st.builds(
    ContextBreakdown,
    system_prompt_tokens=st.integers(0, 1000),
    history_tokens=st.integers(0, 1000),
    retrieved_context_tokens=st.integers(0, 1000),
)


@st.composite
def steps(draw: st.DrawFn) -> list[Step]:
    found: list[Step] = []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        several = draw(st.lists(calls, max_size=3))
        single = draw(st.none() | usages)
        part = draw(st.sampled_from(["tool", "api", "db", "compute", "parse", "write"]))
        found.append(
            Step(
                trace_id="t",
                step_id=number,
                state_type=draw(st.sampled_from(StateType)),
                model_name=draw(st.sampled_from(MODELS)),
                usage=single,
                usage_status=UsageStatus.NONE
                if single is None and not several
                else UsageStatus.OK,
                calls=tuple(several) if len(several) > 1 else (),
                costs=Costs(**{part: draw(maybe_money)}),
                reported_cost=draw(maybe_money),
                reported_state_cost=draw(maybe_money),
                context=draw(st.none() | breakdowns),
                latency_ms=draw(st.none() | st.floats(0, 10_000)),
            )
        )
    return found


@given(steps(), st.integers(2, 9))
@settings(max_examples=150)
def test_repricing_with_the_stored_snapshot_changes_nothing(
    given_steps: list[Step], factor: int
) -> None:
    once = priced(Trace(trace_id="t", steps=tuple(given_steps)), Book())
    assert priced(once) == once
    known = [step for step in once.steps if step.cost_status is not CostStatus.UNKNOWN]
    again = priced(once, Book(factor, "v2"))
    assert [
        step
        for step in again.steps
        if step.step_id in {known_step.step_id for known_step in known}
    ] == known


@given(steps(), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_parts_make_up_the_whole_in_any_order(
    given_steps: list[Step], shuffle: random.Random
) -> None:
    trace = priced(Trace(trace_id="t", steps=tuple(given_steps)), Book())
    bill = bill_of(trace)
    mixed = list(trace.steps)
    shuffle.shuffle(mixed)

    assert bill_json(bill_of(replace(trace, steps=tuple(mixed)))) == bill_json(bill)
    assert (
        side_by_side(money for line in bill.by_state for money in line.cost)
        == bill.totals.cost
    )
    assert sum(line.tokens for line in bill.by_state) == bill.totals.tokens
    used = [step.usage for step in trace.steps if step.usage is not None]
    assert bill.totals.tokens == sum(usage.total for usage in used)
    assert bill.totals.input_tokens == sum(usage.input_total for usage in used)
    for step in trace.steps:
        parts = side_by_side(money for _, money in step.costs.parts())
        if step.cost_status is CostStatus.PRICED and len(parts) == 1:
            assert step.costs.state == parts[0]
    unknown = sum(step.cost_status is CostStatus.UNKNOWN for step in trace.steps)
    assert bill.totals.cost_unknown_steps == unknown


@given(steps())
@settings(max_examples=100)
def test_sources_cost_what_the_input_they_make_up_cost(given_steps: list[Step]) -> None:
    given_steps = [
        replace(step, calls=(), model_name="alpha", reported_cost=None)
        for step in given_steps
    ]
    trace = priced(Trace(trace_id="t", steps=tuple(given_steps)), Book())
    seen = [
        (step.price, step.usage)
        for step in trace.steps
        if step.context is not None
        and step.usage is not None
        and (step.context.total or step.usage.input_total)
    ]
    inputs = [
        price.cost(
            Usage(
                usage.input_tokens_uncached,
                usage.input_tokens_cached,
                usage.input_tokens_cache_write,
            )
        )
        for price, usage in seen
        if price is not None
    ]
    bill = bill_of(trace)
    spread = side_by_side(money for line in bill.by_context for money in line.cost)
    expected = side_by_side(inputs)
    assert [money.amount for money in spread] == [
        money.amount for money in expected if money.amount or spread
    ]


RAW: list[tuple[str, str, dict[str, Any], Usage]] = [
    (
        "chat completions: cached inside input, reasoning inside output",
        "openai",
        {
            "prompt_tokens": 1000,
            "completion_tokens": 300,
            "total_tokens": 1300,
            "prompt_tokens_details": {"cached_tokens": 400},
            "completion_tokens_details": {"reasoning_tokens": 120},
        },
        Usage(600, 400, 0, 180, 120),
    ),
    (
        "responses: the same under other names",
        "openai",
        {
            "input_tokens": 1000,
            "output_tokens": 300,
            "input_tokens_details": {"cached_tokens": 400},
            "output_tokens_details": {"reasoning_tokens": 120},
        },
        Usage(600, 400, 0, 180, 120),
    ),
    (
        "messages: cache read and write stand apart",
        "anthropic",
        {
            "input_tokens": 100,
            "cache_read_input_tokens": 800,
            "cache_creation_input_tokens": 50,
            "output_tokens": 60,
        },
        Usage(100, 800, 50, 60),
    ),
    (
        "gemini: cached inside the prompt, thoughts apart",
        "gemini",
        {
            "promptTokenCount": 1000,
            "cachedContentTokenCount": 250,
            "candidatesTokenCount": 90,
            "thoughtsTokenCount": 30,
        },
        Usage(750, 250, 0, 90, 30),
    ),
    (
        "chat completions through a proxy: cache writes inside the prompt",
        "litellm",
        {
            "prompt_tokens": 1000,
            "completion_tokens": 10,
            "prompt_tokens_details": {
                "cached_tokens": 300,
                "cache_creation_tokens": 200,
            },
        },
        Usage(500, 300, 200, 10),
    ),
]


@pytest.mark.parametrize(
    ("provider", "raw", "expected"),
    [row[1:] for row in RAW],
    ids=[row[0] for row in RAW],
)
def test_no_provider_has_a_token_counted_twice(
    provider: str, raw: dict[str, Any], expected: Usage
) -> None:
    fields = {
        "state_type": "THINK",
        "model_name": "alpha",
        "provider": provider,
        "usage": raw,
    }
    step = priced(
        Trace(trace_id="t", steps=(step_of(fields, trace_id="t", step_id=1),)), Book()
    ).steps[0]

    assert step.usage == expected
    assert step.usage is not None
    assert step.usage.raw == raw
    by_hand = (
        expected.input_tokens_uncached * D("2.13")
        + expected.input_tokens_cached * D("0.31")
        + expected.input_tokens_cache_write * D("2.66")
        + (expected.output_tokens + expected.reasoning_tokens) * D("8.77")
    ) / 1_000_000
    assert step.costs.llm == Money(by_hand.normalize(), "USD")


CONTRADICTIONS: list[tuple[dict[str, Any], int]] = [
    (
        {
            "input_tokens_total": 100,
            "input_tokens_uncached": 50,
            "input_tokens_cached": 60,
        },
        110,
    ),
    ({"input_tokens_total": 100, "input_tokens_cached": 160}, 160),
    ({"input_tokens_uncached": 5, "output_tokens": 5, "total_tokens": 11}, 10),
    ({"input_tokens_uncached": -5, "output_tokens": 5}, 5),
    ({"input_tokens_uncached": 2.5, "output_tokens": 5}, 5),
    (
        {
            "usage": {
                "prompt_tokens": 10,
                "completion_tokens": 1,
                "prompt_tokens_details": {"cached_tokens": 99},
            }
        },
        110,
    ),
]


@pytest.mark.parametrize(("fields", "counted"), CONTRADICTIONS)
def test_a_contradiction_is_flagged_and_still_counted(
    fields: dict[str, Any], counted: int
) -> None:
    step = step_of(
        {"state_type": "THINK", "model_name": "alpha", **fields},
        trace_id="t",
        step_id=1,
    )
    bill = bill_of(priced(Trace(trace_id="t", steps=(step,)), Book()))

    assert step.usage_status in {UsageStatus.INCONSISTENT, UsageStatus.MALFORMED}
    assert step.usage_notes
    assert bill.totals.tokens == counted
    assert bill.totals.inconsistent_steps == 1
    assert "contradict each other" in bill_json(bill)["conclusion"]


@pytest.mark.parametrize(("details", "savings"), [({}, 0), ({"cached_tokens": 0}, 1)])
def test_a_cache_saving_needs_reported_cached_tokens(
    details: dict[str, int], savings: int
) -> None:
    usage = {
        "prompt_tokens": -5 if not details else 10,
        "completion_tokens": 1,
        "prompt_tokens_details": details,
    }
    step = step_of({"state_type": "THINK", "model_name": "alpha", "usage": usage})
    data = bill_json(bill_of(priced(Trace(trace_id="t", steps=(step,)), Book())))
    assert len(data["metrics"]["cache_saving"]) == savings
    assert ("negative ones are left out" in data["conclusion"]) is (not details)


class NoSurcharge(Book):
    """Prices of a provider that charges nothing more for writing its cache."""

    def __init__(self, *, is_listed: bool) -> None:
        super().__init__()
        self.is_listed = is_listed

    def find(self, model: str, **call: Any) -> PriceSnapshot | None:
        price = super().find(model, **call)
        if price is None:
            return None
        write = price.price_input_per_million if self.is_listed else None
        return replace(price, price_cache_write_per_million=write)


@pytest.mark.parametrize(
    ("book", "details", "is_bound"),
    [
        (NoSurcharge(is_listed=False), {}, True),
        (NoSurcharge(is_listed=True), {}, True),
        (NoSurcharge(is_listed=True), {"cached_tokens": 0}, False),
        (Book(), {}, False),
    ],
)
def test_unreported_cached_tokens_make_the_cost_an_upper_bound(
    book: Book, details: dict[str, int], is_bound: bool
) -> None:
    def bill_for(details: dict[str, int]) -> Bill:
        usage = {
            "prompt_tokens": 10_000,
            "completion_tokens": 1,
            "prompt_tokens_details": details,
        }
        step = step_of({"state_type": "THINK", "model_name": "alpha", "usage": usage})
        return bill_of(priced(Trace(trace_id="t", steps=(step,)), book))

    bill = bill_for(details)
    assert bill_json(bill)["cost_is_at_most"] is is_bound
    assert total_cost_text(bill).startswith("≤ ") is is_bound
    assert ("cost at most" in bill_json(bill)["conclusion"]) is is_bound
    for cached in (0, 1, 9_999, 10_000):
        (true,) = bill_for({"cached_tokens": cached}).totals.cost
        (most,) = bill.totals.cost
        saving = bill.metrics.unreported_saving
        least = most.amount - sum(money.amount for money in saving)
        assert not is_bound or least <= true.amount <= most.amount
        assert not is_bound or (least == true.amount) == (cached == 10_000)


def priced_once(step: Step, book: Book | None = None) -> Step:
    return priced(Trace(trace_id="t", steps=(step,)), book).steps[0]


def test_what_pays_for_a_step() -> None:
    step = Step(
        trace_id="t",
        step_id=1,
        state_type=StateType.THINK,
        model_name="alpha",
        usage=Usage(1_000_000),
        usage_status=UsageStatus.OK,
    )
    own = PriceSnapshot("alpha", D(1), D(1), currency="RMB", price_version="then")
    reported = Money(D("0.5"))

    by_book = priced_once(step, Book())
    assert (by_book.costs.state, by_book.cost_status) == (
        Money(D("4.26")),
        CostStatus.PRICED,
    )  # the long tier
    assert by_book.price is not None
    assert by_book.price.model_name == "alpha"
    by_report = priced_once(replace(step, reported_cost=reported), Book())
    assert (by_report.costs.state, by_report.cost_status) == (
        reported,
        CostStatus.REPORTED,
    )
    by_snapshot = priced_once(replace(step, reported_cost=reported, price=own), Book())
    assert (by_snapshot.costs.state, by_snapshot.reported_cost) == (
        Money(D(1), "RMB"),
        reported,
    )
    nobody = priced_once(replace(step, model_name="unpriced"), Book())
    assert (nobody.costs.state, nobody.cost_status) == (None, CostStatus.UNKNOWN)
    whole = priced_once(
        replace(step, model_name="unpriced", reported_state_cost=reported), Book()
    )
    assert (whole.costs.state, whole.cost_status) == (reported, CostStatus.REPORTED)


def test_currencies_stand_side_by_side() -> None:
    both = [
        Step(
            trace_id="t",
            step_id=number,
            state_type=StateType.API_CALL,
            costs=Costs(api=Money(D(1), currency)),
        )
        for number, currency in enumerate(("USD", "RMB"), start=1)
    ]
    data = bill_json(bill_of(priced(Trace(trace_id="t", steps=tuple(both)))))

    assert data["costs"] == [
        {"amount": 1.0, "currency": "RMB"},
        {"amount": 1.0, "currency": "USD"},
    ]
    assert (data["total_cost"], data["currency"]) == (None, None)
    assert data["by_state"][0]["cost_share"] is None
    assert data["conclusion"].startswith("The run cost 1.00 RMB and 1.00 USD.")
