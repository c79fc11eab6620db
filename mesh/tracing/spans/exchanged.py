"""The messages in the inputs and outputs of a model call, in the shapes of the SDKs. Pure.

Inputs: a list of messages, a request with `messages` or `input`, LangChain's lists of
lists, or text. Outputs: a message, a list of them, a reply of chat completions (`choices`),
responses (`output`) or Gemini (`candidates`), LangChain's `generations`, or text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    list_of,
    objects_of,
)
from judgemesh.mesh.tracing.spans.messages import decoded

_SENT_KEYS: Final = ("messages", "input", "contents", "prompts", "prompt", "history")
_SYSTEM_KEYS: Final = ("system", "instructions", "system_instruction")
_MESSAGE_KEYS: Final = frozenset({"role", "content", "parts", "tool_calls", "kwargs"})
_INNER_KEYS: Final = ("messages", "message", "output", "response", "result")
_ITEM_LISTS: Final = ("choices", "candidates", "generations")


def sent_messages(value: object) -> list[Any]:
    """The messages that a model was sent; text is a message of the user."""
    data = decoded(value)
    if is_object(data) and not _is_message(data):
        held = _first_held(data)
        if held is None:
            return []
        system: list[Any] = []
        for key in _SYSTEM_KEYS:
            if data.get(key):
                system.append({"role": "system", "content": data[key]})
        return [*system, *sent_messages(held)]
    return [_as_message(message, "user") for message in _flat(data)]


def _first_held(data: JsonObject) -> object:
    for key in _SENT_KEYS:
        if data.get(key):
            held: object = data[key]
            return held
    return None


def answered_messages(value: object) -> list[Any]:
    """The messages that a model answered with; text is a message of the assistant."""
    data = decoded(value)
    if not is_object(data):
        return [_as_message(message, "assistant") for message in _flat(data)]
    if _is_message(data):
        return [data]
    for key in _ITEM_LISTS:
        if is_list(data.get(key)):
            return list(_of_choices(data[key]))
    for key in _INNER_KEYS:
        held = data.get(key)
        if held and held is not data:
            return answered_messages(held)
    text = data.get("text") or data.get("output_text") or data.get("content")
    if isinstance(text, str) and text:
        return [_as_message(text, "assistant")]
    # An item that names its type (`function_call`, `reasoning`) is read as it stands.
    return [data] if data.get("type") else []


def _of_choices(choices: list[Any]) -> Iterator[Any]:
    """The first answer of each choice; LangChain's are lists of lists."""
    for choice in choices:
        inner = list_of(choice) or [choice]
        for one in objects_of(inner):
            held = one.get("message") or one.get("content")
            if held or one.get("text"):
                yield _as_message(held or one["text"], "assistant")


def _is_message(data: JsonObject) -> bool:
    is_reply = any(is_list(data.get(key)) for key in _ITEM_LISTS)
    return not is_reply and bool(_MESSAGE_KEYS & data.keys()) and "messages" not in data


def _flat(data: object) -> Iterator[Any]:
    """The messages of a list, of LangChain's lists of lists, or the one value."""
    if data is None or data == "":
        return
    for one in data if is_list(data) else [data]:
        message = decoded(one)
        if is_list(message):
            yield from message
        else:
            yield message


def _as_message(value: object, role: str) -> Any:
    return {"role": role, "content": value} if isinstance(value, str) else value


def is_cut_off(value: object) -> bool:
    """Whether a text begins as JSON and is none: exporters cut long attributes."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[{", '{"', "[[")):
        return False
    return isinstance(decoded(value), str)
