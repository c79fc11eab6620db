"""What stands above a span is what a walk up its parents meets, and a long chain is walked once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.tracing.spans.ancestry import Above, spans_above
from judgemesh.mesh.tracing.spans.span import Span

_SPAN: Final = Span(trace_id="t", span_id="0")


def spans_of(parents: list[int | None]) -> list[Span]:
    return [
        replace(
            _SPAN, span_id=str(at), parent_id=None if parent is None else str(parent)
        )
        for at, parent in enumerate(parents)
    ]


def walked(span: Span, by_id: dict[str, Span], is_one: Callable[[Span], bool]) -> Above:
    """The walk, written down as it is defined; none for a span that meets itself."""
    seen: list[Span] = []
    above = by_id.get(span.parent_id or "")
    while above is not None and above not in seen:
        if above is span:
            return (0, None)
        seen.append(above)
        above = by_id.get(above.parent_id or "")
    ones = [one for one in seen if is_one(one)]
    return (len(ones), ones[0] if ones else None)


@given(
    st.lists(st.one_of(st.none(), st.integers(0, 12)), min_size=1, max_size=12),
    st.sets(st.integers(0, 12)),
    st.randoms(use_true_random=False),
)
def test_it_is_what_a_walk_meets(
    parents: list[int | None], ones: set[int], random: Random
) -> None:
    spans = spans_of(parents)
    by_id = {span.span_id: span for span in spans}
    random.shuffle(spans)

    def is_one(span: Span) -> bool:
        return int(span.span_id) in ones

    assert spans_above(spans, by_id, is_one) == {
        span.span_id: walked(span, by_id, is_one) for span in spans
    }


def test_a_chain_is_walked_once() -> None:
    count = 30_000
    spans = spans_of([None, *range(count - 1)])
    asked = 0

    def is_one(_: Span) -> bool:
        nonlocal asked
        asked += 1
        return True

    above = spans_above(reversed(spans), {span.span_id: span for span in spans}, is_one)
    assert above[str(count - 1)] == (count - 1, spans[-2])
    assert asked <= 2 * count
