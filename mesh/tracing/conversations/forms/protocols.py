"""What agents send to programs: the events of AG-UI, the tasks of A2A, the turns of Llama Stack."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import fold
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import (
    JsonObject,
    is_list,
    is_object,
    object_of,
    objects_of,
)

# --- AG-UI: TOOL_CALL_START, TOOL_CALL_ARGS, ..., TEXT_MESSAGE_CONTENT ---

_STARTS: Final = frozenset({"toolcallstart", "textmessagestart"})
_PIECES: Final = frozenset({"toolcallargs", "textmessagecontent"})
_CHUNKS: Final = frozenset({"toolcallchunk", "textmessagechunk"})
"""Pieces that need neither start nor end."""
_ENDS: Final = frozenset({"toolcallend", "textmessageend"})
_KINDS: Final = _STARTS | _PIECES | _CHUNKS | _ENDS
_OF_MESSAGES: Final = ("toolCallId", "messageId", "delta")
"""Keys of events that are about a message or a call."""


def is_event_stream(document: Document) -> bool:
    """Whether the items are events of AG-UI."""
    kinds = {fold(str(event.get("type") or "")) for event in document.objects}
    return "runstarted" in kinds or bool(kinds & (_PIECES | _CHUNKS))


def event_streams(document: Document) -> Iterator[Record]:
    """The messages that the events make. A message whose end did not come is not whole."""
    made: list[Any] = []
    parts: dict[str, JsonObject] = {}
    unfinished: set[str] = set()
    lost: list[str] = []
    for event in document.items:
        kind = fold(str(event.get("type") or "")) if is_object(event) else ""
        key = str(event.get("toolCallId") or event.get("messageId")) if kind else ""
        if kind in _STARTS or (kind in _CHUNKS and key not in parts):
            parts[key] = _started(event)
            made.append(parts[key])
        if kind in _STARTS:
            unfinished.add(key)
        elif kind in _ENDS:
            unfinished.discard(key)
        elif kind in _KINDS and key in parts:
            _extend(parts[key], event.get("delta"))
        elif kind == "toolcallresult":
            made.append(_result(event))
        elif kind == "runerror":
            lost.append(f"the run ended with an error: {event.get('message')}")
        elif kind == "messagessnapshot" and is_list(event.get("messages")):
            made = list(event["messages"])
        elif not kind or any(key in event for key in _OF_MESSAGES):
            made.append(event)
    yield Record(
        messages=made,
        unread="the stream ends before its message does" if unfinished else None,
        lost=tuple(lost),
    )


def _started(event: JsonObject) -> JsonObject:
    if event.get("toolCallName") is None:
        return {"role": event.get("role") or "assistant", "content": ""}
    return {
        "type": "tool_call",
        "tool_call_id": event.get("toolCallId"),
        "tool_name": event.get("toolCallName"),
        "arguments": "",
    }


def _extend(part: JsonObject, delta: Any) -> None:
    key = "arguments" if "tool_name" in part else "content"
    part[key] += delta if isinstance(delta, str) else json.dumps(delta)


def _result(event: JsonObject) -> JsonObject:
    return {
        "type": "tool_result",
        "tool_call_id": event.get("toolCallId"),
        "content": event.get("content"),
    }


# --- A2A: {kind: task, status: {state, message}, history, artifacts} ---


def is_task(item: JsonObject) -> bool:
    """Whether it is a task of A2A, or the answer of a server that holds one."""
    task = _task(item)
    return "state" in object_of(task.get("status")) and (
        "contextId" in task or task.get("kind") == "task"
    )


def _task(item: JsonObject) -> JsonObject:
    return object_of(item.get("result")) or item


def tasks(document: Document) -> Iterator[Record]:
    """The tasks of A2A: what was said, and the artifacts, which are the answer."""
    for item in document.objects:
        task = _task(item)
        told = [*objects_of(task.get("history"))]
        last = object_of(object_of(task.get("status")).get("message"))
        if last and last not in told:
            told.append(last)
        messages = [_message(message) for message in told]
        for artifact in objects_of(task.get("artifacts")):
            messages.append({"role": "assistant", "content": _parts(artifact)})
        calls = any(
            block.get("type") == _CALLED
            for message in messages
            for block in message["content"]
        )
        yield Record(
            messages=messages,
            id=str(task.get("id") or ""),
            unread=None if calls else "the protocol does not tell the agent's calls",
        )


_CALLED: Final = "function_call"


def _message(message: JsonObject) -> JsonObject:
    return {"role": message.get("role"), "content": _parts(message)}


def _parts(message: JsonObject) -> list[JsonObject]:
    return [_part(part) for part in objects_of(message.get("parts"))]


def _part(part: JsonObject) -> JsonObject:
    """A part as a block of content. The kit of Google marks calls and their results in the metadata."""
    data = object_of(part.get("data"))
    for value in object_of(part.get("metadata")).values():
        if value in (_CALLED, "function_response"):
            return {"type": value, **data}
    return {"type": "text", "text": part["text"]} if "text" in part else part


# --- Llama Stack: {session_id, turns: [{input_messages, steps, output_message}]} ---


def is_turn(item: JsonObject) -> bool:
    """Whether it is a turn of Llama Stack, or a session of them."""
    turn = (objects_of(item.get("turns")) or [item])[0]
    return "input_messages" in turn and is_list(turn.get("steps"))


def turn_sessions(document: Document) -> Iterator[Record]:
    """The sessions of Llama Stack."""
    for item in document.objects:
        messages: list[Any] = []
        for turn in objects_of(item.get("turns")) or [item]:
            messages += objects_of(turn.get("input_messages"))
            for step in objects_of(turn.get("steps")):
                messages += _of_step(step)
            messages.append(object_of(turn.get("output_message")))
        yield Record(messages=messages, id=str(item.get("session_id") or ""))


def _of_step(step: JsonObject) -> list[JsonObject]:
    """The calls that the model made or that were executed, each once, and their results."""
    made = object_of(step.get("model_response"))
    calls = [
        {"type": "tool_call", **call}
        for holder in (made, step)
        for call in objects_of(holder.get("tool_calls"))
    ]
    results = [
        {"type": "tool_result", **result}
        for result in objects_of(step.get("tool_responses"))
    ]
    return [*calls, *results]
