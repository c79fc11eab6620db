"""Comparing claims, expectations and records of executions. Pure; the validator turns the findings into verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.sections.effects import ExecutionSpec, ExpectedExecution
from judgemesh.validators._shared.matching import describe
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.claimed_actions import ClaimedAction
from judgemesh.validators._shared.trace.status import Standing
from judgemesh.validators._shared.trace.verbs import reads
from judgemesh.validators._shared.values import show
from judgemesh.validators.execution.agreement import differences
from judgemesh.validators.execution.faults import (
    ExecutionFault,
    Findings,
    describe_execution,
    describe_expected,
    record_ref,
)
from judgemesh.validators.execution.known_ids import given_id, has_id
from judgemesh.validators.execution.pairing import (
    Pairing,
    claim_fits,
    differing_parameters,
    meets,
    pair,
    parameter,
    same_execution,
    target_fits,
)
from judgemesh.validators.execution.record_words import not_done
from judgemesh.validators.execution.standings import (
    contract_words,
    record_standing,
    status_fits,
)
from judgemesh.validators.execution.targets import same_kind
from judgemesh.validators.execution.times import time_fault


@dataclass(frozen=True, slots=True)
class Account:
    """What is compared: what the contract asks for, what the agent says, and what the harness knows.

    required: whether some execution must have happened even if the contract does not say which.
    void: the records of executions that did not take effect; their ids are known all the same.
    named: the failure codes that the contract names.
    unconfirmed: says of records which of them nobody confirmed.
    knows: whether a confirmation id is known outside the records; None where there is nowhere to look.
    """

    spec: ExecutionSpec
    claims: Sequence[ClaimedAction]
    required: bool
    void: Sequence[ExecutionRecord] = ()
    named: frozenset[FailureCode] = frozenset()
    unconfirmed: Callable[[Sequence[ExecutionRecord]], Iterable[ExecutionFault]] = (
        lambda _records: ()
    )
    knows: Callable[[str], bool | None] = lambda _id: None


def compare(account: Account, records: Sequence[ExecutionRecord]) -> Findings:
    """Compare claims with what the contract expects and with the records that took effect."""
    spec = account.spec
    findings = Findings()
    pairing = pair(spec.expected, records, account.claims)
    _check_claims(pairing, account, findings)
    for index, slot in pairing.near.items():
        _explain_near(pairing.expected[slot], pairing.records[index], findings)
    _check_missing(pairing, account, findings)
    again = _check_extras(pairing, account, findings)
    once = [
        record for index, record in enumerate(pairing.records) if index not in again
    ]
    findings.faults.extend(account.unconfirmed(once))
    _check_partly_done(pairing.records, spec, findings)
    nothing = not (spec.expected or pairing.records or pairing.claims)
    if account.required and nothing:
        why = "an execution is required, and the records show none"
        findings.add(FailureCode.STATE_CHANGE_FAILED, why)
    proved = sorted({*pairing.exact, *pairing.record_of.values()})
    findings.proved = [record_ref(pairing.records[index]) for index in proved]
    return findings


def _check_claims(pairing: Pairing, account: Account, findings: Findings) -> None:
    for position, claim in enumerate(pairing.claims):
        index = pairing.record_of.get(position)
        _check_id(claim, index, pairing, account, findings)
        _check_claimed_record(claim, index, pairing, account, findings)


def _check_id(
    claim: ClaimedAction,
    index: int | None,
    pairing: Pairing,
    account: Account,
    findings: Findings,
) -> None:
    """A confirmation id that no record carries, and nothing else that the harness wrote, was made up.

    Where the records carry no ids and there is nowhere else to look, nobody can tell.
    """
    given = claim.action.confirmation_id
    known_to_source = (*pairing.records, *account.void)
    if not given or any(given_id(given, record) for record in known_to_source):
        return
    why = f"confirmation id {show(given)} is unknown to the source"
    if index is None or any(map(has_id, known_to_source)):
        findings.add(FailureCode.EXECUTION_RESULT_NOT_FOUND, why, claim.ref)
        return
    known = account.knows(given)
    if known is False:
        findings.add(FailureCode.EXECUTION_RESULT_NOT_FOUND, why, claim.ref)
    elif known is None:
        findings.doubt(f"{why}, whose records carry no ids")


def _check_claimed_record(
    claim: ClaimedAction,
    index: int | None,
    pairing: Pairing,
    account: Account,
    findings: Findings,
) -> None:
    claimed = describe_execution(claim.action)
    if index is None:
        there = not_done(
            claim.action.kind, claim.action.target, account.void, account.spec
        )
        why = f"{claimed} was claimed, and {there or 'no record shows it'}"
        findings.add(FailureCode.ACTION_NOT_EXECUTED, why, claim.ref)
        return
    record = pairing.records[index]
    if index not in pairing.near and not claim_fits(claim.action, record):
        recorded = describe_execution(record)
        why = f"{claimed} was claimed, and the record shows {recorded}"
        findings.add(FailureCode.WRONG_EXECUTION_TARGET, why, record_ref(record))
    for name, said, found in differences(claim.action, record):
        why = f"{claimed}: the agent says {name} {show(said)}, and the record shows {show(found)}"
        findings.add(FailureCode.WRONG_EXECUTION_PARAMETERS, why, record_ref(record))


def _explain_near(
    expectation: ExpectedExecution, record: ExecutionRecord, findings: Findings
) -> None:
    """Say in what a record of the expected kind differs from what was expected."""
    kind, ref = expectation.kind, record_ref(record)
    if expectation.target is not None and not target_fits(expectation, record):
        expected = describe(expectation.target)
        why = f"{kind}: expected target {expected}, found {show(record.target)}"
        findings.add(FailureCode.WRONG_EXECUTION_TARGET, why, ref)
    if expectation.status is not None and not status_fits(expectation.status, record):
        expected = describe(expectation.status)
        why = f"{kind}: expected status {expected}, found {show(record.status)}"
        findings.add(FailureCode.STATE_CHANGE_FAILED, why, ref)
    wrong_time = time_fault(expectation, record)
    if wrong_time:
        why = f"{kind}: {wrong_time}"
        findings.add(FailureCode.WRONG_EXECUTION_PARAMETERS, why, ref)
    for name in differing_parameters(expectation, record):
        expected = describe(expectation.parameters[name])
        actual = show(parameter(record, name))
        why = f"{kind}: parameter {name}: expected {expected}, found {actual}"
        findings.add(FailureCode.WRONG_EXECUTION_PARAMETERS, why, ref)


def _check_missing(pairing: Pairing, account: Account, findings: Findings) -> None:
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
        there = not_done(
            expectation.kind, _exact_target(expectation), account.void, account.spec
        )
        if there:
            why += f": {there}"
        findings.add(code, why)


def _exact_target(expectation: ExpectedExecution) -> str | None:
    """The target that is expected by its name; None where a matcher says more or nothing about it."""
    target = expectation.target
    name = target.equals if target is not None else None
    return name if isinstance(name, str) else None


def _check_extras(pairing: Pairing, account: Account, findings: Findings) -> set[int]:
    """Report the records that belong to no expectation: duplicates (returned), and what nobody asked for."""
    repeated: set[int] = set()
    spec = account.spec
    exclusive = spec.exclusive and bool(spec.expected or not account.required)
    earlier: list[ExecutionRecord] = []
    for index, record in enumerate(pairing.records):
        if index in pairing.exact or index in pairing.near:
            continue
        execution, ref = describe_execution(record), record_ref(record)
        again = _is_repeated(record, earlier, pairing, account)
        earlier.append(record)
        if again or pairing.is_copy(index) or _meets_specific(pairing.expected, record):
            repeated.add(index)
            why = f"{execution} was executed again"
            findings.add(FailureCode.DUPLICATE_EXECUTION, why, ref)
        elif exclusive:
            why = f"{execution} was executed, and nobody asked for it"
            findings.add(FailureCode.UNAUTHORIZED_ACTION, why, ref)
    return repeated


def _is_repeated(
    record: ExecutionRecord,
    earlier: Sequence[ExecutionRecord],
    pairing: Pairing,
    account: Account,
) -> bool:
    """Whether a record that nothing is expected of repeats another one.

    How often the agent says it did so proves nothing. Records that say neither target nor values, and reading, may
    occur again; so may executions that the contract allows beside the expected ones, unless it names the code.
    """
    if record.target is None and not record.parameters:
        return False
    if reads(record.kind):
        return False
    counts = account.spec.exclusive or not account.spec.expected
    claimed = any(same_kind(claim.action, record) for claim in pairing.claims)
    if not (counts or claimed or FailureCode.DUPLICATE_EXECUTION in account.named):
        return False
    return any(same_execution(record, other) for other in earlier)


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


def _check_partly_done(
    records: Sequence[ExecutionRecord], spec: ExecutionSpec, findings: Findings
) -> None:
    words = contract_words(spec)
    for record in records:
        if record_standing(record, words) is Standing.PARTIAL:
            execution = describe_execution(record)
            why = f"{execution} was executed only in part ({record.status})"
            findings.add(FailureCode.PARTIAL_STATE_CHANGE, why, record_ref(record))
