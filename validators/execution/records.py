"""Comparing claims, expectations and records of executions. Pure; `execution` turns the outcome into verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.effects import ExecutionSpec, ExpectedExecution
from judgemesh.contracts.results import Action, ExecutionRecord
from judgemesh.validators._shared.matching import describe, matches
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.transcript import failed_status
from judgemesh.validators._shared.values import (
    ABSENT,
    dig,
    json_equal,
    pointer_segments,
    show,
)
from judgemesh.validators.execution.assignment import assign
from judgemesh.validators.execution.claimed_actions import (
    Claimed,
    Fault,
    claims_of,
    misdated,
    partly_done,
    record_ref,
    same_target,
    unconfirmed,
    words,
)


@dataclass(slots=True)
class Findings:
    """What the comparison found: faults, and the references of what was proved."""

    faults: list[Fault] = field(default_factory=list[Fault])
    proved: list[str] = field(default_factory=list[str])

    def add(self, code: FailureCode, why: str, ref: str = "") -> None:
        """Note one fault."""
        self.faults.append(Fault(code, why, ref))


@dataclass(slots=True)
class _Board:
    """Who is paired with whom, as indexes."""

    expected: Sequence[ExpectedExecution]
    records: Sequence[ExecutionRecord]
    claims: Sequence[Claimed]
    slot_of: dict[int, int] = field(default_factory=dict[int, int])
    near: dict[int, int] = field(default_factory=dict[int, int])
    record_of: dict[int, int] = field(default_factory=dict[int, int])


def executed(records: Iterable[ExecutionRecord]) -> list[ExecutionRecord]:
    """The executions that took effect: the last row of each confirmation id, without failed and cancelled ones."""
    latest: dict[object, ExecutionRecord] = {}
    for index, record in enumerate(records):
        latest[
            (fold_name(record.kind), record.confirmation_id)
            if record.confirmation_id
            else index
        ] = record
    return [record for record in latest.values() if not failed_status(record.status)]


def compare(
    spec: ExecutionSpec,
    actions: Sequence[Action],
    records: Sequence[ExecutionRecord],
    *,
    required: bool,
) -> Findings:
    """Hold claims and records against what the contract expects.

    Args:
        spec: the contract's execution section.
        actions: what the agent says.
        records: what the source holds, failed executions included.
        required: whether some execution must have happened even if the contract does not say which.
    """
    findings = Findings()
    board = _Board(spec.expected, executed(records), claims_of(actions))
    _pair_expected(board)
    _pair_claims(board)
    _check_claims(board, records, findings)
    _check_expected(board, findings)
    _check_extras(
        board,
        findings,
        exclusive=spec.exclusive and bool(spec.expected or not required),
    )
    findings.faults.extend(unconfirmed(spec, board.records, board.claims))
    for record in board.records:
        if partly_done(record.status):
            why = f"{words(record)} was executed only in part ({record.status})"
            findings.add(FailureCode.PARTIAL_STATE_CHANGE, why, record_ref(record))
    if required and not spec.expected and not board.records and not board.claims:
        findings.add(
            FailureCode.STATE_CHANGE_FAILED,
            "an execution is required, and the records show none",
        )
    findings.proved = [
        record_ref(board.records[index])
        for index in sorted({*board.slot_of, *board.record_of.values()})
    ]
    return findings


def _pair_expected(board: _Board) -> None:
    """Full matches first, as many as possible; then what is left of the same kind, same target before any target."""
    by_kind: dict[str, list[int]] = {}
    for index, record in enumerate(board.records):
        by_kind.setdefault(fold_name(record.kind), []).append(index)
    kinds = [by_kind.get(fold_name(wanted.kind), []) for wanted in board.expected]
    fits = [
        [index for index in kinds[slot] if _fits(wanted, board.records[index])]
        for slot, wanted in enumerate(board.expected)
    ]
    board.slot_of = assign(fits, [wanted.count for wanted in board.expected])
    open_slots = _open_slots(board)
    for rule in (_target_fits, _always):
        for slot, wanted in enumerate(board.expected):
            for index in kinds[slot]:
                if open_slots[slot] <= 0:
                    break
                if (
                    index not in board.slot_of
                    and index not in board.near
                    and rule(wanted, board.records[index])
                ):
                    # One more of what is already there is a duplicate, not another execution gone wrong.
                    if _is_copy(board, index):
                        continue
                    board.near[index] = slot
                    open_slots[slot] -= 1


def _open_slots(board: _Board) -> list[int]:
    left = [wanted.count for wanted in board.expected]
    for slot in (*board.slot_of.values(), *board.near.values()):
        left[slot] -= 1
    return left


def _fits(wanted: ExpectedExecution, record: ExecutionRecord) -> bool:
    return (
        _target_fits(wanted, record)
        and not _differing(wanted, record)
        and not misdated(wanted, record)
    )


def _always(_wanted: ExpectedExecution, _record: ExecutionRecord) -> bool:
    return True


def _target_fits(wanted: ExpectedExecution, record: ExecutionRecord) -> bool:
    return wanted.target is None or matches(
        wanted.target, ABSENT if record.target is None else record.target, loose=True
    )


def parameter(record: ExecutionRecord | Action, name: str) -> object:
    """A parameter by key, else by dotted path or pointer."""
    if name in record.parameters:
        return record.parameters[name]
    return dig(record.parameters, pointer_segments(name))


def _differing(wanted: ExpectedExecution, record: ExecutionRecord) -> list[str]:
    return [
        name
        for name, matcher in wanted.parameters.items()
        if not matches(matcher, parameter(record, name), loose=True)
    ]


def _same_execution(one: ExecutionRecord, two: ExecutionRecord) -> bool:
    targets = same_target(one.target, two.target) or (
        one.target is None and two.target is None
    )
    return (
        fold_name(one.kind) == fold_name(two.kind)
        and targets
        and json_equal(one.parameters, two.parameters)
    )


def _is_copy(board: _Board, index: int) -> bool:
    return any(
        _same_execution(board.records[index], board.records[other])
        for other in board.slot_of
    )


def _pair_claims(board: _Board) -> None:
    """Each claim takes one record: by confirmation id, by kind, target and parameters, by kind and target, by kind.

    By kind alone only where the record is not what the contract expected: a claim about something else than the
    expected execution is a claim of its own.
    """
    taken: set[int] = set()
    for tier in _TIERS:
        for position, claim in enumerate(board.claims):
            if position in board.record_of:
                continue
            for index, record in enumerate(board.records):
                if index not in taken and tier(
                    claim.action, record, index in board.slot_of
                ):
                    board.record_of[position] = index
                    taken.add(index)
                    break


def _by_id(action: Action, record: ExecutionRecord, _expected: bool) -> bool:  # noqa: FBT001 (one row type for the table)
    return (
        bool(action.confirmation_id)
        and action.confirmation_id == record.confirmation_id
    )


def _by_all(action: Action, record: ExecutionRecord, expected: bool) -> bool:  # noqa: FBT001
    return _by_target(action, record, expected) and json_equal(
        action.parameters, record.parameters
    )


def _by_target(action: Action, record: ExecutionRecord, _expected: bool) -> bool:  # noqa: FBT001
    untold = action.target is None or record.target is None
    return fold_name(action.kind) == fold_name(record.kind) and (
        untold or same_target(action.target, record.target)
    )


def _by_kind(action: Action, record: ExecutionRecord, expected: bool) -> bool:  # noqa: FBT001
    return not expected and fold_name(action.kind) == fold_name(record.kind)


_TIERS: Final[tuple[Callable[[Action, ExecutionRecord, bool], bool], ...]] = (
    _by_id,
    _by_all,
    _by_target,
    _by_kind,
)


def _check_claims(
    board: _Board, records: Sequence[ExecutionRecord], findings: Findings
) -> None:
    known = {record.confirmation_id for record in records if record.confirmation_id}
    for position, claim in enumerate(board.claims):
        action, index = claim.action, board.record_of.get(position)
        if (
            action.confirmation_id
            and action.confirmation_id not in known
            and (known or not records)
        ):
            why = f"confirmation id {show(action.confirmation_id)} is unknown to the source"
            findings.add(FailureCode.EXECUTION_RESULT_NOT_FOUND, why, claim.ref)
        if index is None:
            findings.add(
                FailureCode.ACTION_NOT_EXECUTED,
                f"{words(action)} was claimed, and no record shows it",
                claim.ref,
            )
        elif index not in board.near and not _by_target(
            action,
            board.records[index],
            False,  # noqa: FBT003
        ):
            record = board.records[index]
            why = f"{words(action)} was claimed, and the record shows {words(record)}"
            findings.add(FailureCode.WRONG_EXECUTION_TARGET, why, record_ref(record))


def _check_expected(board: _Board, findings: Findings) -> None:
    for index, slot in board.near.items():
        _explain_near(board.expected[slot], board.records[index], findings)
    unproved: dict[str, int] = {}
    for position, claim in enumerate(board.claims):
        if position not in board.record_of:
            kind = fold_name(claim.action.kind)
            unproved[kind] = unproved.get(kind, 0) + 1
    for slot, count in enumerate(_open_slots(board)):
        wanted = board.expected[slot]
        kind = fold_name(wanted.kind)
        # What was claimed and is not recorded has been reported as ACTION_NOT_EXECUTED already.
        covered = min(count, unproved.get(kind, 0))
        if covered:
            unproved[kind] -= covered
        if count > covered:
            times = (
                ""
                if wanted.count == 1
                else f" ({count - covered} of {wanted.count} times)"
            )
            code = (
                FailureCode.PARTIAL_STATE_CHANGE
                if board.slot_of
                else FailureCode.STATE_CHANGE_FAILED
            )
            findings.add(
                code, f"expected {_expectation(wanted)} was not executed{times}"
            )


def _explain_near(
    wanted: ExpectedExecution, record: ExecutionRecord, findings: Findings
) -> None:
    ref = record_ref(record)
    if wanted.target is not None and not _target_fits(wanted, record):
        why = f"{wanted.kind}: expected target {describe(wanted.target)}, found {show(record.target)}"
        findings.add(FailureCode.WRONG_EXECUTION_TARGET, why, ref)
    if wrong := misdated(wanted, record):
        findings.add(
            FailureCode.WRONG_EXECUTION_PARAMETERS, f"{wanted.kind}: {wrong}", ref
        )
    for name in _differing(wanted, record):
        expected, found = (
            describe(wanted.parameters[name]),
            show(parameter(record, name)),
        )
        why = f"{wanted.kind}: parameter {name}: expected {expected}, found {found}"
        findings.add(FailureCode.WRONG_EXECUTION_PARAMETERS, why, ref)


def _check_extras(board: _Board, findings: Findings, *, exclusive: bool) -> None:
    for index, record in enumerate(board.records):
        if index in board.slot_of or index in board.near:
            continue
        pinned = any(
            (wanted.target is not None or wanted.parameters)
            and fold_name(wanted.kind) == fold_name(record.kind)
            and _fits(wanted, record)
            for wanted in board.expected
        )
        if pinned or _is_copy(board, index):
            findings.add(
                FailureCode.DUPLICATE_EXECUTION,
                f"{words(record)} was executed again",
                record_ref(record),
            )
        elif exclusive:
            findings.add(
                FailureCode.UNAUTHORIZED_ACTION,
                f"{words(record)} was executed, and nobody asked for it",
                record_ref(record),
            )


def _expectation(wanted: ExpectedExecution) -> str:
    return (
        wanted.kind
        if wanted.target is None
        else f"{wanted.kind} on {describe(wanted.target)}"
    )
