"""Nothing counts twice and nothing is lost, whatever recorded it and however it is imported."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.reporting.traces.importing import reconciliation
from judgemesh.mesh.tracing.readers.ingest import ImportCounts, read_traces
from judgemesh.mesh.tracing.recording.recorder import Recorder
from judgemesh.mesh.tracing.spans.assemble import assemble_spans

FIXTURES = Path(__file__).parent / "exports" / "fixtures"
Body = dict[str, Any]


def _span(
    span_id: str, tokens: tuple[int, int] | None = None, **fields: Any
) -> dict[str, Any]:
    body: Body = {"trace_id": "t", "span_id": span_id, "kind": "model", "start_ns": 10}
    if tokens is not None:
        body["counts"] = {"input": tokens[0], "output": tokens[1], "raw": {}}
    return {"end_ns": 20, "model_name": "m", **body, **fields}


def _counted(*bodies: Body) -> int:
    trace = assemble_spans("t", bodies)
    backwards = assemble_spans("t", reversed(bodies))
    assert trace.steps == backwards.steps
    return sum(step.usage.total for step in trace.steps if step.usage)


SAME = {"response_id": "r1"}


@pytest.mark.parametrize(
    ("bodies", "tokens"),
    [
        # Siblings of two instrumentations, whatever their times.
        ([_span("a", (9, 1), scope="x", **SAME), _span("b", (9, 1), scope="y", start_ns=30, end_ns=40, **SAME)], 10),
        # One instrumentation whose server gives all responses one id.
        ([_span("a", (9, 1), scope="x", **SAME), _span("b", (9, 1), scope="x", **SAME)], 20),
        # One above the other.
        ([_span("a", (9, 1), scope="x", **SAME), _span("b", (9, 2), scope="x", parent_id="a", **SAME)], 11),
        # Without ids: the figures, and one within the time of the other.
        ([_span("a", (9, 1), scope="x"), _span("b", (9, 1), scope="y", start_ns=12, end_ns=18)], 10),
        ([_span("a", (9, 1), scope="x"), _span("b", (9, 1), scope="y", start_ns=12, end_ns=28)], 20),
        ([_span("a", (9, 1), scope="x"), _span("b", (9, 2), scope="y", start_ns=12, end_ns=18)], 21),
        ([_span("a", (9, 1), scope="x"), _span("b", (9, 1), scope="y", model_name="other")], 20),
        # Equal calls at once, each recorded by two: a span has one partner.
        ([_span(f"{scope}{number}", (9, 1), scope=scope) for scope in "xy" for number in range(3)], 30),
        # An upper model span is a sum where its figures are one, else a call of its own.
        ([_span("a", (20, 4)), _span("b", (9, 1), parent_id="a"), _span("c", (11, 3), parent_id="a")], 24),
        ([_span("a", (21, 4)), _span("b", (9, 1), parent_id="a"), _span("c", (11, 3), parent_id="a")], 49),
        # A call of its own inside counts in the sum above it.
        ([_span("a", (15, 5)), _span("b", (9, 1), parent_id="a"), _span("c", (6, 4), parent_id="b")], 20),
        # Figures of a container include everything below it, an embedding below a model does not.
        ([_span("a", (30, 5), kind="container"), _span("b", (9, 1), parent_id="a")], 10),
        ([_span("a", (9, 1)), _span("b", (9, 1), parent_id="a", kind="embedding")], 20),
        # Spans whose parents are a circle.
        ([_span("a", (9, 1), parent_id="b"), _span("b", (9, 1), parent_id="a")], 20),
    ],
)  # fmt: skip
def test_each_token_counts_once(bodies: list[Body], tokens: int) -> None:
    assert _counted(*bodies) == tokens


def test_a_call_without_figures_around_one_with_figures_is_not_missing_usage() -> None:
    trace = assemble_spans("t", [_span("a"), _span("b", (9, 1), parent_id="a")])

    assert [str(step.usage_status) for step in trace.steps] == ["none", "ok"]
    assert trace.steps[0].details["set_aside"] == trace.set_aside[0].reason


def test_of_two_records_of_a_call_the_fuller_one_counts() -> None:
    full = _span("b", scope="y", response_id="r1")
    full["counts"] = {"input": 9, "output": 1, "cached": 4, "raw": {}}
    trace = assemble_spans("t", [_span("a", (9, 1), scope="x", **SAME), full])

    (usage,) = (step.usage for step in trace.steps if step.usage)
    assert usage.input_tokens_cached == 4
    assert trace.steps[0].details["same_call_as"] == 2


def test_a_span_that_comes_in_two_parts_is_put_together() -> None:
    begun = _span("a", name="call", end_ns=None)
    ended: Body = {"trace_id": "t", "span_id": "a", "end_ns": 30, "status": "error"}
    (step,) = assemble_spans("t", [ended, begun]).steps
    (other,) = assemble_spans("t", [begun, ended]).steps

    assert step == other
    assert (step.model_name, step.status, step.latency_ms) == ("m", "error", 2e-05)


# --- imports ---


def _read(files: Sequence[Path]) -> tuple[list[Trace], ImportCounts]:
    reading = ImportCounts()
    return list(read_traces(files, reading=reading)), reading


def _whole(traces: list[Trace]) -> list[Any]:
    return sorted((trace.trace_id, tuple(trace.steps)) for trace in traces)


def _units_of_spans() -> list[bytes]:
    """Each span of an export as a document of its own."""
    name = "otlp_two.turns.json.gz"
    document = json.loads(gzip.decompress((FIXTURES / name).read_bytes()))
    units: list[bytes] = []
    for group in document["resourceSpans"]:
        for scope in group["scopeSpans"]:
            for span in scope["spans"]:
                alone = {**group, "scopeSpans": [{**scope, "spans": [span]}]}
                units.append(json.dumps({"resourceSpans": [alone]}).encode())
    return units


def _units_of_events() -> list[bytes]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        for _ in range(2):  # two processes number their steps alike
            with Recorder(path) as recorder, recorder.run(trace_id="run"):
                for tokens in (5, 7):
                    with recorder.think() as step:
                        step.model_called(usage={"prompt_tokens": tokens})
        return path.read_bytes().splitlines()


UNITS = {"spans": _units_of_spans(), "events": _units_of_events()}


@pytest.mark.parametrize("kind", UNITS)
@settings(max_examples=12, deadline=None)
@given(data=st.data())
def test_a_file_twice_in_any_order_in_parts_changes_nothing(
    kind: str, data: st.DataObject
) -> None:
    units = UNITS[kind]
    again = data.draw(st.lists(st.sampled_from(units), max_size=8))
    order = data.draw(st.permutations([*units, *again]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(order)), max_size=3)))
    parts = [order[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
    with TemporaryDirectory() as folder:
        paths: list[Path] = []
        for number, part in enumerate([units, *(part for part in parts if part)]):
            path = Path(folder) / f"{number}.jsonl"
            path.write_bytes(b"\n".join(part) + b"\n")
            paths.append(path)
        wanted, once = _read(paths[:1])
        found, reading = _read(paths[1:])
        twice, _ = _read([*paths[1:], *paths[:1]])

    assert _whole(found) == _whole(wanted) == _whole(twice)
    assert reading.tokens_counted == once.tokens_counted > 0
    assert reading.spans == once.spans + len(again)
    held = sum(one.tokens for one in reading.set_aside.values())
    assert reading.tokens == reading.tokens_counted + held


def test_two_processes_have_steps_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"\n".join(UNITS["events"]))
    (trace,), _ = _read([path])

    assert [step.step_id for step in trace.steps] == [1, 2, 3, 4]
    assert sum(step.usage.total for step in trace.steps if step.usage) == 24


def test_the_import_says_what_it_set_aside() -> None:
    _, reading = _read([FIXTURES / "otlp_two.turns.json.gz"])

    text = reconciliation(reading)
    assert text.splitlines()[0].endswith(" malformed")
    assert "the same call, recorded by another instrumentation" in text
    assert reading.tokens_counted * 2 == reading.tokens


def test_plumbing_of_a_graph_makes_no_steps() -> None:
    traces, reading = _read([FIXTURES / "otlp_langgraph.forbidden.json.gz"])

    names = [step.details.get("span_name") for step in traces[0].steps]
    assert names == ["LangGraph", "agent", "ChatOpenAI", "open_roof", "agent", "ChatOpenAI"]  # fmt: skip
    assert "passes something on inside a framework" in reading.set_aside


# --- sessions of coding agents ---


def _lines(path: Path, lines: Sequence[Body]) -> Path:
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    return path


def test_usage_of_claude_code_counts_once_for_each_message(tmp_path: Path) -> None:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 40, "output_tokens": 5}

    def said(second: int, *blocks: Body, message: str = "msg_1") -> Body:
        return {
            "type": "assistant",
            "sessionId": "s",
            "timestamp": f"2026-03-06T08:05:{second:02}Z",
            "requestId": "req_1",
            "message": {
                "id": message,
                "role": "assistant",
                "model": "claude-sonnet-4-5",
                "content": list(blocks),
                "usage": usage,
            },
        }

    call: Body = {"type": "tool_use", "id": "t1", "name": "mcp__beds__water"}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True}
    answer: Body = {
        "type": "user",
        "sessionId": "s",
        "timestamp": "2026-03-06T08:05:09Z",
        "message": {"role": "user", "content": [failed]},
    }
    path = _lines(
        tmp_path / "session.jsonl",
        [
            said(1, {"type": "thinking", "thinking": "hm"}),
            said(2, call),
            answer,
            said(12, {"type": "text", "text": "It failed."}, message="msg_2"),
        ],
    )
    (trace,), reading = _read([path])

    assert [(step.state_type, step.status) for step in trace.steps] == [
        ("THINK", "success"),
        ("MCP_CALL", "error"),
        ("FINALIZE", "success"),
    ]
    assert reading.tokens_counted == 2 * 48
    assert trace.steps[0].details["request_id"] == "req_1"
    assert trace.steps[1].details["mcp_server"] == "beds"


def test_totals_of_codex_are_cumulative(tmp_path: Path) -> None:
    def counted(total: int, last: int | None) -> Body:
        info: Body = {
            "total_token_usage": {"input_tokens": total, "output_tokens": 1},
            "last_token_usage": last and {"input_tokens": last, "output_tokens": 0},
        }
        payload = {"type": "token_count", "info": info}
        return {
            "type": "event_msg",
            "timestamp": f"2026-03-06T08:05:{total % 60:02}Z",
            "payload": payload,
        }

    path = _lines(
        tmp_path / "rollout.jsonl",
        [
            {"type": "session_meta", "payload": {"id": "s"}},
            {"type": "turn_context", "payload": {"model": "gpt-5-mini"}},
            counted(10, 10),
            counted(10, 10),  # stated again when limits change
            counted(34, None),  # only the total
        ],
    )
    (trace,), reading = _read([path])

    assert [step.model_name for step in trace.steps] == ["gpt-5-mini", "gpt-5-mini"]
    assert [step.usage.input_total for step in trace.steps if step.usage] == [10, 24]
    assert reading.counted == 2
