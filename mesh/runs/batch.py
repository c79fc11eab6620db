"""Grade files of results into a ledger.

Results that the run already holds are skipped, the others are graded with bounded look-ahead, lines that cannot be used
are kept in a rejects file, and a signal stops the batch in good order.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.inputs.intake import Notes
from judgemesh.mesh.inputs.results import Accepted, Line, Rejected
from judgemesh.mesh.ledger.writer import GROUP_LIMIT
from judgemesh.mesh.runs.escalation_summary import (
    EscalationSummary,
    escalation_of_run,
)
from judgemesh.mesh.runs.lease import leased
from judgemesh.mesh.runs.line_grading import (
    GradedLine,
    Job,
    LineGrader,
    Outcome,
    Outcomes,
)
from judgemesh.mesh.runs.mesh import Mesh
from judgemesh.mesh.runs.panel_run import panel_of_run
from judgemesh.mesh.runs.progress import BatchCount, Watch
from judgemesh.mesh.runs.rejects import RejectsFile, default_rejects_path
from judgemesh.mesh.runs.run import halos_of, run_status
from judgemesh.mesh.runs.selection import (
    BatchOptions,
    Selected,
    Selection,
    batch_config,
    check_files,
    line_count,
    must_grade,
)
from judgemesh.mesh.runs.signals import cancelled_by_signals
from judgemesh.mesh.runs.stream import windowed, windowed_groups

if TYPE_CHECKING:
    from judgemesh.contracts.report import Gate
    from judgemesh.contracts.results import AgentResult
    from judgemesh.mesh.calibration.batch_effect import Halo
    from judgemesh.mesh.ledger.records import LedgerGrade, RunSummary
    from judgemesh.mesh.runs.panel_summary import PanelSummary
    from judgemesh.mesh.runs.run import Run

_MAX_LOOKED_UP: Final = 500
"""How many results are looked up in the ledger at once."""
_MAX_AHEAD: Final = 64
"""How many lines of a new run are read before the first is graded."""
_MAX_COMMITTING: Final = 8
"""How many groups of results wait for their commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What a batch did.

    graded: results of this call; resumed: those that were in the ledger already; changed: those graded again because
        their line, or a file that it names, has changed.
    unpaid: results begun and left ungraded because the budget was spent or access to the judge refused; the same call
        goes on from there once that is mended.
    nothing_selected: why `--filter` kept no result; empty where it kept one, or there was none.
    access_denied: why the provider of a judge refuses access; None where it does not.
    halos: for each judge, whether the answers of one call sway each other, where calls asked several questions.
    """

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
    access_denied: str | None
    warnings: tuple[str, ...]
    elapsed_s: float
    nothing_selected: str = ""
    halos: Mapping[str, Halo] = field(default_factory=dict[str, "Halo"])
    panel: PanelSummary | None = None
    escalation: EscalationSummary | None = None


async def run_batch(
    config: MeshConfig, options: BatchOptions, watch: Watch
) -> BatchResult:
    """Grade every result of the input files that the ledger does not hold yet.

    SIGINT and SIGTERM stop it in good order: work in progress is cancelled, everything committed stays, and the same
    call goes on from there.

    Raises:
        InputError: contracts, options or an input file cannot be used (before anything is graded).
        LedgerError: the ledger cannot be used.
    """
    check_files(options)
    async with AsyncExitStack() as stack:
        mesh = Mesh.from_config(batch_config(config, options))
        await stack.enter_async_context(mesh)
        run = _run_of(mesh)
        await stack.enter_async_context(leased(run))
        ledger = str(config.ledger)
        rejects = RejectsFile(
            options.rejects or default_rejects_path(ledger, run.run_id)
        )
        known = await run.ledger.attempted(run.run_id)
        count = BatchCount(watch, line_count(options), known=known)
        batch = _Batch(mesh, run, options, rejects, count)
        try:
            interrupted = await batch.grade_all()
        finally:
            rejects.close()
        status = _status(mesh, interrupted=interrupted)
        await run.finish(status, {"graded": count.graded, "rejected": count.rejected})
        warnings = [*mesh.warnings, *batch.warnings, *batch.notes.lines()]
        if status == "done":
            warnings.extend(_leftover_warning(count))
        return BatchResult(
            run_id=run.run_id,
            ledger=ledger,
            summary=await mesh.summary(),
            rejected=count.rejected,
            rejects_path=rejects.path if rejects.written else None,
            resumed=count.resumed,
            graded=count.graded,
            changed=count.changed,
            interrupted=interrupted,
            unpaid=count.unpaid,
            budget_spent=mesh.budget_spent,
            access_denied=mesh.access_denied,
            warnings=tuple(warnings),
            elapsed_s=count.elapsed_s,
            nothing_selected=batch.selection.filters.why_nothing(),
            halos=await _halos(mesh, run),
            panel=await panel_of_run(run.ledger, run.run_id, mesh.judge_settings),
            escalation=await escalation_of_run(
                run.ledger, run.run_id, mesh.judge_settings
            ),
        )


def _run_of(mesh: Mesh) -> Run:
    if mesh.run is None:
        raise ConfigError("a batch needs a ledger", hint="--ledger FILE")
    return mesh.run


def _status(mesh: Mesh, *, interrupted: bool) -> str:
    if interrupted:
        return "interrupted"
    if mesh.access_denied is not None:
        return "stopped"
    return run_status(None, budget_spent=mesh.budget_spent)


def _leftover_warning(count: BatchCount) -> list[str]:
    """A warning when the run holds results that the input no longer has: they still count in its summary."""
    gone = count.known - count.met
    if gone <= 0:
        return []
    return [
        f"{gone} results of this run are no longer in the input and still count; --no-resume starts a new run"
    ]


async def _halos(mesh: Mesh, run: Run) -> Mapping[str, Halo]:
    """What the run shows about calls with several questions, even if it shows nothing yet."""
    if mesh.config.batch_criteria < 2 or mesh.judge_settings is None:
        return {}
    from judgemesh.mesh.calibration.batch_effect import measure

    model = str(mesh.judge_settings.get("model", "judge"))
    return await halos_of(run.ledger, run.run_id) or {model: measure(())}


@dataclass(slots=True)
class _Batch:
    """A batch at work: it selects lines, has them graded, and keeps what becomes of them."""

    mesh: Mesh
    run: Run
    options: BatchOptions
    rejects: RejectsFile
    count: BatchCount
    notes: Notes = field(default_factory=Notes)
    warnings: list[str] = field(default_factory=list[str])
    selection: Selection = field(init=False)
    in_progress: dict[int, _Begun] = field(default_factory=dict[int, "_Begun"])

    def __post_init__(self) -> None:
        self.selection = Selection(self.options, self._reject)

    async def grade_all(self) -> bool:
        """Grade what is missing; True when a signal has interrupted it."""
        limit = self.mesh.config.max_concurrency
        gathering = self.run.ledger.gathering(self._at_once(limit))
        outcomes = await self._outcomes(limit)
        with gathering, cancelled_by_signals() as scope, scope:
            async with aclosing(outcomes):
                # The next results are graded while a group of them is committed.
                async for _ in windowed(outcomes, self._keep, limit=_MAX_COMMITTING):
                    pass
        return scope.cancelled_caught

    def _at_once(self, limit: int) -> int:
        """How many results share a commit: those in progress, or more where none of them waits for it."""
        waits = self._is_alone or self.mesh.judge_settings is not None
        return limit if waits else GROUP_LIMIT

    @property
    def _is_alone(self) -> bool:
        """Whether this process grades."""
        return self.options.workers == 1 and self.options.cluster is None

    async def _outcomes(self, limit: int) -> AsyncGenerator[list[Outcomes]]:
        """What becomes of the jobs: graded in this process, or by workers.

        Raises:
            ConfigError: the workers cannot be started.
        """
        grader = LineGrader(self.mesh, self.run.run_id, self.options.retry_errors)
        if self._is_alone:
            groups = windowed_groups(self._jobs(), grader.grade, limit=limit)
            return _of_this_process(groups)
        from judgemesh.mesh.runs.workers.build import pool_of

        pool = await pool_of(self.options, grader, self.run, limit)
        return pool.outcomes(self._jobs())

    async def _keep(self, groups: Sequence[Outcomes]) -> None:
        """Write what was graded, and count all of it."""
        graded: list[tuple[_Begun, GradedLine]] = []
        for outcome in chain.from_iterable(group.each for group in groups):
            begun = self.in_progress.pop(outcome.number)
            usable = not isinstance(outcome.found, Rejected)
            self._note(begun.selected.line, outcome.notes)
            self.selection.settle(begun.selected, usable=usable)
            match outcome.found:
                case Rejected():
                    self._reject(outcome.found, begun.selected.line.path)
                case GradedLine() if self._is_paid(outcome.found):
                    graded.append((begun, outcome.found))
                case GradedLine():
                    self.count.unpaid += 1
                case None:
                    if begun.held is not None:
                        self.count.add_resumed([begun.held.gate])
        if not graded:
            return
        batches = [group.batches(self._is_paid) for group in groups]
        await self.run.ledger.write_graded(list(chain.from_iterable(batches)))
        for begun, line in graded:
            if begun.held is not None:
                self.count.met += 1
                self.count.changed += begun.held.result_digest != line.digest
        self.count.add_graded([line for _, line in graded])

    def _is_paid(self, line: GradedLine) -> bool:
        """Whether the result is not left for a larger budget, or for a valid key."""
        denied = line.is_judged and self.mesh.access_denied is not None
        return not (line.is_unfinished or denied)

    async def _jobs(self) -> AsyncIterator[Job]:
        """The lines to grade; the ledger is asked about several at once, so that memory stays bounded.

        Everything that grading needs is tried before the first of them.

        Raises:
            PreflightError: it cannot be used.
        """
        tried = not self.options.preflight
        most = _MAX_LOOKED_UP if self.count.known else _MAX_AHEAD
        async for chunk in self.selection.chunks(most):
            missing = await self._missing_of(chunk)
            if missing and not tried:
                tried = True
                await self._preflight(missing)
            for begun in missing:
                if self.mesh.budget_spent or self.mesh.access_denied is not None:
                    return  # work in progress ends as far as it can; the rest waits for a larger budget, or for a key
                selected = begun.selected
                self.in_progress[selected.index] = begun
                yield Job(selected.index, selected.line, begun.held)

    async def _missing_of(self, chunk: Sequence[Selected]) -> list[_Begun]:
        """Those of a chunk that have to be graded; the others are counted."""
        held: Mapping[str, LedgerGrade] = {}
        if self.count.known:
            ids = [selected.result_id for selected in chunk]
            held = await self.run.ledger.graded_among(self.run.run_id, ids)
        missing: list[_Begun] = []
        resumed: list[Gate] = []
        for selected in chunk:
            row = held.get(selected.result_id)
            # A line that is as it was is a result: it is not validated again.
            if row is None or must_grade(
                row, selected.line.digest, retry_errors=self.options.retry_errors
            ):
                missing.append(_Begun(selected, row))
                continue
            self.selection.settle(selected)
            self._note(selected.line, selected.line.notes())
            resumed.append(row.gate)
        if resumed:
            self.count.add_resumed(resumed)
        return missing

    async def _preflight(self, missing: Sequence[_Begun]) -> None:
        results: list[tuple[AgentResult, Path]] = []
        for begun in missing[:_MAX_AHEAD]:
            read = begun.selected.line.read()
            if isinstance(read, Accepted):
                results.append((read.result, read.base_dir))
        if results:
            self.warnings.extend(await self.mesh.preflight_located(results))

    def _note(self, line: Line, notes: Sequence[str]) -> None:
        if notes:
            self.notes.add(line.where, notes)

    def _reject(self, rejected: Rejected, source: Path | None) -> None:
        redactor = self.mesh.redactor
        if redactor is not None:
            raw = redactor.text(rejected.raw.decode("utf-8", "replace"))
            problem = redactor.text(rejected.problem)
            rejected = replace(rejected, raw=raw.encode(), problem=problem)
        self.rejects.add(rejected, source)
        self.count.add_rejected(rejected.problem)


async def _of_this_process(
    groups: AsyncGenerator[list[Outcome]],
) -> AsyncGenerator[list[Outcomes]]:
    async with aclosing(groups):
        async for group in groups:
            yield [Outcomes(group)]


@dataclass(frozen=True, slots=True)
class _Begun:
    """A line that is being graded, and what the ledger holds of its result."""

    selected: Selected
    held: LedgerGrade | None
