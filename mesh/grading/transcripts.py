"""Traces that are run objects, sessions, exchanges, spans or reports: read by the table of transcript formats."""

from __future__ import annotations

from pathlib import Path

from judgemesh.contracts.errors import JudgemeshError
from judgemesh.contracts.results import Trace
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import conversations_of
from judgemesh.mesh.tracing.readers.source import TraceFile


def trace_in(trace: Trace) -> Trace:
    """The trace that stands in a result, where messages alone could not be read; the same one otherwise."""
    if trace.unread is None or trace.raw is None:
        return trace
    return _read(Document("trace", given=[trace.raw])) or trace


def trace_of_file(path: Path) -> Trace | None:
    """The trace of a transcript file; None where it is of no known format."""
    return _read(Document(str(path), TraceFile(path)))


def _read(document: Document) -> Trace | None:
    """The trace of the one conversation of a document."""
    try:
        found = list(conversations_of(document))
    except JudgemeshError:
        return None
    if len(found) != 1:
        why = f"it holds {len(found)} conversations; `judgemesh convert` makes a result of each"
        return Trace.model_validate({"steps": [], "unread": why})
    (conversation,) = found
    fields: dict[str, object] = {"steps": list(conversation.steps)}
    if conversation.unread is not None:
        fields["unread"] = conversation.unread
    return Trace.model_validate(fields)
