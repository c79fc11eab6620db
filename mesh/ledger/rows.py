"""Pure: a report to the rows of its tables and back, an attempt to its row. Nothing here knows a database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.opinions import opinion_from_rows, opinion_rows
from judgemesh.contracts.report import (
    SCORE_FIELDS,
    Gate,
    OutcomeClass,
    Report,
    ValidatorVerdict,
    weighted_from_json,
    weighted_to_json,
)
from judgemesh.contracts.usage import Money, PriceSnapshot, Usage
from judgemesh.contracts.verdicts import (
    Abstain,
    Confidence,
    Error,
    Fail,
    Pass,
    Reason,
    Skipped,
    Verdict,
    codes_of,
    score_of,
)
from judgemesh.mesh.ledger.columns import PRICES, TOKENS
from judgemesh.mesh.ledger.state_rows import state_rows

Row = dict[str, object]

COST_KNOWN: Final = "known"
COST_UNKNOWN: Final = "COST_UNKNOWN"

_SAME_NAME: Final = (
    "task_id",
    "trace_id",
    "agent_id",
    "skill_id",
    "result_id",
    "hard_success",
    "evaluator_version",
    "eval_contract_version",
    "judge_calls",
    "agent_latency_ms",
    "latency_ms",
    "explanation",
    *SCORE_FIELDS,
)
"""Fields of a report that are columns of the same name."""


@dataclass(frozen=True, slots=True)
class ReportRows:
    """All rows of one graded result; they are written in one transaction or not at all."""

    eval_id: str
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
    verdicts = [row.verdict for row in report.verdicts]
    task: Row = {
        **key,
        **{name: getattr(report, name) for name in _SAME_NAME},
        "run_id": run_id,
        "result_digest": result_digest,
        "input_index": input_index,
        "gate": report.gate.value,
        "primary_failure_reason_code": _value(report.primary_failure_reason_code),
        "failure_reason_codes": [code.value for code in report.failure_reason_codes],
        "outcome_class": _value(report.outcome_class),
        "other_scores": dict(report.other_scores),
        "weighted_scores": [weighted_to_json(one) for one in report.weighted_scores],
        "confidence_stability": report.confidence.stability,
        "confidence_correctness": report.confidence.correctness,
        **_money(report.evaluator_cost, "evaluator_cost", "evaluator_currency"),
        **_money(
            report.evaluator_cost_avoided,
            "evaluator_cost_avoided",
            "evaluator_cost_avoided_currency",
        ),
        **_money(report.agent_cost, "agent_cost", "agent_currency"),
        "has_error": any(isinstance(verdict, Error) for verdict in verdicts),
        "is_vacuous": any(
            _reason(verdict) == Reason.VACUOUS_EXPECTATION for verdict in verdicts
        ),
    }
    trace_id = report.trace_id or report.result_id
    return ReportRows(
        eval_id=eval_id,
        task=task,
        verdicts=tuple(
            _verdict_row(row, {**key, "position": at})
            for at, row in enumerate(report.verdicts)
        ),
        states=tuple({**key, **row} for row in state_rows(verdicts, trace_id=trace_id)),
        codes=tuple(
            {"eval_id": eval_id, "code": code.value}
            for code in dict.fromkeys(report.failure_reason_codes)
        ),
        opinions=tuple(_opinion_rows(eval_id, run_id, report)),
    )


def _opinion_rows(eval_id: str, run_id: str, report: Report) -> Iterator[Row]:
    for position, verdict in enumerate(report.verdicts):
        for row in opinion_rows(verdict.verdict.opinion):
            yield {
                "eval_id": eval_id,
                "verdict_position": position,
                "run_id": run_id,
                "result_id": report.result_id,
                "validator_name": verdict.validator_name,
                **row,
            }


def _verdict_row(row: ValidatorVerdict, key: Row) -> Row:
    verdict = row.verdict
    confidence = verdict.confidence or Confidence()
    return {
        **key,
        "validator_name": row.validator_name,
        "validator_version": row.validator_version,
        "validator_type": row.validator_type,
        "check_name": verdict.check,
        "kind": verdict.kind,
        "passed": isinstance(verdict, Pass),
        "score": score_of(verdict),
        "score_stated": isinstance(verdict, Pass | Fail) and verdict.score is not None,
        "confidence": confidence.stability,
        "confidence_stability": confidence.stability,
        "confidence_correctness": confidence.correctness,
        "confidence_stated": verdict.confidence is not None,
        "failure_reason_codes": [code.value for code in codes_of(verdict)],
        "evidence_refs": list(verdict.evidence_refs),
        "reason": _reason(verdict),
        "diagnostic_message": verdict.diagnostic,
        "gating": row.gating,
        "gating_stated": verdict.gating,
        "metric": None if verdict.metric is None else str(verdict.metric),
        "weight": verdict.weight,
        "details": dict(verdict.details),
        "latency_ms": row.latency_ms,
        "evaluator_model": row.evaluator_model,
        **_money(row.cost, "cost", "currency"),
    }


def report_from_rows(
    task: Mapping[str, Any], verdicts: Sequence[Mapping[str, Any]]
) -> Report:
    """The report whose rows these are, the verdicts in order of position, each with the rows of its `opinions`.

    Raises:
        KeyError: a column is missing.
        ValueError: a value that this version does not know.
    """
    primary, outcome = task["primary_failure_reason_code"], task["outcome_class"]
    return Report(
        **{name: task[name] for name in _SAME_NAME if name != "hard_success"},
        gate=Gate(task["gate"]),
        verdicts=tuple(_verdict_from_row(row) for row in verdicts),
        other_scores=tuple(task["other_scores"].items()),
        weighted_scores=tuple(
            weighted_from_json(one) for one in task["weighted_scores"] or ()
        ),
        primary_failure_reason_code=None if primary is None else FailureCode(primary),
        failure_reason_codes=tuple(
            FailureCode(code) for code in task["failure_reason_codes"]
        ),
        outcome_class=None if outcome is None else OutcomeClass(outcome),
        confidence=Confidence(
            task["confidence_stability"], task["confidence_correctness"]
        ),
        evaluator_cost=_money_from(task, "evaluator_cost", "evaluator_currency"),
        evaluator_cost_avoided=_money_from(
            task, "evaluator_cost_avoided", "evaluator_cost_avoided_currency"
        ),
        agent_cost=_money_from(task, "agent_cost", "agent_currency"),
    )


def _verdict_from_row(row: Mapping[str, Any]) -> ValidatorVerdict:
    confidence = Confidence(row["confidence_stability"], row["confidence_correctness"])
    common: dict[str, Any] = {
        "check": row["check_name"],
        "diagnostic": row["diagnostic_message"],
        "confidence": confidence if row["confidence_stated"] else None,
        "evidence_refs": tuple(row["evidence_refs"]),
        "metric": row["metric"],
        "weight": row["weight"],
        "gating": row["gating_stated"],
        "details": row["details"],
        "opinion": opinion_from_rows(row["opinions"]),
    }
    codes = tuple(FailureCode(code) for code in row["failure_reason_codes"])
    score = row["score"] if row["score_stated"] else None
    return ValidatorVerdict(
        validator_name=row["validator_name"],
        validator_version=row["validator_version"],
        validator_type=row["validator_type"],
        verdict=_verdict(row["kind"], codes, score, row["reason"], common),
        gating=row["gating"],
        latency_ms=row["latency_ms"],
        evaluator_model=row["evaluator_model"],
        cost=_money_from(row, "cost", "currency"),
    )


def _verdict(
    kind: str,
    codes: tuple[FailureCode, ...],
    score: float | None,
    reason: str,
    common: dict[str, Any],
) -> Verdict:
    match kind:
        case "pass":
            return Pass(score=score, **common)
        case "fail":
            return Fail(codes=codes, score=score, **common)
        case "abstain":
            return Abstain(code=codes[0], reason=reason, **common)
        case "error":
            return Error(code=codes[0], reason=reason, **common)
        case "skipped":
            return Skipped(reason=reason, **common)
        case _:
            raise ValueError(f"unknown kind of verdict: {kind!r}")


def attempt_rows(
    run_id: str, result_id: str, attempt: JudgeAttempt
) -> tuple[Row, Row | None]:
    """The `judge_call` row of an attempt, and the `price_snapshot` row it refers to if a price was known."""
    price = (
        None
        if attempt.price is None
        else price_row(attempt.price, created_at=attempt.created_at)
    )
    usage = attempt.usage
    call: Row = {
        "run_id": run_id,
        "eval_id": eval_id_of(run_id, result_id),
        "validator_name": attempt.validator_name,
        "question_id": attempt.question_id,
        "sample_index": attempt.sample_index,
        "attempt": attempt.attempt,
        "model_requested": attempt.model_requested,
        "model_served": attempt.model_served,
        "prompt_name": attempt.prompt_name,
        "prompt_digest": attempt.prompt_digest,
        "message_digest": attempt.message_digest,
        "parameters": dict(attempt.parameters),
        **{name: None if usage is None else getattr(usage, name) for name in TOKENS},
        "usage_raw": None if usage is None else dict(usage.raw),
        **_money(attempt.cost, "cost", "currency"),
        "cost_status": COST_UNKNOWN if attempt.cost is None else COST_KNOWN,
        **_money(attempt.cost_avoided, "cost_avoided", "cost_avoided_currency"),
        "provider_cost": attempt.provider_cost,
        "price_snapshot_id": None if price is None else price["price_snapshot_id"],
        "cache_hit": attempt.cache_hit,
        "latency_ms": attempt.latency_ms,
        "status": attempt.status,
        "error_type": attempt.error_type,
        "error_message": attempt.error_message,
        "vote": attempt.vote,
        "reason": attempt.reason,
        "created_at": attempt.created_at,
    }
    return call, price


def price_row(price: PriceSnapshot, *, created_at: datetime) -> Row:
    """The row of a price snapshot. Its id is the digest of its content: equal prices are one row."""
    content: Row = {
        "model_name": price.model_name,
        **{name: getattr(price, name) for name in PRICES},
        "currency": price.currency,
        "price_version": price.price_version,
    }
    canonical = json.dumps(
        {name: _canonical(value) for name, value in content.items()}, sort_keys=True
    )
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    return {
        "price_snapshot_id": f"sha256:{digest}",
        **content,
        "created_at": created_at,
    }


def usage_from_row(row: Mapping[str, Any]) -> Usage | None:
    """The usage of a `judge_call` row; None when the provider was silent."""
    if row["output_tokens"] is None:
        return None
    return Usage(**{name: row[name] for name in TOKENS}, raw=row["usage_raw"])


def price_from_row(row: Mapping[str, Any]) -> PriceSnapshot:
    """The prices of a `price_snapshot` row: an old bill computed again comes out the same."""
    names = ("model_name", *PRICES, "currency", "price_version")
    return PriceSnapshot(**{name: row[name] for name in names})


def _canonical(value: object) -> object:
    """1, 1.0 and 1.00 are one price."""
    return (
        format(value.normalize() + Decimal(0), "f")
        if isinstance(value, Decimal)
        else value
    )


def _money(money: Money | None, amount: str, currency: str) -> Row:
    return {
        amount: None if money is None else money.amount,
        currency: None if money is None else money.currency,
    }


def _money_from(row: Mapping[str, Any], amount: str, currency: str) -> Money | None:
    return None if row[amount] is None else Money(row[amount], row[currency])


def _reason(verdict: Verdict) -> str | None:
    return None if isinstance(verdict, Pass | Fail) else str(verdict.reason)


def _value(member: FailureCode | OutcomeClass | None) -> str | None:
    return None if member is None else member.value
