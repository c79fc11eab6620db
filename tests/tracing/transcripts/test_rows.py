"""Rows of one file that name their conversation are never merged."""

from __future__ import annotations

from typing import Any

import pytest

from judgemesh.mesh.tracing.conversations.document import BadLine, Document
from judgemesh.mesh.tracing.conversations.table import conversations_of

ROWS: list[tuple[str, dict[str, Any]]] = [
    ("k1", {"role": "user", "content": "Waive?"}),
    ("k2", {"role": "user", "content": "Mine too?"}),
    (
        "k1",
        {
            "role": "assistant",
            "tool_calls": [
                {"id": "c", "function": {"name": "verify", "arguments": "{}"}}
            ],
        },
    ),
    ("k2", {"role": "assistant", "content": "Done."}),
    ("k1", {"role": "tool", "tool_call_id": "c", "content": "ok"}),
    ("k1", {"role": "assistant", "content": "Verified."}),
]


@pytest.mark.parametrize("key", ["conversation_id", "sessionId", "thread_id"])
def test_rows_of_two_conversations_are_two(key: str) -> None:
    rows = [{key: identity, **row} for identity, row in ROWS]
    for given in (rows, [rows]):
        one, two = conversations_of(Document("memory", given=given))
        assert (one.id, one.answer, len(list(one.calls))) == ("k1", "Verified.", 1)
        assert (two.id, two.answer, len(list(two.calls))) == ("k2", "Done.", 0)


def test_a_broken_line_may_be_of_each_conversation() -> None:
    rows: list[Any] = [{"thread_id": identity, **row} for identity, row in ROWS]
    read = list(conversations_of(Document("memory", given=[*rows, BadLine(7)])))
    assert len(read) == 2
    assert all(conversation.unread for conversation in read)


def test_a_row_without_an_id_belongs_to_the_row_before() -> None:
    rows = [{"thread_id": "k1", **ROWS[0][1]}, ROWS[3][1]]
    (read,) = conversations_of(Document("memory", given=rows))
    assert read.answer == "Done."
