"""Begin, continue and finish a run: functions of the writing connection."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, insert, update

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.queries import run_of_key
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.schema import eval_run

RUNNING = "running"


def begin(connection: Connection, run: RunRecord) -> RunRecord:
    """The run of this key, as it was before it is continued; else `run`, inserted."""
    found = run_of_key(connection, run.run_key)
    if found is not None:
        again = {
            "status": RUNNING,
            "last_started_at": run.created_at,
            "finished_at": None,
        }
        connection.execute(
            update(eval_run).where(eval_run.c.run_id == found.run_id).values(again)
        )
        return found
    row = {
        "run_id": run.run_id,
        "run_key": run.run_key,
        "name": run.name,
        "evaluator_version": run.evaluator_version,
        "status": RUNNING,
        "config": dict(run.config),
        "created_at": run.created_at,
        "last_started_at": run.created_at,
    }
    connection.execute(insert(eval_run).values(row))
    stored = run_of_key(connection, run.run_key)
    if stored is None:
        raise LedgerError(f"did not keep the run {run.run_id}")
    return stored


def finish(
    connection: Connection,
    run_id: str,
    *,
    finished_at: datetime,
    status: str,
    summary: Mapping[str, object],
) -> None:
    """Note how a run ended.

    Raises:
        LedgerError: there is no such run.
    """
    values = {"finished_at": finished_at, "status": status, "summary": dict(summary)}
    done = connection.execute(
        update(eval_run).where(eval_run.c.run_id == run_id).values(values)
    )
    if done.rowcount != 1:
        raise LedgerError(f"has no run {run_id!r}")
