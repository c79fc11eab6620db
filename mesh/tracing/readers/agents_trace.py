"""Traces of the OpenAI Agents SDK, as its tracing processors export them.

Objects `trace.span` and `trace`, one a line or in a list, children before their parents.
Spans of turns and tasks repeat the usage of the spans below them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.mesh.tracing.readers.source import FileHead
from judgemesh.mesh.tracing.readers.span_rows import (
    SpanRowsReader,
    needed_text,
    text_or_none,
)
from judgemesh.mesh.tracing.spans.attributes import understand
from judgemesh.mesh.tracing.spans.dialects import USAGE_OBJECT
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
)
from judgemesh.mesh.tracing.spans.span import Span, nanoseconds

_MAX_ERROR_CHARS: Final = 200
_KIND: Final = "openinference.span.kind"


class AgentsTraceReader(SpanRowsReader):
    """Reads traces of the OpenAI Agents SDK."""

    name = "openai_agents"
    lists = ("data",)

    def matches(self, head: FileHead) -> bool:
        """An object that says it is a trace or a span."""
        first: Mapping[str, Any] = head.first
        data = first.get("data")
        if isinstance(data, list) and data:
            first = object_of(next(iter(list_of(cast("object", data))), None))
        return first.get("object") in ("trace.span", "trace")

    def rows(self, document: JsonObject) -> Iterator[object]:
        """The object itself."""
        yield document

    def span(self, row: JsonObject, document: JsonObject) -> Span | None:  # noqa: ARG002 (each object stands alone)
        """The span of a `trace.span`; a `trace` gives the name of the conversation."""
        if row.get("object") == "trace":
            return self._of_trace(row)
        data = row.get("span_data")
        if not is_object(data) or not isinstance(data.get("type"), str):
            raise ValueError("span_data has no type")
        span = Span(
            trace_id=needed_text(row, "trace_id"),
            span_id=needed_text(row, "id"),
            parent_id=text_or_none(row, "parent_id"),
            name=str(data.get("name") or data.get("type") or ""),
            start_ns=nanoseconds(row.get("started_at")),
            end_ns=nanoseconds(row.get("ended_at")),
        )
        attributes = _ATTRIBUTES.get(str(data.get("type")), _of_container)(data)
        error = object_of(row.get("error"))
        if error:
            message = str(error.get("message") or "error")
            span.status = "error"
            span.error_type = message[:_MAX_ERROR_CHARS]
            stated = object_of(error.get("data")).get("error")
            attributes["error.message"] = stated or message
        understand(span, attributes)
        return span

    def _of_trace(self, row: JsonObject) -> Span:
        """The trace as its outermost span, which may come before or after the others."""
        trace_id = needed_text(row, "id")
        group = row.get("group_id")
        return Span(
            trace_id=trace_id,
            span_id=trace_id,
            name=str(row.get("workflow_name") or ""),
            conversation_id=group if isinstance(group, str) and group else None,
        )


def _of_generation(data: JsonObject) -> JsonObject:
    return {
        _KIND: "LLM",
        "gen_ai.request.model": data.get("model"),
        "input.value": data.get("input"),
        "output.value": data.get("output"),
        USAGE_OBJECT: data.get("usage"),
        "llm.invocation_parameters": data.get("model_config"),
    }


def _of_response(data: JsonObject) -> JsonObject:
    return {**_of_generation(data), "gen_ai.response.id": data.get("response_id")}


def _of_function(data: JsonObject) -> JsonObject:
    return {
        _KIND: "TOOL",
        "tool.name": data.get("name"),
        "input.value": data.get("input"),
        "output.value": data.get("output"),
        "mcp_data": data.get("mcp_data"),
    }


def _of_guardrail(data: JsonObject) -> JsonObject:
    return {_KIND: "GUARDRAIL", "triggered": data.get("triggered")}


def _of_container(data: JsonObject) -> JsonObject:
    """An agent, a handoff, or a turn or task, whose usage is that of the spans below."""
    inner = object_of(data.get("data"))
    attributes: JsonObject = {_KIND: "CHAIN", USAGE_OBJECT: inner.get("usage")}
    if data.get("type") == "agent":
        attributes = {_KIND: "AGENT", "agent.name": data.get("name")}
    for key, value in data.items():
        if key not in {"name", "data"}:
            attributes.setdefault(key, value)
    return attributes


_ATTRIBUTES: Final[Mapping[str, Callable[[JsonObject], JsonObject]]] = {
    "generation": _of_generation,
    "response": _of_response,
    "function": _of_function,
    "guardrail": _of_guardrail,
}
