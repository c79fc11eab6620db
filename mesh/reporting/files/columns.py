"""The columns of a result in a table of results, for CSV and Parquet alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from judgemesh.contracts.money import Money
from judgemesh.contracts.report import SCORE_FIELDS, Report
from judgemesh.mesh.analysis.results.rows import CodeLabel, ResultRow, row_of

Kind = Literal["text", "texts", "number", "count", "money"]
Value = str | list[str] | float | int | Decimal | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, the kind of its values, and how a value is taken from a result."""

    name: str
    kind: Kind
    value: Callable[[ResultRow, Report], Value]


def values_of(report: Report) -> list[Value]:
    """The values of a report, in the order of `COLUMNS`."""
    row = row_of(report)
    return [column.value(row, report) for column in COLUMNS]


def _score(field: str) -> Column:
    return Column(field, "number", lambda _, report: getattr(report, field))


def _code(row: ResultRow) -> CodeLabel:
    """The primary code, with empty fields where there is none."""
    return row.primary or CodeLabel("", "", "")


def _amount(money: Money | None) -> Decimal | None:
    return None if money is None else money.amount


def _currency(money: Money | None) -> str | None:
    return None if money is None else money.currency


COLUMNS: Final[tuple[Column, ...]] = (
    Column("result_id", "text", lambda row, _: row.result_id),
    Column("task_id", "text", lambda row, _: row.task_id),
    Column("agent_id", "text", lambda row, _: row.agent_id),
    Column("skill_id", "text", lambda _, report: report.skill_id),
    Column("trace_id", "text", lambda _, report: report.trace_id),
    Column("gate", "text", lambda row, _: row.gate.value),
    Column("stated_gate", "text", lambda row, _: row.stated_gate.value),
    Column(
        "outcome_class",
        "text",
        lambda row, _: row.outcome_class and row.outcome_class.value,
    ),
    Column(
        "primary_failure_reason_code",
        "text",
        lambda row, _: _code(row).code,
    ),
    Column("attribution", "text", lambda row, _: _code(row).attribution),
    Column(
        "failure_reason_codes",
        "texts",
        lambda row, _: [label.code for label in row.codes],
    ),
    Column("reason", "text", lambda row, _: row.reason),
    *map(_score, SCORE_FIELDS),
    Column(
        "confidence_stability", "number", lambda _, report: report.confidence.stability
    ),
    Column(
        "confidence_correctness",
        "number",
        lambda _, report: report.confidence.correctness,
    ),
    Column("evaluator_cost", "money", lambda row, _: _amount(row.judge_cost)),
    Column("evaluator_currency", "text", lambda row, _: _currency(row.judge_cost)),
    Column("judge_calls", "count", lambda row, _: row.judge_calls),
    Column("agent_cost", "money", lambda row, _: _amount(row.agent_cost)),
    Column("agent_currency", "text", lambda row, _: _currency(row.agent_cost)),
    Column("agent_latency_ms", "number", lambda row, _: row.agent_latency_ms),
    Column("latency_ms", "number", lambda row, _: row.latency_ms),
    Column("started_at", "text", lambda row, _: row.started_at),
    Column("ended_at", "text", lambda _, report: report.ended_at),
    Column(
        "eval_contract_version", "text", lambda _, report: report.eval_contract_version
    ),
    Column("explanation", "text", lambda _, report: report.explanation),
)
"""Money is an amount with its currency in the column beside it; an unknown value is empty."""
