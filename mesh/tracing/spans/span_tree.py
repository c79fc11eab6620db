"""The spans of one trace, each once and in order, and which of them belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from judgemesh.mesh.pricing.usage import counted_usage
from judgemesh.mesh.pricing.usage_shapes import TokenCounts
from judgemesh.mesh.tracing.spans.context_sources import allot
from judgemesh.mesh.tracing.spans.figures import FigureTable
from judgemesh.mesh.tracing.spans.set_aside import Aside, SetAside
from judgemesh.mesh.tracing.spans.span import Span, SpanKind
from judgemesh.mesh.tracing.spans.span_copies import merged_copies
from judgemesh.mesh.tracing.steps.packed import MAX_UNPACKED

_NO_TIME: Final = 2**63


@dataclass(slots=True)
class SpanTree:
    """The spans in order and their relations.

    step_ids: the number of each span's step, from 1.
    children: the spans directly below a span.
    aside: why the figures of a span do not count, by its id: another span has them.
    repeats: the span that counts, by the id of a span that repeats its call.
    tools: the span of each tool call, by call id.
    plumbing: how many spans make no step. plumbing_tokens: the tokens that they repeat.
    copies: how many spans came again. copied_tokens: the tokens that they report.
    """

    spans: list[Span]
    plumbing: int = 0
    plumbing_tokens: int = 0
    copies: int = 0
    copied_tokens: int = 0
    step_ids: dict[str, int] = field(default_factory=dict[str, int])
    children: dict[str, list[Span]] = field(default_factory=dict[str, list[Span]])
    aside: dict[str, Aside] = field(default_factory=dict[str, Aside])
    repeats: dict[str, str] = field(default_factory=dict[str, str])
    figures: FigureTable = field(default_factory=FigureTable)
    tools: dict[str, Span] = field(default_factory=dict[str, Span])

    def roots(self) -> list[Span]:
        """The spans whose parent is not in the trace."""
        return [span for span in self.spans if span.parent_id not in self.step_ids]


def span_tree(bodies: Iterable[Mapping[str, Any]]) -> SpanTree:
    """The tree of spans, given as `Span.body()`s in any order."""
    copies_by_id: dict[str, list[Span]] = {}
    for span in _read(bodies):
        copies_by_id.setdefault(span.span_id, []).append(span)
    spans: list[Span] = []
    read = 0
    copied_tokens = 0
    for copies in copies_by_id.values():
        read += len(copies)
        spans.append(copies[0] if len(copies) == 1 else merged_copies(copies))
        for copy in copies[1:]:
            copied_tokens += FigureTable().tokens(copy)
    spans.sort(key=_order)
    tree = SpanTree(spans, copies=read - len(spans), copied_tokens=copied_tokens)
    aside = SetAside(spans, tree.figures)
    tree.aside, tree.repeats = aside.reasons, aside.repeats
    _drop_plumbing(tree)
    by_id: dict[str, Span] = {}
    for number, span in enumerate(tree.spans, start=1):
        by_id[span.span_id] = span
        tree.step_ids[span.span_id] = number
        if span.kind == SpanKind.TOOL and span.call_id:
            tree.tools[span.call_id] = span
    for span in tree.spans:
        if span.parent_id in by_id and span.parent_id != span.span_id:
            tree.children.setdefault(span.parent_id, []).append(span)
    return tree


def _drop_plumbing(tree: SpanTree) -> None:
    """Take out what makes no step; the spans below it go to the one above it."""
    by_id = {span.span_id: span for span in tree.spans}
    dropped: dict[str, Span] = {}
    for span in tree.spans:
        own = span.counts is not None and span.span_id not in tree.aside
        if span.is_plumbing and span.parent_id in by_id and not own:
            dropped[span.span_id] = span
    if not dropped:
        return
    kept = [span for span in tree.spans if span.span_id not in dropped]
    for span in kept:
        seen: set[str] = set()
        while span.parent_id in dropped and span.parent_id not in seen:
            seen.add(span.parent_id)
            span.parent_id = dropped[span.parent_id].parent_id
    for span in dropped.values():
        tree.plumbing_tokens += tree.figures.tokens(span)
        tree.aside.pop(span.span_id, None)
        for name in ("task_id", "agent_id", "conversation_id"):
            if kept and getattr(kept[0], name) is None:
                setattr(kept[0], name, getattr(span, name))
    tree.plumbing = len(dropped)
    tree.spans = kept


def _read(bodies: Iterable[Mapping[str, Any]]) -> list[Span]:
    """The spans. Of many, each keeps in memory only what the others need."""
    spans: list[Span] = []
    for body in bodies:
        spans.append(Span(**body))
        if len(spans) == MAX_UNPACKED:
            for span in spans:
                span.fold()
        elif len(spans) > MAX_UNPACKED:
            spans[-1].fold()
    return spans


def _order(span: Span) -> tuple[int, int, bool, bool, int, str]:
    start = span.start_ns or span.end_ns or _NO_TIME
    is_operation = span.kind != SpanKind.CONTAINER
    follows = (is_operation, span.kind == SpanKind.TOOL)
    return (span.order, start, *follows, -(span.end_ns or 0), span.span_id)


@dataclass(slots=True)
class SentOn:
    """A tool result in the input of a model call: its tokens there, and its bytes."""

    tokens: int = 0
    weight: int = 0


def tokens_sent_on(tree: SpanTree) -> dict[str, SentOn]:
    """Each tool result in the first model call it was sent to.

    By call id. Results that no model call was sent are absent.
    """
    sent_on: dict[str, SentOn] = {}
    for folded in tree.spans:
        if folded.kind != SpanKind.MODEL or folded.span_id in tree.aside:
            continue
        span = folded.unfolded()
        new: set[str] = set()
        for _, _, call_id, _ in span.sent:
            if call_id in tree.tools and call_id not in sent_on:
                new.add(call_id)
        if new:
            sent_on.update(_tokens_of_results(span, new))
    return sent_on


def _tokens_of_results(span: Span, call_ids: set[str]) -> dict[str, SentOn]:
    """The tokens that the results of these calls take in a model call's input."""
    weights: dict[str, int] = {}
    for number, (_, weight, _, _) in enumerate(span.sent):
        weights[str(number)] = weight
    tokens = allot(counted_input(span), weights)
    totals: dict[str, SentOn] = {}
    for number, (_, weight, call_id, _) in enumerate(span.sent):
        if call_id is not None and call_id in call_ids:
            total = totals.setdefault(call_id, SentOn())
            total.tokens += tokens[str(number)]
            total.weight += weight
    return totals


def counted_input(span: Span) -> int | None:
    """The input tokens that were counted for a model call; None for none."""
    if span.counts is None:
        return None
    usage = counted_usage(TokenCounts(**span.counts)).usage
    return (usage.input_total or None) if usage is not None else None
