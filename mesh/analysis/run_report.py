"""A run, one of its results, or the list of runs, from a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.analysis.results.loading import result_page_of
from judgemesh.mesh.analysis.run_lookup import newest_first, run_of

if TYPE_CHECKING:
    from judgemesh.mesh.analysis.results.result_page import ResultPage
    from judgemesh.mesh.ledger.records import RunRecord, RunSummary
    from judgemesh.mesh.ledger.run_states import RunState
    from judgemesh.mesh.ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run of a list: what it is, what it does now, and its numbers."""

    run: RunRecord
    state: RunState
    summary: RunSummary


async def run_rows(ledger: Ledger) -> list[RunRow]:
    """The runs of a ledger, the last started first.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    runs = newest_first(await ledger.runs())
    states = await states_of(ledger, [run.run_id for run in runs])
    return [
        RunRow(run, states[run.run_id], await ledger.summary(run.run_id))
        for run in runs
    ]


async def states_of(ledger: Ledger, run_ids: Sequence[str]) -> dict[str, RunState]:
    """What these runs do now.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    from judgemesh.mesh.ledger.run_states import run_states

    now = datetime.now(UTC)
    return await ledger.ask(partial(run_states, run_ids=run_ids, now=now))


async def find_result(
    ledger: Ledger, result_id: str, run_name: str | None
) -> ResultPage:
    """The page of a result: in the named run, else in the newest with it.

    Raises:
        ConfigError: there is no such run or result.
        LedgerError: the ledger cannot be read.
    """
    run = await run_of(ledger, run_name)
    runs: Sequence[RunRecord] = [run]
    if run_name is None:
        runs = newest_first(await ledger.runs())
    for run in runs:
        page = await result_page_of(ledger, run.run_id, result_id)
        if page is not None:
            return page
    raise ConfigError(
        f"holds no result {result_id!r}",
        where=runs[0].run_id if len(runs) == 1 else ledger.url,
        hint="`judgemesh report --all` lists the results of a run",
    )
