from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.money import Money
from judgemesh.contracts.tracing import StateType, Step, Trace, UsageStatus
from judgemesh.mesh.tracing.readers.ingest import ImportCounts, read_traces
from judgemesh.mesh.tracing.readers.otlp import OtlpReader
from judgemesh.mesh.tracing.readers.otlp_span import span_of

_TRACE = "5b8efff798038103d269b633813fc60c"
_S = 1_000_000_000


def _value(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {
                "arrayValue": {
                    "values": [_value(item) for item in cast("list[Any]", value)]
                }
            }
        case dict():
            return {
                "kvlistValue": {"values": _attributes(cast("dict[str, Any]", value))}
            }
        case _:
            return {"stringValue": value}


def _attributes(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in given.items()]


def _span(
    number: int, attributes: dict[str, Any], *, parent: int | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "traceId": _TRACE,
        "spanId": f"{number:016x}",
        "parentSpanId": "" if parent is None else f"{parent:016x}",
        "name": f"span {number}",
        "startTimeUnixNano": str(number * _S),
        "endTimeUnixNano": str(number * _S + _S // 2),
        "attributes": _attributes(attributes),
        **more,
    }


def _document(spans: Sequence[Any]) -> dict[str, Any]:
    return {
        "resourceSpans": [
            {
                "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}],
                "resource": {},
            }
        ]
    }


def _trace(spans: Sequence[dict[str, Any]]) -> Trace:
    return OtlpReader().assemble(
        _TRACE, [span_of(span, _TRACE, span["spanId"]).body() for span in spans]
    )


def _step(attributes: dict[str, Any], **more: Any) -> Step:
    return _trace([_span(1, attributes, **more)]).steps[0]


def _import(path: Path, text: str) -> tuple[list[Trace], ImportCounts, list[str]]:
    path.write_text(text, encoding="utf-8")
    reading, problems = ImportCounts(), list[str]()
    return (
        list(read_traces([path], on_malformed=problems.append, reading=reading)),
        reading,
        problems,
    )


_CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
_RUN = [
    _span(
        1,
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "helper",
            "gen_ai.usage.input_tokens": 300,
        },
    ),
    _span(
        2,
        {
            **_CHAT,
            "gen_ai.usage.input_tokens": 100,
            "gen_ai.response.finish_reasons": ["tool_calls"],
        },
        parent=1,
    ),
    _span(
        3,
        {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search_orders",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.result": "r" * 400,
        },
        parent=1,
    ),
    _span(
        4,
        {
            **_CHAT,
            "gen_ai.usage.input_tokens": 200,
            "gen_ai.usage.output_tokens": 50,
            "gen_ai.input.messages": [
                {"role": "user", "parts": [{"type": "text", "content": "u" * 400}]},
                {
                    "role": "tool",
                    "parts": [
                        {
                            "type": "tool_call_response",
                            "id": "c1",
                            "response": "r" * 400,
                        }
                    ],
                },
            ],
        },
        parent=1,
    ),
]


@given(order=st.permutations(_RUN), twice=st.integers(0, 3))
def test_the_order_of_the_spans_means_nothing_and_a_span_that_came_twice_counts_once(
    order: list[dict[str, Any]], twice: int
) -> None:
    trace = _trace([*order, order[twice]])

    assert [step.state_type for step in trace.steps] == [
        "OBSERVE",
        "THINK",
        "RETRIEVE",
        "FINALIZE",
    ]
    assert sum(step.usage.input_total for step in trace.steps if step.usage) == 300
    assert trace.steps == _trace(_RUN).steps
    assert trace.set_aside[0].spans == 1
    assert trace.set_aside[0].reason == "came more than once"


def test_parents_agents_and_the_flow_of_tool_results() -> None:
    agent, think, tool, final = _trace(_RUN).steps

    assert [step.parent_step_id for step in (agent, think, tool, final)] == [
        None,
        1,
        1,
        1,
    ]
    assert agent.usage is None
    assert agent.usage_status is UsageStatus.NONE
    assert agent.details["aggregate_usage"] == {"gen_ai.usage.input_tokens": 300}
    assert agent.agent_id == "helper"
    assert tool.tools[0].response_tokens_raw == 100
    assert tool.tools[0].tokens_sent_to_next_llm == 100
    assert final.context is not None
    assert (
        final.context.user_instruction_tokens,
        final.context.retrieved_context_tokens,
    ) == (100, 100)
    assert final.context.basis == "estimated"
    assert final.latency_ms == 500


def test_a_container_has_the_time_that_nothing_in_it_has() -> None:
    trace = _trace(
        [
            _span(1, {}, endTimeUnixNano=str(11 * _S)),
            _span(3, _CHAT, parent=1),
            _span(4, _CHAT, parent=1),
        ]
    )

    assert [step.latency_ms for step in trace.steps] == [9_000, 500, 500]
    assert trace.latency_ms == 10_000


_NEW = {"gen_ai.usage.input_tokens": 1_000, "gen_ai.usage.output_tokens": 300}


@pytest.mark.parametrize(
    ("attributes", "tokens", "status"),
    [
        (_NEW, (1_000, 0, 0, 300, 0), "ok"),
        (
            {"gen_ai.usage.prompt_tokens": "7", "gen_ai.usage.completion_tokens": 3.0},
            (7, 0, 0, 3, 0),
            "ok",
        ),
        (
            {
                **_NEW,
                "gen_ai.usage.cache_read.input_tokens": 600,
                "gen_ai.usage.cache_creation.input_tokens": 100,
                "gen_ai.usage.reasoning.output_tokens": 200,
            },
            (300, 600, 100, 100, 200),
            "ok",
        ),
        (
            {**_NEW, "gen_ai.usage.cache_write.input_tokens": 100},
            (900, 0, 100, 300, 0),
            "ok",
        ),
        (
            {
                **_NEW,
                "gen_ai.provider.name": "anthropic",
                "gen_ai.usage.cache_read_input_tokens": 5_000,
            },
            (1_000, 5_000, 0, 300, 0),
            "ok",
        ),
        (
            {
                **_NEW,
                "gen_ai.usage.cache_read.input_tokens": 500,
                "gen_ai.usage.total_tokens": 1_800,
            },
            (1_000, 500, 0, 300, 0),
            "ok",
        ),
        (
            {**_NEW, "gen_ai.usage.cache_read.input_tokens": 5_000},
            (0, 5_000, 0, 300, 0),
            "inconsistent",
        ),
        (
            {**_NEW, "gen_ai.usage.reasoning.output_tokens": 400},
            (1_000, 0, 0, 0, 400),
            "inconsistent",
        ),
        (
            {**_NEW, "gen_ai.usage.total_tokens": 9},
            (1_000, 0, 0, 300, 0),
            "inconsistent",
        ),
        (
            {**_NEW, "gen_ai.usage.prompt_tokens": 999},
            (1_000, 0, 0, 300, 0),
            "inconsistent",
        ),
        (
            {"gen_ai.usage.input_tokens": "many", "gen_ai.usage.output_tokens": 5},
            (0, 0, 0, 5, 0),
            "inconsistent",
        ),
        (
            {"gen_ai.usage.input_tokens": -4, "gen_ai.usage.output_tokens": 5},
            (0, 0, 0, 5, 0),
            "malformed",
        ),
        (
            {
                "openinference.span.kind": "LLM",
                "llm.model_name": "m",
                "llm.token_count.prompt": 50,
                "llm.token_count.completion": 20,
                "llm.token_count.total": 70,
                "llm.token_count.prompt_details.cache_read": 10,
                "llm.token_count.completion_details.reasoning": 5,
            },
            (40, 10, 0, 15, 5),
            "ok",
        ),
    ],
)
def test_every_token_counts_once(
    attributes: dict[str, Any], tokens: tuple[int, ...], status: str
) -> None:
    step = _step({**_CHAT, **attributes})

    assert step.usage is not None
    assert (
        step.usage.input_tokens_uncached,
        step.usage.input_tokens_cached,
        step.usage.input_tokens_cache_write,
        step.usage.output_tokens,
        step.usage.reasoning_tokens,
    ) == tokens
    assert step.usage_status == status
    assert bool(step.usage_notes) == (status != "ok")


@pytest.mark.parametrize(
    ("attributes", "state"),
    [
        (_CHAT, StateType.FINALIZE),
        ({"gen_ai.operation.name": "embeddings"}, StateType.RETRIEVE),
        (
            {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "run_python"},
            StateType.SCRIPT_EXEC,
        ),
        (
            {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "readFile"},
            StateType.FILE_READ,
        ),
        (
            {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "write_file"},
            StateType.FILE_WRITE,
        ),
        (
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "save_memory",
            },
            StateType.MEMORY_WRITE,
        ),
        (
            {
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "mcp__jira__get",
            },
            StateType.MCP_CALL,
        ),
        ({"gen_ai.tool.name": "book_flight"}, StateType.API_CALL),
        (
            {"gen_ai.tool.name": "x", "gen_ai.tool.type": "datastore"},
            StateType.RETRIEVE,
        ),
        (
            {"mcp.method.name": "tools/call", "gen_ai.tool.name": "x"},
            StateType.MCP_CALL,
        ),
        ({"openinference.span.kind": "RERANKER"}, StateType.RETRIEVE),
        ({"openinference.span.kind": "GUARDRAIL"}, StateType.VALIDATE),
        ({"openinference.span.kind": "CHAIN"}, StateType.OBSERVE),
        ({"db.system.name": "postgresql"}, StateType.DB_QUERY),
        ({"http.request.method": "GET"}, StateType.API_CALL),
        ({**_CHAT, "judgemesh.state_type": "REFINE"}, StateType.REFINE),
        ({}, StateType.OBSERVE),
    ],
)
def test_spans_are_states(attributes: dict[str, Any], state: StateType) -> None:
    assert _step(attributes).state_type is state


_MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "parts": [{"type": "text", "content": "s" * 40}]},
    {"role": "user", "parts": [{"type": "text", "content": "u" * 80}]},
    {"role": "assistant", "parts": [{"type": "text", "content": "a" * 120}]},
    {"role": "user", "parts": [{"type": "text", "content": "v" * 40}]},
]
_FLAT = {
    f"llm.input_messages.{at}.message.{key}": value
    for at, message in enumerate(_MESSAGES)
    for key, value in (
        ("role", message["role"]),
        ("content", message["parts"][0]["content"]),
    )
}
_OLD_EVENTS = [
    {
        "name": f"gen_ai.{message['role']}.message",
        "attributes": _attributes({"content": message["parts"][0]["content"]}),
    }
    for message in _MESSAGES
]


@pytest.mark.parametrize(
    ("attributes", "more"),
    [
        ({"gen_ai.input.messages": _MESSAGES}, {}),
        ({"gen_ai.input.messages": json.dumps(_MESSAGES)}, {}),
        ({"gen_ai.system_instructions": [_MESSAGES[0]["parts"][0]], "gen_ai.input.messages": _MESSAGES[1:]}, {}),
        ({"openinference.span.kind": "LLM", **_FLAT, "input.value": "repeats them"}, {}),
        ({}, {"events": _OLD_EVENTS}),
        ({"gen_ai.prompt": json.dumps([{"role": m["role"], "content": m["parts"][0]["content"]} for m in _MESSAGES])}, {}),
    ],
    ids=["structured", "json", "instructions", "openinference", "events", "prompt"],
)  # fmt: skip
def test_messages_of_every_dialect_have_the_same_sources(
    attributes: dict[str, Any], more: dict[str, Any]
) -> None:
    context = _step(
        {**_CHAT, "gen_ai.usage.input_tokens": 70, **attributes}, **more
    ).context

    assert context is not None
    assert (
        context.system_prompt_tokens,
        context.user_instruction_tokens,
        context.history_tokens,
    ) == (10, 20, 40)
    assert context.total == 70


def test_what_is_not_in_the_messages_is_other_context() -> None:
    context = _step(
        {
            **_CHAT,
            "gen_ai.usage.input_tokens": 1_000,
            "gen_ai.input.messages": _MESSAGES,
        }
    ).context

    assert context is not None
    assert (
        context.user_instruction_tokens,
        context.other_context_tokens,
        context.total,
    ) == (20, 930, 1_000)


def test_unknown_attributes_and_events_are_kept_and_costs_stay_reported() -> None:
    step = _step(
        {
            **_CHAT,
            "vendor.thing": {"deep": [1, True, 2.5]},
            "gen_ai.usage.cost": 0.1,
            "gen_ai.usage.input_tokens": 9,
        },
        events=[{"name": "retry", "attributes": _attributes({"n": 2})}],
        status={"code": 2, "message": "rate limited"},
    )

    assert step.details["vendor.thing"] == {"deep": [1, True, 2.5]}
    assert step.details["events"] == [{"name": "retry", "attributes": {"n": 2}}]
    assert step.reported_cost == Money(Decimal("0.1"))
    assert step.costs.llm is None
    assert (step.status, step.error_type) == ("error", "rate limited")


def test_what_the_resources_say_is_kept_wherever_it_stands(tmp_path: Path) -> None:
    def group(name: str, spans: Sequence[Any], *, last: bool) -> dict[str, Any]:
        resource = {"resource": {"attributes": _attributes({"service.name": name})}}
        scopes = {"scopeSpans": [{"spans": list(spans)}]}
        return {**scopes, **resource} if last else {**resource, **scopes}

    groups = [
        group("b", _RUN[:1], last=True),
        group("a", _RUN[1:3], last=False),
        group("a", _RUN[3:], last=False),
    ]

    traces, reading, _ = _import(
        tmp_path / "t.json", json.dumps({"resourceSpans": groups})
    )

    assert traces[0].details == {
        "resources": [{"service.name": "a"}, {"service.name": "b"}]
    }
    assert (len(traces[0].steps), reading.fragments) == (4, 4)


def test_ids_may_be_base64_and_lines_may_be_requests(tmp_path: Path) -> None:
    spans = [
        {**_RUN[1], "traceId": "W47/95gDgQPSabYzgT/GDA==", "spanId": "AAAAAAAAAAI="},
        _RUN[3],
    ]
    text = "\n".join(json.dumps(_document([span])) for span in spans)

    traces, reading, problems = _import(tmp_path / "t.jsonl", text)

    assert [(trace.trace_id, len(trace.steps)) for trace in traces] == [(_TRACE, 2)]
    assert (reading.fragments, problems) == (2, [])


def test_malformed_spans_are_reported_with_their_place_and_the_rest_is_read(
    tmp_path: Path,
) -> None:
    spans = json.dumps(
        [_RUN[1], 7, {"spanId": "0" * 15 + "1"}, {"traceId": _TRACE}, _RUN[3]]
    )
    text = (
        '{"resourceSpans": [{"scopeSpans": [{"spans":\n'
        + spans.replace("7,", '{"traceId": nope},')
        + "}]}]}"
    )

    traces, reading, problems = _import(tmp_path / "t.json", text)

    assert len(traces[0].steps) == 2
    assert reading.malformed == 3
    place = f"{tmp_path / 't.json'}:2: resourceSpans[0].scopeSpans[0].spans"
    assert problems == [
        f"{place}[1]: not valid JSON: Expecting value",
        f"{place}[2]: traceId is missing or no id",
        f"{place}[3]: spanId is missing or no id",
    ]


@pytest.mark.parametrize(
    "hostile",
    [
        {"attributes": "text"},
        {"attributes": [1, None, {"key": None}]},
        {"attributes": [{"key": "gen_ai.input.messages", "value": {"intValue": "1"}}]},
        {"attributes": [{"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9" * 400}}]},
        {"attributes": [{"key": "gen_ai.prompt.0", "value": {"stringValue": "x"}}, {"key": "gen_ai.prompt.0.role", "value": {"stringValue": "user"}}]},
        {"startTimeUnixNano": "later", "endTimeUnixNano": -5},
        {"startTimeUnixNano": "9" * 18, "endTimeUnixNano": "1"},
        {"status": [], "events": {"a": 1}, "name": 5, "parentSpanId": 7},
        {"parentSpanId": f"{1:016x}"},
    ],
)  # fmt: skip
def test_hostile_spans_are_steps_or_malformed_and_never_break_the_import(
    tmp_path: Path, hostile: dict[str, Any]
) -> None:
    traces, reading, _ = _import(
        tmp_path / "t.json",
        json.dumps(_document([{**_span(1, _CHAT), **hostile}, _RUN[3]])),
    )

    assert len(traces[0].steps) + reading.malformed == 2
