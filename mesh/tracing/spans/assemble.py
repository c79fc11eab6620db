"""The spans of one trace -> a trace of steps, one step a span. Pure; the order of the spans means nothing.

Nothing is counted twice: a span that was exported twice counts once, and where a span and one below it both report
tokens, the upper figures are an aggregate and go to its details. The time of a container is what it spent outside the
spans it contains.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from judgemesh.contracts.trace_fields import STATE_FIELDS
from judgemesh.contracts.tracing import (
    ContextBreakdown,
    Costs,
    StateType,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.tracing.spans.context_sources import (
    Part,
    allot,
    estimate,
    estimated_tokens,
    weigh,
)
from judgemesh.mesh.tracing.spans.counts import Counted, Counts, canonical
from judgemesh.mesh.tracing.spans.span import Kind, Span, moment, money
from judgemesh.mesh.tracing.spans.tool_states import state_of_tool, type_of_state
from judgemesh.mesh.tracing.steps.packed import MANY, compact

_NS_A_MS: Final = 1e6
_LAST: Final = 2**63
_COUNTING: Final = frozenset({Kind.MODEL, Kind.EMBEDDING})
_STATES: Final[Mapping[str, StateType]] = {
    Kind.MODEL: StateType.THINK,
    Kind.EMBEDDING: StateType.RETRIEVE,
    Kind.RETRIEVER: StateType.RETRIEVE,
    Kind.VALIDATOR: StateType.VALIDATE,
    Kind.CONTAINER: StateType.OBSERVE,
}


@dataclass(slots=True)
class _Family:
    """The spans in order, and who belongs to whom."""

    spans: list[Span]
    step_ids: dict[str, int]
    children: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])
    aggregates: set[str] = field(default_factory=set[str])
    tools: dict[str, Span] = field(default_factory=dict[str, Span])


def assemble_spans(trace_id: str, bodies: Iterable[Mapping[str, Any]]) -> Trace:
    """The trace of these spans, given as `Span.body()`s in any order."""
    given = _given(bodies)
    twice = len(given)
    spans = _once(given)
    given.clear()
    twice -= len(spans)
    family = _family(spans)
    last_model = next(
        (span.span_id for span in reversed(spans) if span.kind == Kind.MODEL), None
    )
    flow = _flow(family)
    starts = [span.start_ns for span in spans if span.start_ns]
    ends = [span.end_ns for span in spans if span.end_ns]
    start, end = moment(min(starts, default=None)), moment(max(ends, default=None))
    roots = [span for span in spans if span.parent_id not in family.step_ids]
    named = {
        name: _first(roots, name) or _first(spans, name)
        for name in ("task_id", "agent_id", "skill_id")
    }
    return Trace(
        trace_id=trace_id,
        steps=compact(
            _step(span, family, flow, is_last=span.span_id == last_model)
            for span in spans
        ),
        task_id=named["task_id"],
        agent_id=named["agent_id"],
        skill_id=named["skill_id"],
        start_time=start,
        end_time=end,
        latency_ms=None
        if start is None or end is None
        else max(0.0, (max(ends) - min(starts)) / _NS_A_MS),
        status="error" if any(span.status == "error" for span in roots) else "success",
        problems=(f"{twice} spans came more than once and count once",)
        if twice
        else (),
    )


def _given(bodies: Iterable[Mapping[str, Any]]) -> list[Span]:
    """The spans; from many on, each with only that in memory which the others need."""
    spans: list[Span] = []
    for body in bodies:
        spans.append(Span(**body))
        if len(spans) == MANY:
            for span in spans:
                span.fold()
        elif len(spans) > MANY:
            spans[-1].fold()
    return spans


def _once(given: Sequence[Span]) -> list[Span]:
    """One span for each id, the one that says most, in the order of time. Whatever the order of `given`."""
    best: dict[str, Span] = {}
    for span in given:
        other = best.setdefault(span.span_id, span)
        if other is not span and _said(span) > _said(other):
            best[span.span_id] = span
    return sorted(best.values(), key=_in_time)


def _said(span: Span) -> tuple[int, str]:
    """How much a span says; the text settles a draw."""
    text = json.dumps(span.opened().body(), sort_keys=True, default=str)
    return (span.end_ns or 0, f"{len(text):012}{text}")


def _in_time(span: Span) -> tuple[int, int, int, int, str]:
    start = span.start_ns or span.end_ns or _LAST
    return (
        span.order,
        start,
        span.kind != Kind.CONTAINER,
        -(span.end_ns or 0),
        span.span_id,
    )


def _family(spans: list[Span]) -> _Family:
    family = _Family(
        spans, {span.span_id: number for number, span in enumerate(spans, start=1)}
    )
    by_id = {span.span_id: span for span in spans}
    family.tools.update(
        (span.call_id, span)
        for span in spans
        if span.kind == Kind.TOOL and span.call_id
    )
    for span in spans:
        if span.parent_id in by_id and span.parent_id != span.span_id:
            family.children.setdefault(span.parent_id, []).append(span)
    for span in spans:
        if span.counts is None:
            continue
        seen = {span.span_id}
        above = by_id.get(span.parent_id or "")
        while above is not None and above.span_id not in seen:
            seen.add(above.span_id)
            # An embedding below a model call is its own expense; below a container everything is a part of it.
            if above.counts is not None and (
                above.kind not in _COUNTING or span.kind == above.kind
            ):
                family.aggregates.add(above.span_id)
            above = by_id.get(above.parent_id or "")
    return family


def _flow(family: _Family) -> dict[str, int]:
    """How much of each tool result entered a model's context first, by call id, in tokens."""
    entered: dict[str, int] = {}
    for span in (span.opened() for span in family.spans if span.kind == Kind.MODEL):
        if span.span_id in family.aggregates or not span.sent:
            continue
        fresh = [
            call_id
            for _, _, call_id, _ in span.sent
            if call_id in family.tools and call_id not in entered
        ]
        if fresh:
            entered.update(_tokens_of_parts(span, fresh))
    return entered


def _tokens_of_parts(span: Span, call_ids: Sequence[str | None]) -> dict[str, int]:
    counted = _counted_input(span)
    weights = {str(number): part[1] for number, part in enumerate(span.sent)}
    tokens = allot(counted, weights)
    found: dict[str, int] = {}
    for number, (_, _, call_id, _) in enumerate(span.sent):
        if call_id is not None and call_id in call_ids:
            found[call_id] = found.get(call_id, 0) + tokens[str(number)]
    return found


def _counted_input(span: Span) -> int | None:
    usage = canonical(Counts(**span.counts))[0] if span.counts is not None else None
    return usage.input_total if usage is not None and usage.input_total > 0 else None


def _step(
    span: Span, family: _Family, flow: Mapping[str, int], *, is_last: bool
) -> Step:
    whole = span.opened()
    # Its step is all that the rest of a span is good for.
    span.folded = None
    span = whole
    aggregate = span.span_id in family.aggregates
    counting = span.kind in _COUNTING
    counted: Counted = (None, UsageStatus.NONE, ())
    if not aggregate and _is_called(span):
        counted = canonical(Counts(**(span.counts or {})))
    usage, status, notes = counted
    details = span.details
    span.details = {}
    if span.name:
        details.setdefault("span_name", span.name)
    if aggregate:
        details["aggregate_usage"] = dict((span.counts or {}).get("raw") or {})
        if span.cost is not None:
            details["aggregate_cost"] = span.cost
    state = _state(span, is_last=is_last and not aggregate)
    return Step(
        trace_id=span.trace_id,
        step_id=family.step_ids[span.span_id],
        parent_step_id=family.step_ids.get(span.parent_id or ""),
        state_type=state,
        agent_id=span.agent_id,
        skill_id=span.skill_id,
        model_name=span.model_name if counting or usage is not None else None,
        provider=span.provider,
        start_time=moment(span.start_ns),
        end_time=moment(span.end_ns),
        latency_ms=_latency_ms(span, family),
        status=span.status,
        error_type=span.error_type,
        usage=usage,
        usage_status=status,
        usage_notes=notes,
        costs=_costs(span, state),
        reported_cost=money(span.cost, span.currency)
        if not aggregate and _is_called(span)
        else None,
        context=None if aggregate else _context(span, usage, family),
        tools=_tools(span, state, flow),
        details=details,
    )


def _is_called(span: Span) -> bool:
    return span.kind in _COUNTING or span.counts is not None


def _costs(span: Span, state: StateType) -> Costs:
    """What a tool's call cost, in the part of the bill where its state belongs."""
    cost = None if _is_called(span) else money(span.cost, span.currency)
    return (
        Costs()
        if cost is None
        else Costs(**{STATE_FIELDS[state].cost_part or "tool": cost})
    )


def _state(span: Span, *, is_last: bool) -> StateType:
    if span.state is not None:
        return StateType(span.state)
    if span.kind == Kind.TOOL:
        return state_of_tool(span.tool_name or span.name, span.tool_type)
    if (
        span.kind == Kind.MODEL
        and is_last
        and not span.asks_tool
        and span.status == "success"
    ):
        return StateType.FINALIZE
    return _STATES[span.kind]


def _latency_ms(span: Span, family: _Family) -> float | None:
    if span.start_ns is None or span.end_ns is None:
        return None
    spent = span.end_ns - span.start_ns
    if span.kind == Kind.CONTAINER:
        spent -= _covered(
            span.start_ns, span.end_ns, family.children.get(span.span_id, ())
        )
    return max(0, spent) / _NS_A_MS


def _covered(start: int, end: int, children: Iterable[Span]) -> int:
    """How much of a time the children fill together, overlaps once."""
    covered, reached = 0, start
    for begin, stop in sorted(
        (child.start_ns or 0, child.end_ns or 0) for child in children
    ):
        begin, stop = max(begin, reached), min(stop, end)  # noqa: PLW2901 (clipped to what is left)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered


def _context(
    span: Span, usage: Usage | None, family: _Family
) -> ContextBreakdown | None:
    if not span.sent:
        return None
    weights = weigh(
        (part, _tool_state(part, family))
        for part in (Part(*sent) for sent in span.sent)
    )
    return estimate(
        weights,
        usage.input_total if usage is not None and usage.input_total > 0 else None,
    )


def _tool_state(part: Part, family: _Family) -> StateType | None:
    called = family.tools.get(part.call_id or "")
    if called is not None:
        return _state(called, is_last=False)
    return None if part.tool_name is None else state_of_tool(part.tool_name)


def _tools(
    span: Span, state: StateType, flow: Mapping[str, int]
) -> tuple[ToolEvent, ...]:
    if span.kind not in {Kind.TOOL, Kind.RETRIEVER}:
        return ()
    request, response = span.arguments_weight, span.result_weight
    return (
        ToolEvent(
            tool_name=span.tool_name or span.name,
            tool_type=type_of_state(state) or span.tool_type,
            request_tokens=None if request is None else estimated_tokens(request),
            response_tokens_raw=None
            if response is None
            else estimated_tokens(response),
            tokens_sent_to_next_llm=flow.get(span.call_id or ""),
            tool_latency_ms=None
            if span.start_ns is None or span.end_ns is None
            else max(0, span.end_ns - span.start_ns) / _NS_A_MS,
            tool_cost=None if _is_called(span) else money(span.cost, span.currency),
            status=span.status,
            call_id=span.call_id,
            arguments_digest=span.arguments_digest,
        ),
    )


def _first(spans: Iterable[Span], name: str) -> str | None:
    return next((value for span in spans if (value := getattr(span, name))), None)
