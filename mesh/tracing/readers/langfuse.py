"""Langfuse exports: traces with their observations, and lists of observations.

As the public API and the export of the user interface give them: a trace with
`observations`, a page `{"data": [...]}`, a list, or one a line. What Langfuse's SDK sends
as OpenTelemetry spans is read by the `otlp` reader.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from judgemesh.mesh.tracing.readers.source import FileHead
from judgemesh.mesh.tracing.readers.span_rows import SpanRowsReader, needed_text
from judgemesh.mesh.tracing.spans.attributes import understand
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
    object_of,
    objects_of,
)
from judgemesh.mesh.tracing.spans.span import Span, nanoseconds

_TOKENS: Final = "tokens"
_PREFIX: Final = "langfuse.observation."
_FIELDS: Final[Mapping[str, str]] = {
    "input": "input",
    "output": "output",
    "model": "model.name",
    "providedModelName": "model.name",
    "modelParameters": "model.parameters",
    "level": "level",
    "statusMessage": "status_message",
    "costDetails": "cost_details",
}
_UNDERSTOOD: Final = frozenset(
    [*_FIELDS, "id", "traceId", "trace_id", "type", "name", "startTime", "endTime",
     "parentObservationId", "observations", "usage", "usageDetails", "metadata",
     "totalCost"]
)  # fmt: skip


class LangfuseReader(SpanRowsReader):
    """Reads Langfuse's traces and observations."""

    name = "langfuse"
    lists = ("data", "traces")

    def matches(self, head: FileHead) -> bool:
        """A trace with observations, or an observation."""
        first: Mapping[str, Any] = head.first
        for key in ("data", "traces"):
            rows = objects_of(first.get(key))
            first = rows[0] if rows else first
        if is_list(first.get("observations")):
            return "id" in first or bool(_observations(first))
        return _is_observation(first)

    def rows(self, document: JsonObject) -> Iterator[object]:
        """The observations, and the trace itself as the outermost of them."""
        if "observations" in document:
            yield document
            yield from list_of(document["observations"])
        elif _is_observation(document):
            yield document

    def span(self, row: JsonObject, document: JsonObject) -> Span | None:
        """An observation, or the trace."""
        is_trace = "observations" in row
        span_id = needed_text(row, "id")
        trace_id = span_id if is_trace else _trace_id(row, document)
        parent = row.get("parentObservationId")
        if parent is None and not is_trace and "observations" in document:
            parent = trace_id
        span = Span(
            trace_id=trace_id,
            span_id=f"trace {span_id}" if is_trace else span_id,
            parent_id=f"trace {parent}" if parent == trace_id else parent,
            name=str(row.get("name") or ""),
            start_ns=nanoseconds(row.get("startTime") or row.get("timestamp")),
            end_ns=nanoseconds(row.get("endTime")),
        )
        understand(span, _attributes(row))
        session = row.get("sessionId") or document.get("sessionId")
        if isinstance(session, str) and session:
            span.conversation_id = session
        return span


def _trace_id(row: JsonObject, document: JsonObject) -> str:
    if "observations" in document and "traceId" not in row:
        return needed_text(document, "id")
    return needed_text(row, "traceId", "trace_id")


def _is_observation(row: Mapping[str, Any]) -> bool:
    return "id" in row and "type" in row and ("traceId" in row or "trace_id" in row)


def _observations(document: Mapping[str, Any]) -> list[JsonObject]:
    return [
        row for row in objects_of(document.get("observations")) if _is_observation(row)
    ]


def _attributes(row: JsonObject) -> JsonObject:
    attributes: JsonObject = {_PREFIX + "type": str(row.get("type") or "span").lower()}
    for key, name in _FIELDS.items():
        if row.get(key) is not None:
            attributes.setdefault(_PREFIX + name, row[key])
    if not row.get("costDetails") and row.get("totalCost") is not None:
        attributes[_PREFIX + "cost_details"] = {"total": row["totalCost"]}
    usage = _usage(row)
    if usage:
        attributes[_PREFIX + "usage_details"] = usage
    unit = _other_unit(row)
    if unit:
        attributes[f"usage in {unit}"] = row.get("usage")
    for key, value in object_of(row.get("metadata")).items():
        attributes.setdefault(f"metadata.{key}", value)
    for key, value in row.items():
        if key not in _UNDERSTOOD and value is not None:
            attributes.setdefault(key, value)
    return attributes


def _other_unit(row: JsonObject) -> str:
    """The unit of the figures where it is not tokens: `characters`, `seconds`, `images`; else empty."""
    unit = str(object_of(row.get("usage")).get("unit") or _TOKENS).lower()
    return "" if unit == _TOKENS else unit


def _usage(row: JsonObject) -> JsonObject:
    """The detailed figures; older exports have `usage` only, with a unit."""
    if _other_unit(row):
        return {}
    details = row.get("usageDetails")
    if is_object(details) and details:
        return details
    usage = object_of(row.get("usage"))
    return {key: value for key, value in usage.items() if value is not None}
