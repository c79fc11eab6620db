"""Rows of one file that name their conversation: each conversation is read from its own rows only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from judgemesh.contracts.transcripts.keys import Fields, Keys
from judgemesh.contracts.transcripts.outcomes import ids_in
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.record import Record
from judgemesh.mesh.tracing.spans.json_values import is_object, object_of

_IDS: Final[Keys] = ("conversationid", "sessionid", "threadid")


def by_conversation(
    records: Callable[[Document], Iterable[Record]],
) -> Callable[[Document], Iterator[Record]]:
    """A reader of rows that reads the rows of each conversation by themselves, where the rows name several."""

    def read(document: Document) -> Iterator[Record]:
        groups = _groups(document.items)
        if len(groups) < 2:
            yield from records(document)
            return
        for identity, rows in groups.items():
            part = Document(document.name, given=rows)
            for record in records(part):
                yield replace(record, id=record.id or identity)

    return read


def _groups(items: list[Any]) -> dict[str, list[Any]]:
    """The rows by conversation, in the order of the file.

    A row that names none belongs to the row before it. What is no object may be of any conversation: each gets it.
    """
    groups: dict[str, list[Any]] = {}
    current = next((name for name in map(_id_of, items) if name), "")
    for item in items:
        if is_object(item):
            current = _id_of(item) or current
            groups.setdefault(current, []).append(item)
    for item in items:
        if not is_object(item):
            for rows in groups.values():
                rows.append(item)
    return groups


def _id_of(item: Any) -> str:
    """The conversation that a row names; empty where it names none."""
    row = object_of(item)
    for place in (row, object_of(row.get("metadata"))):
        found = ids_in(Fields(place), _IDS)
        if found:
            return found[0]
    return ""
