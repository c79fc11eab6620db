"""What a run does now: its own word at its end, else its lease and its newest report."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import anyio
import pytest

from judgemesh.contracts.report import Gate, Report
from judgemesh.mesh.ledger.leases import (
    EXPIRES_S,
    Holder,
    acquire,
    release,
    this_process,
)
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.run_states import RunState, run_states
from judgemesh.mesh.ledger.store import Ledger

pytestmark = pytest.mark.anyio

MINE = this_process()
ELSEWHERE = Holder("other", "another-host#4026531836.boot", 4_000_000)
SAME_NAMES = Holder("twin", f"{MINE.machine}-started-later", 4_000_000)


async def state(ledger: Ledger, now: datetime) -> RunState:
    states = await ledger.ask(partial(run_states, run_ids=["run"], now=now))
    return states["run"]


async def take(ledger: Ledger, holder: Holder, now: datetime) -> None:
    await ledger.transact(partial(acquire, run_id="run", holder=holder, now=now))


@pytest.mark.parametrize("holder", [MINE, ELSEWHERE, SAME_NAMES])
async def test_a_run_whose_lease_is_held_is_running(
    ledger: Ledger, now: datetime, holder: Holder
) -> None:
    await take(ledger, holder, now)
    assert await state(ledger, now + timedelta(seconds=EXPIRES_S)) == RunState(
        "running", now
    )


async def test_a_process_of_this_machine_that_ended_has_interrupted_its_run(
    ledger: Ledger, now: datetime
) -> None:
    async with await anyio.open_process([sys.executable, "-c", ""]) as ended:
        await ended.wait()
    await take(ledger, Holder("dead", MINE.machine, ended.pid), now)
    for later in (timedelta(), timedelta(days=1)):
        assert await state(ledger, now + later) == RunState("interrupted", now)


@pytest.mark.parametrize("holder", [MINE, ELSEWHERE])
async def test_a_silent_process_is_not_called_dead(
    ledger: Ledger, now: datetime, holder: Holder
) -> None:
    await take(ledger, holder, now)
    found = await state(ledger, now + timedelta(days=1))
    assert found == RunState("open", now)
    assert found.may_go_on


async def test_a_run_without_a_lease_was_last_active_at_its_newest_report(
    ledger: Ledger, now: datetime, make_report: Callable[..., Report]
) -> None:
    assert await state(ledger, now) == RunState("open", now)
    for number in range(3):
        report = replace(make_report(Gate.PASS), result_id=f"r{number}")
        await ledger.write_report(
            "run",
            report,
            result_digest="sha256:0",
            input_index=number,
            created_at=now + timedelta(minutes=number),
        )
    later = now + timedelta(hours=1)
    assert await state(ledger, later) == RunState("open", now + timedelta(minutes=2))


async def test_a_closed_run_keeps_its_word_whatever_its_lease_says(
    ledger: Ledger, now: datetime
) -> None:
    await take(ledger, ELSEWHERE, now)
    ended = now + timedelta(minutes=5)
    await ledger.finish_run("run", finished_at=ended, status="budget", summary={})
    found = await state(ledger, ended)
    assert found == RunState("budget", ended)
    assert not found.may_go_on
    await ledger.transact(partial(release, run_id="run", holder=ELSEWHERE))
    assert await state(ledger, ended) == found


async def test_each_of_many_runs_has_its_state(
    ledger: Ledger, now: datetime, run_record: RunRecord
) -> None:
    ids = [f"run-{number}" for number in range(1_100)]
    for run_id in ids:
        await ledger.begin_run(replace(run_record, run_id=run_id, run_key=run_id))
    found = await ledger.ask(partial(run_states, run_ids=[*ids, "absent"], now=now))
    assert sorted(found) == sorted(ids)
