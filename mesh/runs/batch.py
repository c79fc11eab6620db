"""Grade files of results into a ledger.

Results that the run already holds are skipped, the others are graded with bounded look-ahead, lines that cannot be used
are kept in a rejects file, and a signal stops the batch in good order.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.report import Report
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.inputs.contents import Contents
from judgemesh.mesh.inputs.intake import Notes
from judgemesh.mesh.inputs.results import Accepted, Rejected
from judgemesh.mesh.runs.contents import with_contents
from judgemesh.mesh.runs.lease import leased
from judgemesh.mesh.runs.mesh import Mesh
from judgemesh.mesh.runs.panel_run import panel_of_run
from judgemesh.mesh.runs.progress import BatchCount, Watch
from judgemesh.mesh.runs.rejects import RejectsFile, default_rejects_path
from judgemesh.mesh.runs.run import halos_of, run_status
from judgemesh.mesh.runs.selection import (
    BatchOptions,
    batch_config,
    check_files,
    line_count,
    must_grade,
    selected_results,
)
from judgemesh.mesh.runs.signals import cancelled_by_signals
from judgemesh.mesh.runs.stream import windowed

if TYPE_CHECKING:
    from judgemesh.mesh.calibration.batch_effect import Halo
    from judgemesh.mesh.ledger.records import LedgerGrade, RunSummary
    from judgemesh.mesh.runs.panel_summary import PanelSummary
    from judgemesh.mesh.runs.run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchResult:
    """What a batch did.

    graded: results of this call; resumed: those that were in the ledger already; changed: those graded again because
        their line, or a file that it names, has changed.
    unpaid: results begun and left ungraded because the budget was spent or access to the judge refused; the same call
        goes on from there once that is mended.
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
    halos: Mapping[str, Halo] = field(default_factory=dict[str, "Halo"])
    panel: PanelSummary | None = None


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
        before = await run.ledger.summary(run.run_id)
        ledger = str(config.ledger)
        rejects = RejectsFile(
            options.rejects or default_rejects_path(ledger, run.run_id)
        )
        count = BatchCount(watch, line_count(options), known=before.attempted)
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
            summary=await run.ledger.summary(run.run_id),
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
            halos=await _halos(mesh, run),
            panel=await panel_of_run(run.ledger, run.run_id, mesh.judge_settings),
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


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch at work."""

    mesh: Mesh
    run: Run
    options: BatchOptions
    rejects: RejectsFile
    count: BatchCount
    contents: Contents = field(default_factory=Contents)
    notes: Notes = field(default_factory=Notes)
    warnings: list[str] = field(default_factory=list[str])

    async def grade_all(self) -> bool:
        """Grade what is missing; True when a signal has interrupted it."""
        limit = self.mesh.config.max_concurrency
        gathering = self.run.ledger.gathering(limit)
        with gathering, cancelled_by_signals() as scope, scope:
            async for report in windowed(self._missing(), self._grade, limit=limit):
                if self.mesh.is_unfinished(report):
                    self.count.unpaid += 1
                else:
                    self.count.add_report(report)
        return scope.cancelled_caught

    async def _grade(self, indexed: tuple[int, Accepted]) -> Report:
        index, accepted = indexed
        return await self.mesh.grade_parsed(
            accepted.result,
            base_dir=accepted.base_dir,
            digest=accepted.digest,
            index=index,
            keep_unpaid=False,
        )

    async def _missing(self) -> AsyncIterator[tuple[int, Accepted]]:
        """The results to grade; the ledger is asked about a chunk at once, so that memory stays bounded.

        Everything that grading needs is tried before the first of them.

        Raises:
            PreflightError: it cannot be used.
        """
        tried = not self.options.preflight
        async for chunk in selected_results(self.options, self._reject):
            missing = await self._missing_of(chunk)
            if missing and not tried:
                tried = True
                results = [(each.result, each.base_dir) for _, each in missing]
                self.warnings.extend(await self.mesh.preflight_located(results))
            for index, accepted in missing:
                if self.mesh.budget_spent or self.mesh.access_denied is not None:
                    return  # work in progress ends as far as it can; the rest waits for a larger budget, or for a key
                yield index, accepted

    async def _missing_of(
        self, chunk: Sequence[tuple[int, Accepted]]
    ) -> list[tuple[int, Accepted]]:
        """Those of a chunk that have to be graded; the others are counted."""
        count = self.count
        ids = [accepted.result.result_id for _, accepted in chunk]
        graded: Mapping[str, LedgerGrade] = {}
        if count.known:
            graded = await self.run.ledger.graded_among(self.run.run_id, ids)
        missing: list[tuple[int, Accepted]] = []
        for index, read in chunk:
            self.notes.add(f"{read.file}:{read.line}", read.notes)
            accepted = await with_contents(read, self.contents)
            row = graded.get(accepted.result.result_id)
            if row is not None:
                count.met += 1
                if not must_grade(row, accepted, self.options):
                    count.add_resumed(row.gate)
                    continue
                count.changed += row.result_digest != accepted.digest
            missing.append((index, accepted))
        return missing

    def _reject(self, rejected: Rejected, source: Path | None) -> None:
        self.rejects.add(rejected, source)
        self.count.add_rejected(rejected.problem)
