"""What a transcript format is: a name, how it is known, how it is read, and what it lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document

Recognise: TypeAlias = Callable[[Document], bool]
Read: TypeAlias = Callable[[Document], Iterable[Conversation]]


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table of formats.

    recognise: must not raise for values of any shape.
    read: the conversations of a document, in its order.
    known_by: how the format is recognised, for the documentation.
    lacks: what files of this format never hold; empty for nothing.
    """

    name: str
    recognise: Recognise
    read: Read
    known_by: str
    lacks: str = ""
