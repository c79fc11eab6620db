"""What a run does now, whichever process asks: what it says of its end, its lease, and what was written last.

`eval_run.status` stays `running` where a process was killed, so it is read together with the lease of the run. Only a
process of this machine that has ended is called interrupted: a silent one elsewhere may be alive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import Connection, RowMapping, select

from judgemesh.mesh.ledger.leases import LeaseState, lease_state
from judgemesh.mesh.ledger.runs import RUNNING
from judgemesh.mesh.ledger.schema.tables import eval_run, report_log, run_lease

INTERRUPTED: Final = "interrupted"
OPEN: Final = "open"
_AT_ONCE: Final = 500
_STATUS_OF_LEASE: Final = {
    LeaseState.HELD: RUNNING,
    LeaseState.ENDED: INTERRUPTED,
    LeaseState.SILENT: OPEN,
}


@dataclass(frozen=True, slots=True)
class RunState:
    """What a run does now.

    status: how it ended; before that `running` (a process grades it), `interrupted` (its process ended without closing
    it) or `open` (nobody closed it, and no process is known to grade it). last_active_at: when it ended, when its lease
    was last renewed, or when its newest report was written.
    """

    status: str
    last_active_at: datetime | None

    @property
    def may_go_on(self) -> bool:
        """Whether results may still come without a command that continues the run."""
        return self.status in (RUNNING, OPEN)


def run_states(
    connection: Connection, run_ids: Sequence[str], now: datetime
) -> dict[str, RunState]:
    """The state of each of these runs that the ledger has."""
    found: dict[str, RunState] = {}
    for start in range(0, len(run_ids), _AT_ONCE):
        found |= _states(connection, run_ids[start : start + _AT_ONCE], now)
    return found


def _states(
    connection: Connection, run_ids: Sequence[str], now: datetime
) -> dict[str, RunState]:
    columns = eval_run.c
    query = select(
        columns.run_id, columns.status, columns.last_started_at, columns.finished_at
    ).where(columns.run_id.in_(run_ids))
    rows = connection.execute(query).mappings().all()
    unfinished = [row["run_id"] for row in rows if row["finished_at"] is None]
    leases = _leases(connection, unfinished)
    return {row["run_id"]: _state(connection, row, leases, now) for row in rows}


def _state(
    connection: Connection,
    run: RowMapping,
    leases: Mapping[str, RowMapping],
    now: datetime,
) -> RunState:
    if run["finished_at"] is not None:
        return RunState(run["status"] or "", run["finished_at"])
    lease = leases.get(run["run_id"])
    if lease is not None:
        status = _STATUS_OF_LEASE[lease_state(lease, now)]
        return RunState(status, lease["renewed_at"])
    # The Python API takes no lease: several processes may grade into one run.
    written = _last_report(connection, run["run_id"])
    return RunState(OPEN, written or run["last_started_at"])


def _leases(connection: Connection, run_ids: Sequence[str]) -> dict[str, RowMapping]:
    query = select(run_lease).where(run_lease.c.run_id.in_(run_ids))
    rows = connection.execute(query).mappings()
    return {row["run_id"]: row for row in rows}


def _last_report(connection: Connection, run_id: str) -> datetime | None:
    columns = report_log.c
    query = select(columns.created_at).where(columns.run_id == run_id)
    newest = query.order_by(columns.seq.desc()).limit(1)
    return connection.execute(newest).scalar_one_or_none()
