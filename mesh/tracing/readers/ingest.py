"""Files of traces -> traces, one at a time, whatever their formats.

What is malformed is counted and reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.protocol import Fragment, Malformed, TraceReader
from judgemesh.mesh.tracing.readers.registry import AUTO, reader_for, reader_named
from judgemesh.mesh.tracing.readers.source import TraceFile
from judgemesh.mesh.tracing.readers.staging import Staging

_FRAGMENTS_A_REPORT: Final = 1_000


@dataclass(slots=True)
class ImportCounts:
    """How far the reading is. Changed in place while it goes on.

    fragments: spans, events or rows read, of the formats that mix traces.
    traces, steps: given so far.
    formats: the name of the format of each file.
    """

    files: int = 0
    fragments: int = 0
    traces: int = 0
    steps: int = 0
    malformed: int = 0
    formats: dict[str, str] = field(default_factory=dict[str, str])


_OnMalformed: TypeAlias = Callable[[str], None]
_OnProgress: TypeAlias = Callable[[ImportCounts], None]


def read_traces(
    paths: Sequence[Path],
    *,
    format: str = AUTO,  # noqa: A002 (the name of the option)
    on_malformed: _OnMalformed | None = None,
    on_progress: _OnProgress | None = None,
    reading: ImportCounts | None = None,
) -> Iterator[Trace]:
    """Every trace of the files, its steps in order, not yet priced.

    Spans of one trace may be spread over the files and mixed with others. Files that
    hold whole runs give theirs at once. Memory depends on the largest trace, not on the
    files.

    Args:
        paths: the files; `.gz` is unpacked.
        format: the name of a reader, or `auto`: by the content of each file.
        on_malformed: called with one line for everything that cannot be used.
        on_progress: called after every trace, and every 1,000 fragments.
        reading: counts what is read; give one to look at it afterwards.

    Raises:
        InputError: a file cannot be read, or is of no known format.
        ConfigError: no such format.
    """
    report = _Report(reading or ImportCounts(), on_malformed, on_progress)
    readers: dict[str, TraceReader] = {}
    with Staging() as staging:
        for path in paths:
            source = TraceFile(path)
            reader = reader_for(source) if format == AUTO else reader_named(format)
            readers[reader.name] = reader
            report.reading.formats[source.name] = reader.name
            for trace in _whole_traces(reader, source, staging, report):
                report.add_trace(trace)
                yield trace
            report.reading.files += 1
        for name, trace_id, bodies in staging.traces():
            trace = readers[name].assemble(trace_id, bodies)
            report.add_trace(trace)
            yield trace
    report.progress()


def _whole_traces(
    reader: TraceReader, source: TraceFile, staging: Staging, report: _Report
) -> Iterator[Trace]:
    """The whole runs of a file. Its fragments go to `staging`."""
    for output in reader.read(source):
        if isinstance(output, Fragment):
            staging.add(reader.name, output.trace_id, output.body)
            if not output.is_aside:
                report.reading.fragments += 1
            if report.reading.fragments % _FRAGMENTS_A_REPORT == 0:
                report.progress()
        elif isinstance(output, Malformed):
            report.add_malformed(str(output))
        else:
            if report.is_known(output.trace_id):
                report.add_malformed(
                    f"{source.name}: trace {output.trace_id!r} came before;"
                    " the later one is kept"
                )
            yield output


class _Report:
    """Counts what is read, and calls those who want to know."""

    def __init__(
        self,
        reading: ImportCounts,
        on_malformed: _OnMalformed | None,
        on_progress: _OnProgress | None,
    ) -> None:
        self.reading = reading
        self._on_malformed = on_malformed
        self._on_progress = on_progress
        self._trace_ids: set[str] = set()

    def is_known(self, trace_id: str) -> bool:
        """Whether a whole run of that id came before."""
        is_known = trace_id in self._trace_ids
        self._trace_ids.add(trace_id)
        return is_known

    def add_malformed(self, line: str) -> None:
        self.reading.malformed += 1
        if self._on_malformed is not None:
            self._on_malformed(line)

    def add_trace(self, trace: Trace) -> None:
        self.reading.traces += 1
        self.reading.steps += len(trace.steps)
        for problem in trace.problems:
            self.add_malformed(f"trace {trace.trace_id}: {problem}")
        self.progress()

    def progress(self) -> None:
        if self._on_progress is not None:
            self._on_progress(self.reading)


def paths_of(names: Iterable[Path]) -> list[Path]:
    """Files as they are named, and the files of folders, in the order of their names.

    Raises:
        InputError: one does not exist, or a folder is empty.
    """
    paths: list[Path] = []
    for name in names:
        if name.is_dir():
            files = sorted(path for path in name.rglob("*") if path.is_file())
            if not files:
                raise InputError("is empty", where=str(name))
            paths += files
        elif name.exists():
            paths.append(name)
        else:
            raise InputError("does not exist", where=str(name))
    return paths
