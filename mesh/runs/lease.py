"""Hold the lease of a run while a batch is graded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

import anyio

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.leases import (
    RENEW_S,
    Holder,
    acquire,
    release,
    renew,
    this_process,
)

if TYPE_CHECKING:
    from judgemesh.mesh.runs.run import Run


@asynccontextmanager
async def leased(run: Run) -> AsyncGenerator[None]:
    """Take the lease of a run, renew it until the block ends, and give it back.

    Raises:
        LedgerError: another process grades the run.
    """
    holder = this_process()
    try:
        await run.ledger.transact(
            partial(acquire, run_id=run.run_id, holder=holder, now=datetime.now(UTC))
        )
    except LedgerError:
        run.finished = True  # how the run ends is for the process that grades it to say
        raise
    renewing = asyncio.create_task(_renew_for_ever(run, holder))
    try:
        yield
    finally:
        renewing.cancel()
        # A ledger that can no longer be written has said so already; the lease then ends with this process.
        with anyio.CancelScope(shield=True), suppress(LedgerError):
            await run.ledger.transact(
                partial(release, run_id=run.run_id, holder=holder)
            )


async def _renew_for_ever(run: Run, holder: Holder) -> None:
    while True:
        await asyncio.sleep(RENEW_S)
        with suppress(LedgerError):
            await run.ledger.transact(
                partial(renew, run_id=run.run_id, holder=holder, now=datetime.now(UTC))
            )
