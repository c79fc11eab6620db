"""Model calls that two instrumentations recorded, each as a span of its own. Pure.

Two spans are the same call where they share the id of the response, or where they are of
different instrumentations, one took place within the time of the other, and their
figures are equal. Calls that one instrumentation recorded side by side are calls of
their own, whatever their figures: a call has one span of each instrumentation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from judgemesh.mesh.tracing.spans.figures import FigureTable
from judgemesh.mesh.tracing.spans.miscounts import MISCOUNTING
from judgemesh.mesh.tracing.spans.span import COUNTING, Span


def same_calls(spans: Sequence[Span], figures: FigureTable) -> dict[str, str]:
    """The id of each span that repeats a call -> the id of the span that counts."""
    by_id = {span.span_id: span for span in spans}
    calls = [span for span in spans if span.kind in COUNTING]
    repeats: dict[str, str] = {}
    for group in (*_by_response(calls, by_id, figures), *_by_time(calls, figures)):
        open_spans = [span for span in group if span.span_id not in repeats]
        best = max(open_spans, key=lambda span: _richness(span, figures), default=None)
        for span in open_spans:
            if best is not None and span is not best:
                repeats[span.span_id] = best.span_id
    return {span_id: _last(repeats, span_id) for span_id in repeats}


def _last(repeats: Mapping[str, str], span_id: str) -> str:
    """The span that counts, over any number of links."""
    while span_id in repeats:
        span_id = repeats[span_id]
    return span_id


def _richness(span: Span, figures: FigureTable) -> tuple[bool, int, int, int, str]:
    """How much a span says of the call; the rest makes the order certain."""
    counted = figures.how_many(span)
    is_exact = counted > 0 and span.scope not in MISCOUNTING
    said = len(span.sent) + bool(span.asks_tool)
    return (is_exact, counted, said, span.start_ns or 0, span.span_id)


# --- by the id of the response ---


def _by_response(
    calls: Iterable[Span], by_id: Mapping[str, Span], figures: FigureTable
) -> Iterator[list[Span]]:
    by_response: dict[str, list[Span]] = {}
    for span in calls:
        if span.response_id:
            by_response.setdefault(span.response_id, []).append(span)
    for spans in by_response.values():
        # A server may give one id to all its responses: not all of them are one call.
        groups: list[list[Span]] = []
        for span in spans:
            group = _group_of(span, groups, by_id, figures)
            if group is None:
                groups.append([span])
            else:
                group.append(span)
        yield from (group for group in groups if len(group) > 1)


def _group_of(
    span: Span,
    groups: Iterable[list[Span]],
    by_id: Mapping[str, Span],
    figures: FigureTable,
) -> list[Span] | None:
    for group in groups:
        if any(_is_above(one, span, by_id) for one in group):
            return group
        if all(_are_of_one_response(one, span, figures) for one in group):
            return group
    return None


def _is_above(one: Span, other: Span, by_id: Mapping[str, Span]) -> bool:
    return _has_above(one, other.span_id, by_id) or _has_above(
        other, one.span_id, by_id
    )


def _has_above(span: Span, wanted: str, by_id: Mapping[str, Span]) -> bool:
    seen: set[str] = set()
    above = span.parent_id
    while above is not None and above not in seen:
        if above == wanted:
            return True
        seen.add(above)
        parent = by_id.get(above)
        above = None if parent is None else parent.parent_id
    return False


def _are_of_one_response(one: Span, other: Span, figures: FigureTable) -> bool:
    """Whether two spans with one response id, neither above the other, are one call."""
    if one.scope and other.scope:
        return one.scope != other.scope
    return _is_within(one, other) and figures.agree(one, other)


# --- by time and figures ---


def _by_time(calls: Sequence[Span], figures: FigureTable) -> Iterator[list[Span]]:
    """Pairs of spans of different instrumentations, each span in one pair at most."""
    if len({span.scope for span in calls if span.scope}) < 2:
        return
    timed = [span for span in calls if span.scope and span.start_ns and span.end_ns]
    timed.sort(key=lambda span: (span.start_ns or 0, -(span.end_ns or 0), span.span_id))
    paired: set[str] = set()
    active: list[Span] = []
    for span in timed:
        start = span.start_ns or 0
        active = [one for one in active if (one.end_ns or 0) >= start]
        for one in active:
            if one.span_id not in paired and _are_one_call(one, span, figures):
                paired.update((one.span_id, span.span_id))
                yield [one, span]
                break
        active.append(span)


def _are_one_call(one: Span, other: Span, figures: FigureTable) -> bool:
    """Whether two spans without a common response id are one call."""
    both_named = bool(one.response_id and other.response_id)
    if both_named or one.scope == other.scope or one.kind != other.kind:
        return False
    is_alike = _is_within(one, other) and _models_fit(one, other)
    return is_alike and figures.agree(one, other)


def _is_within(one: Span, other: Span) -> bool:
    """Whether one of them took place within the time of the other."""
    times = (one.start_ns, one.end_ns, other.start_ns, other.end_ns)
    if None in times:
        return False
    start, end, other_start, other_end = (time or 0 for time in times)
    inside = start <= other_start and other_end <= end
    return inside or (other_start <= start and end <= other_end)


def _models_fit(one: Span, other: Span) -> bool:
    """Whether the names may be of one model: instrumentations add dates and providers."""
    first = (one.model_name or "").rpartition("/")[2].lower()
    second = (other.model_name or "").rpartition("/")[2].lower()
    return first.startswith(second) or second.startswith(first)
