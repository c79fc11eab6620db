"""Copies of one span: exported twice, or in parts. Pure.

The copy with the latest end and the most content is taken, with the earliest start. What
it lacks comes from the others, in the same order, so that the order in which they came has no effect.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from typing import Any, Final

from judgemesh.mesh.tracing.spans.span import Span, SpanKind

_MERGED: Final = frozenset({"details", "content"})
_EMPTY: Final[tuple[object, ...]] = (None, "", [], {})


def merged_copies(copies: Iterable[Span]) -> Span:
    """One span with what its copies say."""
    whole = [span.unfolded() for span in copies]
    was_folded = any(span.folded is not None for span in copies)
    best, *others = sorted(whole, key=_content, reverse=True)
    for other in others:
        for field in fields(Span):
            _fill(best, other, field.name)
    best.start_ns = min((one.start_ns for one in whole if one.start_ns), default=None)
    best.order = min((one.order for one in whole if one.order), default=0)
    if was_folded:
        best.fold()
    return best


def _fill(span: Span, other: Span, name: str) -> None:
    """Give a span a field of another copy, where it has none."""
    value: Any = getattr(other, name)
    own: Any = getattr(span, name)
    if name in _MERGED:
        setattr(span, name, {**value, **own})
    elif own in _EMPTY and value not in _EMPTY:
        setattr(span, name, value)
    elif name == "kind" and own == SpanKind.CONTAINER:
        span.kind = other.kind
    elif name == "status" and value != "success":
        span.status = other.status


def _content(span: Span) -> tuple[int, str]:
    """How much a span holds. The text decides between equals."""
    text = json.dumps(span.body(content=True), sort_keys=True, default=str)
    return (span.end_ns or 0, f"{len(text):012}{text}")
