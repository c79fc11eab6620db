"""Two runs whose tasks have several results: the change of the success rate with tasks as the units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, func, select

from judgemesh.contracts.report import Gate
from judgemesh.mesh.ledger.schema.summary_tables import result_summary

if TYPE_CHECKING:
    from judgemesh.mesh.metrics.comparison import PairedComparison

_LEAST_TASKS = 2


def task_change(
    connection: Connection, before: str, after: str, *, shared: int
) -> PairedComparison | None:
    """The change of the share of passed results, paired by task, as `judgemesh compare` resamples them.

    Undecided results widen the interval by all that they may be. None where results are compared one by one: no task
    has several, and the runs share some; and where fewer than two tasks are decided in both runs.

    Args:
        connection: to the ledger.
        before: the id of the earlier run.
        after: the id of the later run.
        shared: how many result ids both runs have.
    """
    from judgemesh.mesh.metrics.comparison import paired

    if shared and not any(_repeats(connection, run) for run in (before, after)):
        return None
    older, older_open = _gates(connection, before)
    newer, newer_open = _gates(connection, after)
    if len(older.keys() & newer.keys()) < _LEAST_TASKS:
        return None
    return paired(older, newer, open_a=older_open, open_b=newer_open, power=False)


def _repeats(connection: Connection, run_id: str) -> bool:
    """Whether a task of the run has several results."""
    table: Any = result_summary.c
    task = (
        select(table.task_key)
        .where(table.run_id == run_id)
        .group_by(table.task_key)
        .having(func.count() > 1)
        .limit(1)
    )
    return connection.execute(task).first() is not None


def _gates(
    connection: Connection, run_id: str
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Of each task: 1 for a passed and 0 for a failed result; and 1, the most it can be, for an undecided one."""
    table: Any = result_summary.c
    keys = (table.task_key, table.gate)
    query = select(*keys, func.count()).where(table.run_id == run_id).group_by(*keys)
    decided: dict[str, list[float]] = {}
    undecided: dict[str, list[float]] = {}
    for task, gate, count in connection.execute(query):
        values = undecided if gate == Gate.UNDECIDED else decided
        worth = float(gate != Gate.FAIL)
        values.setdefault(task, []).extend([worth] * count)
    return decided, undecided
