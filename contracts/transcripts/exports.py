"""Whether a trace is an export of spans, runs or observations, which other readers read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import JsonObject, as_list, as_object

_MARKS: Final = (
    frozenset({"resourceSpans"}),
    frozenset({"resource_spans"}),
    frozenset({"run_type", "id"}),
    frozenset({"span_data"}),
    frozenset({"observations"}),
    frozenset({"traceId", "type", "id"}),
    frozenset({"info", "data"}),
    frozenset({"context", "attributes"}),
    frozenset({"span_id", "trace_id"}),
    frozenset({"eval", "samples"}),
)
"""Keys that an object of an export has, one set for each kind."""
_PAGES: Final = ("data", "spans", "runs", "post", "patch", "traces")


def is_export(value: object) -> bool:
    """Whether the value, or the first object of its list or page, is part of an export."""
    return any(_has_marks(known) for known in _firsts(value))


def _has_marks(known: JsonObject) -> bool:
    keys = known.keys()
    if known.get("object") in ("trace", "trace.span"):
        return True
    return any(marks <= keys for marks in _MARKS)


def _firsts(value: Any) -> Iterator[JsonObject]:
    """The object itself, or the first of a list, and the first of each list that it pages."""
    elements = as_list(value)
    known = as_object(next(iter(elements), None) if elements else value)
    if known is None:
        return
    yield known
    for key in _PAGES:
        page = as_list(known.get(key))
        first = as_object(next(iter(page), None)) if page else None
        if first is not None:
            yield first
