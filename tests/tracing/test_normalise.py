"""Events become steps, in whatever order they come and however little they say."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import EventType, StateType, TraceEvent, UsageStatus
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.tracing.steps.events import event_fields, event_of
from judgemesh.mesh.tracing.steps.from_events import trace_of
from judgemesh.mesh.tracing.steps.step_events import UNFINISHED

START = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)


def event(
    kind: str, step_id: int = 1, second: int = 0, **payload: object
) -> TraceEvent:
    return TraceEvent(
        trace_id="t",
        step_id=step_id,
        event_type=EventType(kind),
        timestamp=START + timedelta(seconds=second),
        payload=payload,
    )


VALUES: list[object] = [
    "THINK",
    "RETRIEVE",
    "m",
    5,
    None,
    {"prompt_tokens": 3, "completion_tokens": 1},
    [],
    -1,
    "nan",
]
NAMES = [
    "state_type",
    "latency_ms",
    "tool_name",
    "usage",
    "model_name",
    "tool_cost",
    "x",
    "status",
]
payloads: st.SearchStrategy[dict[str, object]] = st.dictionaries(
    st.sampled_from(NAMES), st.sampled_from(VALUES), max_size=4
)
some_events = st.lists(
    st.builds(
        TraceEvent,
        trace_id=st.just("t"),
        step_id=st.integers(1, 4),
        event_type=st.sampled_from(EventType),
        timestamp=st.integers(0, 3).map(
            lambda second: START + timedelta(seconds=second)
        ),
        payload=payloads,
    ),
    min_size=1,
    max_size=12,
)


@given(some_events, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_the_order_of_events_means_nothing(
    events: list[TraceEvent], shuffle: random.Random
) -> None:
    mixed = list(events)
    shuffle.shuffle(mixed)
    assert trace_of(mixed) == trace_of(events)


@given(some_events)
def test_no_event_of_a_step_is_lost(events: list[TraceEvent]) -> None:
    trace = trace_of(events)
    inner = [
        event
        for event in events
        if event.event_type not in {EventType.RUN_STARTED, EventType.RUN_COMPLETED}
    ]
    assert {step.step_id for step in trace.steps} == {event.step_id for event in inner}
    called = sum(event.event_type is EventType.MODEL_CALLED for event in events)
    counted = sum(
        len(step.calls) or (step.usage_status is not UsageStatus.NONE)
        for step in trace.steps
    )
    assert counted >= min(called, 1)


@given(some_events)
def test_an_event_survives_its_json(events: list[TraceEvent]) -> None:
    for event in events:
        assert event_of(event_fields(event)) == event


@pytest.mark.parametrize(
    ("events", "state"),
    [
        (
            [event("model.called", usage={"prompt_tokens": 1, "completion_tokens": 1})],
            StateType.THINK,
        ),
        ([event("tool.called", tool_type="retriever")], StateType.RETRIEVE),
        (
            [event("tool.called", tool_type="mcp"), event("model.called")],
            StateType.MCP_CALL,
        ),
        ([event("validator.called", validator_name="v")], StateType.VALIDATE),
        ([event("artifact.created", path="/x")], StateType.FILE_WRITE),
        ([event("context.compiled", system_prompt_tokens=3)], StateType.OBSERVE),
        (
            [event("step.started", state_type="REFINE"), event("model.called")],
            StateType.REFINE,
        ),
    ],
)
def test_a_step_whose_state_nobody_told_has_one(
    events: list[TraceEvent], state: StateType
) -> None:
    assert trace_of(events).steps[0].state_type is state


def test_an_unknown_state_is_reported_not_dropped() -> None:
    trace = trace_of(
        [event("step.started", state_type="PONDER"), event("model.called")]
    )
    assert trace.steps[0].state_type is StateType.THINK
    assert trace.problems == ("step 1: unknown state 'PONDER', taken as THINK",)


def test_several_model_calls_of_a_step_are_kept_apart_and_added() -> None:
    usages = [
        {"prompt_tokens": 10, "completion_tokens": 1},
        {"input_tokens": 5, "output_tokens": 2},
    ]
    names = ["alpha", "beta"]
    calls = [
        event("model.called", usage=usage, model_name=name)
        for usage, name in zip(usages, names, strict=True)
    ]
    step = trace_of([event("step.started", state_type="THINK"), *calls]).steps[0]
    assert step.usage == Usage(15, 0, 0, 3)
    assert sorted(call.model_name or "" for call in step.calls) == names
    assert step.model_name is None


def test_a_step_that_contradicts_its_calls_is_inconsistent() -> None:
    stated = event(
        "step.completed", state_type="THINK", input_tokens_total=99, output_tokens=1
    )
    called = event("model.called", usage={"prompt_tokens": 10, "completion_tokens": 1})
    step = trace_of([stated, called]).steps[0]
    assert step.usage == Usage(10, 0, 0, 1)
    assert step.usage_status is UsageStatus.INCONSISTENT
    assert step.usage_notes == ("the step states 100 tokens, its model calls 11",)


def test_a_cost_told_twice_is_one_cost() -> None:
    started = event(
        "step.started", state_type="RETRIEVE", tool_cost=0.5, retriever_name="kb"
    )
    step = trace_of(
        [started, event("tool.called", tool_name="kb", tool_cost=0.5)]
    ).steps[0]
    assert [float(money.amount) for _, money in step.costs.parts()] == [0.5]
    assert len(step.tools) == 1


def test_times_and_ends() -> None:
    run = [event("run.started", 0, 0, task_id="x"), event("run.completed", 0, 9)]
    first = [
        event("step.started", 1, 1, state_type="OBSERVE"),
        event("step.completed", 1, 3),
    ]
    trace = trace_of([*run, *first, event("step.started", 2, 4, state_type="THINK")])
    assert trace.latency_ms == 9000
    assert (trace.steps[0].latency_ms, trace.steps[0].status) == (2000, "success")
    assert trace.steps[1].status == UNFINISHED
    assert trace_of(first).status == UNFINISHED


BAD: list[tuple[Any, str]] = [
    ([], "an event is an object"),
    ({"event_type": "run.started", "timestamp": "2026-01-01"}, "no trace_id"),
    ({"trace_id": "t", "event_type": "run.started"}, "timestamp"),
    (
        {"trace_id": "t", "event_type": "run.begun", "timestamp": "2026-01-01"},
        "run.started",
    ),
    (
        {
            "trace_id": "t",
            "step_id": -1,
            "event_type": "run.started",
            "timestamp": "2026-01-01",
        },
        "step_id",
    ),
    (
        {
            "trace_id": "t",
            "event_type": "run.started",
            "timestamp": "2026-01-01",
            "payload": [],
        },
        "payload",
    ),
]


@pytest.mark.parametrize(("data", "said"), BAD)
def test_a_bad_event_says_what_it_should_be(data: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        event_of(data)


def test_events_of_several_runs_are_refused() -> None:
    other = TraceEvent(
        trace_id="u", step_id=0, event_type=EventType.RUN_STARTED, timestamp=START
    )
    with pytest.raises(ValueError, match="one run, got 2"):
        trace_of([event("model.called"), other])
