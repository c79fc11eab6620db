"""Graded results with people's labels of them, from a file, a run, or all runs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.graded_rows import (
    GradedRow,
    graded_of_run,
    read_graded,
    with_contracts,
)
from judgemesh.mesh.analysis.labels.labels import labels_of_run, read_reviews
from judgemesh.mesh.analysis.labels.people import NOBODY, People, overridden, people_of
from judgemesh.mesh.analysis.row_checks import (
    Warn,
    check_contracts_used,
    check_labels_used,
    ignore,
)
from judgemesh.mesh.analysis.run_lookup import opened_run

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger

_SUFFIXES: Final = (".jsonl", ".json", ".csv")


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
    warn: told what was not used: contracts, labels, keys of rows.
    """

    ledger: str
    contracts: tuple[Path, ...] = ()
    labels: Path | None = None
    use_labels: bool = True
    warn: Warn = ignore


def results_of_file(path: Path, query: OutcomeQuery) -> GradedResults:
    """The rows of a JSONL or CSV file.

    Raises:
        InputError: it cannot be read, is empty, or a row is no graded result.
    """
    rows = list(read_graded(path, query.warn))
    if not rows:
        raise ConfigError("holds no rows", where=str(path))
    return _completed(
        GradedResults(name=str(path), rows=rows, people=_labels_of_file(query)), query
    )


async def results_of_run(name: str | None, query: OutcomeQuery) -> GradedResults:
    """A run of the ledger, the latest without a name.

    Raises:
        InputError: there is no such run, or a contract or label cannot be read.
        LedgerError: the ledger cannot be read.
    """
    async with opened_run(query.ledger, name) as (ledger, run):
        return _completed(await _results(ledger, run.run_id, query), query)


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


def is_file_name(name: str) -> bool:
    """Whether a name stands for a file and not for a run."""
    path = Path(name)
    return path.is_file() or path.suffix in _SUFFIXES


def _existing_file(name: str) -> Path | None:
    path = Path(name)
    if path.is_file():
        return path
    if path.suffix in _SUFFIXES:
        raise ConfigError("no such file", where=name)
    return None


async def results_of_all_runs(query: OutcomeQuery) -> GradedResults:
    """The dated results of all runs, with people's labels in place of the grade.

    The date is that of the agent's run; where a result has none, the day of grading stands for it, and that is said.
    Of a result that was graded several times in a week only the last grade counts.

    Raises:
        InputError: a contract or label cannot be read.
        LedgerError: the ledger cannot be read.
    """
    async with opened_run(query.ledger, None) as (ledger, _):
        latest: dict[tuple[int, int, str], GradedRow] = {}
        undated: set[str] = set()
        for run in await ledger.runs():
            results = await _results(ledger, run.run_id, query)
            for row in results.with_labels():
                day = row.day or run.created_at.date()
                year, week, _weekday = day.isocalendar()
                latest[year, week, row.result_id] = replace(row, day=day)
                if row.day is None:
                    undated.add(row.result_id)
        url = ledger.url
    if undated:
        query.warn(
            f"{len(undated)} results do not say when they were run (`started_at`, `ended_at`): "
            "the day of grading stands for it"
        )
    return _completed(GradedResults(name=url, rows=list(latest.values())), query)


async def _results(ledger: Ledger, run_id: str, query: OutcomeQuery) -> GradedResults:
    rows = [row async for row in graded_of_run(ledger, run_id)]
    if query.labels is None and query.use_labels:
        people = people_of(await labels_of_run(ledger, run_id))
    else:
        people = _labels_of_file(query)
    return GradedResults(name=run_id, rows=rows, people=people)


def _completed(results: GradedResults, query: OutcomeQuery) -> GradedResults:
    """The results with the ceilings and families of the contracts.

    Raises:
        InputError: a contract cannot be read; no contract or label is for one of the results.
    """
    rows = results.rows
    if query.labels is not None and query.use_labels:
        labelled = [review.item.result_id for review in read_reviews(query.labels)]
        ids = [row.result_id for row in rows]
        check_labels_used(labelled, ids, results.name, query.warn)
    if not query.contracts:
        return results
    from judgemesh.mesh.grading.contract_check.check import load_contracts

    contracts = load_contracts(query.contracts)
    tasks = [row.task_id for row in rows]
    check_contracts_used(contracts, tasks, results.name, query.warn)
    return replace(results, rows=with_contracts(rows, contracts))


def _labels_of_file(query: OutcomeQuery) -> People:
    if query.labels is None or not query.use_labels:
        return NOBODY
    return people_of(read_reviews(query.labels))
