"""Grade files of results into a ledger: read, skip what is graded already, grade the rest with bounded look-ahead, keep
what cannot be read in a rejects file, and stop in good order when asked to."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, BinaryIO, Final

import anyio

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.usage import Money
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.inputs.results import (
    MAX_LINE_BYTES,
    Accepted,
    Rejected,
    Seen,
    read_results,
)
from judgemesh.mesh.runs.mesh import Mesh, is_unpaid
from judgemesh.mesh.runs.panel_run import panel_of_run
from judgemesh.mesh.runs.run import halos_of
from judgemesh.mesh.runs.stream import windowed

if TYPE_CHECKING:
    from judgemesh.mesh.calibration.batch_effect import Halo
    from judgemesh.mesh.ledger.records import RunSummary
    from judgemesh.mesh.runs.panel_summary import PanelSummary
    from judgemesh.mesh.runs.run import Run

_LEDGER_FOLDER: Final = Path(".judgemesh")
_SQLITE: Final = "sqlite:///"
_STRETCH: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """Which results of which files are graded. The rest is the `MeshConfig`.

    results: files of results; None is standard input.
    filters: globs on `result_id` or `task_id`, or `key=glob` on a field of the result
        or its metadata; a result has to match all of them.
    resume: grade only what the run in the ledger does not hold yet.
    rejects: where lines that cannot be read are kept; None for a file beside the ledger.
    """

    results: tuple[Path | None, ...]
    limit: int | None = None
    filters: tuple[str, ...] = ()
    resume: bool = True
    retry_errors: bool = False
    rejects: Path | None = None
    max_line_bytes: int = MAX_LINE_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a batch stands. `problem` is the line to show for a result that was just rejected."""

    done: int
    total: int | None
    passed: int
    failed: int
    undecided: int
    rejected: int
    resumed: int
    cost: Money | None
    cost_avoided: Money | None
    elapsed_s: float
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What a batch did. `graded` counts this call's results, `resumed` those that were in the ledger already,
    `changed` those graded again because their line is another one now. `unpaid` were begun and left ungraded because
    the budget was spent; the same call with a larger budget goes on from there. `halos` says of each judge whether the
    answers of one call sway each other, where several questions went into one."""

    run_id: str
    ledger: str
    summary: RunSummary
    rejected: int
    rejects_path: Path | None
    resumed: int
    graded: int
    changed: int
    interrupted: bool
    unpaid: int
    budget_spent: bool
    warnings: tuple[str, ...]
    elapsed_s: float
    halos: Mapping[str, Halo] = field(default_factory=dict[str, "Halo"])
    panel: PanelSummary | None = None


Watch = Callable[[Progress], None]


@dataclass(slots=True)
class _Tally:
    """The running count behind `Progress`; `known` results were in the run before, `met` of them came by."""

    watch: Watch
    total: int | None
    known: int = 0
    met: int = 0
    started: float = field(default_factory=perf_counter)
    gates: dict[Gate, int] = field(default_factory=lambda: dict.fromkeys(Gate, 0))
    rejected: int = 0
    resumed: int = 0
    graded: int = 0
    changed: int = 0
    unpaid: int = 0
    cost: Money | None = None
    cost_avoided: Money | None = None

    def report(self, report: Report) -> None:
        self.graded += 1
        self.gates[report.gate] += 1
        self.cost = _plus(self.cost, report.evaluator_cost)
        self.cost_avoided = _plus(self.cost_avoided, report.evaluator_cost_avoided)
        self.show()

    def reject(self, problem: str) -> None:
        self.rejected += 1
        self.show(problem)

    def resume(self, gate: Gate) -> None:
        self.resumed += 1
        self.gates[gate] += 1
        self.show()

    def show(self, problem: str | None = None) -> None:
        self.watch(
            Progress(
                done=self.graded + self.resumed + self.rejected,
                total=self.total,
                passed=self.gates[Gate.PASS],
                failed=self.gates[Gate.FAIL],
                undecided=self.gates[Gate.UNDECIDED],
                rejected=self.rejected,
                resumed=self.resumed,
                cost=self.cost,
                cost_avoided=self.cost_avoided,
                elapsed_s=perf_counter() - self.started,
                problem=problem,
            )
        )


async def run_batch(
    config: MeshConfig, options: BatchOptions, watch: Watch
) -> BatchResult:
    """Grade every result of the input files that the ledger does not hold yet.

    SIGINT and SIGTERM stop it in good order: what is in flight is given up, everything committed stays, and the same
    call goes on from there.

    Raises:
        InputError: contracts, options or an input file cannot be used (before anything is graded).
        LedgerError: the ledger cannot be used.
    """
    if not options.results:
        raise ConfigError("no results to grade")
    for path in options.results:
        if path is not None and not path.is_file():
            raise ConfigError(
                "no such file",
                where=str(path),
                hint="expected a JSONL file of agent results, or - for standard input",
            )
    async with Mesh.from_config(batch_config(config, options)) as mesh:
        run = _run_of(mesh)
        before = await run.ledger.summary(run.run_id)
        tally = _Tally(watch, _count(options), known=before.attempted)
        rejects = _Rejects(
            options.rejects or _default_rejects(str(config.ledger), run.run_id)
        )
        try:
            interrupted = await _grade_all(mesh, options, tally, rejects)
        finally:
            rejects.close()
        stopped = interrupted or mesh.budget_spent
        warnings = (*mesh.warnings, *_leftover(tally, interrupted=stopped))
        status = "interrupted" if interrupted else "budget" if stopped else "done"
        await run.finish(status, {"graded": tally.graded, "rejected": tally.rejected})
        return BatchResult(
            run_id=run.run_id,
            ledger=str(config.ledger),
            summary=await run.ledger.summary(run.run_id),
            rejected=tally.rejected,
            rejects_path=rejects.path if rejects.written else None,
            resumed=tally.resumed,
            graded=tally.graded,
            changed=tally.changed,
            interrupted=interrupted,
            unpaid=tally.unpaid,
            budget_spent=mesh.budget_spent,
            warnings=warnings,
            elapsed_s=perf_counter() - tally.started,
            halos=await _halos(mesh, run),
            panel=await panel_of_run(run.ledger, run.run_id, mesh.judge_settings),
        )


async def _halos(mesh: Mesh, run: Run) -> Mapping[str, Halo]:
    """What the run so far shows about calls with several questions; also that it shows nothing yet."""
    if mesh.config.batch_criteria < 2 or mesh.judge_settings is None:
        return {}
    from judgemesh.mesh.calibration.batch_effect import measure

    return await halos_of(run.ledger, run.run_id) or {
        str(mesh.judge_settings.get("model", "judge")): measure(())
    }


async def _grade_all(
    mesh: Mesh, options: BatchOptions, tally: _Tally, rejects: _Rejects
) -> bool:
    """Grade what is missing; True when it was interrupted."""

    async def one(item: tuple[int, Accepted]) -> Report:
        index, accepted = item
        return await mesh.grade_parsed(
            accepted.result,
            base_dir=accepted.base_dir,
            digest=accepted.digest,
            index=index,
            keep_unpaid=False,
        )

    missing = _missing(mesh, options, tally, rejects, Seen())
    with _stopped_by_signals() as scope, scope:
        async for report in windowed(missing, one, limit=mesh.config.max_concurrency):
            if is_unpaid(report):
                tally.unpaid += 1
            else:
                tally.report(report)
    return scope.cancelled_caught


async def _missing(
    mesh: Mesh, options: BatchOptions, tally: _Tally, rejects: _Rejects, seen: Seen
) -> AsyncIterator[tuple[int, Accepted]]:
    """The results to grade, with their places in the input; what the ledger holds already is looked up a stretch at a
    time, so that memory does not grow with the run."""
    run = _run_of(mesh)

    def reject(item: Rejected, path: Path | None) -> None:
        rejects.add(item, path)
        tally.reject(item.problem)

    for stretch in _stretches(wanted_results(options, seen, reject)):
        ids = [item.result.result_id for _, item in stretch]
        graded = await run.ledger.graded_among(run.run_id, ids) if tally.known else {}
        for index, item in stretch:
            row = graded.get(item.result.result_id)
            tally.met += row is not None
            if row is not None and row.result_digest != item.digest:
                tally.changed += 1
            elif row is not None and not (row.has_error and options.retry_errors):
                tally.resume(row.gate)
                continue
            if mesh.budget_spent:
                return  # what is in hand is finished as far as the money goes; the rest waits for a larger budget
            yield index, item


def wanted_results(
    options: BatchOptions, seen: Seen, reject: Callable[[Rejected, Path | None], None]
) -> Iterator[tuple[int, Accepted]]:
    """The readable results that the filters and the limit leave, with their places in the input."""
    index = -1
    wanted = 0
    for path in options.results:
        for item in read_results(
            path, max_line_bytes=options.max_line_bytes, seen=seen
        ):
            if isinstance(item, Rejected):
                reject(item, path)
                continue
            index += 1
            if not _matches(item, options.filters):
                continue
            wanted += 1
            if options.limit is not None and wanted > options.limit:
                return
            yield index, item


def _stretches(
    items: Iterator[tuple[int, Accepted]],
) -> Iterator[list[tuple[int, Accepted]]]:
    """Runs of items, each looked up in the ledger at once."""
    while stretch := list(islice(items, _STRETCH)):
        yield stretch


def _matches(item: Accepted, filters: tuple[str, ...]) -> bool:
    """Whether a result meets every filter."""
    result = item.result
    for one in filters:
        key, equals, pattern = one.partition("=")
        if equals:
            value = (
                getattr(result, key, None)
                if key in type(result).model_fields
                else result.metadata.get(key)
            )
            if not fnmatchcase("" if value is None else str(value), pattern):
                return False
        elif not (
            fnmatchcase(result.result_id, one) or fnmatchcase(result.task_id, one)
        ):
            return False
    return True


class _Rejects:
    """The file of rejected lines, made with the first of them: `{file, line, problem, raw}` each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = 0
        self._stream: BinaryIO | None = None

    def add(self, item: Rejected, source: Path | None) -> None:
        if self._stream is None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._stream = self.path.open("wb")
            except OSError as error:
                raise ConfigError(
                    f"the rejects file cannot be written: {error.strerror or error}",
                    where=str(self.path),
                    hint="--rejects FILE",
                ) from None
        row = {
            "file": None if source is None else str(source),
            "line": item.line,
            "problem": item.problem,
            "raw": item.raw.decode("utf-8", "replace"),
        }
        self._stream.write(json.dumps(row, ensure_ascii=True).encode() + b"\n")
        self.written += 1

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()


@contextmanager
def _stopped_by_signals() -> Generator[anyio.CancelScope]:
    """A scope that the first SIGINT or SIGTERM cancels; a second one gets through as usual. Outside the main thread,
    where signals cannot be handled, the scope is a plain one."""
    scope = anyio.CancelScope()
    loop = asyncio.get_running_loop()
    handled: list[signal.Signals] = []

    def stop() -> None:
        scope.cancel()
        while handled:
            loop.remove_signal_handler(handled.pop())

    for one in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(one, stop)
            handled.append(one)
    try:
        yield scope
    finally:
        for one in handled:
            loop.remove_signal_handler(one)


def batch_config(config: MeshConfig, options: BatchOptions) -> MeshConfig:
    """The configuration with a run name that the same inputs give again.

    A name that the configuration brings stays; without `resume` every call is a new run.
    """
    if not options.resume:
        return config.model_copy(update={"run_name": None})
    if config.run_name is not None:
        return config
    results = ["-" if path is None else str(path.resolve()) for path in options.results]
    identity = {
        "results": results,
        "limit": options.limit,
        "filters": sorted(options.filters),
    }
    run_name = json.dumps(identity, sort_keys=True)
    return config.model_copy(update={"run_name": run_name})


def _count(options: BatchOptions) -> int | None:
    """How many lines there are to come, or None when only reading tells."""
    if options.filters or any(
        path is None or path.suffix == ".gz" for path in options.results
    ):
        return None
    lines = sum(_lines(path) for path in options.results if path is not None)
    return lines if options.limit is None else min(lines, options.limit)


def _lines(path: Path) -> int:
    """Lines of a file, at the speed of the disk."""
    count, last = 0, b"\n"
    with path.open("rb") as stream:
        while chunk := stream.read(2**20):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")


def _default_rejects(ledger: str, run_id: str) -> Path:
    """Beside the ledger when that is a file, else in the folder ledgers have by default."""
    is_file = ledger.startswith(_SQLITE) or "://" not in ledger
    folder = (
        Path(ledger.removeprefix(_SQLITE)).parent
        if is_file and ":memory:" not in ledger
        else _LEDGER_FOLDER
    )
    return folder / f"{run_id}.rejects.jsonl"


def _leftover(tally: _Tally, *, interrupted: bool) -> list[str]:
    """Say so when the run holds results that the input no longer has: they still count in its summary."""
    gone = tally.known - tally.met
    if interrupted or gone <= 0:
        return []
    return [
        f"{gone} results of this run are no longer in the input and still count; --no-resume starts a new run"
    ]


def _run_of(mesh: Mesh) -> Run:
    """The run of a mesh that was opened with a ledger, as every batch is."""
    if mesh.run is None:
        raise ConfigError("a batch needs a ledger", hint="--ledger FILE")
    return mesh.run


def _plus(left: Money | None, right: Money | None) -> Money | None:
    """A running sum over what is known, in the first currency seen."""
    if right is None or (left is not None and left.currency != right.currency):
        return left
    return right if left is None else left + right
