"""Lists by keys: runs, and the results of a run. Each page is a range of an index, wherever it stands in the list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Table,
    and_,
    exists,
    or_,
    select,
)

from judgemesh.contracts.report import Gate
from judgemesh.mesh.ledger.run_names import shown_name
from judgemesh.mesh.ledger.run_states import RunState, run_states
from judgemesh.mesh.ledger.schema.summary_queries import TASK_KEY_CHARS
from judgemesh.mesh.ledger.schema.summary_tables import code_summary, result_summary
from judgemesh.mesh.ledger.schema.tables import eval_run
from judgemesh.mesh.viewer.paging import Key, Slice

GATES: Final = (Gate.FAIL, Gate.UNDECIDED, Gate.PASS)
"""The order of a list of results: what went wrong comes first."""
_LAST_CHARACTER: Final = "\U0010ffff"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultsFilter:
    """Which results of a run. prefix: of the result id."""

    gate: Gate | None = None
    code: str | None = None
    task: str | None = None
    prefix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun:
    """A run as a row of a list."""

    run_id: str
    name: str
    state: RunState
    created_at: datetime


def is_run_key(key: Key) -> bool:
    """Whether a list of runs can go on behind this key."""
    try:
        return datetime.fromisoformat(key[0]).tzinfo is not None
    except ValueError:
        return False


def runs_page(connection: Connection, after: Key | None, size: int) -> Slice[ListedRun]:
    """Runs, the newest first."""
    columns = eval_run.c
    query = select(columns.run_id, columns.name, columns.created_at)
    if after is not None:
        moment = datetime.fromisoformat(after[0])
        query = query.where(
            or_(
                columns.created_at < moment,
                and_(columns.created_at == moment, columns.run_id < after[1]),
            )
        )
    ordered = query.order_by(columns.created_at.desc(), columns.run_id.desc()).limit(
        size + 1
    )
    rows = _listed(connection, connection.execute(ordered).mappings().all())
    if len(rows) <= size:
        return Slice(rows, None)
    last = rows[size - 1]
    return Slice(rows[:size], (last.created_at.isoformat(), last.run_id))


def listed_run(connection: Connection, run_id: str) -> ListedRun | None:
    """The run of that id; None where there is none."""
    columns = eval_run.c
    query = select(columns.run_id, columns.name, columns.created_at)
    found = connection.execute(query.where(columns.run_id == run_id)).mappings().all()
    return _listed(connection, found)[0] if found else None


def _listed(connection: Connection, rows: Sequence[RowMapping]) -> list[ListedRun]:
    ids = [row["run_id"] for row in rows]
    states = run_states(connection, ids, datetime.now(UTC))
    return [
        ListedRun(
            run_id=row["run_id"],
            name=shown_name(row["name"]),
            state=states[row["run_id"]],
            created_at=row["created_at"],
        )
        for row in rows
    ]


def results_page(
    connection: Connection,
    run_id: str,
    where: ResultsFilter,
    after: Key | None,
    size: int,
) -> Slice[tuple[str, str]]:
    """Eval ids and result ids, at most `size`: failed results first, then undecided ones, each by their ids."""
    found: list[tuple[str, str, str]] = []
    if not size:
        return Slice((), None)
    for gate in GATES if where.gate is None else (where.gate,):
        begin = None
        if after is not None:
            if GATES.index(gate) < _rank(after[0]):
                continue
            begin = after[1] if gate == after[0] else None
        found += _range(connection, run_id, where, gate, begin, size + 1 - len(found))
        if len(found) > size:
            break
    rows = [(eval_id, result_id) for _, eval_id, result_id in found[:size]]
    if len(found) <= size:
        return Slice(rows, None)
    gate_of_last, _, last = found[size - 1]
    return Slice(rows, (gate_of_last, last))


def _rank(gate: str) -> int:
    return [each.value for each in GATES].index(gate) if gate in set(Gate) else 0


def _range(
    connection: Connection,
    run_id: str,
    where: ResultsFilter,
    gate: Gate,
    begin: str | None,
    size: int,
) -> Sequence[tuple[str, str, str]]:
    """Results of one gate: a range of the index that begins with the run and what the filter names."""
    table: Table = result_summary
    if where.code is not None and where.task is None:
        table = code_summary
    columns = table.c
    conditions: list[ColumnElement[bool]] = [
        columns.run_id == run_id,
        columns.gate == gate.value,
    ]
    if where.task is not None:
        # A task has few results: each of them is looked at for the code.
        conditions.append(columns.task_key == where.task[:TASK_KEY_CHARS])
        if where.code is not None:
            code = code_summary.c
            having = (code.eval_id == columns.eval_id, code.code == where.code)
            conditions.append(exists().where(*having))
    elif where.code is not None:
        conditions.append(columns.code == where.code)
    if where.prefix:
        conditions += [
            columns.result_id >= where.prefix,
            columns.result_id < where.prefix + _LAST_CHARACTER,
        ]
    if begin is not None:
        conditions.append(columns.result_id > begin)
    query = select(columns.gate, columns.eval_id, columns.result_id).where(*conditions)
    rows: Any = connection.execute(query.order_by(columns.result_id).limit(size)).all()
    return [tuple(row) for row in rows]
