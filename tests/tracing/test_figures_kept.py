"""Figures of exports that lose, misplace or measure something else: counted right, or said to be unread."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import Trace, UsageStatus
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.mesh.reporting.bill.data import bill_json
from judgemesh.mesh.reporting.bill.rows import bill_tables
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.readers.ingest import read_traces
from judgemesh.mesh.tracing.steps.from_fields import step_of

from .model_steps import OnePrice, model_step

_DAY = "2026-04-28T10:00:"
_TRACE = "5b8efff798038103d269b633813fc60c"


def _read(
    folder: Path,
    *texts: str,
    format: str = "auto",  # noqa: A002 (the name of the option)
) -> tuple[list[Trace], list[str]]:
    paths: list[Path] = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.jsonl"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    problems = list[str]()
    return list(
        read_traces(paths, format=format, on_malformed=problems.append)
    ), problems


def _lines(rows: Sequence[Any]) -> str:
    return "\n".join(map(json.dumps, rows))


def _tokens(trace: Trace) -> int:
    return bill_of(trace).totals.tokens


# --- one-hour cache writes ---


@pytest.mark.parametrize(
    ("short", "long", "premium"),
    [
        ("3.75", "6", Decimal("0.003525")),
        ("3.75", None, Decimal("0.0015")),
        (None, "6", Decimal("0.0027")),
        (None, None, None),
    ],
)
def test_the_premium_of_cache_writes_knows_those_of_an_hour(
    short: str | None, long: str | None, premium: Decimal | None
) -> None:
    price = PriceSnapshot(
        model_name="m",
        price_input_per_million=Decimal(3),
        price_output_per_million=Decimal(15),
        price_cached_input_per_million=Decimal("0.3"),
        price_cache_write_per_million=Decimal(short) if short else None,
        price_cache_write_1h_per_million=Decimal(long) if long else None,
    )
    usage = Usage(0, 0, 2_000, input_tokens_cache_write_1h=900)
    step = model_step(usage, price=price)
    trace = priced(Trace(trace_id="t", steps=(step,)))

    uncached = replace(usage, input_tokens_uncached=2_000, input_tokens_cache_write=0)
    uncached = replace(uncached, input_tokens_cache_write_1h=0)
    more = price.cost(usage).amount - price.cost(uncached).amount
    found = bill_of(trace).metrics.cache_write_premium
    assert found == (() if premium is None else (Money(premium, "USD"),))
    assert more == (premium or 0)
    assert not bill_json(bill_of(trace))["cost_is_at_most"]


# --- OTLP ---

_SPAN: dict[str, Any] = {
    "traceId": _TRACE,
    "spanId": "00f067aa0ba902b7",
    "name": "chat m",
    "startTimeUnixNano": "1000000000",
    "endTimeUnixNano": "2000000000",
    "attributes": [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "7"}},
    ],
}
_OTHER: dict[str, Any] = {**_SPAN, "spanId": "00f067aa0ba902b8"}
_SCOPE: dict[str, Any] = {"scope": {"name": "x"}, "schemaUrl": "u"}


@pytest.mark.parametrize(
    "group",
    [
        {"scopeSpans": [{**_SCOPE, "Spans": [_OTHER]}]},
        {"scopeSpans": [{**_SCOPE, "spans": _OTHER}]},
        {"scopeSpans": [_OTHER]},
        {"scopeSpans": {**_SCOPE, "spans": [_OTHER]}},
        {"scopeSpans": ["x"]},
        {"spans": [_OTHER]},
    ],
)
def test_spans_outside_their_list_are_named(tmp_path: Path, group: Any) -> None:
    right: dict[str, Any] = {
        "resource": {"attributes": []},
        "scopeSpans": [{"spans": [_SPAN]}],
    }
    traces, problems = _read(tmp_path, json.dumps({"resourceSpans": [right, group]}))

    assert [_tokens(trace) for trace in traces] == [7]
    assert len(problems) == 1
    assert "spans are expected in the list `spans`" in problems[0]


_COMPLETE: list[dict[str, Any]] = [
    {"scopeSpans": [_SCOPE]},
    {"scopeSpans": [{**_SCOPE, "spans": []}]},
    {"scopeSpans": [{**_SCOPE, "spans": None}]},
    {"scopeSpans": [], "schemaUrl": "u"},
    {"resource": {"attributes": _SPAN["attributes"]}},
    {"scopeSpans": [], "x-collector": {"host": "h", "batch": [{"size": 3}]}},
    {"scopeSpans": [{**_SCOPE, "spans": [], "dropped": {"count": 3}}]},
]


@pytest.mark.parametrize("group", _COMPLETE)
def test_a_scope_without_spans_lacks_nothing(tmp_path: Path, group: Any) -> None:
    right = {"scopeSpans": [{"spans": [_SPAN]}]}
    traces, problems = _read(tmp_path, json.dumps({"resourceSpans": [right, group]}))

    assert [_tokens(trace) for trace in traces] == [7]
    assert problems == []


# --- Langfuse ---


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"unit": "TOKENS", "input": 10, "output": 2}, 12),
        ({"unit": None, "input": 10, "output": 2}, 12),
        ({"input": 10, "output": 2}, 12),
        ({"unit": "CHARACTERS", "input": 900, "output": 2, "total": 902}, 0),
        ({"unit": "SECONDS", "input": 30, "output": 0}, 0),
    ],
)
@pytest.mark.parametrize("has_details", [False, True])
def test_langfuse_units_that_are_no_tokens(
    tmp_path: Path, usage: dict[str, Any], tokens: int, has_details: bool
) -> None:
    counts = {key: usage[key] for key in ("input", "output")}
    row = {
        "id": "o",
        "traceId": "t",
        "type": "GENERATION",
        "model": "m",
        "startTime": f"{_DAY}01Z",
        "endTime": f"{_DAY}02Z",
        "usage": usage,
        **({"usageDetails": counts} if has_details else {}),
    }
    (trace,), problems = _read(tmp_path, json.dumps(row), format="langfuse")

    assert problems == []
    assert _tokens(trace) == tokens
    assert (bill_of(trace).totals.usage_missing_steps > 0) is (tokens == 0)


def test_the_total_cost_of_an_observation_is_its_cost(tmp_path: Path) -> None:
    row = {
        "id": "o",
        "traceId": "t",
        "type": "GENERATION",
        "startTime": f"{_DAY}01Z",
        "usageDetails": {"input": 60, "output": 4},
        "totalCost": 0.25,
    }
    (trace,), _ = _read(tmp_path, json.dumps({"data": [row], "meta": {}}))

    assert bill_of(priced(trace, OnePrice())).totals.cost == (Money(Decimal("0.25")),)


# --- MLflow ---


@pytest.mark.parametrize(
    ("model", "usage", "counted"),
    [
        # Its names are Anthropic's, and its input includes the cache.
        ("gpt-4o", (1042, 122, 1164, 421, None, None), (621, 421, 0, 0, 122)),
        (
            "claude-sonnet-4-5",
            (1042, 122, 1164, 421, 100, 40),
            (521, 421, 100, 40, 122),
        ),
        # Its tracing of Claude Code leaves the cache out.
        ("claude-sonnet-4-5", (3, 5, 8, 4000, 100, None), (3, 4000, 100, 0, 5)),
    ],
)
def test_the_input_of_mlflow_includes_the_cache(
    tmp_path: Path, model: str, usage: tuple[Any, ...], counted: tuple[int, ...]
) -> None:
    names = (
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cache_creation_input_tokens_above_1hr",
    )
    stated = {
        name: count
        for name, count in zip(names, usage, strict=True)
        if count is not None
    }
    attributes = {
        "mlflow.spanType": "CHAT_MODEL",
        "mlflow.llm.model": model,
        "mlflow.chat.tokenUsage": stated,
    }
    span = {
        "trace_id": "qqo=",
        "span_id": "02" * 8,
        "name": "Completions",
        "start_time_unix_nano": 10**18,
        "attributes": {name: json.dumps(value) for name, value in attributes.items()},
    }
    document = {"info": {}, "data": {"spans": [span]}}
    (trace,), _ = _read(tmp_path, json.dumps(document))

    (step,) = trace.steps
    assert step.usage is not None
    assert (step.usage_status, step.usage_notes) == (UsageStatus.OK, ())
    assert (
        step.usage.input_tokens_uncached,
        step.usage.input_tokens_cached,
        step.usage.input_tokens_cache_write,
        step.usage.input_tokens_cache_write_1h,
        step.usage.output_tokens,
    ) == counted


# --- LangSmith ---

_ORDER = "20260428T100000000000Zr.20260428T100001000000Zc"
_POST = {
    "id": "c",
    "trace_id": "r",
    "parent_run_id": "r",
    "dotted_order": _ORDER,
    "name": "chat",
    "run_type": "llm",
    "start_time": f"{_DAY}01",
}
_PATCH = {
    "id": "c",
    "end_time": f"{_DAY}02",
    "outputs": {"usage_metadata": {"input_tokens": 50, "output_tokens": 5}},
}


@pytest.mark.parametrize(
    "bodies",
    [
        [{"post": [_POST]}, {"patch": [_PATCH]}],
        [{"post": [_POST], "patch": [_PATCH]}],
        [{"post": [_POST]}, {"patch": [{**_PATCH, "dotted_order": _ORDER}]}],
        [{"patch": [{**_PATCH, "dotted_order": _ORDER}]}, {"post": [_POST]}],
    ],
)
def test_a_patch_of_langsmith_belongs_to_the_run_s_trace(
    tmp_path: Path, bodies: list[Any]
) -> None:
    traces, problems = _read(tmp_path, _lines(bodies))

    assert problems == []
    assert [(trace.trace_id, _tokens(trace)) for trace in traces] == [("r", 55)]


# --- Codex ---


def _codex(counts: Sequence[int]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [
        {"type": "session_meta", "timestamp": f"{_DAY}00Z", "payload": {"id": "s"}},
        {"type": "turn_context", "timestamp": f"{_DAY}00Z", "payload": {"model": "m"}},
    ]
    total = 0
    for second, count in enumerate(counts, 1):
        total += count
        info = {
            "total_token_usage": _codex_usage(total),
            "last_token_usage": _codex_usage(count),
        }
        payload = {"type": "token_count", "info": info}
        time = f"{_DAY}{second:02}Z"
        rows.append({"type": "event_msg", "timestamp": time, "payload": payload})
    return rows


def _codex_usage(count: int) -> dict[str, int]:
    return {
        "input_tokens": 10 * count,
        "cached_input_tokens": 4 * count,
        "output_tokens": count,
        "reasoning_output_tokens": 0,
        "total_tokens": 11 * count,
    }


@pytest.mark.parametrize("lost", [{3}, {4}, {3, 4}, {3, 5}])
def test_the_totals_of_codex_count_lost_calls(tmp_path: Path, lost: set[int]) -> None:
    whole = _codex([3, 5, 7, 11, 2])
    torn = [row for number, row in enumerate(whole) if number not in lost]
    (trace,), problems = _read(tmp_path, _lines(torn))

    assert _tokens(trace) == 11 * 28
    assert len(problems) == (2 if lost == {3, 5} else 1)
    assert all("calls before this line are lost" in problem for problem in problems)

    (alone,), problems = _read(tmp_path, _lines(whole))
    assert problems == []
    for texts in ([torn, whole], [whole, torn]):
        (joined,), _ = _read(tmp_path, *map(_lines, texts))
        assert _tokens(joined) == 11 * 28
        assert len(joined.steps) == len(alone.steps)


# --- negative counts ---

_NEGATIVE: list[dict[str, Any]] = [
    {"input_tokens_uncached": -3, "output_tokens": 9},
    {"usage": {"prompt_tokens": -3, "completion_tokens": 9}},
    {"usage": {"input_tokens": 3, "output_tokens": 9, "cache_read_input_tokens": -1}},
    {
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": -1},
        }
    },
]


@pytest.mark.parametrize("fields", _NEGATIVE)
def test_a_negative_count_makes_the_cost_unknown(fields: dict[str, Any]) -> None:
    step = step_of({"state_type": "THINK", "model_name": "m", **fields})
    assert step.usage_status is UsageStatus.MALFORMED
    bill = bill_of(priced(Trace(trace_id="t", steps=(step,)), OnePrice()))

    totals = bill.totals
    assert (totals.cost, totals.cost_unknown_steps) == ((), 1)
    assert (totals.output_tokens, totals.inconsistent_steps) == (9, 1)
    assert "leave the cost of their call unknown" in bill_json(bill)["conclusion"]


@pytest.mark.parametrize("count", [-3, 3])
def test_a_negative_count_of_a_span_makes_the_cost_unknown(
    tmp_path: Path, count: int
) -> None:
    attributes = [
        {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
        {"key": "gen_ai.request.model", "value": {"stringValue": "m"}},
        {"key": "gen_ai.usage.input_tokens", "value": {"intValue": str(count)}},
        {"key": "gen_ai.usage.output_tokens", "value": {"intValue": "9"}},
    ]
    span = {**_SPAN, "attributes": attributes}
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (trace,), _ = _read(tmp_path, json.dumps(document))

    totals = bill_of(priced(trace, OnePrice())).totals
    assert bool(totals.cost) is (count > 0)
    assert totals.cost_unknown_steps == (count < 0)


@pytest.mark.parametrize("count", [-3, 3])
def test_a_negative_count_of_langsmith_makes_the_cost_unknown(
    tmp_path: Path, count: int
) -> None:
    usage = {"input_tokens": count, "output_tokens": 9}
    row = {
        **_POST,
        "extra": {"metadata": {"ls_model_name": "m"}},
        "outputs": {"usage_metadata": usage},
    }
    (trace,), _ = _read(tmp_path, json.dumps(row))

    totals = bill_of(priced(trace, OnePrice())).totals
    assert bool(totals.cost) is (count > 0)
    assert totals.cost_unknown_steps == (count < 0)


# --- two instrumentations, of which one counts wrongly ---


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("others", [["com.anthropic.sdk.python"], []])
def test_a_miscounting_instrumentation_counts_only_alone(
    tmp_path: Path, others: list[str], is_first: bool
) -> None:
    def group(scope: str, span_id: str, output: int, **more: int) -> dict[str, Any]:
        counts = {"input_tokens": 1283, "output_tokens": output, **more}
        attributes = [
            {"key": f"gen_ai.usage.{name}", "value": {"intValue": str(count)}}
            for name, count in counts.items()
        ]
        response = {"key": "gen_ai.response.id", "value": {"stringValue": "msg_3"}}
        model = {"key": "gen_ai.request.model", "value": {"stringValue": "m"}}
        attributes += [response, model, _SPAN["attributes"][0]]
        span = {**_SPAN, "spanId": span_id, "attributes": attributes}
        return {"scopeSpans": [{"scope": {"name": scope}, "spans": [span]}]}

    wrong = "opentelemetry.instrumentation.anthropic"
    groups = [group(scope, "00f067aa0ba902b9", 71) for scope in others]
    place = 0 if is_first else len(groups)
    more = {"total_tokens": 1355, "cache_read.input_tokens": 0}
    groups.insert(place, group(wrong, "00f067aa0ba902b8", 72, **more))
    (trace,), problems = _read(tmp_path, json.dumps({"resourceSpans": groups}))
    assert not problems
    assert _tokens(trace) == 1283 + (71 if others else 72)
    assert bill_of(priced(trace, OnePrice())).cost_is_at_most is (not others)


def test_counts_that_contradict_each_other_give_no_bound() -> None:
    usage = Usage(input_tokens_uncached=1000, cache_reported=False)
    price = PriceSnapshot("m", Decimal(3), Decimal(15), Decimal("0.3"))
    step = model_step(usage, price=price, usage_status=UsageStatus.INCONSISTENT)

    assert not bill_of(priced(Trace(trace_id="t", steps=(step,)))).cost_is_at_most


def test_a_row_of_unknown_cost_has_no_share() -> None:
    known, unknown = model_step(Usage(9)), model_step(Usage(9))
    unknown = replace(unknown, step_id=2, model_name=None)
    trace = priced(Trace(trace_id="t", steps=(known, unknown)), OnePrice())
    bill = bill_of(trace)

    assert [(row.name, row.share) for row in bill.by_model] == [
        ("m", 1.0),
        ("unknown model", None),
    ]
    # A row of which a part is unknown shows it.
    (table, *_) = bill_tables(bill)
    assert table.rows[0][-2].endswith(" + ?")


def test_calls_without_counts_are_not_0_tokens(tmp_path: Path) -> None:
    span = {**_SPAN, "attributes": _SPAN["attributes"][:1]}
    document = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (trace,), _ = _read(tmp_path, json.dumps(document))

    text = bill_json(bill_of(priced(trace)))["conclusion"]
    assert text.startswith("The tokens and the cost of the run are unknown.")


def test_the_model_of_older_langchain_runs_is_read(tmp_path: Path) -> None:
    output = {"token_usage": {"prompt_tokens": 3}, "model_name": "gpt-4o"}
    row = {**_POST, "outputs": {"llm_output": output}}
    (trace,), _ = _read(tmp_path, json.dumps(row))

    assert trace.steps[0].model_name == "gpt-4o"


def test_a_session_of_claude_code_may_begin_with_a_summary(tmp_path: Path) -> None:
    usage = {"input_tokens": 3, "output_tokens": 4}
    message = {"id": "m", "role": "assistant", "model": "x", "usage": usage}
    rows: list[Any] = [
        {"type": "summary", "summary": "Counting", "leafUuid": "u"},
        {"type": "assistant", "sessionId": "s", "uuid": "u", "message": message},
    ]
    (trace,), problems = _read(tmp_path, _lines(rows))

    assert (problems, trace.trace_id, _tokens(trace)) == ([], "s", 7)


def test_a_sum_has_no_bound_where_a_part_has_none() -> None:
    usage = Usage(input_tokens_uncached=1000, cache_reported=False)
    price = PriceSnapshot("m", Decimal(3), Decimal(15), Decimal("0.3"))
    dearer = replace(price, price_cache_write_per_million=Decimal("3.75"))

    def trace(trace_id: str, price: PriceSnapshot) -> Trace:
        return priced(Trace(trace_id=trace_id, steps=(model_step(usage, price=price),)))

    bounded, open_ended = trace("a", price), trace("b", dearer)
    assert bill_of(bounded).cost_is_at_most
    assert not bill_of(open_ended).cost_is_at_most
    assert not bill_of(bounded, open_ended).cost_is_at_most
    assert [row.cost_is_at_most for row in bill_of(bounded, open_ended).by_run] == [
        True,
        False,
    ]
