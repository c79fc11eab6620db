"""Grades one line of a file of results: validates it, grades it, and makes its rows for the ledger.

This is the work that can be done in any process: a job and its outcome are plain data. They are tuples, because frozen
dataclasses with slots are pickled by Python code, field by field.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Self

from judgemesh.contracts.money import Money
from judgemesh.mesh.grading.content import GivenResult
from judgemesh.mesh.grading.report import fault_report
from judgemesh.mesh.inputs.contents import Contents
from judgemesh.mesh.inputs.results import Accepted, Line, Rejected
from judgemesh.mesh.ledger.batch import WriteBatch, batch_of_report
from judgemesh.mesh.ledger.bound_reports import Binder, BoundReports
from judgemesh.mesh.ledger.contents import content_row
from judgemesh.mesh.ledger.report_rows import ReportRows, report_rows
from judgemesh.mesh.runs.contents import with_contents
from judgemesh.mesh.runs.evaluation import Evaluated
from judgemesh.mesh.runs.mesh import Mesh
from judgemesh.mesh.runs.room import Room
from judgemesh.mesh.runs.selection import must_grade

if TYPE_CHECKING:
    from judgemesh.contracts.report import Gate
    from judgemesh.mesh.ledger.records import LedgerGrade
    from judgemesh.mesh.ledger.schema.columns import Row


current_result: ContextVar[str] = ContextVar("current_result")
"""The id of the result that the current task grades: a worker says so to the driver with every question."""


class Job(NamedTuple):
    """A line to grade. number: its place in the input. held: what the ledger holds under its id."""

    number: int
    line: Line
    held: LedgerGrade | None = None


class GradedLine(NamedTuple):
    """The rows of a graded result, and what the caller counts.

    rows: those of the report and of its content; None where they are bound with those of others, see `Outcomes`.
    is_judged: a judge was asked. is_unfinished: an answer is missing that a larger budget or a valid key would give.
    """

    rows: tuple[ReportRows, Row | None] | None
    digest: str
    gate: Gate
    cost: Money | None
    cost_avoided: Money | None
    is_judged: bool
    is_unfinished: bool


class Outcome(NamedTuple):
    """What became of a job: the line was no result, the ledger holds it as it is (`None`), or it was graded.

    notes: which keys of the line were read from another place than the specified one.
    """

    number: int
    found: Rejected | GradedLine | None
    notes: tuple[str, ...] = ()


class Outcomes(NamedTuple):
    """Outcomes that come together. bound: the rows of the graded lines among them that have none, in their order."""

    each: Sequence[Outcome]
    bound: BoundReports | None = None

    @classmethod
    def to_send(cls, each: Sequence[Outcome], binder: Binder | None) -> Self:
        """Outcomes for another process, which writes the rows: they are bound here, if they can be."""
        rows = [line.rows for line in _graded(each) if line.rows is not None]
        bound = binder.bound(rows) if rows and binder is not None else None
        return cls(each if bound is None else list(map(_without_rows, each)), bound)

    def batches(self, wanted: Callable[[GradedLine], bool]) -> list[WriteBatch]:
        """What the ledger writes of the graded lines that are wanted."""
        lines = _graded(self.each)
        batches = [
            batch_of_report(*line.rows)
            for line in lines
            if line.rows is not None and wanted(line)
        ]
        if self.bound is not None:
            of_bound = [line for line in lines if line.rows is None]
            places = [place for place, line in enumerate(of_bound) if wanted(line)]
            batches += self.bound.batches(places)
        return batches


def _graded(outcomes: Iterable[Outcome]) -> list[GradedLine]:
    return [
        outcome.found for outcome in outcomes if isinstance(outcome.found, GradedLine)
    ]


def _without_rows(outcome: Outcome) -> Outcome:
    number, found, notes = outcome
    if isinstance(found, GradedLine):
        found = GradedLine(None, *found[1:])
    return Outcome(number, found, notes)


@dataclass(frozen=True, slots=True)
class LineGrader:
    """Grades jobs of one run. Safe for concurrent use."""

    mesh: Mesh
    run_id: str
    retry_errors: bool | None
    contents: Contents = field(default_factory=Contents)
    room: Room = field(default_factory=Room)

    async def grade(self, job: Job) -> Outcome:
        """The outcome of a job. A result that the ledger holds is graded only if a file that it names has changed.

        Raises:
            ConfigError: the contract names a validator that cannot be used.
        """
        async with self.room.taken(job.line.parsed_bytes):
            return await self._outcome(job)

    async def _outcome(self, job: Job) -> Outcome:
        read = job.line.read()
        if isinstance(read, Rejected):
            return Outcome(job.number, read)
        accepted = await with_contents(read, self.contents)
        if not must_grade(job.held, accepted.digest, retry_errors=self.retry_errors):
            return Outcome(job.number, None, read.notes)
        graded = await self._graded(job.number, accepted)
        return Outcome(job.number, graded, read.notes)

    async def lost(self, job: Job, problem: str) -> Outcome:
        """The outcome of a job that no process can do: an evaluator error, undecided. No validator is run."""
        read = job.line.read()
        if isinstance(read, Rejected):
            return Outcome(job.number, read)
        accepted = await with_contents(read, self.contents)
        given = GivenResult(accepted.result)
        evaluated = Evaluated(fault_report(given.result, problem), given, None)
        line = self._line(job.number, accepted, evaluated)
        return Outcome(job.number, line, read.notes)

    async def _graded(self, index: int, accepted: Accepted) -> GradedLine:
        current_result.set(accepted.result.result_id)
        evaluated = await self.mesh.evaluate(
            accepted.result, base_dir=accepted.base_dir
        )
        return self._line(index, accepted, evaluated)

    def _line(self, index: int, accepted: Accepted, evaluated: Evaluated) -> GradedLine:
        report, content = evaluated.report, evaluated.content
        rows = report_rows(
            self.run_id,
            report,
            result_digest=accepted.digest,
            input_index=index,
            created_at=self.mesh.config.clock(),
        )
        kept = None if content is None else content_row(rows.eval_id, content)
        return GradedLine(
            rows=(rows, kept),
            digest=accepted.digest,
            gate=report.gate,
            cost=report.evaluator_cost,
            cost_avoided=report.evaluator_cost_avoided,
            is_judged=evaluated.is_judged,
            is_unfinished=evaluated.is_unfinished,
        )
