"""Transcripts that are messages, items or events: one row a shape, all read by `contracts.transcripts`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from judgemesh.contracts.transcripts.keys import Fields
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.formats import Format, Read
from judgemesh.mesh.tracing.conversations.record import Record, conversation_of
from judgemesh.mesh.tracing.spans.json_values import is_list, is_object

Records: TypeAlias = Callable[[Document], Iterable[Record]]


def reading(records: Records) -> Read:
    """A `read` out of a function that gives records."""

    def read(document: Document) -> Iterator[Conversation]:
        for record in records(document):
            yield conversation_of(record)

    return read


def _message_list(document: Document) -> Iterator[Record]:
    """The list of the document, or the lists under `messages` of its objects."""
    if any(
        is_object(item) and is_list(item.get("messages")) for item in document.items
    ):
        for item in document.objects:
            yield Record(
                messages=item.get("messages") or [], id=str(item.get("id") or "")
            )
        return
    yield Record(messages=document.items)


def _is_message_list(document: Document) -> bool:
    fields = Fields(document.first)
    return fields.has(
        ("role", "type", "messages", "kind", "source", "content", "parts")
    )


MESSAGE_FORMATS: Final[tuple[Format, ...]] = (
    Format(
        "messages",
        _is_message_list,
        reading(_message_list),
        "a list of messages, or an object that has one under `messages`",
    ),
)
