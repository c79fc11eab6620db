"""A run in numbers, computed by the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection

from judgemesh.contracts.attempts import why_unknown
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.mesh.ledger.attempt_rows import COST_UNKNOWN
from judgemesh.mesh.ledger.records import RunSummary
from judgemesh.mesh.ledger.schema.columns import stored_amount
from judgemesh.mesh.ledger.statements.among import rows_among


def summarise(connection: Connection, run_id: str) -> RunSummary:
    """The run in numbers."""
    results = _results(connection, run_id)
    gates, classes = results.gates, results.classes
    asked, kept = _calls(connection, run_id)
    unknown = _unknown_costs(connection, run_id)
    return RunSummary(
        attempted=gates.total(),
        passed=gates[Gate.PASS.value],
        failed=gates[Gate.FAIL.value],
        undecided=gates[Gate.UNDECIDED.value],
        average_outcome_score=_average_score(connection, run_id),
        failure_codes=_failure_codes(connection, run_id),
        outcome_classes={
            OutcomeClass(name): count for name, count in sorted(classes.items())
        },
        evaluator_cost=_sums(connection, _COSTS, run_id),
        evaluator_cost_unknown=sum(unknown.values()),
        evaluator_cost_unknown_why=unknown,
        cost_avoided=_sums(connection, _AVOIDED, run_id),
        judge_calls=asked,
        cache_hits=kept,
        error_results=results.errors,
        vacuous=results.vacuous,
    )


def attempted(connection: Connection, run_id: str) -> int:
    """How many results a run has."""
    return int(_row(connection, _ATTEMPTED, run_id)[0])


@dataclass(slots=True)
class _Results:
    """Results of a run by what their rows say."""

    gates: Counter[str] = field(default_factory=Counter[str])
    classes: Counter[str] = field(default_factory=Counter[str])
    errors: int = 0
    vacuous: int = 0


def _results(connection: Connection, run_id: str) -> _Results:
    """All counts of rows in one pass: a run may have a million."""
    found = _Results()
    rows = rows_among(connection, _RESULTS, [run_id])
    for gate, outcome_class, has_error, is_vacuous, count in rows:
        found.gates[gate] += count
        if outcome_class is not None:
            found.classes[outcome_class] += count
        found.errors += count if has_error else 0
        found.vacuous += count if is_vacuous else 0
    return found


def _calls(connection: Connection, run_id: str) -> tuple[int, int]:
    """How many attempts asked a judge, and how many found the answer in the cache."""
    asked, kept = _row(connection, _CALLS, run_id)
    return int(asked or 0), int(kept or 0)


def _unknown_costs(connection: Connection, run_id: str) -> dict[str, int]:
    """How many attempts have no known cost, by the reason."""
    found: dict[str, int] = {}
    rows = rows_among(connection, _UNKNOWN, [run_id])
    for model, has_usage, error_type, count in rows:
        why = why_unknown(model, has_usage=bool(has_usage), error_type=error_type)
        found[why] = found.get(why, 0) + count
    return dict(sorted(found.items()))


def _average_score(connection: Connection, run_id: str) -> float | None:
    """Over results whose gate passed."""
    score = _row(connection, _AVERAGE, run_id)[0]
    return None if score is None else float(score)


def _failure_codes(connection: Connection, run_id: str) -> dict[FailureCode, int]:
    """How many results have each code, the most frequent first."""
    rows = rows_among(connection, _CODES, [run_id])
    return {FailureCode(name): number for name, number in rows}


def _sums(connection: Connection, query: str, run_id: str) -> tuple[Money, ...]:
    """One exact total for each currency. SQL's SUM of floats drifts: ten thousand times 0.1 is 1000.00000000016."""
    totals: dict[str, Decimal] = {}
    for currency, amount, count in rows_among(connection, query, [run_id]):
        total = totals.get(currency, Decimal(0))
        totals[currency] = total + stored_amount(amount) * count
    return tuple(Money(total, name) for name, total in sorted(totals.items()))


def _row(connection: Connection, query: str, run_id: str) -> Sequence[Any]:
    (row,) = rows_among(connection, query, [run_id])
    return row


# Text, because SQLAlchemy takes longer to compile these queries than a database to answer them about a small run.
_ATTEMPTED: Final = "SELECT COUNT(*) FROM eval_task_result WHERE run_id {which}"
_RESULTS: Final = (
    "SELECT gate, outcome_class, has_error, is_vacuous, COUNT(*) FROM eval_task_result"
    " WHERE run_id {which} GROUP BY gate, outcome_class, has_error, is_vacuous"
)
_AVERAGE: Final = (
    "SELECT AVG(outcome_score) FROM eval_task_result"  # noqa: S608 (text of our own)
    f" WHERE run_id {{which}} AND gate = '{Gate.PASS.value}'"
)
_CODES: Final = (
    "SELECT code, COUNT(*) FROM eval_failure_code AS found"
    " JOIN eval_task_result AS task ON task.eval_id = found.eval_id"
    " WHERE run_id {which} GROUP BY code ORDER BY COUNT(*) DESC, code"
)
_CALLS: Final = (
    "SELECT SUM(CASE WHEN cache_hit THEN 0 ELSE 1 END), SUM(CASE WHEN cache_hit THEN 1 ELSE 0 END) FROM judge_call"
    " WHERE run_id {which}"
)
_UNKNOWN: Final = (
    "SELECT model_requested, output_tokens IS NOT NULL, error_type, COUNT(*) FROM judge_call"  # noqa: S608 (text of our own)
    f" WHERE run_id {{which}} AND cost_status = '{COST_UNKNOWN}'"
    " GROUP BY model_requested, output_tokens IS NOT NULL, error_type"
)
_COSTS: Final = (
    "SELECT currency, cost, COUNT(*) FROM judge_call"
    " WHERE run_id {which} AND cost IS NOT NULL GROUP BY currency, cost"
)
_AVOIDED: Final = (
    "SELECT cost_avoided_currency, cost_avoided, COUNT(*) FROM judge_call"
    " WHERE run_id {which} AND cost_avoided IS NOT NULL GROUP BY cost_avoided_currency, cost_avoided"
)
