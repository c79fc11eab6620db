"""The path of an execution: records read, settled, compared with what was claimed and expected."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import (
    Records,
    RecordsFound,
    Unanswered,
    unanswered_verdict,
)
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.sections.effects import ExecutionSpec
from judgemesh.contracts.validator import Case, Judgement
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
from judgemesh.validators._shared.trace.claimed_actions import claimed_actions
from judgemesh.validators._shared.values import listed
from judgemesh.validators.execution.asked import (
    asks_about_execution,
    compares_records,
    named_codes,
)
from judgemesh.validators.execution.comparison import Account, compare
from judgemesh.validators.execution.confirmation.confirmations import unconfirmed
from judgemesh.validators.execution.faults import (
    ExecutionFault,
    Findings,
)
from judgemesh.validators.execution.known_ids import known_elsewhere
from judgemesh.validators.execution.misreports import misreported
from judgemesh.validators.execution.record_words import not_clear
from judgemesh.validators.execution.reported_fields import unreported_fields
from judgemesh.validators.execution.standings import Settled, settle
from judgemesh.validators.execution.times import of_this_run

_METRIC: Final = Metric.EXECUTION_SUCCESS.value
_NOTHING_EXPECTED: Final = ExecutionSpec(exclusive=False)


def check_execution(case: Case) -> Judgement:
    """Verdicts on what was claimed and what was expected, against the records."""
    spec = case.contract.execution
    rules = case.contract.success_criteria.execution_result
    if not asks_about_execution(case.contract):
        return [not_configured("execution", "the contract asks for no execution")]
    unreported = unreported_fields(case) if rules.must_include else []
    if not compares_records(case.contract):
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
        return [*_failures(unreported), _without_records(case.contract)]
    return _verdicts(case, records, unreported)


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


def _without_records(contract: EvalContract) -> Abstain:
    if contract.execution is not None or named_codes(contract):
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
    case: Case, records: list[ExecutionRecord], unreported: list[ExecutionFault]
) -> list[Verdict]:
    result = case.result
    spec = case.contract.execution or _NOTHING_EXPECTED
    records = of_this_run(records, spec, result.started_at, result.ended_at)
    settled = settle(records, spec)
    findings = _findings(case, spec, settled)
    findings.faults += unreported
    misreported(case, settled.perhaps, findings)
    failures = _failures(findings.faults)
    doubts = [_undecided(why) for why in findings.doubts]
    if findings.proved:
        refs = [*findings.proved, *dict.fromkeys(findings.turns)]
        proved = _pass("proved", len(findings.proved), refs)
        return [*failures, *doubts, proved]
    if failures or doubts:
        return [*failures, *doubts]
    if case.contract.execution is not None and not records:
        return [_pass("nothing executed, and nothing expected", 1)]
    return [_pass("proved", 1)]


def _findings(case: Case, spec: ExecutionSpec, settled: Settled) -> Findings:
    """The comparison with the records that took effect; where it hangs on a doubtful record, nobody can tell."""
    perhaps = _compared(case, spec, settled.perhaps, settled.void)
    if not settled.doubtful:
        return perhaps
    without = _compared(
        case, spec, settled.executed, [*settled.void, *settled.doubtful]
    )
    if perhaps.faults and without.faults:
        return perhaps
    if not perhaps.faults and not without.faults:
        return without
    decided = Findings(
        proved=without.proved, turns=without.turns, doubts=without.doubts
    )
    for record in settled.doubtful:
        decided.doubt(not_clear(record, spec))
    return decided


def _compared(
    case: Case,
    spec: ExecutionSpec,
    records: Sequence[ExecutionRecord],
    void: Sequence[ExecutionRecord],
) -> Findings:
    named = named_codes(case.contract)
    doubts: list[str] = []
    turns: list[str] = []

    def risky(executed: Sequence[ExecutionRecord]) -> list[ExecutionFault]:
        found = unconfirmed(case, spec, named, executed)
        doubts.extend(found.doubts)
        turns.extend(found.turns)
        return found.faults

    account = Account(
        spec=spec,
        claims=claimed_actions(case.result.actions),
        required=case.contract.success_criteria.execution_result.required,
        void=void,
        named=named,
        unconfirmed=risky,
        knows=partial(known_elsewhere, case),
    )
    findings = compare(account, records)
    findings.doubts += doubts
    findings.turns += turns
    return findings


def _undecided(why: str) -> Abstain:
    return Abstain(
        check="records",
        reason=Reason.CANNOT_ASSESS,
        diagnostic=why,
        metric=_METRIC,
    )


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
        diagnostic=listed(list(dict.fromkeys(fault.why for fault in faults))),
        metric=_METRIC,
        weight=float(len(faults)),
        confidence=DETERMINISTIC,
        evidence_refs=evidence_refs(fault.ref for fault in faults if fault.ref),
        details=details,
    )
