"""Everything the ledger is asked, as functions of an open connection.

Lists come in pages that continue after a key, so that reading a run of any length takes the memory of one page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, func, select, tuple_

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import Gate, OutcomeClass, Report
from judgemesh.contracts.usage import Money
from judgemesh.mesh.ledger.attempt_rows import COST_UNKNOWN
from judgemesh.mesh.ledger.opinions import opinion_rows_of
from judgemesh.mesh.ledger.records import GradedRow, RunRecord, RunSummary
from judgemesh.mesh.ledger.report_rows import report_from_rows
from judgemesh.mesh.ledger.schema import (
    eval_failure_code,
    eval_run,
    eval_task_result,
    eval_validator_result,
    judge_cache,
    judge_call,
)

_TASK: Final = eval_task_result.c
_GRADED: Final = (_TASK.result_id, _TASK.result_digest, _TASK.gate, _TASK.has_error)

Position = tuple[int, str]
"""Where a page of reports ended: input index and eval id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFilter:
    """Which reports of a run; a condition that is None does not restrict."""

    gate: Gate | None = None
    code: FailureCode | None = None
    task_id: str | None = None
    outcome_class: OutcomeClass | None = None
    result_ids: tuple[str, ...] | None = None
    has_error: bool | None = None


def run_of_key(connection: Connection, run_key: str) -> RunRecord | None:
    """The run that has this key."""
    row = (
        connection.execute(select(eval_run).where(eval_run.c.run_key == run_key))
        .mappings()
        .first()
    )
    return None if row is None else _run(row)


def all_runs(connection: Connection) -> list[RunRecord]:
    """Every run, the oldest first."""
    rows = connection.execute(
        select(eval_run).order_by(eval_run.c.created_at, eval_run.c.run_id)
    ).mappings()
    return [_run(row) for row in rows]


def latest_run(connection: Connection) -> RunRecord | None:
    """The run that was begun or continued last."""
    newest = (
        eval_run.c.last_started_at.desc(),
        eval_run.c.created_at.desc(),
        eval_run.c.run_id.desc(),
    )
    row = (
        connection.execute(select(eval_run).order_by(*newest).limit(1))
        .mappings()
        .first()
    )
    return None if row is None else _run(row)


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


def graded_page(
    connection: Connection, run_id: str, after: str, size: int
) -> list[GradedRow]:
    """Up to `size` graded results in the order of their ids, those after the id `after`."""
    query = (
        select(*_GRADED)
        .where(_TASK.run_id == run_id, _TASK.result_id > after)
        .order_by(_TASK.result_id)
        .limit(size)
    )
    return [
        GradedRow(row[0], row[1], Gate(row[2]), row[3])
        for row in connection.execute(query)
    ]


def graded_among(
    connection: Connection, run_id: str, result_ids: Sequence[str]
) -> dict[str, GradedRow]:
    """Those of `result_ids` that are graded, by id."""
    query = select(*_GRADED).where(
        _TASK.run_id == run_id, _TASK.result_id.in_(result_ids)
    )
    return {
        row[0]: GradedRow(row[0], row[1], Gate(row[2]), row[3])
        for row in connection.execute(query)
    }


def report_page(
    connection: Connection,
    run_id: str,
    wanted: ReportFilter,
    after: Position | None,
    size: int,
) -> tuple[list[Report], Position | None]:
    """Up to `size` reports in input order after the position `after`, and the position they end at; None at the end.

    Raises:
        LedgerError: a row that this version cannot read.
    """
    query = select(eval_task_result).where(_TASK.run_id == run_id, *_conditions(wanted))
    if after is not None:
        query = query.where(tuple_(_TASK.input_index, _TASK.eval_id) > after)
    ordered = query.order_by(_TASK.input_index, _TASK.eval_id).limit(size)
    tasks = connection.execute(ordered).mappings().all()
    verdicts = _verdicts_of(connection, [task["eval_id"] for task in tasks])
    reports = [_report(task, verdicts.get(task["eval_id"], ())) for task in tasks]
    last = (
        (tasks[-1]["input_index"], tasks[-1]["eval_id"]) if len(tasks) == size else None
    )
    return reports, last


def _conditions(wanted: ReportFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.gate is not None:
        found.append(_TASK.gate == wanted.gate.value)
    if wanted.code is not None:
        having = select(eval_failure_code.c.eval_id).where(
            eval_failure_code.c.code == wanted.code.value
        )
        found.append(_TASK.eval_id.in_(having))
    if wanted.task_id is not None:
        found.append(_TASK.task_id == wanted.task_id)
    if wanted.outcome_class is not None:
        found.append(_TASK.outcome_class == wanted.outcome_class.value)
    if wanted.result_ids is not None:
        found.append(_TASK.result_id.in_(wanted.result_ids))
    if wanted.has_error is not None:
        found.append(_TASK.has_error.is_(wanted.has_error))
    return found


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
        raise LedgerError(
            f"holds a result that cannot be read, {task['eval_id']}: {error}"
        ) from error


def cached(connection: Connection, key: str) -> str | None:
    """The response kept under `key`."""
    return connection.execute(
        select(judge_cache.c.response).where(judge_cache.c.cache_key == key)
    ).scalar()


def summarise(connection: Connection, run_id: str) -> RunSummary:
    """The run in numbers."""
    of_run = _TASK.run_id == run_id
    gates = _counts(connection, _TASK.gate, of_run)
    passed_score = and_(of_run, _TASK.gate == Gate.PASS.value)
    score: float | None = connection.execute(
        select(func.avg(_TASK.outcome_score)).where(passed_score)
    ).scalar()
    classes = _counts(
        connection, _TASK.outcome_class, and_(of_run, _TASK.outcome_class.is_not(None))
    )
    spent, calls = judge_call.c, judge_call.c.run_id == run_id
    return RunSummary(
        attempted=sum(gates.values()),
        passed=gates.get(Gate.PASS.value, 0),
        failed=gates.get(Gate.FAIL.value, 0),
        undecided=gates.get(Gate.UNDECIDED.value, 0),
        average_outcome_score=None if score is None else float(score),
        failure_codes=_failure_codes(connection, run_id),
        outcome_classes={
            OutcomeClass(name): number for name, number in sorted(classes.items())
        },
        evaluator_cost=_sums(connection, spent.cost, spent.currency, calls),
        evaluator_cost_unknown=_count(
            connection, and_(calls, spent.cost_status == COST_UNKNOWN)
        ),
        cost_avoided=_sums(
            connection, spent.cost_avoided, spent.cost_avoided_currency, calls
        ),
        judge_calls=_count(connection, and_(calls, spent.cache_hit.is_(False))),
        cache_hits=_count(connection, and_(calls, spent.cache_hit.is_(True))),
        error_results=_count(connection, and_(of_run, _TASK.has_error.is_(True))),
        vacuous=_count(connection, and_(of_run, _TASK.is_vacuous.is_(True))),
    )


def _failure_codes(connection: Connection, run_id: str) -> dict[FailureCode, int]:
    """Most frequent first."""
    table, number = eval_failure_code, func.count()
    query = (
        select(table.c.code, number)
        .join(eval_task_result, _TASK.eval_id == table.c.eval_id)
        .where(_TASK.run_id == run_id)
        .group_by(table.c.code)
        .order_by(number.desc(), table.c.code)
    )
    return {FailureCode(code): count for code, count in connection.execute(query)}


def _counts(
    connection: Connection, column: ColumnElement[Any], where: ColumnElement[bool]
) -> dict[str, int]:
    rows: Iterable[Any] = connection.execute(
        select(column, func.count()).where(where).group_by(column)
    )
    return {value: number for value, number in rows}  # noqa: C416 (rows are not pairs to the type checker)


def _count(connection: Connection, where: ColumnElement[bool]) -> int:
    return connection.execute(select(func.count()).where(where)).scalar_one()


def _sums(
    connection: Connection,
    amount: ColumnElement[Any],
    currency: ColumnElement[Any],
    where: ColumnElement[bool],
) -> tuple[Money, ...]:
    """One exact total for each currency. SQL's SUM of floats drifts: ten thousand times 0.1 is 1000.00000000016."""
    query = (
        select(currency, amount, func.count())
        .where(where, amount.is_not(None))
        .group_by(currency, amount)
    )
    totals: dict[str, Decimal] = {}
    for name, each, number in connection.execute(query):
        totals[name] = totals.get(name, Decimal(0)) + each * number
    return tuple(Money(total, name) for name, total in sorted(totals.items()))
