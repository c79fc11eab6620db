"""Inspect logs, `.json` and `.eval` (a zip archive): a trace for each sample and epoch.

Inspect itself is not needed. A sample is held in memory whole, a log is not. What
scorers spend is a cost of the evaluation and not of the agent: it is kept in the details
of their steps.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.inputs.files.zip_entry import (
    Archive,
    UnreadableEntryError,
    entry_bytes,
    opened_archive,
)
from judgemesh.mesh.tracing.readers.inspect_events import SampleSpans
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import Malformed, ReaderOutput
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_object, object_of
from judgemesh.mesh.tracing.spans.messages import text_of

_PLAN: Final = StreamPlan(keys={"samples": StreamPlan(each=WHOLE_VALUE)})
_HEADERS: Final = ("header.json", "_journal/start.json")
_SAMPLES: Final = "samples/"
_ENTRY_NAMES: Final = (b"_journal/start.json", b"header.json", b"samples/")
_BESIDE: Final = frozenset({"version", "status", "samples"})
_LONG_FIELDS: Final = frozenset(
    {"messages", "events", "attachments", "events_data", "store", "input", "output"}
)


class InspectReader:
    """Reads Inspect logs."""

    name = "inspect"

    def matches(self, head: FileHead) -> bool:
        """A log's first keys; of an archive its first names."""
        if head.is_zip:
            return any(name in head.data for name in _ENTRY_NAMES)
        return head.has("eval") and not _BESIDE.isdisjoint(head.first)

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A trace for each sample."""
        if source.head.is_zip:
            yield from _read_archive(source)
        else:
            yield from _read_document(source)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the events' spans."""
        return assemble_spans(trace_id, fragments)


def _read_document(source: TraceFile) -> Iterator[ReaderOutput]:
    header: JsonObject = {}
    with source.opened() as stream:
        for value in walk(stream, _PLAN, lines=False):
            where = f"{source.name}:{value.line}"
            if isinstance(value, StreamFault):
                yield Malformed(where, value.problem)
            elif len(value.path) == 2:
                header[str(value.path[1])] = value.value
            else:
                yield from _sample(value.value, header, where, source)


def _read_archive(source: TraceFile) -> Iterator[ReaderOutput]:
    try:
        archive = opened_archive(source.packed())
    except OSError as error:
        yield Malformed(source.name, f"cannot be read: {error.strerror or error}")
        return
    with archive:
        header = _archive_header(archive)
        for name in archive.namelist():
            if not name.startswith(_SAMPLES) or not name.endswith(".json"):
                continue
            where = f"{source.name}: {name}"
            try:
                value = _archive_entry(archive, name)
            except UnreadableEntryError as error:
                yield Malformed(where, str(error))
            else:
                yield from _sample(value, header, where, source)


def _archive_header(archive: Archive) -> JsonObject:
    """The first header that can be read and is not empty."""
    for name in _HEADERS:
        if name in archive.namelist():
            try:
                header = object_of(_archive_entry(archive, name))
            except UnreadableEntryError:
                continue
            if header:
                return header
    return {}


def _archive_entry(archive: Archive, name: str) -> object:
    """A JSON entry. The standard library's parser: logs may hold lone surrogates.

    Raises:
        UnreadableEntryError: it is too large, damaged, or no JSON.
    """
    data = entry_bytes(archive, name)
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableEntryError(f"not readable: {error}") from error
    return value


@dataclass(frozen=True, slots=True)
class _EvalHeader:
    """What the header of a log says of its samples."""

    log_id: str
    task: str
    model: str | None
    solver: str | None


def _eval_header(header: Mapping[str, Any]) -> _EvalHeader:
    fields = object_of(header.get("eval"))
    log_id = fields.get("eval_id") or fields.get("run_id") or fields.get("task_id")
    return _EvalHeader(
        log_id=text_of(log_id) or "inspect",
        task=str(fields.get("task") or ""),
        model=text_of(fields.get("model")) or None,
        solver=text_of(fields.get("solver")) or None,
    )


def _sample(
    value: object, header: Mapping[str, Any], where: str, source: TraceFile
) -> Iterator[ReaderOutput]:
    if not is_object(value):
        yield Malformed(where, "a sample is an object")
        return
    sample = value
    log = _eval_header(header)
    sample_id = text_of(sample.get("id"))
    own_id = text_of(sample.get("uuid"))
    trace_id = own_id or f"{log.log_id}:{sample_id}:{sample.get('epoch', 1)}"
    spans = SampleSpans(
        trace_id, sample, model=log.model, keeps_content=source.keeps_content
    )
    for problem in spans.problems:
        yield Malformed(where, f"sample {sample_id}: {problem}")
    trace = assemble_spans(trace_id, spans.bodies)
    task_id = f"{log.task}/{sample_id}" if log.task else sample_id or None
    details = {key: value for key, value in sample.items() if key not in _LONG_FIELDS}
    if source.keeps_content:
        epoch = sample.get("epoch")
        is_repeated = isinstance(epoch, int) and epoch > 1
        name = f"{sample_id}-{epoch}" if is_repeated else sample_id
        details["conversation_name"] = name
    yield replace(
        trace,
        task_id=task_id,
        agent_id=trace.agent_id or log.solver,
        status="success" if sample.get("error") is None else "error",
        details=details,
    )
