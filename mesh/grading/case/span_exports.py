"""A trace that is an export of spans, a session, a run object or a report, as a trace of steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.contracts.result_parts.trace import Trace
from judgemesh.contracts.transcripts.keys import ASSISTANT
from judgemesh.mesh.tracing.conversations.answers import answer_of
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.table import FORMATS
from judgemesh.mesh.tracing.readers.source import TraceBytes


def trace_of_content(path: Path, content: bytes) -> Trace | None:
    """The steps of the one conversation of a file's content; None where it is no such export."""
    source = TraceBytes(path, data=content)
    return _trace_of_export(Document(path.name, source))


def trace_of_values(name: str, values: Sequence[Any]) -> Trace | None:
    """The steps of the one conversation of parsed JSON values; None where they are no such export."""
    return _trace_of_export(Document(name, given=list(values)))


def _trace_of_export(document: Document) -> Trace | None:
    """The steps of the one conversation of an export; None where the document is none.

    What cannot be read is named in `unread`.
    """
    row = next((row for row in FORMATS if row.recognise(document)), None)
    if row is None:
        return None
    try:
        found = list(row.read(document))
    except (InputError, ConfigError) as error:
        return Trace.model_validate({"steps": [], "unread": str(error)})
    if len(found) != 1:
        unread = f"the export holds {len(found)} conversations, and a result is of one"
        return Trace.model_validate({"steps": [], "unread": unread})
    (conversation,) = found
    steps = [*conversation.steps]
    if conversation.answer is not None and answer_of(steps) is None:
        steps.append({"role": ASSISTANT, "content": conversation.answer})
    trace = Trace.model_validate({"steps": steps})
    reasons = [conversation.unread, trace.unread]
    unread = "; ".join(reason for reason in reasons if reason)
    return trace.model_copy(update={"unread": unread or None})
