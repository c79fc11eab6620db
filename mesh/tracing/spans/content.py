"""What was said and called in a span, out of its attributes. Pure.

Keys of the content: `sent` and `answered` (messages of a model call, as they came),
`answered_again` (the answers as another attribute states them), `asks_tool`, `is_tool`,
`arguments`, `result` and `error` (of a tool call), `asked`, `answer` and `messages` (of
a span that holds others), `unread` (why something of it cannot be read).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from judgemesh.mesh.tracing.spans import attribute_names as names
from judgemesh.mesh.tracing.spans.exchanged import (
    answered_messages,
    is_cut_off,
    sent_messages,
)
from judgemesh.mesh.tracing.spans.flattened import unflattened_list
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_object,
    list_of,
    object_of,
)
from judgemesh.mesh.tracing.spans.messages import decoded
from judgemesh.mesh.tracing.spans.span import COUNTING, Span, SpanKind

_Attributes: TypeAlias = Mapping[str, Any]
_TURN_INPUT: Final = ("input.value", "traceloop.entity.input")
_TURN_OUTPUT: Final = ("final_result", "output.value", "traceloop.entity.output")
_ALL_MESSAGES: Final = ("pydantic_ai.all_messages", "all_messages_events")


def content_of(span: Span, attributes: _Attributes) -> JsonObject:
    """The content of a span of any kind."""
    if span.kind == SpanKind.MODEL:
        content = {**_model_content(attributes), "asks_tool": span.asks_tool or None}
    elif span.kind in {SpanKind.TOOL, SpanKind.RETRIEVER}:
        content = _tool_content(attributes)
    elif span.kind in COUNTING:
        return {}
    else:
        content = _turn_content(attributes)
    return {key: value for key, value in content.items() if value not in (None, [], "")}


def _model_content(attributes: _Attributes) -> JsonObject:
    sent = _sent(attributes)
    answered, *again = _answered(attributes) or [[]]
    content: JsonObject = {
        "sent": sent,
        "answered": answered,
        "answered_again": [message for messages in again for message in messages],
    }
    for key in (*names.INPUT, *names.OUTPUT):
        if is_cut_off(attributes.get(key)) and not (sent and answered):
            content["unread"] = f"{key} is no JSON: it may be cut off"
    return content


def _sent(attributes: _Attributes) -> list[Any]:
    """The messages of the first attribute that has any: others repeat them."""
    system = attributes.get(names.SYSTEM)
    before = [{"role": "system", "content": decoded(system)}] if system else []
    for prefix in names.INPUT_PREFIXES:
        messages = unflattened_list(attributes, prefix)
        if messages:
            return before + [plain_message(message) for message in messages]
    for key in names.INPUT:
        value = attributes.get(key)
        if value and not is_cut_off(value):
            return before + [plain_message(one) for one in sent_messages(value)]
    return []


def _answered(attributes: _Attributes) -> list[list[Any]]:
    """The answers of each attribute that has any: one may lack what another has."""
    found: list[list[Any]] = []
    for prefix in names.OUTPUT_PREFIXES:
        found.append(unflattened_list(attributes, prefix))
    for key in names.OUTPUT:
        value = attributes.get(key)
        if value and not is_cut_off(value):
            found.append(answered_messages(value))
    plain = [[plain_message(message) for message in messages] for messages in found]
    return [messages for messages in plain if messages]


def _tool_content(attributes: _Attributes) -> JsonObject:
    return {
        "arguments": _first(attributes, names.ARGUMENTS),
        "result": _first(attributes, names.RESULT),
        "is_tool": _first(attributes, names.TOOL) is not None or None,
        "error": _first(attributes, ("error.message", "exception.message")),
    }


def _turn_content(attributes: _Attributes) -> JsonObject:
    whole = decoded(_first(attributes, _ALL_MESSAGES))
    return {
        "asked": decoded(_first(attributes, _TURN_INPUT)),
        "answer": decoded(_first(attributes, _TURN_OUTPUT)),
        "messages": [plain_message(message) for message in list_of(whole)],
    }


def _first(attributes: _Attributes, keys: tuple[str, ...]) -> Any:
    for key in keys:
        if attributes.get(key) is not None:
            return attributes[key]
    return None


# --- the dialects of spans ---


def plain_message(message: object) -> Any:
    """A message of OpenInference or of OpenTelemetry in the shape that others have."""
    if not is_object(message):
        return message
    inner = message.get("message")
    if is_object(inner) and "role" not in message:
        return plain_message(_of_openinference(inner))
    parts = message.get("parts")
    if parts is None or "content" in message:
        return message
    return {**message, "parts": [_plain_part(part) for part in list_of(parts)]}


def _of_openinference(message: JsonObject) -> JsonObject:
    plain = dict(message)
    calls: list[Any] = []
    for call in list_of(message.get("tool_calls")):
        calls.append(object_of(call).get("tool_call", call))
    if calls:
        plain["tool_calls"] = calls
    blocks: list[Any] = []
    for block in list_of(plain.pop("contents", None)):
        blocks.append(object_of(block).get("message_content", block))
    if blocks and not plain.get("content"):
        plain["content"] = blocks
    return plain


def _plain_part(part: object) -> Any:
    if not is_object(part) or part.get("type") != "tool_call_response":
        return part
    result = part.get("response", part.get("result", part.get("content")))
    plain: JsonObject = {"type": "tool_result", "content": result}
    for key, target in (
        ("id", "tool_use_id"),
        ("name", "name"),
        ("is_error", "is_error"),
    ):
        if part.get(key) is not None:
            plain[target] = part[key]
    return plain
