"""Conversations as data sets for training keep them: `{conversations: [{from, value}]}`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.arguments import parsed
from judgemesh.contracts.transcripts.keys import fold
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    object_of,
    objects_of,
)

_LISTS: Final = ("conversations", "conversation")
_CALLS: Final = frozenset({"functioncall", "toolcall"})
_RESULTS: Final = frozenset({"observation", "tool", "function", "functionresponse"})


def is_sharegpt(item: JsonObject) -> bool:
    """Whether it holds turns with `from` and `value`."""
    turns = _turns(item)
    return bool(turns) and all("from" in turn and "value" in turn for turn in turns)


def sharegpt(document: Document) -> Iterator[Record]:
    """A conversation for each object."""
    for item in document.objects:
        messages: list[Any] = []
        for number, turn in enumerate(_turns(item)):
            messages.append(_message(turn, number))
        yield Record(messages=messages, id=str(item.get("id") or ""))


def _turns(item: JsonObject) -> list[JsonObject]:
    for key in _LISTS:
        turns = objects_of(item.get(key))
        if turns:
            return turns
    return []


def _message(turn: JsonObject, number: int) -> JsonObject:
    speaker, value = fold(str(turn.get("from"))), turn.get("value")
    if speaker in _CALLS:
        called = parsed(value) if isinstance(value, str) else value
        if is_list(called):
            return {"role": "assistant", "tool_calls": called}
        identity = {"type": "tool_call", "tool_call_id": f"turn {number}"}
        return {**identity, **object_of(called)}
    if speaker in _RESULTS:
        return {"role": "tool", "content": value}
    return {"role": turn.get("from"), "content": value}
