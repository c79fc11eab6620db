"""Graded results with people's labels of them, from a file, a run, or all runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.graded_rows import GradedRow, graded_of_run, read_graded
from judgemesh.mesh.analysis.labels.labels import labels_of_run, read_reviews
from judgemesh.mesh.analysis.labels.people import NOBODY, People, overridden, people_of
from judgemesh.mesh.analysis.run_lookup import opened_run

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedResults:
    """Results as they were graded, and people's labels of them.

    name: the file, or the id of the run.
    """

    name: str
    rows: list[GradedRow]
    people: People = NOBODY

    def with_labels(self) -> list[GradedRow]:
        """The results with people's labels in place of the grade."""
        return overridden(self.rows, self.people)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeQuery:
    """The ledger, contracts and labels that results are read with.

    labels: a file of labels, in place of those in the ledger.
    """

    ledger: str
    contracts: tuple[Path, ...] = ()
    labels: Path | None = None
    use_labels: bool = True


def results_of_file(path: Path, query: OutcomeQuery) -> GradedResults:
    """The rows of a JSONL file.

    Raises:
        InputError: it cannot be read, is empty, or a row is no graded result.
    """
    rows = list(read_graded(path))
    if not rows:
        raise ConfigError("holds no rows", where=str(path))
    return GradedResults(name=str(path), rows=rows, people=_labels_of_file(query))


async def results_of_run(name: str | None, query: OutcomeQuery) -> GradedResults:
    """A run of the ledger, the latest without a name.

    Raises:
        InputError: there is no such run, or a contract or label cannot be read.
        LedgerError: the ledger cannot be read.
    """
    async with opened_run(query.ledger, name) as (ledger, run):
        return await _results(ledger, run.run_id, query)


async def results_of(name: str, query: OutcomeQuery) -> GradedResults:
    """The file of that name, else the run.

    Raises:
        InputError: there is neither.
        LedgerError: the ledger cannot be read.
    """
    path = _existing_file(name)
    if path is not None:
        return results_of_file(path, query)
    return await results_of_run(name, query)


def _existing_file(name: str) -> Path | None:
    path = Path(name)
    if path.is_file():
        return path
    if path.suffix in (".jsonl", ".json"):
        raise ConfigError("no such file", where=name)
    return None


async def results_of_all_runs(query: OutcomeQuery) -> GradedResults:
    """The dated results of all runs, with people's labels in place of the grade.

    Of a result that was graded several times in a week only the last grade counts.

    Raises:
        InputError: a contract or label cannot be read.
        LedgerError: the ledger cannot be read.
    """
    async with opened_run(query.ledger, None) as (ledger, _):
        latest: dict[tuple[int, int, str], GradedRow] = {}
        for run in await ledger.runs():
            day = run.created_at.date()
            year, week, _weekday = day.isocalendar()
            results = await _results(ledger, run.run_id, query)
            for row in results.with_labels():
                latest[year, week, row.result_id] = replace(row, day=day)
        return GradedResults(name=ledger.url, rows=list(latest.values()))


async def _results(ledger: Ledger, run_id: str, query: OutcomeQuery) -> GradedResults:
    from judgemesh.mesh.grading.contracts import load_contracts

    contracts = load_contracts(query.contracts) if query.contracts else None
    rows = [row async for row in graded_of_run(ledger, run_id, contracts)]
    if query.labels is None and query.use_labels:
        people = people_of(await labels_of_run(ledger, run_id))
    else:
        people = _labels_of_file(query)
    return GradedResults(name=run_id, rows=rows, people=people)


def _labels_of_file(query: OutcomeQuery) -> People:
    if query.labels is None or not query.use_labels:
        return NOBODY
    return people_of(read_reviews(query.labels))
