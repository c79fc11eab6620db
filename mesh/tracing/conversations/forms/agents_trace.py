"""Spans that the Agents SDK exports: generations hold the messages, function spans the results and failures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.forms.runs import beyond
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    list_of,
    object_of,
    objects_of,
)

_MODEL_SPANS = ("generation", "response")


def is_agents_trace(item: JsonObject) -> bool:
    """Whether it is a span or trace of the Agents SDK."""
    return item.get("object") in ("trace.span", "trace")


def agents_traces(document: Document) -> Iterator[Record]:
    """The traces, those of one group (a conversation) together, in the order in which they began."""
    group_of = {
        str(item.get("id")): item.get("group_id")
        for item in document.objects
        if item.get("object") == "trace"
    }
    groups: dict[str, list[JsonObject]] = {}
    for span in document.objects:
        if span.get("object") == "trace.span":
            trace = str(span.get("trace_id"))
            groups.setdefault(str(group_of.get(trace) or trace), []).append(span)
    for group, spans in groups.items():
        yield _record(
            group, sorted(spans, key=lambda span: str(span.get("started_at")))
        )


def _record(group: str, spans: list[JsonObject]) -> Record:
    """A conversation. Without the messages of the model calls only the calls and their results are known."""
    models = [object_of(span.get("span_data")) for span in spans]
    generations = [
        data
        for data in models
        if data.get("type") == "generation" and list_of(data.get("input"))
    ]
    usages = [
        object_of(data.get("usage"))
        for data in models
        if data.get("type") in _MODEL_SPANS
    ]
    model = next(
        (data["model"] for data in generations if isinstance(data.get("model"), str)),
        None,
    )
    if not generations:
        calls = [
            _call(span)
            for span in spans
            if object_of(span.get("span_data")).get("type") == "function"
        ]
        return Record(
            messages=calls,
            id=group,
            usages=usages,
            model=model,
            lost=("user turns", "answer"),
        )
    return Record(
        messages=_messages(generations, _failed(spans)),
        id=group,
        usages=usages,
        model=model,
    )


def _call(span: JsonObject) -> JsonObject:
    data = object_of(span.get("span_data"))
    error = object_of(span.get("error"))
    return {
        "type": "tool_call",
        "name": data.get("name"),
        "arguments": data.get("input"),
        "result": data.get("output"),
        "error": error.get("message") if error else None,
        "timestamp": span.get("started_at"),
    }


def _messages(generations: list[JsonObject], failed: list[JsonObject]) -> list[Any]:
    """The history of the last model call of each turn, and its output."""
    messages: list[Any] = []
    sent: list[Any] = []
    for data in generations:
        history = list_of(data.get("input"))
        new = beyond(sent, history)
        messages += [message for message in new if not _is_reply(message)]
        messages += objects_of(data.get("output"))
        sent = history
    return _with_failures(messages, failed)


def _is_reply(message: object) -> bool:
    return object_of(message).get("role") == "assistant"


def _failed(spans: list[JsonObject]) -> list[JsonObject]:
    """What each function span that failed gave back."""
    return [
        object_of(span.get("span_data"))
        for span in spans
        if span.get("error")
        and object_of(span.get("span_data")).get("type") == "function"
    ]


def _with_failures(messages: list[Any], failed: list[JsonObject]) -> list[Any]:
    """The messages, with an error on each result that a failed span gave. A span has no id of its call."""
    left = [
        (data.get("output"), data.get("input"), data.get("name")) for data in failed
    ]
    calls: dict[str, JsonObject] = {}
    marked: list[Any] = []
    for message in messages:
        fields = object_of(message)
        for call in objects_of(fields.get("tool_calls")):
            calls[str(call.get("id"))] = object_of(call.get("function"))
        asked = calls.get(str(fields.get("tool_call_id")), {})
        key = (fields.get("content"), asked.get("arguments"), asked.get("name"))
        if fields.get("role") == "tool" and key in left:
            left.remove(key)
            marked.append({**fields, "error": True})
        else:
            marked.append(message)
    return marked
