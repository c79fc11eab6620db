"""Spans with plain attributes: OpenInference as Phoenix exports it, and the console exporter of OpenTelemetry's SDKs.

One span a line, a list, or `{"data": [...]}`. Attributes come nested (`{"llm": {"model_name": ...}}`), flat
(`{"llm.model_name": ...}`) or as columns of a table (`"attributes.llm.model_name": ...`). Spans of OpenInference inside
OTLP are the affair of the `otlp` reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import (
    Fragment,
    JsonObject,
    Malformed,
    ReaderOutput,
)
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.attributes import understand
from judgemesh.mesh.tracing.spans.messages import text_of
from judgemesh.mesh.tracing.spans.span import Span, nanoseconds

_LIST: Final = StreamPlan(each=WHOLE_VALUE)
_WRAPPED: Final = StreamPlan(keys={"data": _LIST, "spans": _LIST})
_OWN: Final = frozenset(
    {
        *(
            "context",
            "trace_id",
            "span_id",
            "parent_id",
            "parent_span_id",
            "name",
            "start_time",
            "end_time",
        ),
        *(
            "status",
            "status_code",
            "status_message",
            "attributes",
            "span_kind",
            "kind",
            "events",
            "links",
        ),
    }
)
_ERRORS: Final = frozenset({"ERROR", "STATUS_CODE_ERROR"})
_KINDS: Final = frozenset(
    {
        "LLM",
        "EMBEDDING",
        "RETRIEVER",
        "RERANKER",
        "TOOL",
        "EVALUATOR",
        "GUARDRAIL",
        "AGENT",
        "CHAIN",
    }
)


class OpenInferenceReader:
    """Reads spans with plain attributes."""

    name = "openinference"

    def matches(self, head: FileHead) -> bool:
        """A span, or a document of spans."""
        first = head.first
        for key in ("data", "spans"):
            listed = first.get(key)
            if isinstance(listed, list) and listed and isinstance(listed[0], dict):
                first = cast("Mapping[str, Any]", listed[0])
        context = first.get("context")
        has_id = "context.span_id" in first or (
            isinstance(context, dict) and "span_id" in context
        )
        has_id = has_id or ("span_id" in first and "trace_id" in first)
        return has_id and (
            "attributes" in first or any(key.startswith("attributes.") for key in first)
        )

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment a span."""
        first = source.head.first
        plan = (
            _WRAPPED
            if isinstance(first.get("data", first.get("spans")), list)
            else _LIST
        )
        with source.opened() as stream:
            for found in walk(stream, plan, lines=source.head.is_lines):
                where = f"{source.name}:{found.line}"
                if isinstance(found, StreamFault):
                    yield Malformed(where, found.problem)
                elif plan is _WRAPPED and len(found.path) == 2:
                    continue  # what stands beside the spans of a page: cursors
                else:
                    yield _fragment(found.value, where)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the spans."""
        return assemble_spans(trace_id, fragments)


def _fragment(value: object, where: str) -> Fragment | Malformed:
    given = cast("JsonObject", value) if isinstance(value, dict) else {}
    context = (
        cast("JsonObject", given["context"])
        if isinstance(given.get("context"), dict)
        else {}
    )
    trace_id = _id(
        context.get("trace_id")
        or given.get("context.trace_id")
        or given.get("trace_id")
    )
    span_id = _id(
        context.get("span_id") or given.get("context.span_id") or given.get("span_id")
    )
    if trace_id is None or span_id is None:
        return Malformed(where, "the span has no trace_id and span_id")
    try:
        return Fragment(trace_id, _span(given, trace_id, span_id).body())
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as fault:
        return Malformed(where, f"span {span_id} cannot be read: {fault}")


def _id(value: object) -> str | None:
    return (
        value.removeprefix("0x")
        if isinstance(value, str) and value.removeprefix("0x")
        else None
    )


def _span(given: JsonObject, trace_id: str, span_id: str) -> Span:
    attributes = _attributes(given)
    kind = text_of(given.get("span_kind")).upper()
    if kind in _KINDS:
        attributes.setdefault("openinference.span.kind", kind)
    status = given.get("status")
    code = (
        cast("JsonObject", status).get("status_code")
        if isinstance(status, dict)
        else given.get("status_code")
    )
    message = (
        cast("JsonObject", status).get("description")
        if isinstance(status, dict)
        else given.get("status_message")
    )
    span = Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_id(given.get("parent_id") or given.get("parent_span_id")),
        name=text_of(given.get("name")),
        start_ns=nanoseconds(given.get("start_time")),
        end_ns=nanoseconds(given.get("end_time")),
        status="error" if text_of(code).upper() in _ERRORS else "success",
    )
    if span.status == "error":
        span.error_type = text_of(message)[:200] or "error"
    understand(span, attributes)
    rest = {
        key: item
        for key, item in given.items()
        if key not in _OWN and not key.startswith(("attributes.", "context."))
    }
    span.details.update({key: item for key, item in rest.items() if item is not None})
    if given.get("events"):
        span.details["events"] = given["events"]
    return span


def _attributes(given: JsonObject) -> JsonObject:
    """Attributes under their dotted names, whichever way they came; absent cells of a table are left out."""
    found: JsonObject = {}
    for key, value in given.items():
        if key.startswith("attributes.") and value is not None:
            _flatten(key.removeprefix("attributes."), value, found)
    nested = given.get("attributes")
    if isinstance(nested, dict):
        for key, value in cast("JsonObject", nested).items():
            _flatten(key, value, found)
    return found


def _flatten(key: str, value: object, found: JsonObject) -> None:
    if isinstance(value, dict):
        for inner, item in cast("JsonObject", value).items():
            _flatten(f"{key}.{inner}", item, found)
    elif (
        isinstance(value, list)
        and value
        and all(isinstance(item, dict) for item in cast("list[Any]", value))
    ):
        for index, item in enumerate(cast("list[Any]", value)):
            _flatten(f"{key}.{index}", item, found)
    else:
        found[key] = value
