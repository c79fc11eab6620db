"""Inspect logs, `.json` and `.eval` (a zip archive): a trace for each sample and epoch.

Read with the standard library: the package that writes them is not needed. A sample is held in memory whole, a log is
not. What scorers spend is the evaluation's cost and no part of the agent's: it is kept in the details of their steps.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.inspect_events import SampleSpans
from judgemesh.mesh.tracing.readers.json_stream import (
    WHOLE_VALUE,
    StreamFault,
    StreamPlan,
    walk,
)
from judgemesh.mesh.tracing.readers.protocol import JsonObject, Malformed, ReaderOutput
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.assemble import assemble_spans
from judgemesh.mesh.tracing.spans.messages import text_of

_PLAN: Final = StreamPlan(keys={"samples": StreamPlan(each=WHOLE_VALUE)})
_HEADERS: Final = ("header.json", "_journal/start.json")
_SAMPLES: Final = "samples/"
MAX_SAMPLE_BYTES: Final = 2**30
"""Unpacked size of a sample at most: an archive can claim anything."""

_LONG: Final = frozenset(
    {"messages", "events", "attachments", "events_data", "store", "input", "output"}
)


class InspectReader:
    """Reads Inspect logs."""

    name = "inspect"

    def matches(self, head: FileHead) -> bool:
        """A log's first keys; of an archive its first names."""
        if head.is_zip:
            return any(
                name in head.data
                for name in (b"_journal/start.json", b"header.json", b"samples/")
            )
        return head.has("eval") and ("version" in head.first or "status" in head.first)

    def read(self, source: TraceFile) -> Iterator[ReaderOutput]:
        """A trace a sample."""
        yield from _archive(source) if source.head.is_zip else _document(source)

    def assemble(self, trace_id: str, fragments: Iterable[JsonObject]) -> Trace:
        """The trace of the events' spans."""
        return assemble_spans(trace_id, fragments)


def _document(source: TraceFile) -> Iterator[ReaderOutput]:
    header: dict[str, Any] = {}
    with source.opened() as stream:
        for found in walk(stream, _PLAN, lines=False):
            where = f"{source.name}:{found.line}"
            if isinstance(found, StreamFault):
                yield Malformed(where, found.problem)
            elif len(found.path) == 2:
                header[str(found.path[1])] = found.value
            else:
                yield from _sample(found.value, header, where)


def _archive(source: TraceFile) -> Iterator[ReaderOutput]:
    try:
        archive = zipfile.ZipFile(source.path)
    except (OSError, zipfile.BadZipFile) as fault:
        yield Malformed(source.name, f"is a damaged archive: {fault}")
        return
    with archive:
        header: dict[str, Any] = {}
        for name in _HEADERS:
            if not header and name in archive.namelist():
                found = _entry(archive, name)
                header = cast("JsonObject", found) if isinstance(found, dict) else {}
        for name in archive.namelist():
            if name.startswith(_SAMPLES) and name.endswith(".json"):
                where = f"{source.name}: {name}"
                found = _entry(archive, name)
                if isinstance(found, str):
                    yield Malformed(where, found)
                else:
                    yield from _sample(found, header, where)


def _entry(archive: zipfile.ZipFile, name: str) -> object:
    """A JSON entry of the archive; text says what is wrong with it."""
    if archive.getinfo(name).file_size > MAX_SAMPLE_BYTES:
        return f"longer than {MAX_SAMPLE_BYTES >> 30} GiB"
    try:
        return cast("object", json.loads(archive.read(name)))
    except NotImplementedError as fault:
        return f"packed in a way that this Python cannot unpack: {fault}"
    except (ValueError, zipfile.BadZipFile, OSError, EOFError, RecursionError) as fault:
        return f"not readable: {str(fault) or type(fault).__name__}"
    except Exception as fault:  # noqa: BLE001 (zlib and lzma have errors of their own for damaged data)
        return f"damaged: {fault}"


def _sample(
    value: object, header: Mapping[str, Any], where: str
) -> Iterator[ReaderOutput]:
    if not isinstance(value, dict):
        yield Malformed(where, "a sample is an object")
        return
    given = cast("JsonObject", value)
    evaluation = header.get("eval")
    about = cast("JsonObject", evaluation) if isinstance(evaluation, dict) else {}
    sample_id, epoch = text_of(given.get("id")), given.get("epoch", 1)
    whose = (
        text_of(about.get("eval_id") or about.get("run_id") or about.get("task_id"))
        or "inspect"
    )
    trace_id = text_of(given.get("uuid")) or f"{whose}:{sample_id}:{epoch}"
    spans = SampleSpans(trace_id, given, model=text_of(about.get("model")) or None)
    for problem in spans.problems:
        yield Malformed(where, f"sample {sample_id}: {problem}")
    trace = assemble_spans(trace_id, spans.bodies)
    details = {key: item for key, item in given.items() if key not in _LONG}
    failed = given.get("error") is not None
    yield replace(
        trace,
        task_id=f"{about['task']}/{sample_id}"
        if about.get("task")
        else sample_id or None,
        agent_id=trace.agent_id or text_of(about.get("solver")) or None,
        status="error" if failed else "success",
        details=details,
    )
