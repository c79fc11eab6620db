"""Files of traces -> traces, one at a time, whatever their formats; what is malformed is counted and said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import Trace
from judgemesh.mesh.tracing.readers.protocol import Fragment, Malformed, TraceReader
from judgemesh.mesh.tracing.readers.registry import AUTO, reader_for, reader_named
from judgemesh.mesh.tracing.readers.source import TraceFile
from judgemesh.mesh.tracing.readers.staging import Staging

_EVERY: Final = 1_000


@dataclass(slots=True)
class Reading:
    """How far the reading is. Changed in place while it goes on.

    fragments: spans, events or rows read, of the formats that mix traces. traces, steps: given so far.
    formats: the name of the format of each file.
    """

    files: int = 0
    fragments: int = 0
    traces: int = 0
    steps: int = 0
    malformed: int = 0
    formats: dict[str, str] = field(default_factory=dict[str, str])


def read_traces(
    paths: Sequence[Path],
    *,
    format: str = AUTO,  # noqa: A002 (the name of the option)
    on_malformed: Callable[[str], None] | None = None,
    on_progress: Callable[[Reading], None] | None = None,
    reading: Reading | None = None,
) -> Iterator[Trace]:
    """Every trace of the files, its steps in order, not yet priced.

    Spans of one trace may be spread over the files and mixed with others; files that hold whole runs give theirs at
    once. Memory depends on the largest trace, not on the files.

    Args:
        paths: the files; `.gz` is unpacked.
        format: the name of a reader, or `auto`: by the content of each file.
        on_malformed: called with one line for everything that cannot be used.
        on_progress: called now and then.
        reading: counts what is read; give one to look at it afterwards.

    Raises:
        InputError: a file cannot be read, or is of no known format.
        ConfigError: no such format.
    """
    told = _Told(reading or Reading(), on_malformed, on_progress)
    readers: dict[str, TraceReader] = {}
    with Staging() as staging:
        for path in paths:
            source = TraceFile(path)
            reader = reader_for(source) if format == AUTO else reader_named(format)
            readers[reader.name] = reader
            told.reading.formats[source.name] = reader.name
            for trace in _whole_traces(reader, source, staging, told):
                yield told.trace(trace)
            told.reading.files += 1
        for name, trace_id, bodies in staging.traces():
            yield told.trace(readers[name].assemble(trace_id, bodies))
    told.progress(always=True)


def _whole_traces(
    reader: TraceReader, source: TraceFile, staging: Staging, told: _Told
) -> Iterator[Trace]:
    for found in reader.read(source):
        if isinstance(found, Fragment):
            staging.add(reader.name, found.trace_id, found.body)
            told.reading.fragments += not found.is_aside
            told.progress()
        elif isinstance(found, Malformed):
            told.malformed(str(found))
        elif not told.first(found.trace_id):
            told.malformed(
                f"{source.name}: trace {found.trace_id!r} came before; the later one stands"
            )
            yield found
        else:
            yield found


class _Told:
    """Counts, and tells whoever wants to know."""

    def __init__(
        self,
        reading: Reading,
        on_malformed: Callable[[str], None] | None,
        on_progress: Callable[[Reading], None] | None,
    ) -> None:
        self.reading = reading
        self._on_malformed, self._on_progress = on_malformed, on_progress
        self._ids: set[str] = set()

    def first(self, trace_id: str) -> bool:
        known = trace_id in self._ids
        self._ids.add(trace_id)
        return not known

    def malformed(self, line: str) -> None:
        self.reading.malformed += 1
        if self._on_malformed is not None:
            self._on_malformed(line)

    def trace(self, trace: Trace) -> Trace:
        self.reading.traces += 1
        self.reading.steps += len(trace.steps)
        for problem in trace.problems:
            self.malformed(f"trace {trace.trace_id}: {problem}")
        self.progress(always=True)
        return trace

    def progress(self, *, always: bool = False) -> None:
        if self._on_progress is not None and (
            always or self.reading.fragments % _EVERY == 0
        ):
            self._on_progress(self.reading)


def paths_of(names: Iterable[Path]) -> list[Path]:
    """Files as they are named, and the files of folders, in the order of their names.

    Raises:
        InputError: one is not there, or a folder is empty.
    """
    found: list[Path] = []
    for name in names:
        inside = (
            sorted(path for path in name.rglob("*") if path.is_file())
            if name.is_dir()
            else [name]
        )
        if not inside or not inside[0].exists():
            raise InputError(
                "is empty" if inside == [] else "does not exist", where=str(name)
            )
        found += inside
    return found
