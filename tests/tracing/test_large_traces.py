"""A trace of thousands of spans, which is kept packed, says what a small one says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.tracing import StateType, Step, Trace
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.span import Span, SpanKind
from judgemesh.mesh.tracing.steps.packed import MAX_UNPACKED, PackedSteps, compact

_PRICE = PriceSnapshot("m", Decimal(2), Decimal(8), Decimal(1), price_version="v")
_MS = 10**6
_NOW = datetime(2026, 4, 28, tzinfo=UTC)


class _OnePrice:
    def find(
        self,
        model: str,
        *,
        input_tokens: int = 0,
        service_tier: str = "",
        day: date | None = None,
    ) -> PriceSnapshot | None:
        return _PRICE if model == "m" and input_tokens else None


def _bodies(rounds: int) -> Iterator[dict[str, Any]]:
    """Rounds of a turn that holds a tool's call and the model's call that reads its result."""
    for number in range(rounds):
        start = (number + 1) * 10**9
        turn = Span(
            trace_id="t",
            span_id=f"turn{number}",
            start_ns=start,
            end_ns=start + 900 * _MS,
            cost="0.5",
        )
        turn.counts = {"input": 100 + number, "raw": {"sum": 1}}
        yield turn.body()
        yield Span(
            trace_id="t",
            span_id=f"tool{number}",
            parent_id=f"turn{number}",
            kind=SpanKind.TOOL,
            tool_name="search_tickets",
            call_id=f"call{number}",
            start_ns=start + _MS,
            end_ns=start + 300 * _MS,
            result_weight=400,
            details={"deep": [{"n": number + 2**80}]},
        ).body()
        yield Span(
            trace_id="t",
            span_id=f"chat{number}",
            parent_id=f"turn{number}",
            kind=SpanKind.MODEL,
            model_name="m",
            start_ns=start + 400 * _MS,
            end_ns=start + 800 * _MS,
            counts={
                "input": 100 + number,
                "output": 7,
                "cached": 5,
                "raw": {"prompt": number},
            },
            sent=[("user", 100, None, None), ("tool", 300, f"call{number}", None)],
            asks_tool=True,
        ).body()


def _large() -> Trace:
    return assemble_spans("t", _bodies(MAX_UNPACKED // 3 + 20))


def test_steps_of_a_large_trace_are_those_of_a_small_one() -> None:
    large, small = _large(), assemble_spans("t", _bodies(100))

    assert isinstance(large.steps, PackedSteps)
    assert isinstance(small.steps, tuple)
    assert large.steps[:300] == small.steps
    assert small.steps[0].details["aggregate_usage"] == {"sum": 1}
    assert small.steps[1].tools[0].tokens_sent_to_next_llm
    assert small.steps[1].details["deep"] == [{"n": 2**80}]
    assert small.steps[2].usage is not None
    assert small.steps[2].usage.raw == {"prompt": 0}
    assert large.steps[2].usage is not None
    assert large.steps[2].usage.raw == {"prompt": 0}


def test_the_order_of_many_spans_and_their_repetition_mean_nothing() -> None:
    bodies = list(_bodies(MAX_UNPACKED // 3 + 20))
    mixed = [*bodies, *bodies[5:9]]
    random.Random(3).shuffle(mixed)  # noqa: S311 (a fixed order)
    found = assemble_spans("t", mixed)

    assert found.set_aside[0].spans == 4
    assert found.set_aside[0].reason == "came more than once"
    assert found.steps == _large().steps


async def _from_ledger(folder: Path, trace: Trace) -> Trace | None:
    async with await Ledger.open(str(folder / "l.db")) as ledger:
        await ledger.write_trace(
            trace, bill_of(trace).totals, main_cost_state="THINK", created_at=_NOW
        )
        return await ledger.trace(trace.trace_id)


@pytest.mark.anyio
async def test_a_packed_trace_is_priced_billed_and_kept_like_any_other(
    tmp_path: Path,
) -> None:
    packed = _large()
    plain = replace(packed, steps=tuple(packed.steps))
    one, two = priced(packed, _OnePrice()), priced(plain, _OnePrice())

    assert isinstance(one.steps, PackedSteps)
    assert one == two
    assert two == one
    assert bill_of(one) == bill_of(two)
    assert bill_of(one).totals.cost
    back = await _from_ledger(tmp_path, one)
    assert back is not None
    assert tuple(back.steps) == one.steps


def test_packed_steps_are_a_sequence() -> None:
    steps = tuple(
        Step(trace_id="t", step_id=at, state_type=StateType.THINK)
        for at in range(MAX_UNPACKED + 1)
    )
    packed = compact(steps)

    assert isinstance(packed, PackedSteps)
    assert compact(iter(steps[:-1])) == steps[:-1]
    assert list(packed) == list(steps)
    assert [packed[0], packed[-1], packed[777]] == [steps[0], steps[-1], steps[777]]
    assert packed[990:1_010:3] == steps[990:1_010:3]
    assert list(reversed(packed)) == list(reversed(steps))
    assert packed == steps
    assert packed != steps[:-1]
    assert packed != (*steps[:-1], steps[0])
    assert packed != 5
    with pytest.raises(IndexError):
        packed[MAX_UNPACKED + 1]
