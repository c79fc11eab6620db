"""Which results of which files a batch grades: files, filters, a limit, and what the ledger already holds."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.inputs.files.opening import open_file
from judgemesh.mesh.inputs.results import (
    MAX_LINE_BYTES,
    Accepted,
    Line,
    Rejected,
    line_groups,
)
from judgemesh.mesh.inputs.seen import Seen
from judgemesh.mesh.ledger.run_names import STDIN, batch_name
from judgemesh.mesh.runs.filters import Filters

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.records import LedgerGrade

_CHUNK_BYTES = 2**20
_MAX_CHUNK_BYTES: Final = 8 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """Which results of which files are graded. The rest is the `MeshConfig`.

    results: files of results; None is standard input.
    filters: globs on `result_id` or `task_id`, or `key=glob` on a field of the result
        or its metadata; a result has to match all of them.
    resume: grade only what the run in the ledger does not hold yet.
    retry_errors: which results with a broken measurement are graded again: None for those with an evaluator error, True
        also for those that a source was out of reach for, False for none.
    preflight: try sources and judges before the first result.
    rejects: where lines that cannot be read are kept; None for a file beside the ledger.
    workers: processes that grade; 1 grades in this one. cluster: a Dask cluster that grades instead: `local`,
        `local:N` or the address of its scheduler.
    """

    results: tuple[Path | None, ...]
    limit: int | None = None
    filters: tuple[str, ...] = ()
    resume: bool = True
    retry_errors: bool | None = None
    preflight: bool = True
    rejects: Path | None = None
    max_line_bytes: int = MAX_LINE_BYTES
    workers: int = 1
    cluster: str | None = None


def check_files(options: BatchOptions) -> None:
    """Refuse a batch without files, or with one that does not exist.

    Raises:
        ConfigError: it names the file.
    """
    if not options.results:
        raise ConfigError("no results to grade")
    for path in options.results:
        if path is None or path.is_file():
            continue
        if path.exists() and not path.is_dir():
            raise ConfigError(
                "is a pipe or a device, which cannot be read twice",
                where=str(path),
                hint="pipe it into the command: `... | judgemesh grade -`",
            )
        raise ConfigError(
            "no such file",
            where=str(path),
            hint="expected a JSONL file of agent results, or - for standard input",
        )


def batch_config(config: MeshConfig, options: BatchOptions) -> MeshConfig:
    """The configuration with a run name that the same inputs give again.

    A name in the configuration stays; without `resume` every call is a new run.
    """
    if not options.resume:
        return config.model_copy(update={"run_name": None})
    if config.run_name is not None:
        return config
    results = [
        STDIN if path is None else str(path.resolve()) for path in options.results
    ]
    run_name = batch_name(results, options.limit, options.filters)
    return config.model_copy(update={"run_name": run_name})


@dataclass(frozen=True, slots=True)
class Selected:
    """A line to grade. It is validated where it is graded, and may turn out to be no result.

    index: its place in the input.
    """

    index: int
    line: Line
    result_id: str


@dataclass(slots=True)
class Selection:
    """Chooses lines to grade, in the order of the input.

    Of several lines with one `result_id` the first that is a result stands. Lines are validated here only where a
    filter or the limit asks for it: that takes longer than anything else about a result that is graded already.

    options: which files, filters and limit.
    reject: called with each line that cannot be used, and its file.
    """

    options: BatchOptions
    reject: Callable[[Rejected, Path | None], None]
    filters: Filters = field(init=False)
    _seen: Seen = field(default_factory=Seen)
    _pending: dict[str, Selected] = field(default_factory=dict[str, "Selected"])
    _index: int = -1
    _count: int = 0

    def __post_init__(self) -> None:
        self.filters = Filters(self.options.filters)

    async def chunks(self, most: int) -> AsyncIterator[list[Selected]]:
        """The lines that filters and limit leave, up to `most` at once, fewer where they are long.

        What has come by standard input is not held back until there is more. `settle` must be called for each line.
        """
        chunk: list[Selected] = []
        size = 0
        async for path, lines in self._groups():
            for selected in self._selected(lines, path):
                chunk.append(selected)
                size += len(selected.line.raw)
                if len(chunk) == most or size > _MAX_CHUNK_BYTES:
                    yield chunk
                    chunk, size = [], 0
            if chunk and path is None:
                yield chunk
                chunk, size = [], 0
            if self._has_all:
                break
        if chunk:
            yield chunk

    async def _groups(self) -> AsyncIterator[tuple[Path | None, Iterable[Line]]]:
        for path in self.options.results:
            groups = line_groups(path, max_line_bytes=self.options.max_line_bytes)
            async with aclosing(groups):
                async for lines in groups:
                    yield path, lines

    def _selected(self, lines: Iterable[Line], path: Path | None) -> Iterator[Selected]:
        options = self.options
        must_validate = bool(options.filters) or options.limit is not None
        for line in lines:
            if self._has_all:
                return
            result_id = self._usable(line, path, must_validate=must_validate)
            if result_id is None:
                continue
            self._index += 1
            if must_validate and not self._passes(line):
                continue
            self._count += 1
            selected = Selected(self._index, line, result_id)
            self._pending[result_id] = selected
            yield selected

    @property
    def _has_all(self) -> bool:
        """Whether the limit is reached."""
        return self._count == self.options.limit

    def settle(self, selected: Selected, *, usable: bool = True) -> None:
        """A selected line is dealt with. usable: whether it was a result; else a later line of its id may stand."""
        if self._pending.get(selected.result_id) is not selected:
            return
        del self._pending[selected.result_id]
        if not usable:
            self._seen.forget(selected.result_id)

    def _usable(
        self, line: Line, path: Path | None, *, must_validate: bool
    ) -> str | None:
        """The id of a line; None for one that is rejected here."""
        result_id = line.glance()
        if result_id is None or must_validate:
            read = line.read()
            if isinstance(read, Rejected):
                self.reject(read, path)
                return None
            result_id = read.result.result_id
        problem = self._repeated(result_id, line)
        if problem is None:
            return result_id
        read = line.read()
        rejected = line.rejected(problem)
        self.reject(read if isinstance(read, Rejected) else rejected, path)
        return None

    def _repeated(self, result_id: str, line: Line) -> str | None:
        """What is wrong with a line whose id an earlier result has."""
        problem = self._seen.repeated(result_id, line.file, line.number)
        earlier = self._pending.get(result_id)
        if problem is None or earlier is None:
            return problem
        if not isinstance(earlier.line.read(), Rejected):
            return problem
        self._seen.forget(result_id)
        return self._seen.repeated(result_id, line.file, line.number)

    def _passes(self, line: Line) -> bool:
        read = line.read()
        return isinstance(read, Accepted) and self.filters.keep(read.result)


def must_grade(
    graded: LedgerGrade | None, digest: str, *, retry_errors: bool | None
) -> bool:
    """Whether a result is graded (again): it is not in the ledger, it has changed, or its measurement was broken."""
    if graded is None or graded.result_digest != digest:
        return True
    if retry_errors is False:
        return False
    return graded.has_error or (graded.unreached and retry_errors is True)


def line_count(options: BatchOptions) -> int | None:
    """How many lines there are to read; None when only reading can tell."""
    if options.filters:
        return None
    total = 0
    for path in options.results:
        if path is None or path.suffix == ".gz":
            return None
        total += _lines(path)
    return total if options.limit is None else min(total, options.limit)


def _lines(path: Path) -> int:
    """Lines of a file, at the speed of the disk."""
    count, last = 0, b"\n"
    with open_file(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")
