"""Events of a stream of Anthropic's API, joined to the messages that they bring. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_object, object_of

_JOINED: Final = {"text": "text", "thinking": "thinking", "partial_json": "input"}
"""Fields of a delta, and the field of its block that they add text to."""
_EVENTS: Final = frozenset(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta",
     "message_stop", "ping"}
)  # fmt: skip


@dataclass(slots=True)
class _Joined:
    """The rows so far, and the message whose events are read."""

    rows: list[Any] = field(default_factory=list[Any])
    message: JsonObject | None = None
    blocks: dict[Any, JsonObject] = field(default_factory=dict[Any, JsonObject])

    def start(self, event: JsonObject) -> None:
        self.end()
        self.message = dict(object_of(event.get("message")))
        self.blocks = {}

    def end(self) -> None:
        if self.message is not None:
            self.rows.append({**self.message, "content": list(self.blocks.values())})
        self.message = None

    def change(self, event: JsonObject) -> None:
        """Add an event to the message."""
        message = self.message or {}
        delta = object_of(event.get("delta"))
        index = event.get("index")
        if event["type"] == "content_block_start":
            self.blocks[index] = dict(object_of(event.get("content_block")))
        elif event["type"] == "content_block_delta":
            _extend(self.blocks.setdefault(index, {"type": "text"}), delta)
        elif event["type"] == "message_delta":
            usage = {**object_of(message.get("usage")), **object_of(event.get("usage"))}
            self.message = {**message, **delta, "usage": usage}


def _extend(block: JsonObject, delta: JsonObject) -> None:
    for name, target in _JOINED.items():
        text = delta.get(name)
        if isinstance(text, str):
            before = block.get(target)
            block[target] = (before if isinstance(before, str) else "") + text


def is_stream(rows: Iterable[Any]) -> bool:
    """Whether one of the rows begins a message of a stream."""
    return any(
        is_object(row)
        and row.get("type") == "message_start"
        and is_object(row.get("message"))
        for row in rows
    )


def joined_messages(rows: Iterable[Any]) -> tuple[list[Any], str | None]:
    """The rows with the messages in place of their events, and why one is not whole; None where all are."""
    joined = _Joined()
    for row in rows:
        kind = row.get("type") if is_object(row) else None
        if kind == "message_start":
            joined.start(row)
        elif kind == "message_stop":
            joined.end()
        elif kind not in _EVENTS:
            joined.rows.append(row)
        elif joined.message is not None:
            joined.change(row)
        elif kind != "ping":
            joined.rows.append(row)
    unfinished = joined.message is not None
    joined.end()
    return (
        joined.rows,
        "the stream ends before its message does" if unfinished else None,
    )
