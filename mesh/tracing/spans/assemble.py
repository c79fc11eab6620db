"""The spans of one trace -> a trace of steps, one step a span. Pure.

The order in which the spans come has no effect. Nothing is counted twice: a span that
was exported twice counts once, and so does a call that two instrumentations recorded.
Figures that repeat those of other spans are kept in the details of their step
(`set_aside.py`), and `Trace.set_aside` adds them up. The time of a container is what it
spent outside the spans it contains.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from judgemesh.contracts.trace_fields import STATE_FIELDS
from judgemesh.contracts.tracing import (
    CAME_AGAIN,
    ContextBreakdown,
    Costs,
    SetAside,
    StateType,
    Step,
    ToolEvent,
    Trace,
    UsageStatus,
)
from judgemesh.contracts.usage import Usage
from judgemesh.mesh.pricing.usage import CountedUsage, counted_usage
from judgemesh.mesh.pricing.usage_shapes import TokenCounts
from judgemesh.mesh.tracing.spans.context_sources import (
    ContextPart,
    estimate,
    estimated_tokens,
    weigh,
)
from judgemesh.mesh.tracing.spans.json_values import JsonObject
from judgemesh.mesh.tracing.spans.miscounts import WHY_AT_MOST, output_is_at_most
from judgemesh.mesh.tracing.spans.set_aside import Aside
from judgemesh.mesh.tracing.spans.span import COUNTING, Span, SpanKind, moment, money
from judgemesh.mesh.tracing.spans.span_tree import (
    SentOn,
    SpanTree,
    span_tree,
    tokens_sent_on,
)
from judgemesh.mesh.tracing.spans.tool_states import state_of_tool, type_of_state
from judgemesh.mesh.tracing.steps.packed import compact

_NS_A_MS: Final = 1e6
_STATES: Final[Mapping[str, StateType]] = {
    SpanKind.MODEL: StateType.THINK,
    SpanKind.EMBEDDING: StateType.RETRIEVE,
    SpanKind.RETRIEVER: StateType.RETRIEVE,
    SpanKind.VALIDATOR: StateType.VALIDATE,
    SpanKind.CONTAINER: StateType.OBSERVE,
}


def assemble_spans(trace_id: str, bodies: Iterable[Mapping[str, Any]]) -> Trace:
    """The trace of these spans, given as `Span.body()`s in any order."""
    resources: dict[str, JsonObject] = {}
    tree = span_tree(_spans_of(bodies, resources))
    roots = tree.roots()
    starts = [span.start_ns for span in tree.spans if span.start_ns]
    ends = [span.end_ns for span in tree.spans if span.end_ns]
    start = moment(min(starts, default=None))
    end = moment(max(ends, default=None))
    latency_ms = None
    if start is not None and end is not None:
        latency_ms = max(0.0, (max(ends) - min(starts)) / _NS_A_MS)
    failed = any(span.status == "error" for span in roots)
    return Trace(
        trace_id=trace_id,
        task_id=_first_value(roots, tree, "task_id"),
        agent_id=_first_value(roots, tree, "agent_id"),
        skill_id=_first_value(roots, tree, "skill_id"),
        start_time=start,
        end_time=end,
        latency_ms=latency_ms,
        status="error" if failed else "success",
        set_aside=tuple(_set_aside(tree)),
        details=_trace_details(resources, _first_value(roots, tree, "conversation_id")),
        # Last: a span gives up what only its step needs when its step is made.
        steps=compact(_steps(tree)),
    )


def _first_value(roots: list[Span], tree: SpanTree, name: str) -> str | None:
    """The first value that a root, or else any span, has."""
    for span in (*roots, *tree.spans):
        value: str | None = getattr(span, name)
        if value:
            return value
    return None


def _spans_of(
    bodies: Iterable[Mapping[str, Any]], resources: dict[str, JsonObject]
) -> Iterable[Mapping[str, Any]]:
    """The spans; the resources among them (`{"resource": ...}`) go to `resources`."""
    for body in bodies:
        if "resource" in body:
            text = json.dumps(body["resource"], sort_keys=True, default=str)
            resources[text] = body["resource"]
        else:
            yield body


def _trace_details(
    resources: Mapping[str, JsonObject], conversation_id: str | None
) -> dict[str, Any]:
    details: dict[str, Any] = {}
    if resources:
        details["resources"] = [resources[text] for text in sorted(resources)]
    if conversation_id:
        details["conversation_id"] = conversation_id
    return details


def _set_aside(tree: SpanTree) -> Iterable[SetAside]:
    """What does not count, by reason, in the order of their names."""
    if tree.copies:
        yield SetAside(reason=CAME_AGAIN, spans=tree.copies, tokens=tree.copied_tokens)
    if tree.plumbing:
        yield SetAside(
            reason=Aside.PLUMBING, spans=tree.plumbing, tokens=tree.plumbing_tokens
        )
    spans: dict[str, int] = {}
    tokens: dict[str, int] = {}
    for span in tree.spans:
        reason = str(tree.aside.get(span.span_id, span.unpaid_reason))
        if reason:
            unpaid = counted_usage(TokenCounts(**span.unpaid)) if span.unpaid else None
            held = tree.figures.tokens(span)
            if unpaid is not None and unpaid.usage is not None:
                held += unpaid.usage.total
            spans[reason] = spans.get(reason, 0) + 1
            tokens[reason] = tokens.get(reason, 0) + held
    for reason, count in sorted(spans.items()):
        yield SetAside(reason=reason, spans=count, tokens=tokens[reason], steps=count)


def _steps(tree: SpanTree) -> Iterable[Step]:
    sent_on = tokens_sent_on(tree)
    last_model: str | None = None
    for span in tree.spans:
        if span.kind == SpanKind.MODEL and span.span_id not in tree.aside:
            last_model = span.span_id
    for span in tree.spans:
        unfolded = span.unfolded()
        span.folded = None
        is_last = span.span_id == last_model
        yield _step(unfolded, tree, sent_on, is_last=is_last)


def _step(
    span: Span, tree: SpanTree, sent_on: Mapping[str, SentOn], *, is_last: bool
) -> Step:
    aside = tree.aside.get(span.span_id)
    is_paid = _is_model_call(span) and aside is None
    counted = CountedUsage(None, UsageStatus.NONE)
    if is_paid:
        counted = counted_usage(TokenCounts(**(span.counts or {})))
        if output_is_at_most(span):
            counted = _at_most(counted)
    usage = counted.usage
    names_model = span.kind in COUNTING or usage is not None
    state = _state(span, is_last=is_last)
    if aside is not None and span.kind == SpanKind.MODEL and span.state is None:
        state = StateType.OBSERVE  # the step of the call itself is another one
    return Step(
        trace_id=span.trace_id,
        step_id=tree.step_ids[span.span_id],
        parent_step_id=tree.step_ids.get(span.parent_id or ""),
        state_type=state,
        agent_id=span.agent_id,
        skill_id=span.skill_id,
        model_name=span.model_name if names_model else None,
        provider=span.provider,
        start_time=moment(span.start_ns),
        end_time=moment(span.end_ns),
        latency_ms=_own_time_ms(span, tree),
        status=span.status,
        error_type=span.error_type,
        usage=usage,
        usage_status=counted.status,
        usage_notes=counted.notes,
        costs=_tool_costs(span, state),
        reported_cost=money(span.cost, span.currency) if is_paid else None,
        context=None if aside is not None else _context(span, usage, tree),
        tools=_tools(span, state, sent_on),
        content=span.content,
        details=_details(span, aside, tree),
    )


def _at_most(counted: CountedUsage) -> CountedUsage:
    if counted.usage is None:
        return counted
    usage = replace(counted.usage, output_is_at_most=True)
    return replace(counted, usage=usage, notes=(*counted.notes, WHY_AT_MOST))


def _details(span: Span, aside: Aside | None, tree: SpanTree) -> dict[str, Any]:
    """What the span says beyond the fields of a step, and figures that do not count."""
    details = span.details
    if span.name:
        details.setdefault("span_name", span.name)
    if span.response_id:
        details.setdefault("response_id", span.response_id)
    if aside is not None:
        details["set_aside"] = str(aside)
        if span.counts is not None:
            details["aggregate_usage"] = dict(span.counts.get("raw") or {})
        if span.cost is not None:
            details["aggregate_cost"] = span.cost
    if span.span_id in tree.repeats:
        details["same_call_as"] = tree.step_ids[tree.repeats[span.span_id]]
    return details


def _is_model_call(span: Span) -> bool:
    return span.kind in COUNTING or span.counts is not None


def _tool_costs(span: Span, state: StateType) -> Costs:
    """What a tool's call cost, in the part of the bill to which its state belongs."""
    cost = None if _is_model_call(span) else money(span.cost, span.currency)
    if cost is None:
        return Costs()
    return Costs(**{STATE_FIELDS[state].cost_part or "tool": cost})


def _state(span: Span, *, is_last: bool) -> StateType:
    if span.state is not None:
        return StateType(span.state)
    if span.kind == SpanKind.TOOL:
        return state_of_tool(span.tool_name or span.name, span.tool_type)
    answers = span.kind == SpanKind.MODEL and not span.asks_tool
    if answers and is_last and span.status == "success":
        return StateType.FINALIZE
    return _STATES[span.kind]


def _own_time_ms(span: Span, tree: SpanTree) -> float | None:
    """How long the span took; a container without the spans it contains."""
    if span.start_ns is None or span.end_ns is None:
        return None
    spent = span.end_ns - span.start_ns
    if span.kind == SpanKind.CONTAINER:
        children = tree.children.get(span.span_id, ())
        spent -= _covered_ns(span.start_ns, span.end_ns, children)
    return max(0, spent) / _NS_A_MS


def _covered_ns(start: int, end: int, children: Iterable[Span]) -> int:
    """How much of a time its children fill together; overlaps count once."""
    times = sorted((child.start_ns or 0, child.end_ns or 0) for child in children)
    covered = 0
    reached = start
    for child_start, child_end in times:
        begin = max(child_start, reached)
        stop = min(child_end, end)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered


def _context(
    span: Span, usage: Usage | None, tree: SpanTree
) -> ContextBreakdown | None:
    if not span.sent:
        return None
    parts = [ContextPart(*sent) for sent in span.sent]
    weights = weigh((part, _state_of_result(part, tree)) for part in parts)
    counted = None if usage is None else usage.input_total
    return estimate(weights, counted or None)


def _state_of_result(part: ContextPart, tree: SpanTree) -> StateType | None:
    """The state of the tool call whose result a part is; None for other parts."""
    tool = tree.tools.get(part.call_id or "")
    if tool is not None:
        return _state(tool, is_last=False)
    return None if part.tool_name is None else state_of_tool(part.tool_name)


def _tools(
    span: Span, state: StateType, sent_on: Mapping[str, SentOn]
) -> tuple[ToolEvent, ...]:
    if span.kind not in {SpanKind.TOOL, SpanKind.RETRIEVER}:
        return ()
    latency_ms = None
    if span.start_ns is not None and span.end_ns is not None:
        latency_ms = max(0, span.end_ns - span.start_ns) / _NS_A_MS
    cost = None if _is_model_call(span) else money(span.cost, span.currency)
    sent = sent_on.get(span.call_id or "")
    tool = ToolEvent(
        tool_name=span.tool_name or span.name,
        tool_type=type_of_state(state) or span.tool_type,
        request_tokens=_tokens(span.arguments_weight),
        response_tokens_raw=_raw_tokens(span, sent),
        tokens_sent_to_next_llm=None if sent is None else sent.tokens,
        tool_latency_ms=latency_ms,
        tool_cost=cost,
        status=span.status,
        call_id=span.call_id,
        arguments_digest=span.arguments_digest,
        result_digest=span.result_digest,
        access=span.access,
    )
    return (tool,)


def _raw_tokens(span: Span, sent: SentOn | None) -> int | None:
    """The tokens of a result, in the measure of the call that it was sent to."""
    if sent is None or not sent.weight or span.result_weight is None:
        return _tokens(span.result_weight)
    return -(-sent.tokens * span.result_weight // sent.weight)


def _tokens(weight: int | None) -> int | None:
    return None if weight is None else estimated_tokens(weight)
