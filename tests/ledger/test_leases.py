"""The lease of a run: who may take it, and when it is over."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from functools import partial

import anyio
import pytest

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.leases import (
    EXPIRES_S,
    RENEW_S,
    Holder,
    acquire,
    release,
    renew,
    this_process,
)
from judgemesh.mesh.ledger.store import Ledger

pytestmark = pytest.mark.anyio

ELSEWHERE = Holder("token of another", "another-host#4026531836", 4_000_000)


async def take(ledger: Ledger, holder: Holder, now: datetime) -> None:
    await ledger.transact(partial(acquire, run_id="run", holder=holder, now=now))


async def test_one_process_at_a_time(ledger: Ledger, now: datetime) -> None:
    mine = this_process()
    await take(ledger, mine, now)
    with pytest.raises(LedgerError, match=rf"process {mine.pid} on .*--no-resume"):
        await take(ledger, this_process(), now)
    await ledger.transact(partial(release, run_id="run", holder=mine))
    await take(ledger, ELSEWHERE, now)
    with pytest.raises(LedgerError, match="process 4000000 on another-host "):
        await take(ledger, mine, now)


async def test_the_lease_of_a_process_that_has_ended_is_over(
    ledger: Ledger, now: datetime
) -> None:
    async with await anyio.open_process([sys.executable, "-c", ""]) as ended:
        await ended.wait()
    mine = this_process()
    dead = Holder("dead", mine.machine, ended.pid)
    await take(ledger, dead, now)
    await take(ledger, mine, now)
    assert await ledger.transact(partial(renew, run_id="run", holder=mine, now=now))
    assert not await ledger.transact(partial(renew, run_id="run", holder=dead, now=now))


@pytest.mark.parametrize("machine", ["here", "elsewhere"])
async def test_a_lease_that_is_not_renewed_ends(
    ledger: Ledger, now: datetime, machine: str
) -> None:
    mine = this_process()
    held = mine if machine == "here" else ELSEWHERE
    await take(ledger, held, now)
    later = now + timedelta(seconds=EXPIRES_S + 1)
    renewed = now + timedelta(seconds=RENEW_S)
    keep = partial(renew, run_id="run", holder=held, now=renewed)
    assert await ledger.transact(keep)
    with pytest.raises(LedgerError, match="is being graded"):
        await take(ledger, this_process(), later)
    await take(ledger, this_process(), renewed + timedelta(seconds=EXPIRES_S + 1))
    assert not await ledger.transact(keep)


async def test_a_lease_that_another_took_is_not_given_back(
    ledger: Ledger, now: datetime
) -> None:
    await take(ledger, ELSEWHERE, now)
    later = now + timedelta(seconds=EXPIRES_S + 1)
    mine = this_process()
    await take(ledger, mine, later)
    await ledger.transact(partial(release, run_id="run", holder=ELSEWHERE))
    assert await ledger.transact(partial(renew, run_id="run", holder=mine, now=later))
