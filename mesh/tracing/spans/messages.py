"""Messages of any dialect -> the parts of a model call's input. Pure.

Understood: OpenTelemetry's messages with `parts`, OpenAI's and Anthropic's messages,
LangChain's (plain or as constructors), Inspect's, and lists flattened into attribute
names (`llm.input_messages.0.message.role`).

JSON text is read and written with the standard library. Reading: SDKs that cut texts
write lone surrogates (half a character), which jiter and orjson refuse. Writing: lengths and
digests of arguments are compared with stored ones, so the text must not change.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias, cast

from judgemesh.mesh.tracing.spans.context_sources import ContextPart, weight_of
from judgemesh.mesh.tracing.spans.json_values import (
    is_list,
    is_object,
    list_of,
    objects_of,
)

_Fields: TypeAlias = Mapping[str, Any]

ROLES: Final[Mapping[str, str]] = {
    "system": "system",
    "developer": "system",
    "systemmessage": "system",
    "user": "user",
    "human": "user",
    "humanmessage": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "model": "assistant",
    "agent": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "tool": "tool",
    "function": "tool",
    "toolmessage": "tool",
    "document": "document",
    "memory": "memory",
}
"""The roles of a conversation by their names in the dialects."""

_FILE_TYPES: Final = frozenset(
    [
        "file",
        "blob",
        "uri",
        "image",
        "image_url",
        "audio",
        "input_file",
        "input_image",
        "document",
    ]
)
_RESULT_TYPES: Final = frozenset(
    {
        "tool_call_response",
        "tool_result",
        "function_call_output",
        "server_tool_call_response",
    }
)
_CALL_TYPES: Final = frozenset(
    {"tool_call", "tool_use", "function_call", "server_tool_call"}
)
_CALL_ID_KEYS: Final = ("tool_call_id", "id", "tool_use_id", "call_id")
_TOOL_NAME_KEYS: Final = ("name", "function", "tool_name")
_RESULT_ID_KEYS: Final = ("id", "tool_use_id", "call_id", "tool_call_id")
_BODY_KEYS: Final = (
    "text",
    "content",
    "reasoning",
    "thinking",
    "data",
    "uri",
    "image_url",
    "file",
    "url",
)


def decoded(value: object) -> object:
    """JSON text of an object or array as data; any other value as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return cast("object", json.loads(value))
    except (ValueError, RecursionError):
        return value


def text_of(value: object) -> str:
    """Any value as the text that a model would be sent."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def digest_of(value: object) -> str | None:
    """A short digest of arguments, whatever their order; None for no arguments."""
    arguments = decoded(value)
    if arguments in (None, "", {}):
        return None
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def parts_of(messages: object) -> list[ContextPart]:
    """The parts of a list of messages, of a single message, or of text."""
    data = decoded(messages)
    if isinstance(data, str):
        return [ContextPart("user", weight_of(data))] if data else []
    listed = list_of(data)
    if is_object(data):
        inner = data.get("messages")
        listed = inner if is_list(inner) else [data]
    parts: list[ContextPart] = []
    for message in _without_batches(listed):
        parts += _parts_of_message(message)
    return parts


def weight_of_messages(messages: object) -> int:
    """The length of messages in UTF-8 bytes."""
    return sum(part.weight for part in parts_of(messages))


def asks_for_tool(messages: object) -> bool:
    """Whether any of the messages asks for a tool."""
    data = decoded(messages)
    listed = data if is_list(data) else [data]
    for message in _without_batches(listed):
        if not is_object(message):
            continue
        if _message_asks(_unwrapped(message)):
            return True
    return False


def _without_batches(messages: Iterable[Any]) -> Iterator[Any]:
    """The messages; LangChain's batches are lists of lists."""
    for message in messages:
        if isinstance(message, list):
            yield from cast("list[Any]", message)
        else:
            yield message


def _unwrapped(message: _Fields) -> _Fields:
    """A message without its wrapping: LangChain's constructor or OpenInference's key."""
    if "content" in message or "role" in message:
        return message
    for key in ("kwargs", "message", "data"):
        inner = message.get(key)
        if is_object(inner):
            path = list_of(message.get("id"))
            kind = path[-1] if path else message.get("type")
            return {"type": kind, **inner}
    return message


def _parts_of_message(message: object) -> Iterator[ContextPart]:
    if not is_object(message):
        text = text_of(message)
        if text:
            yield ContextPart("user", weight_of(text))
        return
    fields = _unwrapped(message)
    role_name = str(fields.get("role") or fields.get("type") or "").lower()
    empty = ContextPart(ROLES.get(role_name, "other"), 0)
    if empty.role == "tool":
        call_id = _first_text(fields, _CALL_ID_KEYS)
        empty = ContextPart("tool", 0, call_id, _first_text(fields, _TOOL_NAME_KEYS))
    for key in ("parts", "contents", "content"):
        if fields.get(key) is not None:
            yield from _parts_of_content(fields[key], empty)
            break
    for key in ("tool_calls", "function_call"):
        if fields.get(key):
            yield ContextPart(empty.role, weight_of(text_of(fields[key])))


def _parts_of_content(content: object, empty: ContextPart) -> Iterator[ContextPart]:
    """The parts of a message's content. `empty`: the message's role and call."""
    blocks = content if is_list(content) else [content]
    for block in blocks:
        if is_object(block):
            inner = block.get("message_content")
            yield _part_of_block(inner if is_object(inner) else block, empty)
        else:
            weight = weight_of(text_of(block))
            yield ContextPart(empty.role, weight, empty.call_id, empty.tool_name)


def _part_of_block(block: _Fields, empty: ContextPart) -> ContextPart:
    kind = str(block.get("type") or "")
    if kind in _RESULT_TYPES:
        body = _first_value(block, ("response", "result", "content", "output"))
        return ContextPart(
            "tool",
            weight_of(text_of(body)),
            _first_text(block, _RESULT_ID_KEYS) or empty.call_id,
            _first_text(block, ("name", "tool_name")) or empty.tool_name,
        )
    if kind in _CALL_TYPES:
        body = [block.get("name"), _first_value(block, ("arguments", "input"))]
    else:
        body = _first_value(block, _BODY_KEYS)
    is_file = kind in _FILE_TYPES and empty.role != "tool"
    role = "file" if is_file else empty.role
    return ContextPart(role, weight_of(text_of(body)), empty.call_id, empty.tool_name)


def _message_asks(message: _Fields) -> bool:
    if message.get("tool_calls") or message.get("function_call"):
        return True
    for key in ("parts", "content"):
        for block in objects_of(message.get(key)):
            if block.get("type") in _CALL_TYPES:
                return True
    return False


def _first_value(fields: _Fields, keys: Iterable[str]) -> object:
    for key in keys:
        if fields.get(key) is not None:
            return cast("object", fields[key])
    return None


def _first_text(fields: _Fields, keys: Iterable[str]) -> str | None:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value:
            return value
    return None
