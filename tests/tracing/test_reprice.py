"""A trace keeps the prices of its day and of its first import."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from pathlib import Path

from judgemesh.contracts.tracing import ModelCall, Trace
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.pricing.prices import PriceBook
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.bill.kept_prices import with_kept_prices
from judgemesh.mesh.tracing.readers.ingest import read_traces

from .model_steps import model_step

OLD = 'version = "old"\n[models."m"]\ninput = 1\noutput = 1\n'
NEW = """version = "new"
[models."m"]
input = 5
output = 5
terms = [
    { tier = "batch", input = 2, output = 2 },
    { until = 2026-04-28, input = 7, output = 7 },
]
"""


def book(folder: Path, text: str) -> PriceBook:
    path = folder / "prices.toml"
    path.write_text(text)
    return PriceBook.bundled(user_file=path)


def called(day: str, path: Path) -> Trace:
    events = [
        {
            "trace_id": "t",
            "step_id": 1,
            "event_type": kind,
            "timestamp": f"{day}T10:00:0{number}Z",
            "payload": payload,
        }
        for number, (kind, payload) in enumerate(
            [
                ("step.started", {"state_type": "THINK"}),
                (
                    "model.called",
                    {"model_name": "m", "usage": {"prompt_tokens": 10**6}},
                ),
                ("step.completed", {}),
            ]
        )
    ]
    path.write_text("".join(f"{json.dumps(event)}\n" for event in events))
    (trace,) = read_traces([path])
    return trace


def cost(trace: Trace) -> Decimal:
    money = trace.steps[0].costs.llm
    assert money is not None
    return money.amount


def test_the_day_of_a_call_decides_its_price(tmp_path: Path) -> None:
    prices = book(tmp_path, NEW)
    for day, amount in (("2026-04-27", 7), ("2026-04-28", 5)):
        trace = called(day, tmp_path / "t.jsonl")
        assert cost(priced(trace, prices)) == amount
    assert prices.find("m", day=date(2026, 4, 27)) != prices.find("m")


def test_a_known_call_keeps_its_price_and_another_has_that_of_its_day(
    tmp_path: Path,
) -> None:
    trace = called("2026-04-28", tmp_path / "t.jsonl")
    first = priced(trace, book(tmp_path, OLD))
    again = priced(with_kept_prices(trace, first), book(tmp_path, NEW))
    assert again == first
    assert cost(first) == 1
    other = called("2026-04-29", tmp_path / "t.jsonl")
    assert cost(priced(with_kept_prices(other, first), book(tmp_path, NEW))) == 5


def test_several_prices_of_one_model_in_a_run_are_all_kept() -> None:
    prices = [
        PriceSnapshot("m", Decimal(amount), Decimal(amount), price_version=f"v{amount}")
        for amount in (1, 3)
    ]
    usage = Usage(input_tokens_uncached=10**6)
    calls = tuple(
        ModelCall(model_name="m", usage=usage, price=price) for price in prices
    )
    step = model_step(usage, calls=calls)
    bill = priced(Trace(trace_id="t", steps=(step,)))
    assert cost(bill) == 4
    assert set(bill.prices.values()) == set(prices)
