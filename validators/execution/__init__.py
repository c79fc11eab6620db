"""Validator `execution`: claimed and expected executions, compared with execution records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.effects import ExecutionSpec
from judgemesh.contracts.needs import (
    Records,
    RecordsFound,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.results import ExecutionRecord
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Reason,
    Verdict,
    inaccessible,
    not_configured,
)
from judgemesh.validators._shared.evidence_refs import evidence_refs
from judgemesh.validators._shared.replies import expect
from judgemesh.validators._shared.values import listed
from judgemesh.validators.execution.comparison import compare
from judgemesh.validators.execution.faults import ExecutionFault
from judgemesh.validators.execution.reported_fields import unreported_fields
from judgemesh.validators.execution.times import of_this_run

_METRIC: Final = Metric.EXECUTION_SUCCESS.value
_NOTHING_EXPECTED: Final = ExecutionSpec(exclusive=False)


def _applies(contract: EvalContract) -> bool:
    if contract.execution is not None:
        return True
    rules = contract.success_criteria.execution_result
    return rules.required and (contract.state is None or bool(rules.must_include))


@validator(
    name="execution",
    version="1",
    metric=Metric.EXECUTION_SUCCESS,
    codes=(
        FailureCode.ACTION_NOT_EXECUTED,
        FailureCode.EXECUTION_RESULT_NOT_FOUND,
        FailureCode.STATE_CHANGE_FAILED,
        FailureCode.PARTIAL_STATE_CHANGE,
        FailureCode.WRONG_EXECUTION_TARGET,
        FailureCode.WRONG_EXECUTION_PARAMETERS,
        FailureCode.DUPLICATE_EXECUTION,
        FailureCode.UNAUTHORIZED_ACTION,
        FailureCode.UNCONFIRMED_HIGH_RISK_ACTION,
        FailureCode.UNAUTHORIZED_PAYMENT,
        FailureCode.MISSING_REQUIRED_FIELD,
    ),
    applies=_applies,
    stage=Stage.SOURCE,
)
def execution(case: Case) -> Judgement:
    """What was claimed and what was expected is in the execution records, once, and nothing else is.

    What the agent says is a claim; the proof is a record, in the result or in a configured source. Records that cannot
    be read leave the check undecided. A source that can be read and is empty is a failure.
    """
    spec = case.contract.execution
    rules = case.contract.success_criteria.execution_result
    if spec is None and not rules.required:
        return [not_configured("execution", "the contract asks for no execution")]
    unreported = unreported_fields(case) if rules.required else []
    if spec is None and case.contract.state is not None:
        return [_report_verdict(rules.must_include, unreported)]
    records = case.result.records
    if spec is not None and spec.source.get("type") != "result":
        answers = yield {"records": _records_need(case, spec)}
        reply = expect(answers["records"], RecordsFound)
        if isinstance(reply, Unanswered):
            undecided = unanswered_verdict(reply, check="records", metric=_METRIC)
            return [*_failures(unreported), undecided]
        records = list(reply.records)
    if records is None:
        return [*_failures(unreported), _without_records(spec)]
    return _verdicts(case, spec, records, unreported)


def _report_verdict(names: Sequence[str], unreported: list[ExecutionFault]) -> Verdict:
    """The `state` section proves what happened; only the report about it is checked."""
    if not names:
        return not_configured("execution", "the `state` section proves the execution")
    failures = _failures(unreported)
    return failures[0] if failures else _pass("reported", len(names))


def _records_need(case: Case, spec: ExecutionSpec) -> Records:
    result = case.result
    return Records(
        source=spec.source,
        result_id=result.result_id,
        task_id=result.task_id,
        trace_id=result.trace_id,
    )


def _without_records(spec: ExecutionSpec | None) -> Abstain:
    if spec is not None:
        return inaccessible(
            "records",
            "the result carries no execution records (`records`), so nothing can be verified",
            metric=_METRIC,
        )
    return Abstain(
        check="records",
        reason=Reason.NOT_CONFIGURED,
        diagnostic="an execution is required, but the contract has no `execution` or `state` section, "
        "and the result no records",
        metric=_METRIC,
    )


def _verdicts(
    case: Case,
    spec: ExecutionSpec | None,
    records: list[ExecutionRecord],
    unreported: list[ExecutionFault],
) -> list[Verdict]:
    result = case.result
    if spec is not None:
        records = of_this_run(records, spec, result.started_at, result.ended_at)
    required = case.contract.success_criteria.execution_result.required
    findings = compare(
        spec or _NOTHING_EXPECTED, result.actions, records, required=required
    )
    failures = _failures([*findings.faults, *unreported])
    if findings.proved:
        proved = _pass("proved", len(findings.proved), findings.proved)
        return [*failures, proved]
    if failures:
        return failures
    if spec is not None and not records:
        return [_pass("nothing executed, and nothing expected", 1)]
    return [_pass("proved", 1)]


def _pass(check: str, count: int, refs: Sequence[str] = ()) -> Pass:
    return Pass(
        check=check,
        metric=_METRIC,
        weight=float(count),
        confidence=DETERMINISTIC,
        evidence_refs=evidence_refs(refs),
    )


def _failures(faults: Sequence[ExecutionFault]) -> list[Verdict]:
    """One verdict for each failure code."""
    by_code: dict[FailureCode, list[ExecutionFault]] = {}
    for fault in faults:
        by_code.setdefault(fault.code, []).append(fault)
    return [_failure(code, group) for code, group in by_code.items()]


def _failure(code: FailureCode, faults: Sequence[ExecutionFault]) -> Fail:
    details: dict[str, object] = {}
    if code is FailureCode.UNAUTHORIZED_ACTION:
        details["side_effect_detected"] = True
    return Fail(
        check=code.value.lower(),
        codes=(code,),
        diagnostic=listed([fault.why for fault in faults]),
        metric=_METRIC,
        weight=float(len(faults)),
        confidence=DETERMINISTIC,
        evidence_refs=evidence_refs(fault.ref for fault in faults if fault.ref),
        details=details,
    )
