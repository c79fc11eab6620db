"""Lists of messages, items or events, bare or under a key, one conversation a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import REPLIES, Fields, Keys
from judgemesh.contracts.transcripts.kinds import role_of
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.forms.row_ids import by_conversation
from judgemesh.mesh.tracing.conversations.forms.streams import (
    is_stream,
    joined_messages,
)
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_list, is_object

_LISTS: Final[Keys] = (
    "messages", "allmessages", "chathistory", "history", "conversation", "transcript", "trajectory", "contents",
    "items", "turns", "input", "events", "steps", "trace", "transcriptwithtoolcalls", "activities", "prompt", "output",
)  # fmt: skip
"""Keys that hold the list of a conversation, folded, the most telling first."""
_IDS: Final[Keys] = (
    "conversationid",
    "sessionid",
    "threadid",
    "id",
    "runid",
    "traceid",
    "name",
)
_MESSAGE_KEYS: Final[Keys] = (
    "role", "type", "kind", "source", "content", "parts", "toolcalls", "toolname", "author", "contents", "blocks",
    "event", "eventtype", "messagetype", "speaker", "utterance",
)  # fmt: skip


def is_tau(document: Document) -> bool:
    """Whether it holds simulations of tau2 or runs of tau-bench."""
    first = document.first
    return is_list(first.get("simulations")) or (
        is_list(first.get("traj")) and "reward" in first
    )


def is_message_list(document: Document) -> bool:
    """Whether it is a list of messages, a list of such lists, or objects that hold one."""
    if any(is_list(item) for item in document.items):
        return all(is_list(item) for item in document.items)
    return list_in(document.first) is not None or Fields(document.first).has(
        _MESSAGE_KEYS
    )


def list_in(item: JsonObject) -> list[Any] | None:
    """The list of messages in an object; None where it has none."""
    fields = Fields(item)
    if fields.has(("role",)):
        return None
    for key in _LISTS:
        value = fields.get(key)
        if is_list(value) and all(map(is_object, value)):
            return value
    for value in item.values():
        inner = list_in(value) if is_object(value) else None
        if inner:
            return inner
    return None


def message_lists(document: Document) -> Iterator[Record]:
    """A conversation for each list."""
    if any(is_list(item) for item in document.items):
        for item in document.items:
            yield Record(messages=item if is_list(item) else [item])
        return
    if document.objects and all(list_in(item) is not None for item in document.objects):
        for item in document.items:
            yield _record(item) if is_object(item) else Record(messages=[item])
        return
    yield from _rows(document)


@by_conversation
def _rows(document: Document) -> Iterator[Record]:
    """The conversation of bare messages, one a row, or of the events of a stream."""
    if not is_stream(document.items):
        yield Record(messages=document.items)
        return
    messages, unread = joined_messages(document.items)
    yield Record(messages=messages, unread=unread, lost=("the user's texts",))


def _record(item: JsonObject) -> Record:
    fields = Fields(item)
    messages = list_in(item) or []
    reply = fields.get(REPLIES)
    if is_list(reply) and all(map(is_object, reply)) and reply != messages:
        messages = [*messages, *reply]
    elif is_object(reply) and role_of(Fields(reply)):
        messages = [*messages, reply]
    return Record(
        messages=messages,
        id=fields.text(_IDS) or "",
        model=fields.text(("model", "modelname")),
        has_other_answer=fields.text((*REPLIES, *_ANSWERS)) is not None,
    )


_ANSWERS: Final[Keys] = ("answer", "finalanswer", "final", "reply", "submission")
"""Keys of a text that may be the agent's answer, or the one that a data set expects."""
