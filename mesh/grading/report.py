"""The report of one result, from its verdicts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, cast

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Report, ValidatorVerdict
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.text.spelling import nearest
from judgemesh.contracts.verdicts import Error, Metric, Reason
from judgemesh.contracts.version import VERSION
from judgemesh.mesh.grading.aggregate import aggregate
from judgemesh.mesh.grading.explanation import explain
from judgemesh.mesh.grading.meter import Meter
from judgemesh.mesh.grading.outcome import classify
from judgemesh.mesh.grading.plan import PLANNER, GradingPlan

if TYPE_CHECKING:
    from judgemesh.contracts.weighted_score import WeightedScore

_NO_ID: Final = "(no id)"
_SCORE_FIELD: Final[Mapping[str, str]] = MappingProxyType(
    {metric.value: f"{metric.value}_score" for metric in Metric}
)


def report_of(
    result: AgentResult,
    plan: GradingPlan,
    rows: tuple[ValidatorVerdict, ...],
    meter: Meter,
) -> Report:
    """The report of a result under a plan: gate, scores, class, explanation and costs."""
    return _report(result, plan.contract, plan.contract_version, rows, meter)


def no_contract_report(result: AgentResult, known: Iterable[str]) -> Report:
    """The report of a result that has no contract: an evaluator error, undecided.

    known: the task ids that have one.
    """
    name = result.contract or result.task_id
    names = list(known)
    near = nearest(name, names)
    hint = ""
    if not names:
        hint = "; no contracts were given (contracts=... or JUDGEMESH_CONTRACTS)"
    elif near is not None:
        hint = f"; did you mean {near!r}?"
    verdict = Error(
        reason=Reason.NO_CONTRACT,
        diagnostic=f"no contract has the task_id {name!r}{hint}",
    )
    row = ValidatorVerdict(
        validator_name=PLANNER,
        validator_version=VERSION,
        validator_type="plan",
        verdict=verdict,
        gating=True,
    )
    return _report(result, EvalContract(task_id=name), None, (row,), Meter())


def fault_report(result: AgentResult, problem: str) -> Report:
    """The report of a result that could not be graded at all: an evaluator error, undecided."""
    return _planner_report(result, Error(reason=Reason.EXCEPTION, diagnostic=problem))


def rejected_report(item: object, problem: str) -> Report:
    """The report of an item that is no agent result: an evaluator error, undecided."""
    fields = cast("Mapping[str, object]", item if isinstance(item, Mapping) else {})
    result_id, task_id = fields.get("result_id"), fields.get("task_id")
    result = AgentResult(
        result_id=result_id if isinstance(result_id, str) and result_id else _NO_ID,
        task_id=task_id if isinstance(task_id, str) and task_id else _NO_ID,
    )
    return _planner_report(
        result,
        Error(reason=Reason.INVALID_RESULT, diagnostic=f"rejected: {problem}"),
    )


def _planner_report(result: AgentResult, verdict: Error) -> Report:
    """A report whose only verdict is that of the planner."""
    row = ValidatorVerdict(
        validator_name=PLANNER,
        validator_version=VERSION,
        validator_type="plan",
        verdict=verdict,
        gating=True,
    )
    contract = EvalContract(task_id=result.task_id)
    return _report(result, contract, None, (row,), Meter())


def _report(
    result: AgentResult,
    contract: EvalContract,
    contract_version: str | None,
    rows: tuple[ValidatorVerdict, ...],
    meter: Meter,
) -> Report:
    """`other_scores` holds the scores 0..10 beside the named ones; of a weighted score only an exact value."""
    total = aggregate(rows, contract)
    weighted: tuple[WeightedScore, ...] = ()
    if contract.scoring.weighted:
        from judgemesh.mesh.grading.weighted.score import weighted_scores

        weighted = weighted_scores(rows, contract, total.gate)
    named: dict[str, Any] = {}
    others: dict[str, float] = {}
    for name, score in total.scores.items():
        if name in _SCORE_FIELD:
            named[_SCORE_FIELD[name]] = score
        else:
            others[name] = score
    for weighted_score in weighted:
        others.pop(weighted_score.name, None)
        if weighted_score.low == weighted_score.high:
            others[weighted_score.name] = float(weighted_score.low * 10)
    return Report(
        result_id=result.result_id,
        task_id=result.task_id,
        trace_id=result.trace_id,
        agent_id=result.agent_id,
        skill_id=result.skill_id,
        eval_contract_version=contract_version,
        evaluator_version=VERSION,
        gate=total.gate,
        verdicts=rows,
        outcome_score=total.outcome_score,
        **named,
        other_scores=tuple(sorted(others.items())),
        weighted_scores=weighted,
        primary_failure_reason_code=total.primary,
        failure_reason_codes=total.failure_codes,
        outcome_class=classify(result, total, contract),
        confidence=total.confidence,
        evaluator_cost=meter.cost(),
        evaluator_cost_avoided=meter.cost_avoided(),
        judge_calls=meter.calls(),
        agent_cost=_agent_cost(result),
        agent_latency_ms=result.latency_ms,
        latency_ms=round(sum(row.latency_ms for row in rows), 3),
        explanation=explain(total, rows),
        started_at=_iso(result.started_at),
        ended_at=_iso(result.ended_at),
    )


def _agent_cost(result: AgentResult) -> Money | None:
    """What the run cost its owner: as the result says, else as its own trace says."""
    trace = result.trace
    if result.cost is not None or trace is None:
        return result.cost
    if not trace.events and all(step.state_type is None for step in trace.steps):
        return None
    # The bill is imported where a trace has to be priced.
    from judgemesh.mesh.tracing.bill.agent_cost import cost_of_trace

    return cost_of_trace(trace, result.trace_id or result.result_id)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
