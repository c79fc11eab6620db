"""Runs of a ledger, found by the name that a user gives."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.text.spelling import nearest

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.records import RunRecord
    from judgemesh.mesh.ledger.store import Ledger

_MAX_NAMED: Final = 5


@asynccontextmanager
async def opened_run(
    url: str, name: str | None
) -> AsyncGenerator[tuple[Ledger, RunRecord]]:
    """An open ledger and the run of that name, else its latest run.

    Raises:
        ConfigError: there is no such run.
        LedgerError: there is no ledger, or it cannot be read.
    """
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(url, read_only=True) as ledger:
        yield ledger, await run_of(ledger, name)


async def existing_ledger(url: str, *, writes: bool) -> Ledger:
    """Open a ledger that is there. One that is opened to be written would be made.

    Raises:
        LedgerError: there is none, or it cannot be opened.
    """
    from judgemesh.mesh.ledger.store import Ledger

    ledger = await Ledger.open(url, read_only=True)
    if not writes:
        return ledger
    await ledger.aclose()
    return await Ledger.open(url)


async def run_of(ledger: Ledger, name: str | None) -> RunRecord:
    """The run of that name, else the latest.

    Raises:
        ConfigError: there is no such run.
        LedgerError: the ledger cannot be read.
    """
    latest = await ledger.latest_run()
    if latest is None:
        raise ConfigError(
            "holds no run yet", where=ledger.url, hint="`judgemesh grade` makes one"
        )
    return latest if name is None else find_run(await ledger.runs(), name)


def find_run(
    runs: Sequence[RunRecord], name: str, *, option: str = "--run"
) -> RunRecord:
    """The run with this id, or the only one whose id begins with it.

    Args:
        runs: of the ledger.
        name: the id, or its beginning.
        option: where the name was given.

    Raises:
        ConfigError: there is none, or several.
    """
    matches = [run for run in runs if run.run_id == name]
    if not matches:
        matches = [run for run in runs if run.run_id.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    ids = [run.run_id for run in matches or newest_first(runs)]
    first_ids = ", ".join(ids[:_MAX_NAMED])
    if matches:
        problem = f"several runs begin with {name!r}"
        raise ConfigError(problem, where=option, hint=first_ids)
    near = nearest(name, ids)
    hint = f"did you mean {near}?" if near else f"the latest: {first_ids}"
    raise ConfigError(f"no run is called {name!r}", where=option, hint=hint)


def newest_first(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs, the last started first."""
    return sorted(
        runs, key=lambda run: run.last_started_at or run.created_at, reverse=True
    )


async def run_id_in(url: str, name: str) -> str:
    """The id of the run of a ledger with this id, or the only one whose id begins with it.

    Raises:
        ConfigError: there is no such run, or several.
        LedgerError: there is no ledger, or it cannot be read.
    """
    async with opened_run(url, name) as (_, run):
        return run.run_id
