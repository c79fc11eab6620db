"""External executions: what the agent claims and what the contract expects, held against execution records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.effects import ExecutionSpec
from judgemesh.contracts.needs import (
    Need,
    Records,
    RecordsFound,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.results import Action, ExecutionRecord
from judgemesh.contracts.validator import Case, Judgement, Stage, validator
from judgemesh.contracts.verdicts import (
    DETERMINISTIC,
    Abstain,
    Fail,
    Metric,
    Pass,
    Reason,
    Skipped,
    Verdict,
)
from judgemesh.validators._shared.fields import Corpus, Placed, find, query
from judgemesh.validators._shared.text import fold_name, is_placeholder
from judgemesh.validators._shared.values import ABSENT, dig, listed
from judgemesh.validators.execution.claimed_actions import Fault, claims_of, of_this_run
from judgemesh.validators.execution.records import Findings, compare

_METRIC: Final = Metric.EXECUTION_SUCCESS.value
_MAX_REFS: Final = 50
_PREFIX: Final = fold_name("execution_")
_ACTION_FIELDS: Final = (
    "kind",
    "target",
    "parameters",
    "confirmation_id",
    "status",
    "confirmed",
    "confirmed_at",
    "at",
)
_UNNAMED: Final = ExecutionSpec(exclusive=False)


def _applies(contract: EvalContract) -> bool:
    result = contract.success_criteria.execution_result
    return contract.execution is not None or (
        result.required and (contract.state is None or bool(result.must_include))
    )


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

    The agent's word is a claim; the proof is a record, in the result or in a configured source. Records that are not
    there to be read leave the check undecided; a source that is there and empty is a real failure.
    """
    contract = case.contract
    rules = contract.success_criteria.execution_result
    unreported = _unreported(case) if rules.required else []
    spec = contract.execution
    if spec is None and not rules.required:
        return [
            Skipped(
                check="execution",
                reason=Reason.NOT_CONFIGURED,
                diagnostic="the contract asks for no execution",
            )
        ]
    if spec is None and contract.state is not None:
        # The state section proves what happened; here only the report about it is checked.
        if not rules.must_include:
            return [
                Skipped(
                    check="execution",
                    reason=Reason.NOT_CONFIGURED,
                    diagnostic="the `state` section proves the execution",
                )
            ]
        return _failures(unreported) or [_pass("reported", len(rules.must_include), ())]
    records = case.result.records
    if spec is not None and spec.source.get("type") != "result":
        needs: list[Need] = [_need(case, spec)]
        (answer,) = yield needs
        if isinstance(answer, Unanswered):
            return [
                *_failures(unreported),
                unanswered_verdict(answer, check="records", metric=_METRIC),
            ]
        if not isinstance(answer, RecordsFound):
            raise TypeError(
                f"a need for records was answered by {type(answer).__name__}"
            )
        records = list(answer.records)
    if records is None:
        return [*_failures(unreported), _unproved(configured=spec is not None)]
    if spec is not None:
        records = of_this_run(
            records, spec, case.result.started_at, case.result.ended_at
        )
    return _verdicts(
        compare(
            spec or _UNNAMED, case.result.actions, records, required=rules.required
        ),
        unreported,
        case,
        records,
    )


def _need(case: Case, spec: ExecutionSpec) -> Records:
    result = case.result
    return Records(
        source=spec.source,
        result_id=result.result_id,
        task_id=result.task_id,
        trace_id=result.trace_id,
    )


def _unproved(*, configured: bool) -> Abstain:
    if configured:
        return Abstain(
            check="records",
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.SOURCE_INACCESSIBLE,
            diagnostic="the result carries no execution records (`records`), so nothing can be verified",
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
    findings: Findings,
    unreported: list[Fault],
    case: Case,
    records: Sequence[ExecutionRecord],
) -> list[Verdict]:
    failures = _failures([*findings.faults, *unreported])
    if failures and not findings.proved:
        return failures
    if (
        not failures
        and not findings.proved
        and not records
        and case.contract.execution is not None
    ):
        return [_pass("nothing executed, and nothing expected", 1, ())]
    return [*failures, _pass("proved", len(findings.proved), tuple(findings.proved))]


def _pass(check: str, count: int, refs: tuple[str, ...]) -> Pass:
    return Pass(
        check=check,
        metric=_METRIC,
        weight=float(max(count, 1)),
        confidence=DETERMINISTIC,
        evidence_refs=tuple(dict.fromkeys(refs))[:_MAX_REFS],
    )


def _failures(faults: Sequence[Fault]) -> list[Verdict]:
    """One verdict for each code."""
    groups: dict[FailureCode, list[Fault]] = {}
    for fault in faults:
        groups.setdefault(fault.code, []).append(fault)
    return [_failure(code, group) for code, group in groups.items()]


def _failure(code: FailureCode, group: list[Fault]) -> Fail:
    details: dict[str, object] = (
        {"side_effect_detected": True}
        if code is FailureCode.UNAUTHORIZED_ACTION
        else {}
    )
    return Fail(
        check=code.value.lower(),
        codes=(code,),
        diagnostic=listed([fault.why for fault in group]),
        metric=_METRIC,
        weight=float(len(group)),
        confidence=DETERMINISTIC,
        evidence_refs=tuple(dict.fromkeys(fault.ref for fault in group if fault.ref))[
            :_MAX_REFS
        ],
        details=details,
    )


def _unreported(case: Case) -> list[Fault]:
    """The parts of `execution_result.must_include` that the agent did not give.

    Every claimed action has to carry them. An agent that reports no action as data may still say them in its outputs
    or its text: there they are looked for like any field.
    """
    names = case.contract.success_criteria.execution_result.must_include
    if not names:
        return []
    claims = claims_of(case.result.actions)
    faults = [
        Fault(
            FailureCode.MISSING_REQUIRED_FIELD,
            f"{name} is missing from action {claim.index} ({claim.action.kind})",
            claim.ref,
        )
        for claim in claims
        for name in names
        if not _given(claim.action, name)
    ]
    if claims:
        return faults
    corpus = Corpus(case.result)
    return [
        Fault(
            FailureCode.MISSING_REQUIRED_FIELD,
            f"no action is reported, and {name} stands nowhere in the answer",
        )
        for name in names
        if not _said(name, corpus, case)
    ]


def _said(name: str, corpus: Corpus, case: Case) -> bool:
    spec = case.contract.fields.get(name)
    bare = name.removeprefix("execution_")
    return isinstance(
        find(query(name, spec, (bare,) if bare != name else ()), corpus), Placed
    )


def _given(action: Action, name: str) -> bool:
    """Whether the action has a field of that name, with or without `execution_`, or such a parameter."""
    folded = fold_name(name)
    for wanted in (folded, folded.removeprefix(_PREFIX)):
        for key in _ACTION_FIELDS:
            if fold_name(key) == wanted:
                return _filled(getattr(action, key)) or (
                    key == "parameters" and "parameters" in action.model_fields_set
                )
        for extras in (action.model_extra or {}, action.parameters):
            if any(
                fold_name(key) == wanted and _filled(value)
                for key, value in extras.items()
            ):
                return True
    return _filled(dig(action.parameters, (name,)))


def _filled(value: object) -> bool:
    if value is None or value is ABSENT or value in ({}, []):
        return False
    return not (isinstance(value, str) and is_placeholder(value))
