"""The table of transcript formats, and finding the row of a document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.formats import Format
from judgemesh.mesh.tracing.conversations.message_formats import MESSAGE_FORMATS
from judgemesh.mesh.tracing.conversations.span_formats import SPAN_FORMATS
from judgemesh.mesh.tracing.readers.registry import plain_name

AUTO: Final = "auto"
FORMATS: Final[tuple[Format, ...]] = (*SPAN_FORMATS, *MESSAGE_FORMATS)
"""All formats. The first that recognises a document reads it."""


def format_named(name: str) -> Format:
    """The format of that name; where none has it, `-` and `_` are the same.

    Raises:
        ConfigError: there is none.
    """
    for row in FORMATS:
        if row.name == name:
            return row
    plain = plain_name(name)
    for row in FORMATS:
        if plain_name(row.name) == plain:
            return row
    names = ", ".join(row.name for row in FORMATS)
    raise ConfigError(f"no transcript format {name!r}; there are {AUTO}, {names}")


def format_of(document: Document) -> Format:
    """The format that a document's content shows.

    Raises:
        InputError: it is of none, or cannot be read.
    """
    for row in FORMATS:
        if row.recognise(document):
            return row
    raise InputError(
        "is of no known transcript format",
        where=document.name,
        hint="docs/how-to/transcripts.md has the table; --format names a row of it",
    )


def conversations_of(
    document: Document, *, format_name: str = AUTO
) -> Iterator[Conversation]:
    """The conversations of a document, in its order.

    Raises:
        InputError: it cannot be read, or is of no known format.
        ConfigError: no such format.
    """
    row = format_of(document) if format_name == AUTO else format_named(format_name)
    yield from row.read(document)
