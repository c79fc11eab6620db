"""What stands above each span of a trace, in time that grows with the number of spans: chains may be very long. Pure.

Spans are linked by their parents' ids. The links of a broken trace may form a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from judgemesh.mesh.tracing.spans.span import Span

Above = tuple[int, Span | None]
"""How many spans of a kind are above a span, and the nearest of them."""


def spans_above(
    spans: Iterable[Span], by_id: Mapping[str, Span], is_one: Callable[[Span], bool]
) -> dict[str, Above]:
    """By span id: the spans above it for which `is_one` holds. None is above a span of a circle."""
    above: dict[str, Above] = {}
    into_circle: dict[str, Above] = {}
    for span in spans:
        path: dict[str, Span] = {}
        at: Span | None = span
        while at is not None and at.span_id not in above and at.span_id not in path:
            path[at.span_id] = at
            at = by_id.get(at.parent_id or "")
        found: Above = (0, None)
        if at is not None and at.span_id in path:
            circle = _circle(path, at)
            into_circle |= _entered(circle, is_one)
            for one in circle:
                above[one.span_id] = (0, None)
                del path[one.span_id]
        if at is not None:
            found = into_circle.get(at.span_id) or _with(at, above[at.span_id], is_one)
        for one in reversed(path.values()):
            above[one.span_id] = found
            found = _with(one, found, is_one)
    return above


def _with(span: Span, above: Above, is_one: Callable[[Span], bool]) -> Above:
    return (above[0] + 1, span) if is_one(span) else above


def _circle(path: Mapping[str, Span], first: Span) -> list[Span]:
    spans = list(path.values())
    return spans[list(path).index(first.span_id) :]


def _entered(circle: list[Span], is_one: Callable[[Span], bool]) -> dict[str, Above]:
    """What is above a span whose parent is a span of a circle, by that parent."""
    count = sum(map(is_one, circle))
    nearest: Span | None = None
    entered: dict[str, Above] = {}
    for one in reversed([*circle, *circle]):
        nearest = one if is_one(one) else nearest
        entered[one.span_id] = (count, nearest)
    return entered
