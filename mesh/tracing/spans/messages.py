"""Messages of any dialect -> the parts of a model call's input. Pure.

Understood: OpenTelemetry's messages with `parts`, OpenAI's and Anthropic's messages, LangChain's (plain or as
constructors), Inspect's, and lists flattened into attribute names (`llm.input_messages.0.message.role`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.mesh.tracing.spans.context_sources import Part, weight_of

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
"""How dialects call the roles of a conversation."""

_FILES: Final = frozenset(
    {
        "file",
        "blob",
        "uri",
        "image",
        "image_url",
        "audio",
        "input_file",
        "input_image",
        "document",
    }
)
_RESULTS: Final = frozenset(
    {
        "tool_call_response",
        "tool_result",
        "function_call_output",
        "server_tool_call_response",
    }
)
_CALLS: Final = frozenset(
    {"tool_call", "tool_use", "function_call", "server_tool_call"}
)


def decoded(value: object) -> object:
    """A value that may come as JSON text, as data; text that is no JSON stays text."""
    if (
        not isinstance(value, str)
        or not value[:1]
        or value.lstrip()[:1] not in {"[", "{"}
    ):
        return value
    try:
        return cast("object", json.loads(value))
    except (ValueError, RecursionError):
        return value


def text_of(value: object) -> str:
    """Any value as the text a model would be sent."""
    if value is None:
        return ""
    return (
        value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False, default=str)
    )


def digest_of(value: object) -> str | None:
    """A short fingerprint of arguments, the same for the same arguments in whatever order; None for none."""
    plain = decoded(value)
    if plain in (None, "", {}):
        return None
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=8).hexdigest()


def parts_of(messages: object) -> list[Part]:
    """The parts of a list of messages, of a single one, or of text."""
    given = decoded(messages)
    if isinstance(given, Mapping):
        inner = cast("Mapping[str, Any]", given).get("messages")
        given = (
            cast("list[Any]", inner)
            if isinstance(inner, list)
            else [cast("Mapping[str, Any]", given)]
        )
    if isinstance(given, str):
        return [Part("user", weight_of(given))] if given else []
    if not isinstance(given, list):
        return []
    return [
        part
        for message in _flat(cast("list[Any]", given))
        for part in _of_message(message)
    ]


def calls_of(messages: object) -> bool:
    """Whether any message asks for a tool."""
    given = decoded(messages)
    listed = cast("list[Any]", given) if isinstance(given, list) else [given]
    found = [
        cast("Mapping[str, Any]", message)
        for message in _flat(listed)
        if isinstance(message, Mapping)
    ]
    return any(_asks(_opened(message)) for message in found)


def unflattened(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """`prefix.0.role`, `prefix.0.content`... as a list of nested data, in the order of the numbers."""
    root: dict[str, Any] = {}
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        *way, last = key[len(prefix) :].split(".")
        here: dict[str, Any] = root
        for name in way:
            step: object = here.setdefault(name, {})
            # Text where others have more below it keeps its place; the rest goes beside it.
            here = cast(
                "dict[str, Any]",
                step if isinstance(step, dict) else here.setdefault(f"{name}.", {}),
            )
        here[last] = value
    listed = _lists(root)
    return cast("list[Any]", listed) if isinstance(listed, list) else []


def _lists(value: object) -> object:
    """Objects whose keys are all numbers, as lists."""
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    if given and all(key.isdecimal() for key in given):
        return [_lists(given[key]) for key in sorted(given, key=int)]
    return {key: _lists(item) for key, item in given.items()}


def _flat(messages: Iterable[Any]) -> Iterator[Any]:
    """LangChain's batches are lists of lists."""
    for message in messages:
        if isinstance(message, list):
            yield from cast("list[Any]", message)
        else:
            yield message


def _opened(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message out of its wrapping: a LangChain constructor, or OpenInference's `message`."""
    for key in ("kwargs", "message", "data"):
        inner = message.get(key)
        if (
            isinstance(inner, Mapping)
            and "content" not in message
            and "role" not in message
        ):
            named = message.get("id")
            kind = (
                cast("list[Any]", named)[-1]
                if isinstance(named, list) and named
                else message.get("type")
            )
            return {"type": kind, **cast("Mapping[str, Any]", inner)}
    return message


def _of_message(message: object) -> Iterator[Part]:
    if not isinstance(message, Mapping):
        if text := text_of(message):
            yield Part("user", weight_of(text))
        return
    given = _opened(cast("Mapping[str, Any]", message))
    role = ROLES.get(str(given.get("role") or given.get("type") or "").lower(), "other")
    call_id = (
        _text(given, "tool_call_id", "id", "tool_use_id", "call_id")
        if role == "tool"
        else None
    )
    tool_name = (
        _text(given, "name", "function", "tool_name") if role == "tool" else None
    )
    for key in ("parts", "contents", "content"):
        if given.get(key) is not None:
            yield from _of_content(given[key], Part(role, 0, call_id, tool_name))
            break
    for key in ("tool_calls", "function_call"):
        if given.get(key):
            yield Part(role, weight_of(text_of(given[key])))


def _of_content(content: object, whose: Part) -> Iterator[Part]:
    blocks = cast("list[Any]", content) if isinstance(content, list) else [content]
    for block in blocks:
        if not isinstance(block, Mapping):
            yield Part(
                whose.role, weight_of(text_of(block)), whose.call_id, whose.tool_name
            )
            continue
        given = cast("Mapping[str, Any]", block)
        inner = given.get("message_content")
        if isinstance(inner, Mapping):
            given = cast("Mapping[str, Any]", inner)
        yield _of_block(given, whose)


def _of_block(block: Mapping[str, Any], whose: Part) -> Part:
    kind = str(block.get("type") or "")
    role, call_id, tool_name = whose.role, whose.call_id, whose.tool_name
    if kind in _RESULTS:
        role = "tool"
        call_id = (
            _text(block, "id", "tool_use_id", "call_id", "tool_call_id") or call_id
        )
        tool_name = _text(block, "name", "tool_name") or tool_name
        body = _first(block, "response", "result", "content", "output")
    elif kind in _CALLS:
        body = [block.get("name"), _first(block, "arguments", "input")]
    else:
        role = "file" if kind in _FILES and role != "tool" else role
        body = _first(
            block,
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
    return Part(role, weight_of(text_of(body)), call_id, tool_name)


def _asks(message: Mapping[str, Any]) -> bool:
    if message.get("tool_calls") or message.get("function_call"):
        return True
    for key in ("parts", "content"):
        blocks = message.get(key)
        if isinstance(blocks, list) and any(
            isinstance(block, Mapping)
            and cast("Mapping[str, Any]", block).get("type") in _CALLS
            for block in cast("list[Any]", blocks)
        ):
            return True
    return False


def _first(given: Mapping[str, Any], *keys: str) -> object:
    return next((given[key] for key in keys if given.get(key) is not None), None)


def _text(given: Mapping[str, Any], *keys: str) -> str | None:
    return next(
        (value for key in keys if isinstance(value := given.get(key), str) and value),
        None,
    )
