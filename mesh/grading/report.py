"""One case's verdicts -> its report. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Report, ValidatorVerdict, WeightedScore
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.verdicts import Error, Metric, Reason
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.grading.aggregate import Verdicts, add_up
from judgemesh.mesh.grading.explanation import explain
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.outcome import classify
from judgemesh.mesh.grading.plan import PLANNER, Plan
from judgemesh.mesh.grading.scores import weighted_scores
from judgemesh.mesh.tracing.bill.agent_cost import agent_cost

_SCORE_FIELD: Final[Mapping[str, str]] = MappingProxyType(
    {metric.value: f"{metric.value}_score" for metric in Metric}
)


def report_of(
    result: AgentResult, plan: Plan, rows: tuple[ValidatorVerdict, ...], meter: Meter
) -> Report:
    """The report of a result under a plan: aggregation, class, explanation, and what it cost."""
    return _report(result, plan.contract, plan.contract_version, rows, meter)


def no_contract_report(result: AgentResult) -> Report:
    """A result nobody wrote a contract for: an evaluator error, undecided."""
    name = result.contract or result.task_id
    verdict = Error(
        reason=Reason.NO_CONTRACT, diagnostic=f"no contract has the task_id {name!r}"
    )
    row = ValidatorVerdict(
        validator_name=PLANNER,
        validator_version=VERSION,
        validator_type="plan",
        verdict=verdict,
        gating=True,
    )
    return _report(result, EvalContract(task_id=name), None, (row,), Meter())


def _report(
    result: AgentResult,
    contract: EvalContract,
    contract_version: str | None,
    rows: tuple[ValidatorVerdict, ...],
    meter: Meter,
) -> Report:
    verdicts = add_up(rows, contract)
    weighted = weighted_scores(rows, contract, verdicts.gate)
    named: dict[str, Any] = {
        _SCORE_FIELD[name]: score
        for name, score in verdicts.scores.items()
        if name in _SCORE_FIELD
    }
    return Report(
        result_id=result.result_id,
        task_id=result.task_id,
        trace_id=result.trace_id,
        agent_id=result.agent_id,
        skill_id=result.skill_id,
        eval_contract_version=contract_version,
        evaluator_version=VERSION,
        gate=verdicts.gate,
        verdicts=rows,
        outcome_score=verdicts.outcome_score,
        **named,
        other_scores=tuple(_others(verdicts, weighted)),
        weighted_scores=weighted,
        primary_failure_reason_code=verdicts.primary,
        failure_reason_codes=verdicts.failure_codes,
        outcome_class=classify(result, verdicts, contract),
        confidence=verdicts.confidence,
        evaluator_cost=meter.cost(),
        evaluator_cost_avoided=meter.cost_avoided(),
        judge_calls=meter.calls(),
        agent_cost=agent_cost(result),
        agent_latency_ms=result.latency_ms,
        latency_ms=round(sum(row.latency_ms for row in rows), 3),
        explanation=explain(verdicts, rows),
    )


def _others(
    verdicts: Verdicts, weighted: Sequence[WeightedScore]
) -> Iterator[tuple[str, float]]:
    """Scores 0..10 beside the five: of a weighted one its exact value, and none while it is an interval."""
    exact = {
        one.name: float(one.low * 10) if one.low == one.high else None
        for one in weighted
    }
    scores: dict[str, float | None] = {
        name: one for name, one in verdicts.scores.items() if name not in _SCORE_FIELD
    }
    for name, score in sorted((scores | exact).items()):
        if score is not None:
            yield name, score
