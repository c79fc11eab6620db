"""Where `asr`, `compare` and `weighted` get results from: files, runs of a ledger, and what people say about them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.agreement import (
    People,
    labels_of_run,
    overridden,
    people_say,
    read_reviews,
)
from judgemesh.mesh.analysis.success import Scored, read_scored, scored_of_run
from judgemesh.mesh.cli.choosing import chosen_run

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger

NOBODY = People(said={}, split=frozenset(), drawn={}, labelers=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Scored results as they were graded, and what people say about them; `name` is a file's, or a run's id."""

    name: str
    rows: list[Scored]
    people: People = NOBODY

    def settled(self) -> list[Scored]:
        """The results with people's word in place of the grade."""
        return overridden(self.rows, self.people)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which ledger, contracts and labels go with a source. `labels`: a file, in place of the ledger's."""

    ledger: str
    contracts: tuple[Path, ...] = ()
    labels: Path | None = None
    use_labels: bool = True


def of_file(path: Path, wanted: Wanted) -> Source:
    """The rows of a JSONL file.

    Raises:
        InputError: it cannot be read, holds no rows, or a row is none.
    """
    rows = list(read_scored(path))
    if not rows:
        raise ConfigError("holds no rows", where=str(path))
    return Source(name=str(path), rows=rows, people=_labels(wanted))


def of_run(name: str | None, wanted: Wanted) -> Source:
    """A run of the ledger, the latest when none is named.

    Raises:
        InputError: there is no such run, or a contract or label cannot be read.
        LedgerError: the ledger cannot be read.
    """
    return asyncio.run(_of_run(name, wanted))


def named(name: str, wanted: Wanted) -> Source:
    """A file of that name, else a run.

    Raises:
        InputError: there is neither.
        LedgerError: the ledger cannot be read.
    """
    path = Path(name)
    if path.is_file():
        return of_file(path, wanted)
    if path.suffix in (".jsonl", ".json"):
        raise ConfigError("no such file", where=name)
    return of_run(name, wanted)


def every_run(wanted: Wanted) -> Source:
    """All runs of the ledger, dated; of one result graded several times in a week only the last grade.

    Raises:
        InputError: a contract or label cannot be read.
        LedgerError: the ledger cannot be read.
    """
    return asyncio.run(_every_run(wanted))


async def _of_run(name: str | None, wanted: Wanted) -> Source:
    async with chosen_run(wanted.ledger, name) as (ledger, run):
        rows = await _rows(ledger, run.run_id, wanted.contracts)
        return Source(
            name=run.run_id, rows=rows, people=await _people(ledger, run.run_id, wanted)
        )


async def _every_run(wanted: Wanted) -> Source:
    async with chosen_run(wanted.ledger, None) as (ledger, _):
        last: dict[tuple[int, int, str], Scored] = {}
        for run in await ledger.runs():
            day = run.created_at.date()
            people = await _people(ledger, run.run_id, wanted)
            rows, _changes = overridden(
                await _rows(ledger, run.run_id, wanted.contracts), people
            )
            year, week, _weekday = day.isocalendar()
            last |= {(year, week, row.result_id): replace(row, day=day) for row in rows}
        return Source(name=ledger.url, rows=list(last.values()))


async def _rows(ledger: Ledger, run_id: str, contracts: Sequence[Path]) -> list[Scored]:
    from judgemesh.mesh.grading.contracts import load_contracts

    budgets = load_contracts(contracts) if contracts else None
    return [row async for row in scored_of_run(ledger, run_id, budgets)]


async def _people(ledger: Ledger, run_id: str, wanted: Wanted) -> People:
    if wanted.labels is not None or not wanted.use_labels:
        return _labels(wanted)
    return people_say(await labels_of_run(ledger, run_id))


def _labels(wanted: Wanted) -> People:
    return (
        people_say(read_reviews(wanted.labels))
        if wanted.labels is not None and wanted.use_labels
        else NOBODY
    )
