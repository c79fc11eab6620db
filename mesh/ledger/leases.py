"""The lease of a run: one process at a time grades it, so that nothing is paid twice. Functions of an open connection.

The holder renews its lease while it grades. A lease is over when its holder gave it back, when the holder is a process
of this machine that has ended, or when it was not renewed for `EXPIRES_S`.

A machine is its host name, its start and its name space of process ids: hosts and containers may share a name, and the
first name space of every Linux host has the same number.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
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
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")


class LeaseState(Enum):
    """HELD: its process grades. ENDED: that process of this machine has ended. SILENT: it was not renewed in time."""

    HELD = "held"
    ENDED = "ended"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that grades. machine: the host name, and behind `#` what tells hosts of one name apart."""

    token: str
    machine: str
    pid: int


def this_process() -> Holder:
    """This process, with a token of its own for each lease."""
    return Holder(str(uuid4()), _this_machine(), os.getpid())


def acquire(connection: Connection, run_id: str, holder: Holder, now: datetime) -> None:
    """Take the lease of a run.

    Raises:
        LedgerError: another process holds it.
    """
    held = _held(connection, run_id)
    if held is not None and lease_state(held, now) is LeaseState.HELD:
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
    if held is None or lease_state(held, now) is not LeaseState.HELD:
        return None
    return int(held["pid"])


def _held(connection: Connection, run_id: str) -> RowMapping | None:
    query = select(run_lease).where(_LEASE.run_id == run_id)
    if connection.dialect.name == "postgresql":
        query = query.with_for_update()
    return connection.execute(query).mappings().first()


def lease_state(held: RowMapping, now: datetime) -> LeaseState:
    """The state of a lease, a row of `run_lease`."""
    if held["machine"] == _this_machine() and not _is_running(held["pid"]):
        return LeaseState.ENDED
    if now - held["renewed_at"] > timedelta(seconds=EXPIRES_S):
        return LeaseState.SILENT
    return LeaseState.HELD


@cache
def _this_machine() -> str:
    host = socket.gethostname()
    if not _NAMESPACE.exists():
        return host
    parts = [str(_NAMESPACE.stat().st_ino)]
    with suppress(OSError):
        parts.append(_BOOT.read_text().strip())
    return f"{host}#{'.'.join(parts)}"


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
