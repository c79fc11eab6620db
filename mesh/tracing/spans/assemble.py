"""The spans of one trace -> a trace of steps, one step a span. Pure.

The order in which the spans come has no effect. Nothing is counted twice: a span that
was exported twice counts once. Where a span and one below it both report tokens, the
figures of the upper one are an aggregate: they are kept in its details. The time of a
container is what it spent outside the spans it contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from judgemesh.mesh.pricing.usage import CountedUsage, counted_usage
from judgemesh.mesh.pricing.usage_shapes import TokenCounts
from judgemesh.mesh.tracing.spans.context_sources import (
    ContextPart,
    estimate,
    estimated_tokens,
    weigh,
)
from judgemesh.mesh.tracing.spans.span import Span, SpanKind, moment, money
from judgemesh.mesh.tracing.spans.span_tree import (
    COUNTING,
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
    tree = span_tree(bodies)
    roots = tree.roots()
    starts = [span.start_ns for span in tree.spans if span.start_ns]
    ends = [span.end_ns for span in tree.spans if span.end_ns]
    start = moment(min(starts, default=None))
    end = moment(max(ends, default=None))
    latency_ms = None
    if start is not None and end is not None:
        latency_ms = max(0.0, (max(ends) - min(starts)) / _NS_A_MS)
    problems: tuple[str, ...] = ()
    if tree.duplicates:
        problems = (f"{tree.duplicates} spans came more than once and count once",)
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
        problems=problems,
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


def _steps(tree: SpanTree) -> Iterable[Step]:
    sent_on = tokens_sent_on(tree)
    models = [span.span_id for span in tree.spans if span.kind == SpanKind.MODEL]
    last_model = models[-1] if models else None
    for span in tree.spans:
        unfolded = span.unfolded()
        span.folded = None
        is_last = span.span_id == last_model
        yield _step(unfolded, tree, sent_on, is_last=is_last)


def _step(
    span: Span, tree: SpanTree, sent_on: Mapping[str, SentOn], *, is_last: bool
) -> Step:
    is_aggregate = span.span_id in tree.aggregates
    is_paid = _is_model_call(span) and not is_aggregate
    counted = CountedUsage(None, UsageStatus.NONE)
    if is_paid:
        counted = counted_usage(TokenCounts(**(span.counts or {})))
    usage = counted.usage
    names_model = span.kind in COUNTING or usage is not None
    state = _state(span, is_last=is_last and not is_aggregate)
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
        context=None if is_aggregate else _context(span, usage, tree),
        tools=_tools(span, state, sent_on),
        details=_details(span, is_aggregate=is_aggregate),
    )


def _details(span: Span, *, is_aggregate: bool) -> dict[str, Any]:
    """What the span says beyond the fields of a step, and the figures of an aggregate."""
    details = span.details
    if span.name:
        details.setdefault("span_name", span.name)
    if is_aggregate:
        counts = span.counts or {}
        details["aggregate_usage"] = dict(counts.get("raw") or {})
        if span.cost is not None:
            details["aggregate_cost"] = span.cost
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
