"""Comparing claims, expectations and records of executions. Pure; the validator turns the findings into verdicts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.effects import ExecutionSpec, ExpectedExecution
from judgemesh.contracts.results import Action, ExecutionRecord
from judgemesh.validators._shared.claimed_actions import ClaimedAction, claimed_actions
from judgemesh.validators._shared.matching import describe
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.transcript import failed_status, word
from judgemesh.validators._shared.values import show
from judgemesh.validators.execution.confirmations import unconfirmed
from judgemesh.validators.execution.faults import (
    Findings,
    describe_execution,
    describe_expected,
    record_ref,
)
from judgemesh.validators.execution.pairing import (
    Pairing,
    claim_fits,
    differing_parameters,
    meets,
    pair,
    parameter,
    target_fits,
)
from judgemesh.validators.execution.times import time_fault

_PARTLY_DONE = frozenset(
    {"partial", "partially", "partially_completed", "partially_executed", "partially_filled", "partial_success",
     "partly_done", "incomplete"}
)  # fmt: skip


def compare(
    spec: ExecutionSpec,
    actions: Sequence[Action],
    records: Sequence[ExecutionRecord],
    *,
    required: bool,
) -> Findings:
    """Compare claims and records with what the contract expects.

    Args:
        spec: the contract's execution section.
        actions: what the agent says.
        records: what the source holds, failed executions included.
        required: whether some execution must have happened even if the contract does not say which.
    """
    findings = Findings()
    pairing = pair(spec.expected, _executed(records), claimed_actions(actions))
    _check_claims(pairing, records, findings)
    for index, slot in pairing.near.items():
        _explain_near(pairing.expected[slot], pairing.records[index], findings)
    _check_missing(pairing, findings)
    exclusive = spec.exclusive and bool(spec.expected or not required)
    _check_extras(pairing, findings, exclusive=exclusive)
    findings.faults.extend(unconfirmed(spec, pairing.records, pairing.claims))
    _check_partly_done(pairing.records, findings)
    if required and not (spec.expected or pairing.records or pairing.claims):
        why = "an execution is required, and the records show none"
        findings.add(FailureCode.STATE_CHANGE_FAILED, why)
    proved = sorted({*pairing.exact, *pairing.record_of.values()})
    findings.proved = [record_ref(pairing.records[index]) for index in proved]
    return findings


def _executed(records: Iterable[ExecutionRecord]) -> list[ExecutionRecord]:
    """The executions that took effect: the last row of each confirmation id, without failed and cancelled ones."""
    latest: dict[object, ExecutionRecord] = {}
    for index, record in enumerate(records):
        key: object = index
        if record.confirmation_id:
            key = (fold_name(record.kind), record.confirmation_id)
        latest[key] = record
    return [record for record in latest.values() if not failed_status(record.status)]


def _check_claims(
    pairing: Pairing, records: Sequence[ExecutionRecord], findings: Findings
) -> None:
    known_ids = {record.confirmation_id for record in records if record.confirmation_id}
    # Records that carry no confirmation ids at all say nothing about one.
    ids_tell = bool(known_ids) or not records
    for position, claim in enumerate(pairing.claims):
        confirmation_id = claim.action.confirmation_id
        if confirmation_id and ids_tell and confirmation_id not in known_ids:
            why = f"confirmation id {show(confirmation_id)} is unknown to the source"
            findings.add(FailureCode.EXECUTION_RESULT_NOT_FOUND, why, claim.ref)
        _check_claimed_record(claim, pairing.record_of.get(position), pairing, findings)


def _check_claimed_record(
    claim: ClaimedAction, index: int | None, pairing: Pairing, findings: Findings
) -> None:
    claimed = describe_execution(claim.action)
    if index is None:
        why = f"{claimed} was claimed, and no record shows it"
        findings.add(FailureCode.ACTION_NOT_EXECUTED, why, claim.ref)
        return
    record = pairing.records[index]
    if index not in pairing.near and not claim_fits(claim.action, record):
        recorded = describe_execution(record)
        why = f"{claimed} was claimed, and the record shows {recorded}"
        findings.add(FailureCode.WRONG_EXECUTION_TARGET, why, record_ref(record))


def _explain_near(
    expectation: ExpectedExecution, record: ExecutionRecord, findings: Findings
) -> None:
    """Say in what a record of the expected kind differs from what was expected."""
    kind, ref = expectation.kind, record_ref(record)
    if expectation.target is not None and not target_fits(expectation, record):
        expected = describe(expectation.target)
        why = f"{kind}: expected target {expected}, found {show(record.target)}"
        findings.add(FailureCode.WRONG_EXECUTION_TARGET, why, ref)
    wrong_time = time_fault(expectation, record)
    if wrong_time:
        why = f"{kind}: {wrong_time}"
        findings.add(FailureCode.WRONG_EXECUTION_PARAMETERS, why, ref)
    for name in differing_parameters(expectation, record):
        expected = describe(expectation.parameters[name])
        actual = show(parameter(record, name))
        why = f"{kind}: parameter {name}: expected {expected}, found {actual}"
        findings.add(FailureCode.WRONG_EXECUTION_PARAMETERS, why, ref)


def _check_missing(pairing: Pairing, findings: Findings) -> None:
    """Report the expected executions that no record shows.

    A claim that no record shows has been reported already, as ACTION_NOT_EXECUTED, and covers one of them.
    """
    unproved: dict[str, int] = {}
    for position, claim in enumerate(pairing.claims):
        if position not in pairing.record_of:
            kind = fold_name(claim.action.kind)
            unproved[kind] = unproved.get(kind, 0) + 1
    code = FailureCode.STATE_CHANGE_FAILED
    if pairing.exact:
        code = FailureCode.PARTIAL_STATE_CHANGE
    for slot, missing in enumerate(pairing.missing()):
        expectation = pairing.expected[slot]
        kind = fold_name(expectation.kind)
        covered = min(missing, unproved.get(kind, 0))
        if covered:
            unproved[kind] -= covered
        unreported = missing - covered
        if unreported <= 0:
            continue
        why = f"expected {describe_expected(expectation)} was not executed"
        if expectation.count > 1:
            why += f" ({unreported} of {expectation.count} times)"
        findings.add(code, why)


def _check_extras(pairing: Pairing, findings: Findings, *, exclusive: bool) -> None:
    """Report the records that belong to no expectation: duplicates, and executions that nobody asked for."""
    for index, record in enumerate(pairing.records):
        if index in pairing.exact or index in pairing.near:
            continue
        execution, ref = describe_execution(record), record_ref(record)
        if pairing.is_copy(index) or _meets_specific(pairing.expected, record):
            why = f"{execution} was executed again"
            findings.add(FailureCode.DUPLICATE_EXECUTION, why, ref)
        elif exclusive:
            why = f"{execution} was executed, and nobody asked for it"
            findings.add(FailureCode.UNAUTHORIZED_ACTION, why, ref)


def _meets_specific(
    expected: Sequence[ExpectedExecution], record: ExecutionRecord
) -> bool:
    """Whether the record meets an expectation that names a target or parameters."""
    for expectation in expected:
        specific = expectation.target is not None or expectation.parameters
        kind_fits = fold_name(expectation.kind) == fold_name(record.kind)
        if specific and kind_fits and meets(expectation, record):
            return True
    return False


def _check_partly_done(records: Sequence[ExecutionRecord], findings: Findings) -> None:
    for record in records:
        if word(record.status) in _PARTLY_DONE:
            execution = describe_execution(record)
            why = f"{execution} was executed only in part ({record.status})"
            findings.add(FailureCode.PARTIAL_STATE_CHANGE, why, record_ref(record))
