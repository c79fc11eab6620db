"""Whatever a run looks like, its findings together save no more than it used and cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    StateType,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
    side_by_side,
)
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.bill.split import StepSplitter, in_order
from judgemesh.mesh.tracing.findings.findings import findings_of

D = Decimal
PRICES = {
    "alpha": PriceSnapshot("alpha", D(3), D(15), D("0.3"), D("3.75")),
    "beta": PriceSnapshot("beta", D(2), D(8), D(1), currency="EUR"),
}
START = datetime(2026, 3, 2, tzinfo=UTC)
tokens = st.sampled_from([0, 7, 900, 2500, 12_000])
amounts = st.none() | st.builds(
    Money, st.sampled_from([D(0), D("0.001"), D("0.7")]), st.just("USD")
)
usages = st.builds(
    Usage,
    input_tokens_uncached=tokens,
    input_tokens_cached=tokens,
    input_tokens_cache_write=tokens,
    output_tokens=tokens,
    reasoning_tokens=tokens,
    cache_reported=st.booleans(),
)
contexts = st.builds(
    ContextBreakdown,
    system_prompt_tokens=tokens,
    history_tokens=tokens,
    tool_result_tokens=tokens,
    retrieved_context_tokens=tokens,
)
tools = st.builds(
    ToolEvent,
    tool_name=st.sampled_from(["get_page", "create_order", "acme"]),
    arguments_digest=st.sampled_from(["a", "b"]),
    result_digest=st.sampled_from(["r", "s", None]),
    response_tokens_raw=st.none() | tokens,
    tokens_sent_to_next_llm=st.none() | tokens,
    tool_cost=amounts,
    status=st.sampled_from(["success", "error", "timeout"]),
)


@st.composite
def runs(draw: st.DrawFn) -> Trace:
    steps: list[Step] = []
    for number in range(1, draw(st.integers(1, 12)) + 1):
        usage = draw(st.none() | usages)
        called = draw(st.lists(tools, max_size=2)) if usage is None else []
        steps.append(
            Step(
                trace_id="t",
                step_id=number,
                state_type=draw(st.sampled_from(StateType)),
                agent_id=draw(st.sampled_from(["one", "two"])),
                model_name=draw(st.sampled_from(["alpha", "beta", "unpriced"])),
                start_time=START + timedelta(seconds=number),
                end_time=START + timedelta(seconds=number + draw(st.integers(0, 2))),
                status=draw(st.sampled_from(["success", "success", "error"])),
                usage=usage,
                usage_status=UsageStatus.NONE if usage is None else UsageStatus.OK,
                context=draw(st.none() | contexts),
                tools=tuple(called),
                costs=Costs(
                    tool=next(iter(side_by_side(one.tool_cost for one in called)), None)
                ),
                reported_cost=draw(amounts),
                reported_state_cost=draw(amounts),
                details={"modified_content_tokens": draw(tokens)},
            )
        )
    return priced(Trace(trace_id="t", steps=tuple(steps), prices=PRICES))


@given(runs())
@settings(max_examples=60)
def test_savings_never_add_up_to_more_than_the_run(trace: Trace) -> None:
    bill = bill_of(trace)
    findings = findings_of(trace, bill)
    whole = {money.currency: money.amount for money in bill.totals.cost}
    saved = side_by_side(money for finding in findings for money in finding.saving)
    for money in saved:
        assert 0 <= money.amount <= whole[money.currency]
    tokens_saved = sum(finding.saving_tokens or 0 for finding in findings)
    assert 0 <= tokens_saved <= bill.totals.tokens
    assert all(finding.steps for finding in findings)


@given(runs())
@settings(max_examples=40)
def test_the_parts_of_steps_add_up_to_what_they_cost(trace: Trace) -> None:
    splitter = StepSplitter({})
    for step in in_order(trace.steps):
        parts = splitter.parts(step)
        spread = side_by_side(
            money for part in parts.values() for money in part.cost.money
        )
        expected = [money for money in step.costs.amounts() if money.amount]
        assert [money for money in spread if money.amount] == expected
