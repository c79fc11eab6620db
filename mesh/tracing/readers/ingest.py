"""Files of traces -> traces, one at a time, whatever their formats.

What is malformed is counted and reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.tracing import CAME_AGAIN, SetAside, Trace
from judgemesh.mesh.tracing.readers.packing import (
    fullness_of,
    whole_part,
)
from judgemesh.mesh.tracing.readers.protocol import (
    FAULTS,
    Fragment,
    Malformed,
    ReaderOutput,
    TraceReader,
)
from judgemesh.mesh.tracing.readers.registry import AUTO, reader_for, reader_named
from judgemesh.mesh.tracing.readers.runs import ReadRun, assembled_run
from judgemesh.mesh.tracing.readers.source import TraceFile
from judgemesh.mesh.tracing.readers.staging import Staging

_FRAGMENTS_A_REPORT: Final = 1_000


@dataclass(slots=True)
class ImportCounts:
    """How far the reading is. Changed in place while it goes on.

    fragments: spans, events or rows read, of the formats that mix traces.
    traces, steps: given so far.
    formats: the name of the format of each file.
    spans: spans, events or rows of the traces given so far, and what is malformed:
        `counted + those of set_aside + malformed`.
    counted: those whose own figures count, or that have none.
    tokens_counted: the tokens that the bill counts.
    set_aside: what does not count, with its tokens, by reason.
    """

    files: int = 0
    fragments: int = 0
    traces: int = 0
    steps: int = 0
    malformed: int = 0
    counted: int = 0
    tokens_counted: int = 0
    set_aside: dict[str, SetAside] = field(default_factory=dict[str, SetAside])
    formats: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def spans(self) -> int:
        """Everything that was read."""
        aside = sum(one.spans for one in self.set_aside.values())
        return self.counted + aside + self.malformed

    @property
    def tokens(self) -> int:
        """All tokens that were read."""
        aside = sum(one.tokens for one in self.set_aside.values())
        return self.tokens_counted + aside

    def add(self, trace: Trace) -> None:
        """Count a trace."""
        self.traces += 1
        self.steps += len(trace.steps)
        self.counted += _counted_in(trace)
        self.tokens_counted += tokens_of(trace)
        for one in trace.set_aside:
            self.put_aside(one)

    def put_aside(self, one: SetAside) -> None:
        """Count what does not count."""
        known = self.set_aside.get(one.reason)
        if known is not None:
            one = replace(
                one,
                spans=known.spans + one.spans,
                tokens=known.tokens + one.tokens,
                steps=known.steps + one.steps,
            )
        self.set_aside[one.reason] = one


def tokens_of(trace: Trace) -> int:
    """The tokens that the bill of a trace counts."""
    return sum(step.usage.total for step in trace.steps if step.usage is not None)


def _counted_in(trace: Trace) -> int:
    """How many spans, events or rows of a trace count."""
    if trace.read_as is not None:
        return trace.read_as
    return len(trace.steps) - sum(one.steps for one in trace.set_aside)


def spans_of(trace: Trace) -> int:
    """How many spans, events or rows a trace was read from."""
    return _counted_in(trace) + sum(one.spans for one in trace.set_aside)


_OnMalformed: TypeAlias = Callable[[str], None]
_OnProgress: TypeAlias = Callable[[ImportCounts], None]


def read_traces(
    paths: Sequence[Path],
    *,
    format: str = AUTO,  # noqa: A002 (the name of the option)
    on_malformed: _OnMalformed | None = None,
    on_progress: _OnProgress | None = None,
    reading: ImportCounts | None = None,
    keeps_content: bool = False,
) -> Iterator[Trace]:
    """Every trace of the files, its steps in order, not yet priced.

    Spans of one trace may be spread over the files and mixed with others. What comes
    twice counts once, in any order. Memory depends on the largest trace, not on the
    files.

    Args:
        paths: the files; `.gz` is unpacked.
        format: the name of a reader, or `auto`: by the content of each file.
        on_malformed: called with one line for everything that cannot be used.
        on_progress: called after every trace, and every 1,000 fragments.
        reading: counts what is read; give one to look at it afterwards.
        keeps_content: whether steps keep what was said and called.

    Raises:
        InputError: a file cannot be read, or is of no known format.
        ConfigError: no such format.
    """
    report = _Report(reading or ImportCounts(), on_malformed, on_progress)
    files = (TraceFile(path, keeps_content=keeps_content) for path in paths)
    for run in _runs(_with_readers(files, format), report, packs=False):
        yield run.trace


def read_runs(
    paths: Sequence[Path],
    *,
    format: str = AUTO,  # noqa: A002 (the name of the option)
    on_malformed: _OnMalformed | None = None,
    on_progress: _OnProgress | None = None,
    reading: ImportCounts | None = None,
) -> Iterator[ReadRun]:
    """As `read_traces`, with what each trace was put together from."""
    report = _Report(reading or ImportCounts(), on_malformed, on_progress)
    sources = _with_readers(map(TraceFile, paths), format)
    yield from _runs(sources, report, packs=True)


def traces_in(
    source: TraceFile, reader: TraceReader, on_malformed: _OnMalformed
) -> Iterator[Trace]:
    """Every trace of one source that this reader reads; see `read_traces`."""
    report = _Report(ImportCounts(), on_malformed, None)
    for run in _runs(((source, reader),), report, packs=False):
        yield run.trace


def _with_readers(
    sources: Iterable[TraceFile],
    format: str,  # noqa: A002 (the name of the option)
) -> Iterator[tuple[TraceFile, TraceReader]]:
    for source in sources:
        if format == AUTO:
            yield source, reader_for(source)
        else:
            yield source, reader_named(format)


def _runs(
    sources: Iterable[tuple[TraceFile, TraceReader]], report: _Report, *, packs: bool
) -> Iterator[ReadRun]:
    readers: dict[str, TraceReader] = {}
    with Staging() as staging:
        whole: dict[str, None] = {}
        for source, reader in sources:
            family = str(getattr(reader, "family", reader.name))
            readers[family] = reader
            report.reading.formats[source.name] = reader.name
            for output in _outputs(reader, source):
                if isinstance(output, Trace):
                    whole[output.trace_id] = None
                    _stage_whole(output, staging, report)
                else:
                    report.stage(family, output, staging)
            report.reading.files += 1
        for trace_id in whole:
            trace = staging.whole(trace_id)
            if trace is not None:
                report.add_trace(trace)
                parts = (whole_part(fullness_of(trace)),) if packs else ()
                yield ReadRun(trace, parts, is_whole=True)
        for trace_id, bodies in staging.traces():
            try:
                run = assembled_run(trace_id, bodies, readers, report.drop, packs=packs)
            except FAULTS as error:
                problem = f"cannot be read: {type(error).__name__}: {error}"
                report.add_malformed(f"trace {trace_id!r} {problem}")
                continue
            if trace_id in whole:
                # A run that one document holds is not put together with parts of others.
                report.drop(run.trace)
            else:
                report.add_trace(run.trace)
                yield run
    report.progress()


def _outputs(reader: TraceReader, source: TraceFile) -> Iterator[ReaderOutput]:
    """What a reader gives. A file that it stumbles over is malformed from there on."""
    try:
        yield from reader.read(source)
    except FAULTS as error:
        problem = f"cannot be read: {type(error).__name__}: {error}"
        yield Malformed(source.name, problem)


def _stage_whole(trace: Trace, staging: Staging, report: _Report) -> None:
    """Keep a whole run. Of several with one id, the one with most in it is kept."""
    known = staging.whole(trace.trace_id)
    if known is None:
        staging.put_whole(trace)
        return
    kept, dropped = sorted((known, trace), key=fullness_of, reverse=True)
    staging.put_whole(kept)
    report.drop(dropped, is_copy=kept == dropped)


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

    def stage(
        self, family: str, output: Fragment | Malformed, staging: Staging
    ) -> None:
        """Keep a part of a trace, or report what is none."""
        if isinstance(output, Malformed):
            self.add_malformed(str(output))
            return
        staging.add(family, output.trace_id, output.body)
        if not output.is_aside:
            self.reading.fragments += 1
        if self.reading.fragments % _FRAGMENTS_A_REPORT == 0:
            self.progress()

    def add_malformed(self, line: str) -> None:
        self.reading.malformed += 1
        if self._on_malformed is not None:
            self._on_malformed(line)

    def drop(self, trace: Trace, *, is_copy: bool = False) -> None:
        """Set a trace aside, of which one with more in it is kept."""
        if not is_copy:
            self.add_malformed(
                f"trace {trace.trace_id!r} came twice with different content;"
                " the longer one is kept"
            )
        self.reading.put_aside(
            SetAside(
                reason=CAME_AGAIN,
                spans=spans_of(trace),
                tokens=tokens_of(trace) + sum(one.tokens for one in trace.set_aside),
            )
        )

    def add_trace(self, trace: Trace) -> None:
        self.reading.add(trace)
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
