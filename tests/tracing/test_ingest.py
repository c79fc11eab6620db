from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import ModelCall, StateType, Step, Trace, UsageStatus
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.readers.ingest import ImportCounts, read_traces
from judgemesh.mesh.tracing.readers.staging import Staging, loaded

pytestmark = pytest.mark.anyio

_NOW = datetime(2026, 4, 28, tzinfo=UTC)
_ROOT = Path(__file__).resolve().parents[2]
_COMMAND = str(Path(sys.executable).with_name("judgemesh"))


def _spans(traces: int, spans: int) -> list[dict[str, Any]]:
    return [
        {
            "traceId": f"{trace + 1:032x}",
            "spanId": f"{trace * spans + at + 1:016x}",
            "name": "chat",
            "startTimeUnixNano": str((at + 1) * 10**9),
            "endTimeUnixNano": str((at + 2) * 10**9),
            "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
                {"key": "gen_ai.request.model", "value": {"stringValue": "m"}},
                {
                    "key": "gen_ai.usage.input_tokens",
                    "value": {"intValue": str(at + 1)},
                },
                {"key": "gen_ai.usage.cost", "value": {"doubleValue": 0.1}},
            ],
        }
        for trace in range(traces)
        for at in range(spans)
    ]


def _write(path: Path, spans: Sequence[Any]) -> Path:
    path.write_text(
        json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}),
        encoding="utf-8",
    )
    return path


def test_traces_mixed_and_spread_over_files_come_whole(tmp_path: Path) -> None:
    spans = _spans(5, 7)
    random.Random(1).shuffle(spans)  # noqa: S311 (a fixed order)
    reading = ImportCounts()

    found = list(
        read_traces(
            [_write(tmp_path / "a", spans[:11]), _write(tmp_path / "b", spans[11:])],
            reading=reading,
        )
    )
    alone = list(read_traces([_write(tmp_path / "c", _spans(5, 7))]))

    assert sorted(found, key=lambda trace: trace.trace_id) == alone
    assert (reading.traces, reading.steps, reading.fragments, reading.files) == (
        5,
        35,
        35,
        2,
    )


def test_staging_keeps_whatever_json_can_hold_and_leaves_nothing_behind() -> None:
    bodies: list[dict[str, Any]] = [
        {"n": 2**80, "text": "\ud800 é \0"},
        {"deep": [[{"a": None}]]},
    ]
    with Staging() as staging:
        folder = Path(staging._folder.name)
        for at in range(1_200):
            staging.add("r", f"t{at % 2}", bodies[at % 2])
        found = [
            (reader, trace_id, list(map(loaded, parts)))
            for trace_id, readers in staging.traces()
            for reader, parts in readers.items()
        ]

    assert found == [("r", "t0", [bodies[0]] * 600), ("r", "t1", [bodies[1]] * 600)]
    assert not folder.exists()


def _full_trace() -> Trace:
    price = PriceSnapshot(
        "m", Decimal("2.5"), Decimal(10), Decimal("0.25"), price_version="2026-04-28"
    )
    usage = Usage(10, 20, 3, 4, 5, raw={"input_tokens": 33})
    step = Step(
        trace_id="t",
        step_id=1,
        state_type=StateType.THINK,
        model_name="m",
        provider="p",
        start_time=_NOW,
        latency_ms=12.25,
        usage=usage,
        usage_status=UsageStatus.INCONSISTENT,
        usage_notes=("a contradicts b",),
        reported_cost=Money(Decimal("0.1"), "EUR"),
        details={"unknown": [1, {"a": None}]},
    )
    calls = (
        ModelCall(usage=usage, price=price),
        ModelCall(model_name="n", reported_cost=Money(Decimal("0.3"))),
    )
    several = replace(
        step,
        step_id=2,
        parent_step_id=1,
        calls=calls,
        usage_notes=(),
        reported_cost=None,
    )
    return Trace(
        trace_id="t",
        steps=(step, several),
        task_id="task",
        end_time=_NOW,
        latency_ms=99.5,
        status="error",
        prices={
            "m": price,
            "m@old": replace(price, price_input_per_million=Decimal(7)),
        },
        problems=("one",),
        details={"reward": 1.0},
    )


async def _kept(ledger: Ledger, trace: Trace) -> None:
    await ledger.write_trace(
        trace, bill_of(trace).totals, main_cost_state="THINK", created_at=_NOW
    )


@pytest.mark.parametrize("with_price", [False, True])
async def test_a_trace_comes_back_from_the_ledger_as_it_was_written(
    tmp_path: Path, with_price: bool
) -> None:
    trace = priced(_full_trace()) if with_price else _full_trace()
    async with await Ledger.open(str(tmp_path / "l.db")) as ledger:
        await _kept(ledger, trace)
        assert await ledger.trace("t") == trace
        assert await ledger.trace("other") is None
        raw = await ledger.trace("t")
        assert raw is not None
        assert raw.steps[0].usage is not None
        assert raw.steps[0].usage.raw == {"input_tokens": 33}


async def test_a_trace_written_again_replaces_the_older_one_and_no_other(
    tmp_path: Path,
) -> None:
    first, second = read_traces([_write(tmp_path / "a", _spans(2, 3))])
    async with await Ledger.open(str(tmp_path / "l.db")) as ledger:
        for trace in (first, second, replace(first, steps=first.steps[:1])):
            await _kept(ledger, priced(trace))
        found = [trace async for trace in ledger.traces()]

    assert [(trace.trace_id, len(trace.steps)) for trace in found] == [
        (first.trace_id, 1),
        (second.trace_id, 3),
    ]
    with sqlite3.connect(tmp_path / "l.db") as base:
        for table in ("trace_run", "trace_step"):
            query = f"SELECT count(*) FROM {table}"  # noqa: S608 (a name of this test)
            rows = {"trace_run": 2, "trace_step": 4}[table]
            assert base.execute(query).fetchone() == (rows,)
        query = "SELECT sum(total_cost), currency, max(main_cost_state) FROM trace_run GROUP BY currency"
        assert base.execute(query).fetchall() == [(pytest.approx(0.4), "USD", "THINK")]
    base.close()


def test_the_command_imports_counts_and_says_what_is_malformed(tmp_path: Path) -> None:
    file = _write(tmp_path / "spans.json", [*_spans(2, 2), {"spanId": "x"}])
    command = [
        _COMMAND,
        "trace",
        "import",
        str(file),
        "--ledger",
        str(tmp_path / "l.db"),
    ]

    done = subprocess.run(
        [*command, "--json"], capture_output=True, text=True, check=False
    )
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    nothing = subprocess.run(
        [*command, "--format", "langsmith"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, json.loads(done.stdout)) == (
        0,
        {
            "files": 1,
            "formats": {str(file): "otlp"},
            "traces": 2,
            "steps": 4,
            "fragments": 4,
            "malformed": 1,
            "spans_read": 5,
            "spans_counted": 4,
            "tokens_read": 6,
            "tokens_counted": 6,
            "set_aside": [],
        },
    )
    assert (
        done.stderr
        == f"malformed: {file}:1: resourceSpans[0].scopeSpans[0].spans[4]: traceId is missing or no id\n"
    )
    assert (
        again.stdout
        == "imported 2 traces with 4 steps from 1 file (otlp); 1 malformed\n"
        "read 5 spans (6 tokens) = 4 counted (6) + 0 set aside (0) + 1 malformed\n"
    )
    assert nothing.returncode == 2
    assert "no trace could be read" in nothing.stderr
    with sqlite3.connect(tmp_path / "l.db") as base:
        assert base.execute(
            "SELECT count(*), sum(input_tokens_total) FROM trace_step"
        ).fetchone() == (4, 6)
    base.close()


def test_a_large_file_is_imported_whole_in_bounded_memory() -> None:
    script = _ROOT / "benchmarks" / "tracing" / "otlp_import.py"
    command = [sys.executable, str(script), "--spans", "2000", "--max-mb", "150"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["spans"] == 2_000


@pytest.mark.data
def test_recorded_runs_are_imported_without_loss() -> None:
    data = _ROOT.parent / "shared" / "data" / "trace_ledger"
    if not data.is_dir():
        pytest.skip("the recorded runs are not here")
    script = _ROOT / "benchmarks" / "accuracy" / "trace_ledger.py"

    done = subprocess.run(
        [sys.executable, str(script), "--data", str(data)],
        capture_output=True,
        text=True,
        check=False,
    )

    found = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert found["runs"] == found["totals_equal"] > 0
