"""The events of one run, in any order -> its steps. Pure.

The order of lines in a file means nothing: events are sorted by their time, then by their kind, then by their text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.contracts.trace_fields import STATE_FIELDS
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    EventType,
    ModelCall,
    StateType,
    Step,
    ToolEvent,
    Trace,
    TraceEvent,
    UsageStatus,
    side_by_side,
)
from judgemesh.contracts.usage import PriceSnapshot
from judgemesh.mesh.tracing.steps.from_fields import (
    DEFAULT_CURRENCY,
    added,
    step_of,
    tokens_of,
    tool_event,
)
from judgemesh.mesh.tracing.steps.values import (
    breakdown_of,
    currency_of,
    money_of,
    number_of,
    part_of,
    price_of,
    text_of,
)

_RANK: Final[Mapping[EventType, int]] = {
    kind: rank for rank, kind in enumerate(EventType)
}
_RUN_EVENTS: Final = frozenset({EventType.RUN_STARTED, EventType.RUN_COMPLETED})
UNFINISHED: Final = "unfinished"
"""Status of a step or run that began and never ended: the process was killed, or the file is cut off."""

_IMPLIED: Final[Mapping[EventType, StateType]] = {
    EventType.MODEL_CALLED: StateType.THINK,
    EventType.TOOL_CALLED: StateType.API_CALL,
    EventType.CONTEXT_COMPILED: StateType.OBSERVE,
    EventType.ARTIFACT_CREATED: StateType.FILE_WRITE,
    EventType.ARTIFACT_MODIFIED: StateType.FILE_WRITE,
    EventType.STATE_CHANGED: StateType.API_CALL,
    EventType.VALIDATOR_CALLED: StateType.VALIDATE,
}
"""What a step was whose state nobody told, by the first of these events that it has."""
_BY_TOOL: Final[Mapping[str, StateType]] = {
    "retriever": StateType.RETRIEVE,
    "mcp": StateType.MCP_CALL,
    "api": StateType.API_CALL,
    "db": StateType.DB_QUERY,
    "script": StateType.SCRIPT_EXEC,
    "file": StateType.FILE_READ,
    "memory": StateType.MEMORY_READ,
}
_KEPT: Final[Mapping[EventType, str]] = {
    EventType.ARTIFACT_CREATED: "artifacts_created",
    EventType.ARTIFACT_MODIFIED: "artifacts_modified",
    EventType.STATE_CHANGED: "state_changes",
    EventType.VALIDATOR_CALLED: "validators_called",
}
"""Where the payloads of events without a place of their own are kept in `details`."""


def trace_of(events: Iterable[TraceEvent]) -> Trace:
    """The run that `events` tell of.

    Raises:
        ValueError: there are none, or they are of several runs.
    """
    ordered = sorted(events, key=_place)
    ids = sorted({event.trace_id for event in ordered})
    if len(ids) != 1:
        raise ValueError(
            f"expected the events of one run, got {len(ids)}: {', '.join(ids[:3])}"
        )
    run = _merged(event for event in ordered if event.event_type in _RUN_EVENTS)
    currency = currency_of(run.get("currency")) or DEFAULT_CURRENCY
    by_step: dict[int, list[TraceEvent]] = {}
    for event in ordered:
        if event.event_type not in _RUN_EVENTS:
            by_step.setdefault(event.step_id, []).append(event)
    problems: list[str] = []
    steps = [
        _step(ids[0], step_id, events, currency, problems)
        for step_id, events in sorted(by_step.items())
    ]
    began = [
        event.timestamp
        for event in ordered
        if event.event_type is EventType.RUN_STARTED
    ]
    ended = [
        event.timestamp
        for event in ordered
        if event.event_type is EventType.RUN_COMPLETED
    ]
    latency = number_of(run.get("latency_ms"))
    if latency is None and began and ended:
        latency = max((ended[-1] - began[0]).total_seconds() * 1000, 0)
    prices = _prices(run, currency)
    return Trace(
        trace_id=ids[0],
        steps=tuple(_inherited(steps, run)),
        task_id=text_of(run.get("task_id")),
        agent_id=text_of(run.get("agent_id")),
        skill_id=text_of(run.get("skill_id")),
        start_time=began[0] if began else None,
        end_time=ended[-1] if ended else None,
        latency_ms=latency,
        status=(text_of(run.get("status")) or "success") if ended else UNFINISHED,
        prices=prices,
        problems=tuple(problems),
        details={key: value for key, value in run.items() if key not in _RUN_KEYS},
    )


_RUN_KEYS: Final = frozenset(
    {"task_id", "agent_id", "skill_id", "latency_ms", "status"}
)


def _place(event: TraceEvent) -> tuple[object, ...]:
    text = json.dumps(event.payload, sort_keys=True, default=str)
    return (event.timestamp, _RANK[event.event_type], event.step_id, text)


def _merged(events: Iterable[TraceEvent]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for event in sorted(events, key=lambda event: _RANK[event.event_type]):
        fields.update(event.payload)
    return fields


def _prices(run: Mapping[str, Any], currency: str) -> dict[str, PriceSnapshot]:
    """Price snapshots that came with the run: a list, or one, of the article's form."""
    given: object = run.get("price_snapshots") or run.get("price_snapshot") or []
    several = cast("list[object]", given) if isinstance(given, list) else [given]
    found = [price_of(one, currency=currency) for one in several]
    return {price.model_name: price for price in found if price is not None}


def _step(
    trace_id: str,
    step_id: int,
    events: Sequence[TraceEvent],
    currency: str,
    problems: list[str],
) -> Step:
    marks = (EventType.STEP_STARTED, EventType.STEP_COMPLETED)
    fields = _merged(event for event in events if event.event_type in marks)
    try:
        state = StateType(str(fields.get("state_type")))
    except ValueError:
        state = _implied(events)
        if "state_type" in fields:
            problems.append(
                f"step {step_id}: unknown state {fields['state_type']!r}, taken as {state}"
            )
    fields |= {"state_type": state.value, **_times(events, fields)}
    compiled = [
        event for event in events if event.event_type is EventType.CONTEXT_COMPILED
    ]
    for kind, key in _KEPT.items():
        kept = [dict(event.payload) for event in events if event.event_type is kind]
        if kept:
            fields.setdefault(key, kept)
            if kind is EventType.VALIDATOR_CALLED:
                fields |= _issues(kept, fields)
    step = step_of(fields, trace_id=trace_id, step_id=step_id, currency=currency)
    step = _with_tools(
        step,
        [event for event in events if event.event_type is EventType.TOOL_CALLED],
        currency,
    )
    step = replace(step, context=step.context or _context(compiled))
    return _with_calls(
        step,
        [event for event in events if event.event_type is EventType.MODEL_CALLED],
        currency,
    )


def _times(events: Sequence[TraceEvent], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Start and end from the first and last mark; a step that began and did not end is unfinished."""
    kinds = [event.event_type for event in events]
    times: dict[str, Any] = {}
    if EventType.STEP_STARTED in kinds:
        times["start_time"] = (
            fields.get("start_time")
            or events[kinds.index(EventType.STEP_STARTED)].timestamp
        )
    if EventType.STEP_COMPLETED in kinds:
        last = len(kinds) - 1 - kinds[::-1].index(EventType.STEP_COMPLETED)
        times["end_time"] = fields.get("end_time") or events[last].timestamp
    elif EventType.STEP_STARTED in kinds:
        times["status"] = UNFINISHED
    return times


def _implied(events: Sequence[TraceEvent]) -> StateType:
    for event in events:
        if event.event_type is EventType.TOOL_CALLED:
            return _BY_TOOL.get(str(event.payload.get("tool_type")), StateType.API_CALL)
    return next(
        (
            _IMPLIED[event.event_type]
            for event in events
            if event.event_type in _IMPLIED
        ),
        StateType.OBSERVE,
    )


def _issues(
    validators: Sequence[Mapping[str, Any]], fields: Mapping[str, Any]
) -> dict[str, int]:
    """Issue counts of the validators together, unless the step itself states them."""
    found: dict[str, int] = {}
    for name in ("issues_found", "issues_fixed_later"):
        counts = [
            int(number)
            for one in validators
            if (number := number_of(one.get(name))) is not None
        ]
        if counts and name not in fields:
            found[name] = sum(counts)
    return found


def _context(events: Sequence[TraceEvent]) -> ContextBreakdown | None:
    """The contexts of the step's model calls together."""
    found = [
        one
        for event in events
        if (
            one := breakdown_of(
                event.payload.get("input_token_breakdown") or event.payload
            )
        )
        is not None
    ]
    if len(found) < 2:
        return found[0] if found else None
    sums = {
        f"{source}_tokens": sum(dict(one.items())[source] for one in found)
        for source, _ in found[0].items()
    }
    estimated = any(one.basis == "estimated" for one in found)
    return ContextBreakdown(**sums, basis="estimated" if estimated else "measured")


def _with_tools(step: Step, events: Sequence[TraceEvent], currency: str) -> Step:
    """Tool events of the step; where the step states the cost itself, theirs is a part of it, not more."""
    if not events:
        return step
    table = STATE_FIELDS[step.state_type]
    tools = tuple(_tool(event, currency, table.tool_type) for event in events)
    part = table.cost_part or "tool"
    costs = step.costs
    if getattr(costs, part) is None:
        amounts = side_by_side(tool.tool_cost for tool in tools)
        if len(amounts) == 1:
            costs = replace(costs, **{part: amounts[0]})
    if len(step.tools) == 1 and len(tools) == 1:
        tools = (_filled(tools[0], step.tools[0]),)
    return replace(step, tools=tools, costs=costs)


def _tool(event: TraceEvent, currency: str, tool_type: str) -> ToolEvent:
    found = tool_event(
        event.payload, currency=currency_of(event.payload.get("currency")) or currency
    )
    return replace(found, tool_type=found.tool_type or tool_type)


def _filled(tool: ToolEvent, step_level: ToolEvent) -> ToolEvent:
    """One call told of twice, by the event and by the fields of the step: together they say most."""
    names = (
        "request_tokens",
        "response_tokens_raw",
        "response_tokens_selected",
        "tokens_sent_to_next_llm",
    )
    known = {
        name: getattr(step_level, name)
        for name in (*names, "tool_latency_ms", "tool_cost")
        if getattr(tool, name) is None
    }
    return replace(tool, **known)


def _with_calls(step: Step, events: Sequence[TraceEvent], currency: str) -> Step:
    """Usage, model and prices of the step from its model calls; what the step states itself is checked against them."""
    if not events:
        return step
    calls = [_call(event, currency) for event in events]
    usage = added(call.usage for call in calls if call.usage is not None)
    notes = list(step.usage_notes)
    notes += [note for event in events for note in _call_notes(event)]
    stated = step.usage
    if stated is not None and usage is not None and stated != usage:
        notes.append(
            f"the step states {stated.total} tokens, its model calls {usage.total}"
        )
    missing = any(call.usage is None for call in calls)
    status = (
        UsageStatus.INCONSISTENT
        if notes
        else UsageStatus.MISSING
        if missing
        else UsageStatus.OK
    )
    names = {call.model_name or step.model_name for call in calls}
    providers = {call.provider or step.provider for call in calls}
    first = calls[0]
    reported = side_by_side(call.reported_cost for call in calls)
    return replace(
        step,
        model_name=names.pop() if len(names) == 1 else step.model_name,
        provider=providers.pop() if len(providers) == 1 else step.provider,
        usage=usage or stated,
        usage_status=status,
        usage_notes=tuple(notes),
        reported_cost=reported[0]
        if len(reported) == 1 and step.reported_cost is None
        else step.reported_cost,
        price=step.price or (first.price if len(calls) == 1 else None),
        calls=tuple(calls) if len(calls) > 1 else (),
    )


def _call(event: TraceEvent, currency: str) -> ModelCall:
    payload = event.payload
    currency = currency_of(payload.get("currency")) or currency
    counted = tokens_of(
        payload,
        STATE_FIELDS[StateType.THINK],
        provider=text_of(payload.get("provider")) or "",
    )
    return ModelCall(
        model_name=text_of(payload.get("model_name")) or text_of(payload.get("model")),
        provider=text_of(payload.get("provider")) or "",
        usage=counted.usage,
        usage_status=counted.status
        if counted.usage is not None
        else UsageStatus.MISSING,
        latency_ms=number_of(payload.get("latency_ms")),
        reported_cost=money_of(payload.get("cost", payload.get("llm_cost")), currency),
        price=price_of(
            part_of(payload, "price") or part_of(payload, "price_snapshot"),
            currency=currency,
        ),
    )


def _call_notes(event: TraceEvent) -> tuple[str, ...]:
    return tokens_of(event.payload, STATE_FIELDS[StateType.THINK]).notes


def _inherited(steps: Sequence[Step], run: Mapping[str, Any]) -> Iterable[Step]:
    """Agent and skill of a step that names none: those of the step it stands under, at last those of the run."""
    by_id = {step.step_id: step for step in steps}
    for step in steps:
        yield replace(
            step,
            agent_id=_from_above(step, "agent_id", by_id)
            or text_of(run.get("agent_id")),
            skill_id=_from_above(step, "skill_id", by_id)
            or text_of(run.get("skill_id")),
        )


def _from_above(step: Step, name: str, by_id: Mapping[int, Step]) -> str | None:
    seen: set[int] = set()
    here: Step | None = step
    while here is not None and here.step_id not in seen:
        seen.add(here.step_id)
        value: str | None = getattr(here, name)
        if value is not None:
            return value
        here = None if here.parent_step_id is None else by_id.get(here.parent_step_id)
    return None
