"""What a page of one result needs beside the report."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from judgemesh.mesh.ledger.labels import HumanLabel
from judgemesh.mesh.ledger.schema.tables import eval_run, eval_task_result, human_label

_LABELS_SHOWN = 100
_RUNS_SHOWN = 20


def has_result(connection: Connection, eval_id: str) -> bool:
    """Whether the ledger has that result."""
    column = eval_task_result.c.eval_id
    return (
        connection.execute(select(column).where(column == eval_id)).first() is not None
    )


def labels_of(connection: Connection, result_id: str) -> Sequence[HumanLabel]:
    """People's labels of a result, the newest first."""
    names = [human_label.c[name] for name in HumanLabel.__dataclass_fields__]
    query = select(*names).where(human_label.c.result_id == result_id)
    ordered = query.order_by(human_label.c.human_label_id.desc()).limit(_LABELS_SHOWN)
    return [HumanLabel(**row) for row in connection.execute(ordered).mappings()]


def runs_with(connection: Connection, result_id: str) -> list[str]:
    """The newest runs that have a result of that id."""
    runs = (
        select(eval_run.c.run_id)
        .order_by(eval_run.c.created_at.desc())
        .limit(_RUNS_SHOWN)
    )
    ids = list(connection.execute(runs).scalars())
    column = eval_task_result.c
    query = select(column.run_id).where(
        column.eval_id.in_([f"{run_id}:{result_id}" for run_id in ids])
    )
    having = set(connection.execute(query).scalars())
    return [run_id for run_id in ids if run_id in having]
