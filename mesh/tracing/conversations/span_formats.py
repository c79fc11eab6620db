"""Transcripts that are spans: read once, by the readers of the bill, and turned into conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.tracing.conversations.conversation import Conversation
from judgemesh.mesh.tracing.conversations.document import Document
from judgemesh.mesh.tracing.conversations.formats import Format, Read, Recognise
from judgemesh.mesh.tracing.conversations.from_traces import conversation_of_traces
from judgemesh.mesh.tracing.conversations.grouped import conversations_in
from judgemesh.mesh.tracing.readers.agents_trace import AgentsTraceReader
from judgemesh.mesh.tracing.readers.ingest import traces_in
from judgemesh.mesh.tracing.readers.inspect_logs import InspectReader
from judgemesh.mesh.tracing.readers.langfuse import LangfuseReader
from judgemesh.mesh.tracing.readers.langsmith import LangSmithReader
from judgemesh.mesh.tracing.readers.mlflow import MlflowReader
from judgemesh.mesh.tracing.readers.openinference import OpenInferenceReader
from judgemesh.mesh.tracing.readers.otlp import OtlpReader
from judgemesh.mesh.tracing.readers.protocol import TraceReader
from judgemesh.mesh.tracing.readers.source import TraceFile, trace_values


def _source(document: Document) -> TraceFile:
    source = document.source
    if source is None:
        return trace_values(document.name, document.given)
    return replace(source, keeps_content=True)


def _recognise(reader: Callable[[], TraceReader]) -> Recognise:
    def recognise(document: Document) -> bool:
        return reader().matches(_source(document).head)

    return recognise


def _read(reader: Callable[[], TraceReader]) -> Read:
    def read(document: Document) -> Iterator[Conversation]:
        problems: list[str] = []
        traces = list(traces_in(_source(document), reader(), problems.append))
        if not traces:
            reason = f": {problems[0]}" if problems else ""
            raise InputError(f"holds no trace{reason}", where=document.name)
        for group in conversations_in(traces):
            yield _with_problems(conversation_of_traces(group), problems)

    return read


def _with_problems(conversation: Conversation, problems: list[str]) -> Conversation:
    """A part of the file that cannot be read may hold a call of any conversation."""
    if not problems:
        return conversation
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    reasons = [conversation.unread, f"{problems[0]}{more}"]
    unread = "; ".join(reason for reason in reasons if reason)
    return replace(conversation, unread=unread)


def _format(
    reader: Callable[[], TraceReader], known_by: str, lacks: str = ""
) -> Format:
    return Format(reader().name, _recognise(reader), _read(reader), known_by, lacks)


SPAN_FORMATS: Final[tuple[Format, ...]] = (
    _format(OtlpReader, "`resourceSpans`: OTLP JSON of any instrumentation"),
    _format(OpenInferenceReader, "spans with `context` or ids, and `attributes`"),
    _format(LangSmithReader, "runs with `id` and `run_type`"),
    _format(MlflowReader, "`info` beside `data`, which holds `spans`"),
    _format(
        AgentsTraceReader,
        "objects `trace.span` and `trace`",
        "with a Responses model: texts of user and agent",
    ),
    _format(
        LangfuseReader, "observations with `traceId` and `type`, or a trace of them"
    ),
    _format(
        InspectReader,
        "an `.eval` archive, or `eval` beside `samples`",
        "malformed arguments: only the parser's words",
    ),
)
"""The first that recognises a document reads it; asked before the formats of messages."""
