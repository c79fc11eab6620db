"""MLflow traces as `Trace.to_json` writes them: `{info, data: {spans}}`.

The attributes of a span are JSON text. What the trace itself states about tokens is the
sum of its spans.
"""

from __future__ import annotations

from collections.abc import Iterator

from judgemesh.mesh.tracing.readers.otlp_span import span_id_of, span_of, trace_id_of
from judgemesh.mesh.tracing.readers.source import FileHead
from judgemesh.mesh.tracing.readers.span_rows import SpanRowsReader
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    list_of,
    object_of,
)
from judgemesh.mesh.tracing.spans.span import Span

_SESSION = "mlflow.trace.session"


class MlflowReader(SpanRowsReader):
    """Reads MLflow traces."""

    name = "mlflow"

    def matches(self, head: FileHead) -> bool:
        """A trace: `info` beside `data`, which holds spans."""
        spans = object_of(head.first.get("data")).get("spans")
        return "info" in head.first and is_list(spans)

    def rows(self, document: JsonObject) -> Iterator[object]:
        """The spans of a trace."""
        yield from list_of(object_of(document.get("data")).get("spans"))

    def span(self, row: JsonObject, document: JsonObject) -> Span:
        """A span: the fields are those of OTLP, its ids in base64 or hex."""
        fields = {
            **row,
            "startTimeUnixNano": row.get(
                "start_time_unix_nano", row.get("start_time_ns")
            ),
            "endTimeUnixNano": row.get("end_time_unix_nano", row.get("end_time_ns")),
        }
        context = object_of(row.get("context"))
        for key in ("trace_id", "span_id"):
            fields.setdefault(key, context.get(key))
        if isinstance(row.get("parent_id"), str):
            fields.setdefault("parent_span_id", row["parent_id"])
        if isinstance(row.get("status_code"), str):
            code, message = row["status_code"], row.get("status_message")
            fields["status"] = {"code": code, "message": message}
        trace_id, span_id = trace_id_of(fields), span_id_of(fields)
        if trace_id is None or span_id is None:
            raise ValueError("the span has no trace_id and span_id")
        span = span_of(fields, trace_id, span_id)
        metadata = object_of(object_of(document.get("info")).get("trace_metadata"))
        session = metadata.get(_SESSION)
        if isinstance(session, str) and session:
            span.conversation_id = session
        return span
