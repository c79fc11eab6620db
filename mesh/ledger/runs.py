"""Runs: begin, continue and finish one; list them. Functions of an open connection."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    and_,
    exists,
    insert,
    not_,
    select,
    update,
)

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.leases import holder_of
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import eval_run, eval_task_result

RUNNING = "running"


def begin(connection: Connection, run: RunRecord) -> RunRecord:
    """The run of this key, as it was before it is continued; else `run`, inserted.

    A run that another process grades is left as it is: whoever wants to grade too is refused the lease.
    """
    earlier = _run_of_key(connection, run.run_key)
    if earlier is not None:
        if holder_of(connection, earlier.run_id, run.created_at) is not None:
            return earlier
        values = {
            "status": RUNNING,
            "last_started_at": run.created_at,
            "finished_at": None,
        }
        _update(connection, earlier.run_id, values)
        return earlier
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
    stored = _run_of_key(connection, run.run_key)
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
    if not _update(connection, run_id, values):
        raise LedgerError(f"has no run {run_id!r}")


def all_runs(connection: Connection) -> list[RunRecord]:
    """Every run, the oldest first."""
    query = select(eval_run).order_by(eval_run.c.created_at, eval_run.c.run_id)
    return list(map(_run, connection.execute(query).mappings()))


def latest_run(connection: Connection) -> RunRecord | None:
    """The run that was begun or continued last; one that ended without a result only where no other is there."""
    has_results = exists().where(eval_task_result.c.run_id == eval_run.c.run_id)
    is_empty = and_(eval_run.c.finished_at.is_not(None), not_(has_results))
    query = select(eval_run).order_by(
        is_empty,
        eval_run.c.last_started_at.desc(),
        eval_run.c.created_at.desc(),
        eval_run.c.run_id.desc(),
    )
    return _first_run(connection, query.limit(1))


def _run_of_key(connection: Connection, run_key: str) -> RunRecord | None:
    query = select(eval_run).where(eval_run.c.run_key == run_key)
    return _first_run(connection, query)


def _first_run(
    connection: Connection, query: Select[tuple[Any, ...]]
) -> RunRecord | None:
    row = connection.execute(query).mappings().first()
    if row is None:
        return None
    return _run(row)


def _update(connection: Connection, run_id: str, values: Row) -> bool:
    """Whether there is such a run."""
    query = update(eval_run).where(eval_run.c.run_id == run_id).values(values)
    return connection.execute(query).rowcount == 1


def _run(row: RowMapping) -> RunRecord:
    return RunRecord(
        run_id=row["run_id"],
        run_key=row["run_key"],
        created_at=row["created_at"],
        config=row["config"] or {},
        evaluator_version=row["evaluator_version"] or "",
        name=row["name"] or "",
        status=row["status"] or "",
        last_started_at=row["last_started_at"],
        finished_at=row["finished_at"],
        summary=row["summary"],
    )
