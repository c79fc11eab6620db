"""The lease of a run: one process at a time grades it, so that nothing is paid twice. Functions of an open connection.

The holder renews its lease while it grades. A lease is over when its holder gave it back, when the holder is a process
of this machine that has ended, or when it was not renewed for `EXPIRES_S`.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import uuid4

from sqlalchemy import Connection, RowMapping, delete, insert, select, update

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.schema.tables import run_lease

EXPIRES_S: Final = 60.0
RENEW_S: Final = 15.0
_LEASE: Final = run_lease.c
_NAMESPACE: Final = Path("/proc/self/ns/pid")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that grades. machine: its host and name space of process ids, so that containers of one name differ."""

    token: str
    machine: str
    pid: int


def this_process() -> Holder:
    """This process, with a token of its own for each lease."""
    namespace = ""
    if _NAMESPACE.exists():
        namespace = f"#{_NAMESPACE.stat().st_ino}"
    return Holder(str(uuid4()), f"{socket.gethostname()}{namespace}", os.getpid())


def acquire(connection: Connection, run_id: str, holder: Holder, now: datetime) -> None:
    """Take the lease of a run.

    Raises:
        LedgerError: another process holds it.
    """
    held = _held(connection, run_id)
    if held is not None and not _is_over(held, holder, now):
        host = held["machine"].partition("#")[0]
        raise LedgerError(
            f"is being graded into by process {held['pid']} on {host} (run {run_id}, since"
            f" {held['created_at']:%Y-%m-%d %H:%M:%S} UTC); wait until it ends, or start a run of its own with"
            " --no-resume"
        )
    connection.execute(delete(run_lease).where(_LEASE.run_id == run_id))
    row = {
        "run_id": run_id,
        "token": holder.token,
        "machine": holder.machine,
        "pid": holder.pid,
        "created_at": now,
        "renewed_at": now,
    }
    connection.execute(insert(run_lease).values(row))


def renew(connection: Connection, run_id: str, holder: Holder, now: datetime) -> bool:
    """Whether the lease is still this holder's; if so, it is renewed."""
    query = update(run_lease).where(
        _LEASE.run_id == run_id, _LEASE.token == holder.token
    )
    return connection.execute(query.values(renewed_at=now)).rowcount == 1


def release(connection: Connection, run_id: str, holder: Holder) -> None:
    """Give the lease back, if it is still this holder's."""
    query = delete(run_lease).where(
        _LEASE.run_id == run_id, _LEASE.token == holder.token
    )
    connection.execute(query)


def holder_of(connection: Connection, run_id: str, now: datetime) -> int | None:
    """The process that grades a run now; None where none does."""
    query = select(run_lease).where(_LEASE.run_id == run_id)
    held = connection.execute(query).mappings().first()
    if held is None or _is_over(held, this_process(), now):
        return None
    return int(held["pid"])


def _held(connection: Connection, run_id: str) -> RowMapping | None:
    query = select(run_lease).where(_LEASE.run_id == run_id)
    if connection.dialect.name == "postgresql":
        query = query.with_for_update()
    return connection.execute(query).mappings().first()


def _is_over(held: RowMapping, holder: Holder, now: datetime) -> bool:
    if now - held["renewed_at"] > timedelta(seconds=EXPIRES_S):
        return True
    return held["machine"] == holder.machine and not _is_running(held["pid"])


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
