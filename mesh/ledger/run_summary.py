"""A run in numbers, computed by the database."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, func, select

from judgemesh.contracts.attempts import why_unknown
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.contracts.usage import Money
from judgemesh.mesh.ledger.attempt_rows import COST_UNKNOWN
from judgemesh.mesh.ledger.records import RunSummary
from judgemesh.mesh.ledger.schema.tables import (
    eval_failure_code,
    eval_task_result,
    judge_call,
)

_TASK: Final = eval_task_result.c
_CALL: Final = judge_call.c


def summarise(connection: Connection, run_id: str) -> RunSummary:
    """The run in numbers."""
    of_run = _TASK.run_id == run_id
    of_calls = _CALL.run_id == run_id
    results = _results(connection, of_run)
    gates, classes = results.gates, results.classes
    unknown = _unknown_costs(connection, of_calls)
    return RunSummary(
        attempted=gates.total(),
        passed=gates[Gate.PASS.value],
        failed=gates[Gate.FAIL.value],
        undecided=gates[Gate.UNDECIDED.value],
        average_outcome_score=_average_score(connection, of_run),
        failure_codes=_failure_codes(connection, of_run),
        outcome_classes={
            OutcomeClass(name): count for name, count in sorted(classes.items())
        },
        evaluator_cost=_sums(connection, _CALL.cost, _CALL.currency, of_calls),
        evaluator_cost_unknown=sum(unknown.values()),
        evaluator_cost_unknown_why=unknown,
        cost_avoided=_sums(
            connection, _CALL.cost_avoided, _CALL.cost_avoided_currency, of_calls
        ),
        judge_calls=_count(connection, of_calls, _CALL.cache_hit.is_(False)),
        cache_hits=_count(connection, of_calls, _CALL.cache_hit.is_(True)),
        error_results=results.errors,
        vacuous=results.vacuous,
    )


def attempted(connection: Connection, run_id: str) -> int:
    """How many results a run has."""
    return _count(connection, _TASK.run_id == run_id)


@dataclass(slots=True)
class _Results:
    """Results of a run by what their rows say."""

    gates: Counter[str] = field(default_factory=Counter[str])
    classes: Counter[str] = field(default_factory=Counter[str])
    errors: int = 0
    vacuous: int = 0


def _results(connection: Connection, of_run: ColumnElement[bool]) -> _Results:
    """All counts of rows in one pass: a run may have a million."""
    what = (_TASK.gate, _TASK.outcome_class, _TASK.has_error, _TASK.is_vacuous)
    query = select(*what, func.count()).where(of_run).group_by(*what)
    found = _Results()
    for gate, outcome_class, has_error, is_vacuous, count in connection.execute(query):
        found.gates[gate] += count
        if outcome_class is not None:
            found.classes[outcome_class] += count
        found.errors += count if has_error else 0
        found.vacuous += count if is_vacuous else 0
    return found


def _unknown_costs(
    connection: Connection, of_calls: ColumnElement[bool]
) -> dict[str, int]:
    """How many attempts have no known cost, by the reason."""
    has_usage = _CALL.output_tokens.is_not(None)
    what = (_CALL.model_requested, has_usage, _CALL.error_type)
    query = (
        select(*what, func.count())
        .where(of_calls, _CALL.cost_status == COST_UNKNOWN)
        .group_by(*what)
    )
    found: dict[str, int] = {}
    for model, known, error_type, count in connection.execute(query):
        why = why_unknown(model, has_usage=bool(known), error_type=error_type)
        found[why] = found.get(why, 0) + count
    return dict(sorted(found.items()))


def _average_score(connection: Connection, of_run: ColumnElement[bool]) -> float | None:
    """Over results whose gate passed."""
    query = select(func.avg(_TASK.outcome_score))
    passed = query.where(of_run, _TASK.gate == Gate.PASS.value)
    score = connection.execute(passed).scalar()
    return None if score is None else float(score)


def _failure_codes(
    connection: Connection, of_run: ColumnElement[bool]
) -> dict[FailureCode, int]:
    """How many results have each code, the most frequent first."""
    code, count = eval_failure_code.c.code, func.count()
    query = (
        select(code, count)
        .join(eval_task_result, _TASK.eval_id == eval_failure_code.c.eval_id)
        .where(of_run)
        .group_by(code)
        .order_by(count.desc(), code)
    )
    return {FailureCode(name): number for name, number in connection.execute(query)}


def _count(connection: Connection, *where: ColumnElement[bool]) -> int:
    query = select(func.count()).where(and_(*where))
    return connection.execute(query).scalar_one()


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
    for name, each, count in connection.execute(query):
        totals[name] = totals.get(name, Decimal(0)) + each * count
    return tuple(Money(total, name) for name, total in sorted(totals.items()))
