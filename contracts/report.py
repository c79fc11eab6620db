"""The report of one graded result, and its JSON form (one line of `-o reports.jsonl`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import FREE, Money
from judgemesh.contracts.quick_init import quick_init
from judgemesh.contracts.verdicts import (
    GRADES,
    Abstain,
    Confidence,
    Error,
    Fail,
    Pass,
    Skipped,
    Verdict,
    codes_of,
    score_of,
)

if TYPE_CHECKING:
    from judgemesh.contracts.opinions import Opinion
    from judgemesh.contracts.weighted_score import WeightedScore

_EnumT = TypeVar("_EnumT", bound=StrEnum)


class Gate(StrEnum):
    """The hard gate: three-valued, because a broken measurement is not a failed agent."""

    PASS = "pass"
    FAIL = "fail"
    UNDECIDED = "undecided"


class OutcomeClass(StrEnum):
    """The five classes of the Agent Success Rate."""

    COMPLETE = "complete"
    PARTIAL_PLUS = "partial+"
    PARTIAL_MINUS = "partial-"
    HALLUCINATED = "hallucinated"
    ABANDONED = "abandoned"


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatorVerdict:
    """A verdict, the validator that gave it, its duration and its cost.

    gating: whether this verdict can change the gate under the contract; final, unlike the verdict's own `gating`.
    cost: None when it is unknown, zero money for a deterministic check.
    """

    validator_name: str
    validator_version: str
    validator_type: str
    verdict: Verdict
    gating: bool
    latency_ms: float = 0.0
    evaluator_model: str | None = None
    cost: Money | None = FREE


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report:
    """One graded result. Scores are 0..10, or absent when nothing could be measured.

    started_at, ended_at: of the agent's run, as ISO 8601 text; None where the result does not say.
    """

    result_id: str
    task_id: str
    eval_contract_version: str | None
    evaluator_version: str
    gate: Gate
    verdicts: tuple[ValidatorVerdict, ...]
    trace_id: str | None = None
    agent_id: str | None = None
    skill_id: str | None = None
    outcome_score: float | None = None
    completeness_score: float | None = None
    evidence_validity_score: float | None = None
    evidence_consistency_score: float | None = None
    methodology_score: float | None = None
    readability_score: float | None = None
    execution_success_score: float | None = None
    other_scores: tuple[tuple[str, float], ...] = ()
    weighted_scores: tuple[WeightedScore, ...] = ()
    primary_failure_reason_code: FailureCode | None = None
    failure_reason_codes: tuple[FailureCode, ...] = ()
    outcome_class: OutcomeClass | None = None
    confidence: Confidence = Confidence()
    evaluator_cost: Money | None = FREE
    evaluator_cost_avoided: Money | None = None
    judge_calls: int = 0
    agent_cost: Money | None = None
    agent_latency_ms: float | None = None
    latency_ms: float = 0.0
    explanation: str = ""
    started_at: str | None = None
    ended_at: str | None = None

    def __repr__(self) -> str:
        """The id, the gate, the primary code and the number of verdicts; `report_to_json` has everything."""
        code = self.primary_failure_reason_code
        primary = "" if code is None else f" {code}"
        verdicts = (
            f"{len(self.verdicts)} verdict{'' if len(self.verdicts) == 1 else 's'}"
        )
        return f"<Report {self.result_id!r}: {self.gate}{primary}, {verdicts}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from judgemesh.contracts.report_html import report_html

        code = self.primary_failure_reason_code
        primary = "" if code is None else f" {code}"
        title = f"{self.gate.upper()}{primary}: {self.result_id} (task {self.task_id})"
        return report_html(title, self.explanation, list(map(_cells, self.verdicts)))

    @property
    def hard_success(self) -> bool:
        """True for a passed gate only."""
        return self.gate is Gate.PASS


SCORE_FIELDS: Final = (
    "outcome_score",
    "completeness_score",
    "evidence_validity_score",
    "evidence_consistency_score",
    "methodology_score",
    "readability_score",
    "execution_success_score",
)
_IDENTITY: Final = (
    "result_id",
    "task_id",
    "trace_id",
    "agent_id",
    "skill_id",
    "eval_contract_version",
    "evaluator_version",
)
_IDENTITY_OF: Final = attrgetter(*_IDENTITY)
_SCORES_OF: Final = attrgetter(*SCORE_FIELDS)


def report_to_json(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data; `report_from_json` reads it back without loss."""
    return {
        **dict(zip(_IDENTITY, _IDENTITY_OF(report), strict=True)),
        "gate": report.gate.value,
        "hard_success": report.hard_success,
        **dict(zip(SCORE_FIELDS, _SCORES_OF(report), strict=True)),
        "other_scores": dict(report.other_scores),
        "weighted_scores": _weighted_to_json(report.weighted_scores),
        "primary_failure_reason_code": _value(report.primary_failure_reason_code),
        "failure_reason_codes": _values(report.failure_reason_codes),
        "outcome_class": _value(report.outcome_class),
        "confidence": _confidence_to_json(report.confidence),
        "evaluator_cost": money_to_json(report.evaluator_cost),
        "evaluator_cost_avoided": money_to_json(report.evaluator_cost_avoided),
        "judge_calls": report.judge_calls,
        "agent_cost": money_to_json(report.agent_cost),
        "agent_latency_ms": report.agent_latency_ms,
        "latency_ms": report.latency_ms,
        "explanation": report.explanation,
        "started_at": report.started_at,
        "ended_at": report.ended_at,
        "verdicts": list(map(_verdict_to_json, report.verdicts)),
    }


def _cells(graded: ValidatorVerdict) -> tuple[str, ...]:
    """A verdict as the cells of a row of `report_html`."""
    verdict = graded.verdict
    return (
        verdict.kind,
        graded.validator_name,
        verdict.check,
        ", ".join(codes_of(verdict)),
        "yes" if graded.gating else "no",
        verdict.diagnostic,
    )


def _selected(data: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: data[name] for name in names}


def _values(codes: Iterable[FailureCode]) -> list[str]:
    return [code.value for code in codes]


def report_from_json(data: Mapping[str, Any]) -> Report:
    """The report that `report_to_json` wrote.

    Raises:
        KeyError: a field is missing.
        ValueError: a value that this version does not know.
    """
    return Report(
        **_selected(data, _IDENTITY),
        **_selected(data, SCORE_FIELDS),
        gate=Gate(data["gate"]),
        other_scores=tuple(data["other_scores"].items()),
        weighted_scores=_weighted_from_json(data.get("weighted_scores") or ()),
        primary_failure_reason_code=_member(
            FailureCode, data["primary_failure_reason_code"]
        ),
        failure_reason_codes=_codes(data),
        outcome_class=_member(OutcomeClass, data["outcome_class"]),
        confidence=_confidence_from_json(data["confidence"]) or Confidence(),
        evaluator_cost=_money_from_json(data["evaluator_cost"]),
        evaluator_cost_avoided=_money_from_json(data["evaluator_cost_avoided"]),
        judge_calls=data["judge_calls"],
        agent_cost=_money_from_json(data["agent_cost"]),
        agent_latency_ms=data["agent_latency_ms"],
        latency_ms=data["latency_ms"],
        explanation=data["explanation"],
        started_at=data.get("started_at"),
        ended_at=data.get("ended_at"),
        verdicts=tuple(map(_verdict_from_json, data["verdicts"])),
    )


def _weighted_to_json(scores: Sequence[WeightedScore]) -> list[dict[str, Any]]:
    if not scores:
        return []
    from judgemesh.contracts.weighted_score import weighted_to_json

    return list(map(weighted_to_json, scores))


def _weighted_from_json(
    scores: Sequence[Mapping[str, Any]],
) -> tuple[WeightedScore, ...]:
    if not scores:
        return ()
    from judgemesh.contracts.weighted_score import weighted_from_json

    return tuple(map(weighted_from_json, scores))


def money_to_json(money: Money | None) -> dict[str, Any] | None:
    """`{amount, currency}` with the amount as a JSON number; exact up to 15 significant digits."""
    if money is None:
        return None
    return {"amount": float(money.amount), "currency": money.currency}


def _money_from_json(data: Mapping[str, Any] | None) -> Money | None:
    if data is None:
        return None
    amount = Decimal(str(data["amount"])).normalize()
    return Money(amount + Decimal(0), data["currency"])


def _verdict_to_json(graded: ValidatorVerdict) -> dict[str, Any]:
    """One verdict, its own fields beside those of the validator."""
    verdict = graded.verdict
    opinion = verdict.opinion
    reason = None
    if not isinstance(verdict, GRADES):
        reason = str(verdict.reason)
    return {
        "validator_name": graded.validator_name,
        "validator_version": graded.validator_version,
        "validator_type": graded.validator_type,
        "check": verdict.check,
        "kind": verdict.kind,
        "gating": graded.gating,
        "score": score_of(verdict),
        "confidence": _confidence_to_json(verdict.confidence),
        "failure_reason_codes": _values(codes_of(verdict)),
        "reason": reason,
        "evidence_refs": list(verdict.evidence_refs),
        "diagnostic_message": verdict.diagnostic,
        "metric": None if verdict.metric is None else str(verdict.metric),
        "weight": verdict.weight,
        "details": dict(verdict.details),
        "opinions": [] if opinion is None else _opinion_rows()(opinion),
        "latency_ms": graded.latency_ms,
        "evaluator_model": graded.evaluator_model,
        "cost": money_to_json(graded.cost),
    }


@cache
def _opinion_rows() -> Callable[[Opinion], list[dict[str, Any]]]:
    """Loaded with the first opinion; to import it for each verdict takes as long as to look through one."""
    from judgemesh.contracts.opinions import opinion_rows

    return opinion_rows


def _verdict_from_json(data: Mapping[str, Any]) -> ValidatorVerdict:
    return ValidatorVerdict(
        validator_name=data["validator_name"],
        validator_version=data["validator_version"],
        validator_type=data["validator_type"],
        verdict=_own_verdict(data),
        gating=data["gating"],
        latency_ms=data["latency_ms"],
        evaluator_model=data["evaluator_model"],
        cost=_money_from_json(data["cost"]),
    )


def _own_verdict(data: Mapping[str, Any]) -> Verdict:
    """The verdict as the validator gave it. Only a ledger knows whether it set `gating` itself (`gating_stated`)."""
    from judgemesh.contracts.opinions import opinion_from_rows

    fields: dict[str, Any] = {
        "check": data["check"],
        "diagnostic": data["diagnostic_message"],
        "confidence": _confidence_from_json(data["confidence"]),
        "evidence_refs": tuple(data["evidence_refs"]),
        "metric": data["metric"],
        "weight": data["weight"],
        "gating": data.get("gating_stated", data["gating"]),
        "details": data["details"],
        "opinion": opinion_from_rows(data.get("opinions", ())),
    }
    codes = _codes(data)
    match data["kind"]:
        case "pass":
            return Pass(score=data["score"], **fields)
        case "fail":
            return Fail(codes=codes, score=data["score"], **fields)
        case "abstain":
            return Abstain(code=codes[0], reason=data["reason"], **fields)
        case "error":
            return Error(code=codes[0], reason=data["reason"], **fields)
        case "skipped":
            return Skipped(reason=data["reason"], **fields)
        case kind:
            raise ValueError(f"unknown kind of verdict: {kind!r}")


def _codes(data: Mapping[str, Any]) -> tuple[FailureCode, ...]:
    return tuple(map(FailureCode, data["failure_reason_codes"]))


def _confidence_to_json(
    confidence: Confidence | None,
) -> dict[str, float | None] | None:
    if confidence is None:
        return None
    return {"stability": confidence.stability, "correctness": confidence.correctness}


def _confidence_from_json(data: Mapping[str, Any] | None) -> Confidence | None:
    if data is None:
        return None
    return Confidence(data["stability"], data["correctness"])


def _member(kind: type[_EnumT], value: str | None) -> _EnumT | None:
    if value is None:
        return None
    return kind(value)


def _value(member: StrEnum | None) -> str | None:
    return member and member.value
