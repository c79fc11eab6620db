"""Answers that are no plain text of a message: output tools, and events of a stream."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.mesh.tracing.conversations.api import from_transcript
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import conversations_of

START: dict[str, Any] = {
    "type": "message_start",
    "message": {
        "role": "assistant",
        "content": [],
        "model": "m",
        "usage": {"input_tokens": 10, "output_tokens": 1},
    },
}


def read(given: list[Any]) -> Conversation:
    (conversation,) = conversations_of(Document("memory", given=given))
    return conversation


@pytest.mark.parametrize(
    ("arguments", "result", "answer"),
    [
        ('{"room": "R-1"}', "Final result processed.", '{"room": "R-1"}'),
        ('{"response": "R-1"}', "Final result processed.", "R-1"),
        ('{"room": 7}', "room: expected text", None),
    ],
)
def test_the_output_tool_of_pydantic_ai_gives_the_answer(
    arguments: str, result: str, answer: str | None
) -> None:
    named = {"tool_name": "final_result", "tool_call_id": "b"}
    call = {"part_kind": "tool-call", "args": arguments, **named}
    returned = {"part_kind": "tool-return", "content": result, **named}
    messages = [
        {"kind": "response", "parts": [call]},
        {"kind": "request", "parts": [returned]},
    ]
    assert read([messages]).answer == answer


def _delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _block(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def test_the_text_of_a_stream_is_joined() -> None:
    events = [
        START,
        _block(0, type="text", text=""),
        _delta(0, type="text_delta", text="The fee "),
        _delta(0, type="text_delta", text="stays."),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 20},
        },
    ]
    conversation = read([*events, {"type": "message_stop"}])
    assert (conversation.answer, conversation.unread) == ("The fee stays.", None)
    assert (conversation.tokens_in, conversation.tokens_out) == (10, 20)
    assert read(events).unread


def test_the_call_of_a_stream_is_read() -> None:
    events = [
        START,
        _block(0, type="tool_use", id="t", name="refund", input={}),
        _delta(0, type="input_json_delta", partial_json='{"id"'),
        _delta(0, type="input_json_delta", partial_json=": 7}"),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
    conversation = read(events)
    (call,) = conversation.calls
    assert conversation.unread is None
    assert (call["tool_name"], call["arguments"]) == ("refund", {"id": 7})


@pytest.mark.parametrize(
    ("returned", "stated"),
    [
        ('{"error": "slot is locked, try again"}', 0),
        ('{"status": 503, "message": "busy"}', 0),
        ("Error: no such slot", 0),
        ('{"booking": "B-1", "error": null}', 1),
        ('{"status": "confirmed"}', 1),
        ("Booked, no error.", 1),
    ],
)
def test_a_call_that_returned_an_error_states_no_action(
    returned: str, stated: int
) -> None:
    call = {"id": "c", "function": {"name": "book", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Book it."},
        {"role": "assistant", "tool_calls": [{"type": "function", **call}]},
        {"role": "tool", "tool_call_id": "c", "content": returned},
        {"role": "assistant", "content": "Done."},
    ]
    result = from_transcript(messages, task="t", actions=["book"])
    assert len(result.actions or ()) == stated
