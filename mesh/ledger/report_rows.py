"""Pure: the rows of a report are its JSON form, spread over columns; and the way back.

A column has the name of the JSON field unless said here. Money and confidence, objects in JSON, are two columns each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from judgemesh.contracts.report import (
    Report,
    ValidatorVerdict,
    report_from_json,
    report_to_json,
)
from judgemesh.contracts.verdicts import GRADES, Pass, Reason
from judgemesh.mesh.ledger.report_digest import report_digest
from judgemesh.mesh.ledger.report_log import LogEntry
from judgemesh.mesh.ledger.schema.columns import Row, money_columns
from judgemesh.mesh.ledger.state_rows import state_rows

_NO_NUMBERS: Final[Mapping[str, float | None]] = MappingProxyType({})


class ReportRows(NamedTuple):
    """All rows of one graded result; they are written in one transaction or not at all.

    log: the entry of the log of reports, which is never replaced.
    """

    eval_id: str
    log: LogEntry
    task: Row
    verdicts: tuple[Row, ...]
    states: tuple[Row, ...]
    codes: tuple[Row, ...]
    opinions: tuple[Row, ...]


def eval_id_of(run_id: str, result_id: str) -> str:
    """The key of a result in a run. Unambiguous, because a run id has no colon."""
    return f"{run_id}:{result_id}"


def report_rows(
    run_id: str,
    report: Report,
    *,
    result_digest: str,
    input_index: int,
    created_at: datetime,
) -> ReportRows:
    """The rows of `report`."""
    eval_id = eval_id_of(run_id, report.result_id)
    key: Row = {"eval_id": eval_id, "created_at": created_at}
    task = report_to_json(report)
    log = LogEntry(run_id, eval_id, report_digest(task), created_at)
    verdicts: list[Row] = task.pop("verdicts")
    task |= key
    task["run_id"] = run_id
    task["result_digest"] = result_digest
    task["input_index"] = input_index
    task["has_error"] = any(verdict["kind"] == "error" for verdict in verdicts)
    task["is_vacuous"] = any(
        verdict["reason"] == Reason.VACUOUS_EXPECTATION for verdict in verdicts
    )
    _spread_confidence(task, task.pop("confidence"))
    task |= money_columns(report.evaluator_cost, "evaluator_cost", "evaluator_currency")
    task |= money_columns(
        report.evaluator_cost_avoided,
        "evaluator_cost_avoided",
        "evaluator_cost_avoided_currency",
    )
    task |= money_columns(report.agent_cost, "agent_cost", "agent_currency")
    opinions: list[Row] = []
    for position, graded in enumerate(report.verdicts):
        own_opinions: list[Row] = verdicts[position].pop("opinions")
        place: Row = {
            "eval_id": eval_id,
            "verdict_position": position,
            "run_id": run_id,
            "result_id": report.result_id,
            "validator_name": graded.validator_name,
        }
        for opinion in own_opinions:
            opinion |= place  # noqa: PLW2901 (in place)
        opinions += own_opinions
        _spread_verdict(verdicts[position], graded)
        verdicts[position] |= {**key, "position": position}
    trace_id = report.trace_id or report.result_id
    states = state_rows([verdict["details"] for verdict in verdicts], trace_id=trace_id)
    return ReportRows(
        eval_id=eval_id,
        log=log,
        task=task,
        verdicts=tuple(verdicts),
        states=tuple({**key, **state} for state in states),
        codes=tuple(
            {"eval_id": eval_id, "code": code}
            for code in dict.fromkeys(task["failure_reason_codes"])
        ),
        opinions=tuple(opinions),
    )


def _spread_verdict(row: Row, graded: ValidatorVerdict) -> None:
    """Turn the JSON form of a verdict into its row, in place."""
    verdict = graded.verdict
    confidence = row["confidence"]
    row["check_name"] = row.pop("check")
    row["passed"] = isinstance(verdict, Pass)
    row["score_stated"] = isinstance(verdict, GRADES) and verdict.score is not None
    row["confidence_stated"] = confidence is not None
    row["gating_stated"] = verdict.gating
    _spread_confidence(row, confidence)
    row["confidence"] = row["confidence_stability"]
    row |= money_columns(graded.cost, "cost", "currency")


def report_from_rows(task: Row, verdicts: Sequence[Row]) -> Report:
    """The report whose rows these are, the verdicts in order of position, each with the rows of its `opinions`.

    Raises:
        KeyError: a column is missing.
        ValueError: a value that this version does not know.
    """
    data = {
        **task,
        "confidence": _confidence(task),
        "evaluator_cost": _money(task, "evaluator_cost", "evaluator_currency"),
        "evaluator_cost_avoided": _money(
            task, "evaluator_cost_avoided", "evaluator_cost_avoided_currency"
        ),
        "agent_cost": _money(task, "agent_cost", "agent_currency"),
        "verdicts": [_verdict_data(row) for row in verdicts],
    }
    return report_from_json(data)


def _verdict_data(row: Row) -> Row:
    data = {
        **row,
        "check": row["check_name"],
        "confidence": None,
        "cost": _money(row, "cost", "currency"),
    }
    if not row["score_stated"]:
        data["score"] = None
    if row["confidence_stated"]:
        data["confidence"] = _confidence(row)
    return data


def _spread_confidence(row: Row, confidence: Mapping[str, float | None] | None) -> None:
    numbers = confidence or _NO_NUMBERS
    row["confidence_stability"] = numbers.get("stability")
    row["confidence_correctness"] = numbers.get("correctness")


def _confidence(row: Row) -> Row:
    return {
        "stability": row["confidence_stability"],
        "correctness": row["confidence_correctness"],
    }


def _money(row: Mapping[str, Any], amount: str, currency: str) -> Row | None:
    if row[amount] is None:
        return None
    return {"amount": row[amount], "currency": row[currency]}
