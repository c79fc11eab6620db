"""One span of OTLP JSON -> a `Span`. Pure.

Ids are hex, 64-bit integers are text, attributes are lists of tagged values.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from judgemesh.mesh.pricing.usage_shapes import whole_number
from judgemesh.mesh.tracing.spans.attributes import understand
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
    objects_of,
)
from judgemesh.mesh.tracing.spans.span import Span

_MAX_TIME_DIGITS: Final = 19
_MAX_ERROR_CHARS: Final = 200
_ERROR_CODES: Final = frozenset({2, "2", "STATUS_CODE_ERROR", "ERROR"})
_HEX_DIGITS: Final = frozenset("0123456789abcdefABCDEF")
_TRACE_ID_BYTES: Final = 16
_SPAN_ID_BYTES: Final = 8

_MESSAGE_EVENTS: Final[Mapping[str, str]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_ATTRIBUTE_EVENTS: Final = frozenset(
    {"gen_ai.client.inference.operation.details", "gen_ai.content.prompt"}
)
_CHOICE_EVENTS: Final = frozenset({"gen_ai.choice", "gen_ai.content.completion"})


def trace_id_of(span: JsonObject) -> str | None:
    """The trace id in lower case hex, or as it stands; None where there is none."""
    return _id(span, "traceId", "trace_id", _TRACE_ID_BYTES)


def span_id_of(span: JsonObject) -> str | None:
    """The span id, as `trace_id_of`."""
    return _id(span, "spanId", "span_id", _SPAN_ID_BYTES)


def _id(span: JsonObject, name: str, snake_name: str, size: int) -> str | None:
    value = span.get(name, span.get(snake_name))
    if not isinstance(value, str) or not value.strip("0"):
        return None
    text = value.removeprefix("0x")
    if len(text) == 2 * size and _HEX_DIGITS.issuperset(text):
        return text.lower()
    try:
        # Some exporters write base64, as protobuf's own JSON does.
        decoded = base64.b64decode(text, validate=True)
    except ValueError:
        return text
    return decoded.hex() if len(decoded) == size else text


def span_of(fields: JsonObject, trace_id: str, span_id: str) -> Span:
    """One OTLP span."""
    attributes = attributes_of(fields.get("attributes"))
    other_events = _take_messages(attributes, objects_of(fields.get("events")))
    status = object_of(fields.get("status"))
    span = Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=_id(fields, "parentSpanId", "parent_span_id", _SPAN_ID_BYTES),
        name=str(fields.get("name") or ""),
        start_ns=_time_ns(fields, "startTimeUnixNano", "start_time_unix_nano"),
        end_ns=_time_ns(fields, "endTimeUnixNano", "end_time_unix_nano"),
    )
    if status.get("code") in _ERROR_CODES:
        span.status = "error"
        span.error_type = str(status.get("message") or "error")[:_MAX_ERROR_CHARS]
    understand(span, attributes)
    if other_events:
        span.details["events"] = other_events
    return span


def _time_ns(fields: JsonObject, name: str, snake_name: str) -> int | None:
    """Nanoseconds; a time of 0 was not set."""
    value = fields.get(name, fields.get(snake_name))
    if isinstance(value, str):
        is_number = value.isdecimal() and len(value) <= _MAX_TIME_DIGITS
        value = int(value) if is_number else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if value > 0 else None


def _take_messages(
    attributes: JsonObject, events: Iterable[JsonObject]
) -> list[JsonObject]:
    """Move the messages in events, where older conventions have them, to `attributes`.

    Returns the other events.
    """
    messages: list[JsonObject] = []
    others: list[JsonObject] = []
    for event in events:
        name = str(event.get("name") or "")
        fields = attributes_of(event.get("attributes"))
        if name in _MESSAGE_EVENTS:
            messages.append({"role": _MESSAGE_EVENTS[name], **fields})
        elif name in _ATTRIBUTE_EVENTS:
            for key, value in fields.items():
                attributes.setdefault(key, value)
        elif name in _CHOICE_EVENTS:
            message = fields.get("message") or fields.get("gen_ai.completion")
            attributes.setdefault("gen_ai.output.messages", message)
        else:
            others.append({"name": name, "attributes": fields})
            if name == "exception" and fields.get("exception.type"):
                attributes.setdefault("error.type", fields["exception.type"])
    if messages:
        attributes.setdefault("gen_ai.input.messages", messages)
    return others


# --- tagged values ---


def attributes_of(pairs: object) -> JsonObject:
    """`[{key, value: {stringValue: ...}}]` as a dictionary; a dictionary as it is."""
    if is_object(pairs):
        return dict(pairs)
    attributes: JsonObject = {}
    for pair in objects_of(pairs):
        attributes[str(pair.get("key"))] = _untagged(pair.get("value"))
    return attributes


def _untagged(value: object) -> object:
    """A tagged value as plain data; an unknown tag is kept as it stands."""
    if not is_object(value):
        return value
    for tag, content in value.items():
        read = _TAGS.get(tag)
        if read is not None:
            return read(content)
    return value or None


def _plain(content: object) -> object:
    return content


def _integer(content: object) -> object:
    number = whole_number(content)
    return content if number is None else number


def _array(content: object) -> object:
    return [_untagged(element) for element in list_of(_values(content))]


def _pairs(content: object) -> object:
    return attributes_of(_values(content))


def _values(content: object) -> object:
    return content.get("values") if is_object(content) else content


_ReadContent: TypeAlias = Callable[[object], object]

_TAGS: Final[Mapping[str, _ReadContent]] = {
    "stringValue": _plain,
    "string_value": _plain,
    "boolValue": _plain,
    "bool_value": _plain,
    "doubleValue": _plain,
    "double_value": _plain,
    "bytesValue": _plain,
    "bytes_value": _plain,
    "intValue": _integer,
    "int_value": _integer,
    "arrayValue": _array,
    "array_value": _array,
    "kvlistValue": _pairs,
    "kvlist_value": _pairs,
}
