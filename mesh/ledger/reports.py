"""Graded results and their reports, read from an open connection.

Lists come in pages that continue after a key, so that reading a run of any length takes the memory of one page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from sqlalchemy import ColumnElement, Connection, RowMapping, exists, select, tuple_

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import Gate, OutcomeClass, Report
from judgemesh.mesh.ledger.encoding import storable
from judgemesh.mesh.ledger.opinions import opinion_rows_of
from judgemesh.mesh.ledger.records import LedgerGrade
from judgemesh.mesh.ledger.report_rows import eval_id_of, report_from_rows
from judgemesh.mesh.ledger.schema.tables import (
    eval_failure_code,
    eval_task_result,
    eval_validator_result,
)
from judgemesh.mesh.ledger.statements.among import rows_among

_TASK: Final = eval_task_result.c
_CODE: Final = eval_failure_code.c
_UNREACHED: Final = exists().where(
    _CODE.eval_id == _TASK.eval_id,
    _CODE.code == FailureCode.EVIDENCE_SOURCE_INACCESSIBLE.value,
)
_GRADED: Final = (
    _TASK.result_id,
    _TASK.result_digest,
    _TASK.gate,
    _TASK.has_error,
    _UNREACHED.label("unreached"),
)

_GRADED_AMONG: Final = f"""
SELECT result_id, result_digest, gate, has_error, EXISTS (
         SELECT 1 FROM eval_failure_code AS code
         WHERE code.eval_id = task.eval_id AND code.code = '{FailureCode.EVIDENCE_SOURCE_INACCESSIBLE.value}'
       )
FROM eval_task_result AS task WHERE eval_id {{which}}
"""  # noqa: S608 (text of our own)
"""The columns of `_GRADED`, for results by their ids."""
_GATES: Final = {gate.value: gate for gate in Gate}

_Graded = tuple[str, str, str, object, object]

ReportKey = tuple[int, str]
"""Input index and eval id of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFilter:
    """Which reports of a run; a condition that is None does not restrict."""

    gate: Gate | None = None
    code: FailureCode | None = None
    task_id: str | None = None
    outcome_class: OutcomeClass | None = None
    result_ids: tuple[str, ...] | None = None
    has_error: bool | None = None


def graded_page(
    connection: Connection, run_id: str, after: str | None, size: int
) -> tuple[list[LedgerGrade], str | None]:
    """Up to `size` graded results in the order of their ids, and the id they end at; None at the end."""
    query = select(*_GRADED).where(_TASK.run_id == run_id)
    if after is not None:
        query = query.where(_TASK.result_id > after)
    ordered = query.order_by(_TASK.result_id).limit(size)
    page = [_graded(*row) for row in connection.execute(ordered)]
    last = None
    if len(page) == size:
        last = page[-1].result_id
    return page, last


def graded_among(
    connection: Connection, run_id: str, result_ids: Sequence[str]
) -> dict[str, LedgerGrade]:
    """Those of `result_ids` that are graded, by id."""
    if not result_ids:
        return {}
    nul = connection.dialect.name != "postgresql"
    eval_ids = [
        storable(eval_id_of(run_id, result_id), nul=nul) for result_id in result_ids
    ]
    rows = rows_among(connection, _GRADED_AMONG, eval_ids)
    graded = [_graded(*row) for row in cast("Sequence[_Graded]", rows)]
    return {row.result_id: row for row in graded}


def _graded(
    result_id: str, digest: str, gate: str, has_error: object, unreached: object
) -> LedgerGrade:
    """A row of the columns `_GRADED`. A million of them are read when a finished run is repeated."""
    return LedgerGrade(
        result_id,
        digest,
        _GATES.get(gate) or Gate(gate),
        bool(has_error),
        bool(unreached),
    )


def eval_id_page(
    connection: Connection, run_id: str, after: str, size: int
) -> tuple[list[str], str | None]:
    """Up to `size` eval ids of a run above `after`, in order, and the one they end at; None at the end."""
    query = select(_TASK.eval_id).where(_TASK.run_id == run_id, _TASK.eval_id > after)
    page = list(connection.execute(query.order_by(_TASK.eval_id).limit(size)).scalars())
    return page, page[-1] if len(page) == size else None


def report_page(
    connection: Connection,
    run_id: str,
    where: ReportFilter,
    after: ReportKey | None,
    size: int,
) -> tuple[list[Report], ReportKey | None]:
    """Up to `size` reports in input order after the key `after`, and the key they end at; None at the end.

    Raises:
        LedgerError: a row that this version cannot read.
    """
    key = (_TASK.input_index, _TASK.eval_id)
    query = select(eval_task_result).where(_TASK.run_id == run_id, *_conditions(where))
    if after is not None:
        query = query.where(tuple_(*key) > after)
    tasks = connection.execute(query.order_by(*key).limit(size)).mappings().all()
    verdicts = _verdicts_of(connection, [task["eval_id"] for task in tasks])
    reports = [_report(task, verdicts.get(task["eval_id"], ())) for task in tasks]
    if len(tasks) < size:
        return reports, None
    return reports, (tasks[-1]["input_index"], tasks[-1]["eval_id"])


def reports_among(
    connection: Connection, eval_ids: Sequence[str]
) -> dict[str, Report | LedgerError]:
    """The reports of these eval ids; in place of one that cannot be read, why."""
    try:
        return _reports_among(connection, eval_ids)
    except ValueError as error:
        # A column that is no JSON fails the whole query: only the row that holds it is damaged.
        if len(eval_ids) == 1:
            (eval_id,) = eval_ids
            return {eval_id: _unreadable(eval_id, error)}
    found: dict[str, Report | LedgerError] = {}
    for eval_id in eval_ids:
        found |= reports_among(connection, [eval_id])
    return found


def _reports_among(
    connection: Connection, eval_ids: Sequence[str]
) -> dict[str, Report | LedgerError]:
    query = select(eval_task_result).where(_TASK.eval_id.in_(eval_ids))
    tasks = connection.execute(query).mappings().all()
    verdicts = _verdicts_of(connection, eval_ids)
    found: dict[str, Report | LedgerError] = {}
    for task in tasks:
        eval_id = task["eval_id"]
        try:
            found[eval_id] = _report(task, verdicts.get(eval_id, ()))
        except LedgerError as error:
            found[eval_id] = error
    return found


def _conditions(where: ReportFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if where.gate is not None:
        conditions.append(_TASK.gate == where.gate.value)
    if where.code is not None:
        code = eval_failure_code.c
        with_code = select(code.eval_id).where(code.code == where.code.value)
        conditions.append(_TASK.eval_id.in_(with_code))
    if where.task_id is not None:
        conditions.append(_TASK.task_id == where.task_id)
    if where.outcome_class is not None:
        conditions.append(_TASK.outcome_class == where.outcome_class.value)
    if where.result_ids is not None:
        conditions.append(_TASK.result_id.in_(where.result_ids))
    if where.has_error is not None:
        conditions.append(_TASK.has_error.is_(where.has_error))
    return conditions


def _verdicts_of(
    connection: Connection, eval_ids: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """The rows of the verdicts by eval id, each with the rows of its opinions."""
    table = eval_validator_result
    query = (
        select(table)
        .where(table.c.eval_id.in_(eval_ids))
        .order_by(table.c.eval_id, table.c.position)
    )
    opinions = opinion_rows_of(connection, eval_ids)
    verdicts: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(query).mappings():
        key = (row["eval_id"], row["position"])
        verdict = {**row, "opinions": opinions.get(key, ())}
        verdicts.setdefault(row["eval_id"], []).append(verdict)
    return verdicts


def _report(task: RowMapping, verdicts: Sequence[dict[str, Any]]) -> Report:
    try:
        return report_from_rows(dict(task), verdicts)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise _unreadable(task["eval_id"], error) from error


def _unreadable(eval_id: str, error: Exception) -> LedgerError:
    return LedgerError(f"holds a result that cannot be read, {eval_id}: {error}")
