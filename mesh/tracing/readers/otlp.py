"""OTLP JSON, as SDKs and collectors write it: one document, or one export request a line, of any size.

Ids are hex, 64-bit integers are text, attributes are lists of tagged values. Spans of any instrumentation are kept;
those that follow the GenAI conventions or OpenInference are understood.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    StreamValue,
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
from judgemesh.mesh.tracing.spans.counts import whole_number
from judgemesh.mesh.tracing.spans.span import Span

_SPANS: Final = StreamPlan(keys={"spans": StreamPlan(each=WHOLE_VALUE)})
_GROUP: Final = StreamPlan(
    keys={
        "scopeSpans": StreamPlan(each=_SPANS),
        "scope_spans": StreamPlan(each=_SPANS),
        "instrumentationLibrarySpans": StreamPlan(each=_SPANS),
    }
)
_REQUEST: Final = {
    "resourceSpans": StreamPlan(each=_GROUP),
    "resource_spans": StreamPlan(each=_GROUP),
}
_PLAN: Final = StreamPlan(keys=_REQUEST, each=StreamPlan(keys=_REQUEST))

_TIME_DIGITS: Final = 20
_ERROR_CODES: Final = frozenset({2, "2", "STATUS_CODE_ERROR", "ERROR"})
_MESSAGE_EVENTS: Final[Mapping[str, str]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_DETAILS_EVENT: Final = "gen_ai.client.inference.operation.details"
_PROMPT_EVENT: Final = "gen_ai.content.prompt"
_CHOICE_EVENTS: Final = frozenset({"gen_ai.choice", "gen_ai.content.completion"})


class OtlpReader:
    """Reads OTLP JSON."""

    name = "otlp"

    def matches(self, head: FileHead) -> bool:
        """A document with `resourceSpans`."""
        return "resourceSpans" in head.first or "resource_spans" in head.first

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A fragment a span, and one for each resource that a trace's spans come from."""
        resources = _Resources()
        with source.opened() as stream:
            for found in walk(stream, _PLAN, lines=source.head.is_lines):
                if isinstance(found, StreamFault):
                    rest = (
                        "; the rest of the file cannot be read" if found.final else ""
                    )
                    yield Malformed(
                        f"{source.name}:{found.line}",
                        f"{_place(found.path)}{found.problem}{rest}",
                    )
                elif found.path[-1] == "resource":
                    yield from resources.named(found)
                elif len(found.path) >= 2 and found.path[-2] == "spans":
                    fragment = _fragment(found, source.name)
                    yield fragment
                    if isinstance(fragment, Fragment):
                        yield from resources.seen(found, fragment.trace_id)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the spans. What their resources say is in its details, under `resources`."""
        resources: list[JsonObject] = []

        def spans() -> Iterator[JsonObject]:
            for body in fragments:
                if "resource" in body:
                    resources.append(body["resource"])
                else:
                    yield body

        trace = assemble_spans(trace_id, spans())
        if not resources:
            return trace
        texts = {
            json.dumps(resource, sort_keys=True, default=str): resource
            for resource in resources
        }
        return replace(
            trace, details={"resources": [texts[text] for text in sorted(texts)]}
        )


class _Resources:
    """Tells each trace once of each resource. A group names its resource before its spans, or behind them."""

    def __init__(self) -> None:
        self._group: tuple[str | int, ...] = ()
        self._resource: JsonObject = {}
        self._digest = 0
        self._waiting: set[str] = set()
        self._told: set[tuple[str, int]] = set()

    def named(self, item: StreamValue) -> Iterator[Fragment]:
        """The group's resource."""
        self._enter(item.path[:-1])
        value = item.value
        self._resource = (
            attributes_of(cast("JsonObject", value).get("attributes"))
            if isinstance(value, dict)
            else {}
        )
        self._digest = hash(json.dumps(self._resource, sort_keys=True, default=str))
        waiting, self._waiting = self._waiting, set()
        for trace_id in sorted(waiting):
            yield from self._tell(trace_id)

    def seen(self, item: StreamValue, trace_id: str) -> Iterator[Fragment]:
        """A span of the group."""
        self._enter(item.path[:-4])
        if self._resource:
            yield from self._tell(trace_id)
        else:
            self._waiting.add(trace_id)

    def _enter(self, group: tuple[str | int, ...]) -> None:
        if group != self._group:
            self._group, self._resource, self._waiting = group, {}, set()

    def _tell(self, trace_id: str) -> Iterator[Fragment]:
        key = (trace_id, self._digest)
        if self._resource and key not in self._told:
            self._told.add(key)
            yield Fragment(trace_id, {"resource": self._resource}, is_aside=True)


def _place(path: tuple[str | int, ...]) -> str:
    """`resourceSpans[0].scopeSpans[2].spans[7]: `; the number of the document is the line's affair."""
    text = "".join(
        f"[{step}]" if isinstance(step, int) else f".{step}" for step in path[1:]
    ).lstrip(".")
    return f"{text}: " if text else ""


def _fragment(item: StreamValue, name: str) -> Fragment | Malformed:
    where = f"{name}:{item.line}"
    value = item.value
    if not isinstance(value, dict):
        return Malformed(where, f"{_place(item.path)}a span is an object")
    given = cast("JsonObject", value)
    trace_id, span_id = (
        _id(given, "traceId", "trace_id", 16),
        _id(given, "spanId", "span_id", 8),
    )
    if trace_id is None or span_id is None:
        lacking = "traceId" if trace_id is None else "spanId"
        return Malformed(where, f"{_place(item.path)}{lacking} is missing or no id")
    try:
        return Fragment(trace_id, span_of(given, trace_id, span_id).body())
    except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as fault:
        # Spans come from anywhere; one of an unforeseen shape is reported and the rest is read.
        return Malformed(where, f"{_place(item.path)}cannot be read as a span: {fault}")


def _id(given: JsonObject, name: str, old_name: str, size: int) -> str | None:
    """Hex in lower case. Some exporters write base64, as protobuf's own JSON does."""
    value = given.get(name, given.get(old_name))
    if not isinstance(value, str) or not value.strip("0"):
        return None
    text = value.removeprefix("0x")
    if len(text) == 2 * size and all(char in "0123456789abcdefABCDEF" for char in text):
        return text.lower()
    try:
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return decoded.hex() if len(decoded) == size else text


def span_of(given: JsonObject, trace_id: str, span_id: str) -> Span:
    """One OTLP span."""
    attributes = attributes_of(given.get("attributes"))
    events = [
        cast("JsonObject", event)
        for event in _list(given.get("events"))
        if isinstance(event, dict)
    ]
    kept = _events(attributes, events)
    status = (
        cast("JsonObject", given["status"])
        if isinstance(given.get("status"), dict)
        else {}
    )
    span = Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_id(given, "parentSpanId", "parent_span_id", 8),
        name=str(given.get("name") or ""),
        start_ns=_time(given, "startTimeUnixNano", "start_time_unix_nano"),
        end_ns=_time(given, "endTimeUnixNano", "end_time_unix_nano"),
        status="error" if status.get("code") in _ERROR_CODES else "success",
    )
    if span.status == "error":
        span.error_type = str(status.get("message") or "error")[:200]
    understand(span, attributes)
    if kept:
        span.details["events"] = kept
    return span


def _time(given: JsonObject, name: str, old_name: str) -> int | None:
    """Nanoseconds; a time of 0 was not set."""
    value = given.get(name, given.get(old_name))
    number = (
        int(value)
        if isinstance(value, str) and value.isdecimal() and len(value) < _TIME_DIGITS
        else value
    )
    return (
        number
        if isinstance(number, int) and not isinstance(number, bool) and number > 0
        else None
    )


def attributes_of(given: object) -> JsonObject:
    """`[{key, value: {stringValue: ...}}]` as a dictionary; a plain dictionary is taken as it is."""
    if isinstance(given, dict):
        return dict(cast("JsonObject", given))
    pairs = [
        cast("JsonObject", pair) for pair in _list(given) if isinstance(pair, dict)
    ]
    return {str(pair.get("key")): _any_value(pair.get("value")) for pair in pairs}


def _any_value(value: object) -> object:
    """A tagged value as plain data; an unknown tag is kept as it stands."""
    if not isinstance(value, dict):
        return value
    given = cast("JsonObject", value)
    for tag, found in given.items():
        if tag in _PLAIN_TAGS:
            return found
        if (read := _TAGS.get(tag)) is not None:
            return read(found)
    return given or None


def _integer(found: object) -> object:
    number = whole_number(found)
    return found if number is None else number


def _array(found: object) -> object:
    return [_any_value(item) for item in _list(_values(found))]


def _pairs(found: object) -> object:
    return attributes_of(_values(found))


_PLAIN_TAGS: Final = frozenset(
    {
        *("stringValue", "boolValue", "doubleValue", "bytesValue"),
        *("string_value", "bool_value", "double_value", "bytes_value"),
    }
)
_TAGS: Final[Mapping[str, Callable[[object], object]]] = {
    "intValue": _integer,
    "int_value": _integer,
    "arrayValue": _array,
    "array_value": _array,
    "kvlistValue": _pairs,
    "kvlist_value": _pairs,
}


def _values(found: object) -> object:
    return cast("JsonObject", found).get("values") if isinstance(found, dict) else found


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _events(attributes: JsonObject, events: Iterable[JsonObject]) -> list[JsonObject]:
    """Older conventions put messages into events: put them where the present ones have them. The other events."""
    messages: list[JsonObject] = []
    kept: list[JsonObject] = []
    for event in events:
        name, inner = (
            str(event.get("name") or ""),
            attributes_of(event.get("attributes")),
        )
        if (role := _MESSAGE_EVENTS.get(name)) is not None:
            messages.append({"role": role, **inner})
        elif name in {_DETAILS_EVENT, _PROMPT_EVENT}:
            for key, value in inner.items():
                attributes.setdefault(key, value)
        elif name in _CHOICE_EVENTS:
            attributes.setdefault(
                "gen_ai.output.messages",
                inner.get("message") or inner.get("gen_ai.completion"),
            )
        else:
            if (
                name == "exception"
                and "error.type" not in attributes
                and inner.get("exception.type")
            ):
                attributes["error.type"] = inner["exception.type"]
            kept.append({"name": name, "attributes": inner})
    if messages:
        attributes.setdefault("gen_ai.input.messages", messages)
    return kept
