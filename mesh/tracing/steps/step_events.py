"""The events of one step -> the step. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from judgemesh.contracts.trace_fields import STATE_FIELDS
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    EventType,
    ModelCall,
    StateType,
    Step,
    ToolEvent,
    TraceEvent,
    UsageStatus,
    side_by_side,
)
from judgemesh.mesh.pricing.usage import CountedUsage, sum_of_usages
from judgemesh.mesh.tracing.steps.from_fields import step_of, tool_event
from judgemesh.mesh.tracing.steps.payload_rest import payload_rest
from judgemesh.mesh.tracing.steps.tokens import CALL_FIELDS, tokens_of
from judgemesh.mesh.tracing.steps.values import (
    Fields,
    breakdown_of,
    currency_of,
    money_of,
    number_of,
    part_of,
    price_of,
    text_of,
)

EVENT_ORDER: Final[Mapping[EventType, int]] = {
    kind: number for number, kind in enumerate(EventType)
}
"""Events of the same time are in the order of their types."""
UNFINISHED: Final = "unfinished"
"""Status of a step or run that began and did not end.

The process was killed, or the file is cut off.
"""

_IMPLIED_STATE: Final[Mapping[EventType, StateType]] = {
    EventType.MODEL_CALLED: StateType.THINK,
    EventType.TOOL_CALLED: StateType.API_CALL,
    EventType.CONTEXT_COMPILED: StateType.OBSERVE,
    EventType.ARTIFACT_CREATED: StateType.FILE_WRITE,
    EventType.ARTIFACT_MODIFIED: StateType.FILE_WRITE,
    EventType.STATE_CHANGED: StateType.API_CALL,
    EventType.VALIDATOR_CALLED: StateType.VALIDATE,
}
"""The state of a step that does not say its own, by the first of these events."""
_STATE_OF_TOOL_TYPE: Final[Mapping[str, StateType]] = {
    "retriever": StateType.RETRIEVE,
    "mcp": StateType.MCP_CALL,
    "api": StateType.API_CALL,
    "db": StateType.DB_QUERY,
    "script": StateType.SCRIPT_EXEC,
    "file": StateType.FILE_READ,
    "memory": StateType.MEMORY_READ,
}
_DETAILS_KEYS: Final[Mapping[EventType, str]] = {
    EventType.ARTIFACT_CREATED: "artifacts_created",
    EventType.ARTIFACT_MODIFIED: "artifacts_modified",
    EventType.STATE_CHANGED: "state_changes",
    EventType.VALIDATOR_CALLED: "validators_called",
}
"""Where `details` holds the payloads of events that have no field of their own."""
_MARKS: Final = (EventType.STEP_STARTED, EventType.STEP_COMPLETED)
_TOOL_FIGURES: Final = (
    "request_tokens",
    "response_tokens_raw",
    "response_tokens_selected",
    "tokens_sent_to_next_llm",
    "tool_latency_ms",
    "tool_cost",
)


def merged_payloads(events: Iterable[TraceEvent]) -> dict[str, Any]:
    """The payloads as one: the later type, then the later event, wins."""
    fields: dict[str, Any] = {}
    for event in sorted(events, key=lambda event: EVENT_ORDER[event.event_type]):
        fields.update(event.payload)
    return fields


def step_of_events(
    trace_id: str,
    step_id: int,
    events: Sequence[TraceEvent],
    currency: str,
    problems: list[str],
) -> Step:
    """The step that these events, sorted by time, describe.

    What cannot be used is added to `problems`, one line each.
    """
    fields = merged_payloads(event for event in events if event.event_type in _MARKS)
    state = _state(step_id, fields, events, problems)
    fields |= {"state_type": state.value, **_times(events, fields)}
    _add_payloads(fields, events)
    step = step_of(fields, trace_id=trace_id, step_id=step_id, currency=currency)
    step = _with_tools(step, _of_type(events, EventType.TOOL_CALLED), currency)
    if step.context is None:
        compiled = _of_type(events, EventType.CONTEXT_COMPILED)
        step = replace(step, context=_context(compiled))
    rest = payload_rest(events)
    if rest:
        step = replace(step, details={**rest, **step.details})
    return _with_calls(step, _of_type(events, EventType.MODEL_CALLED), currency)


def _of_type(events: Iterable[TraceEvent], kind: EventType) -> list[TraceEvent]:
    return [event for event in events if event.event_type is kind]


# --- state and times ---


def _state(
    step_id: int,
    fields: Fields,
    events: Sequence[TraceEvent],
    problems: list[str],
) -> StateType:
    try:
        return StateType(str(fields.get("state_type")))
    except ValueError:
        state = _implied_state(events)
    if "state_type" in fields:
        stated = fields["state_type"]
        problems.append(f"step {step_id}: unknown state {stated!r}, taken as {state}")
    return state


def _implied_state(events: Sequence[TraceEvent]) -> StateType:
    for event in events:
        if event.event_type is EventType.TOOL_CALLED:
            tool_type = str(event.payload.get("tool_type"))
            return _STATE_OF_TOOL_TYPE.get(tool_type, StateType.API_CALL)
    for event in events:
        if event.event_type in _IMPLIED_STATE:
            return _IMPLIED_STATE[event.event_type]
    return StateType.OBSERVE


def _times(events: Sequence[TraceEvent], fields: Fields) -> dict[str, Any]:
    """Start and end from the first and last mark; `unfinished` without an end."""
    started = _of_type(events, EventType.STEP_STARTED)
    completed = _of_type(events, EventType.STEP_COMPLETED)
    times: dict[str, Any] = {}
    if started:
        times["start_time"] = fields.get("start_time") or started[0].timestamp
    if completed:
        times["end_time"] = fields.get("end_time") or completed[-1].timestamp
    elif started:
        times["status"] = UNFINISHED
    return times


# --- payloads without a field of their own ---


def _add_payloads(fields: dict[str, Any], events: Sequence[TraceEvent]) -> None:
    for kind, key in _DETAILS_KEYS.items():
        payloads = [dict(event.payload) for event in _of_type(events, kind)]
        if not payloads:
            continue
        fields.setdefault(key, payloads)
        if kind is EventType.VALIDATOR_CALLED:
            _add_issues(fields, payloads)


def _add_issues(fields: dict[str, Any], payloads: Sequence[Mapping[str, Any]]) -> None:
    """Add the issue counts of the validators, unless the step itself states them."""
    for name in ("issues_found", "issues_fixed_later"):
        numbers = [number_of(payload.get(name)) for payload in payloads]
        counts = [int(number) for number in numbers if number is not None]
        if counts and name not in fields:
            fields[name] = sum(counts)


def _context(events: Sequence[TraceEvent]) -> ContextBreakdown | None:
    """The contexts of the step's model calls together."""
    breakdowns: list[ContextBreakdown] = []
    for event in events:
        stated = event.payload.get("input_token_breakdown")
        breakdown = breakdown_of(stated or event.payload)
        if breakdown is not None:
            breakdowns.append(breakdown)
    if len(breakdowns) <= 1:
        return breakdowns[0] if breakdowns else None
    sums: dict[str, int] = {}
    for breakdown in breakdowns:
        for source, tokens in breakdown.items():
            name = f"{source}_tokens"
            sums[name] = sums.get(name, 0) + tokens
    is_estimated = any(breakdown.basis == "estimated" for breakdown in breakdowns)
    return ContextBreakdown(**sums, basis="estimated" if is_estimated else "measured")


# --- tools ---


def _with_tools(step: Step, events: Sequence[TraceEvent], currency: str) -> Step:
    """The step with its tool calls.

    Where the step states the cost itself, theirs is a part of it and adds nothing.
    """
    if not events:
        return step
    table = STATE_FIELDS[step.state_type]
    tools = [_tool(event, currency, table.tool_type) for event in events]
    part = table.cost_part or "tool"
    costs = step.costs
    if getattr(costs, part) is None:
        amounts = side_by_side(tool.tool_cost for tool in tools)
        if len(amounts) == 1:
            costs = replace(costs, **{part: amounts[0]})
    if len(step.tools) == 1 and len(tools) == 1:
        tools = [_completed(tools[0], step.tools[0])]
    return replace(step, tools=tuple(tools), costs=costs)


def _tool(event: TraceEvent, currency: str, tool_type: str) -> ToolEvent:
    own_currency = currency_of(event.payload.get("currency"))
    tool = tool_event(event.payload, currency=own_currency or currency)
    return replace(tool, tool_type=tool.tool_type or tool_type)


def _completed(tool: ToolEvent, of_step: ToolEvent) -> ToolEvent:
    """The call of an event, with figures it lacks from the fields of the step."""
    figures: dict[str, Any] = {}
    for name in _TOOL_FIGURES:
        if getattr(tool, name) is None:
            figures[name] = getattr(of_step, name)
    return replace(tool, **figures)


# --- model calls ---


def _with_calls(step: Step, events: Sequence[TraceEvent], currency: str) -> Step:
    """The step with usage, model and prices of its model calls.

    What the step states itself is compared with them.
    """
    if not events:
        return step
    counted = [_counted(event) for event in events]
    calls: list[ModelCall] = []
    for event, tokens in zip(events, counted, strict=True):
        calls.append(_call(event, tokens, currency))
    usages = [call.usage for call in calls if call.usage is not None]
    usage = sum_of_usages(usages)
    notes = list(step.usage_notes)
    statuses = {step.usage_status}
    for tokens in counted:
        notes += tokens.notes
        statuses.add(tokens.status)
    if step.usage is not None and usage is not None and step.usage != usage:
        statuses.add(UsageStatus.INCONSISTENT)
        notes.append(
            f"the step states {step.usage.total} tokens, its model calls {usage.total}"
        )
    status = UsageStatus.OK
    if UsageStatus.MALFORMED in statuses:
        status = UsageStatus.MALFORMED
    elif UsageStatus.INCONSISTENT in statuses:
        status = UsageStatus.INCONSISTENT
    elif len(usages) < len(calls):
        status = UsageStatus.MISSING
    is_single = len(calls) == 1
    reported = side_by_side(call.reported_cost for call in calls)
    reported_cost = step.reported_cost
    if reported_cost is None and len(reported) == 1:
        reported_cost = reported[0]
    models = {call.model_name or step.model_name for call in calls}
    providers = {call.provider or step.provider for call in calls}
    return replace(
        step,
        model_name=models.pop() if len(models) == 1 else step.model_name,
        provider=providers.pop() if len(providers) == 1 else step.provider,
        usage=usage or step.usage,
        usage_status=status,
        usage_notes=tuple(notes),
        reported_cost=reported_cost,
        price=step.price or (calls[0].price if is_single else None),
        calls=() if is_single else tuple(calls),
    )


def _counted(event: TraceEvent) -> CountedUsage:
    provider = text_of(event.payload.get("provider")) or ""
    return tokens_of(event.payload, CALL_FIELDS, provider=provider)


def _call(event: TraceEvent, counted: CountedUsage, currency: str) -> ModelCall:
    payload = event.payload
    currency = currency_of(payload.get("currency")) or currency
    provider = text_of(payload.get("provider")) or ""
    price = part_of(payload, "price") or part_of(payload, "price_snapshot")
    has_usage = counted.usage is not None
    return ModelCall(
        model_name=text_of(payload.get("model_name")) or text_of(payload.get("model")),
        provider=provider,
        usage=counted.usage,
        usage_status=counted.status if has_usage else UsageStatus.MISSING,
        latency_ms=number_of(payload.get("latency_ms")),
        reported_cost=money_of(payload.get("cost", payload.get("llm_cost")), currency),
        price=price_of(price, currency=currency),
    )
