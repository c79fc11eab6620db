"""Spans with plain attributes: OpenInference as Phoenix exports it, and SDK consoles.

One span a line, a list, or `{"data": [...]}`. Attributes come nested (`{"llm":
{"model_name": ...}}`), flat (`{"llm.model_name": ...}`) or as columns of a table
(`"attributes.llm.model_name": ...`). The console exporter of OpenTelemetry's SDKs writes
the flat form. Spans of OpenInference inside OTLP are read by the `otlp` reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import (
    SPANS,
    Fragment,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.attributes import understand
from judgemesh.mesh.tracing.spans.flattened import flatten
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
)
from judgemesh.mesh.tracing.spans.messages import text_of
from judgemesh.mesh.tracing.spans.span import Span, nanoseconds

_LIST: Final = StreamPlan(each=WHOLE_VALUE)
_WRAPPED: Final = StreamPlan(keys={"data": _LIST, "spans": _LIST})
_UNDERSTOOD: Final = frozenset(
    [
        "context",
        "trace_id",
        "span_id",
        "parent_id",
        "parent_span_id",
        "name",
        "start_time",
        "end_time",
        "status",
        "status_code",
        "status_message",
        "attributes",
        "span_kind",
        "kind",
        "events",
        "links",
    ]
)
_COLUMN_PREFIXES: Final = ("attributes.", "context.")
_ERROR_CODES: Final = frozenset({"ERROR", "STATUS_CODE_ERROR"})
_MAX_ERROR_CHARS: Final = 200
_KINDS: Final = frozenset(
    [
        "LLM",
        "EMBEDDING",
        "RETRIEVER",
        "RERANKER",
        "TOOL",
        "EVALUATOR",
        "GUARDRAIL",
        "AGENT",
        "CHAIN",
    ]
)


class OpenInferenceReader:
    """Reads spans with plain attributes."""

    name = "openinference"
    family = SPANS

    def matches(self, head: FileHead) -> bool:
        """A span, or a document of spans."""
        span: Mapping[str, Any] = head.first
        for key in ("data", "spans"):
            spans = list_of(span.get(key))
            if spans and is_object(spans[0]):
                span = spans[0]
        has_id = (
            "context.span_id" in span
            or "span_id" in object_of(span.get("context"))
            or ("span_id" in span and "trace_id" in span)
        )
        has_attributes = "attributes" in span or any(
            key.startswith("attributes.") for key in span
        )
        return has_id and has_attributes

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment for each span."""
        first = source.head.first
        is_wrapped = isinstance(first.get("data", first.get("spans")), list)
        plan = _WRAPPED if is_wrapped else _LIST
        with source.opened() as stream:
            for value in walk(stream, plan, lines=source.head.is_lines):
                where = f"{source.name}:{value.line}"
                if isinstance(value, StreamFault):
                    yield Malformed(where, value.problem)
                elif is_wrapped and len(value.path) == 2:
                    continue  # beside the spans of a page: cursors
                else:
                    yield _fragment(object_of(value.value), where, source)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the spans."""
        return assemble_spans(trace_id, fragments)


def _fragment(row: JsonObject, where: str, source: TraceFile) -> Fragment | Malformed:
    trace_id, span_id = _context_id(row, "trace_id"), _context_id(row, "span_id")
    if trace_id is None or span_id is None:
        return Malformed(where, "the span has no trace_id and span_id")
    try:
        span = _span(row, trace_id, span_id)
        return Fragment(trace_id, span.body(content=source.keeps_content))
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
        return Malformed(where, f"span {span_id} cannot be read: {error}")


def _context_id(row: JsonObject, name: str) -> str | None:
    context = object_of(row.get("context"))
    return _id(context.get(name) or row.get(f"context.{name}") or row.get(name))


def _id(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    return value.removeprefix("0x") or None


def _span(row: JsonObject, trace_id: str, span_id: str) -> Span:
    attributes = _attributes(row)
    kind = text_of(row.get("span_kind")).upper()
    if kind in _KINDS:
        attributes.setdefault("openinference.span.kind", kind)
    span = Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_id(row.get("parent_id") or row.get("parent_span_id")),
        name=text_of(row.get("name")),
        start_ns=nanoseconds(row.get("start_time")),
        end_ns=nanoseconds(row.get("end_time")),
    )
    code, message = _status(row)
    if text_of(code).upper() in _ERROR_CODES:
        span.status = "error"
        span.error_type = text_of(message)[:_MAX_ERROR_CHARS] or "error"
    understand(span, attributes)
    for key, value in row.items():
        is_understood = key in _UNDERSTOOD or key.startswith(_COLUMN_PREFIXES)
        if value is not None and not is_understood:
            span.details[key] = value
    if row.get("events"):
        span.details["events"] = row["events"]
    return span


def _status(row: JsonObject) -> tuple[object, object]:
    """The code and the message of the span's status."""
    status = row.get("status")
    if is_object(status):
        return status.get("status_code"), status.get("description")
    return row.get("status_code"), row.get("status_message")


def _attributes(row: JsonObject) -> JsonObject:
    """Attributes under their dotted names; empty cells of a table are left out."""
    attributes: JsonObject = {}
    for key, value in row.items():
        if key.startswith("attributes.") and value is not None:
            flatten(key.removeprefix("attributes."), value, attributes)
    for key, value in object_of(row.get("attributes")).items():
        flatten(key, value, attributes)
    return attributes
