"""Pairing execution records with expectations and with claims, each record once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.result_parts.actions import Action, ExecutionRecord
from judgemesh.contracts.sections.effects import ExpectedExecution
from judgemesh.validators._shared.assignment import assign
from judgemesh.validators._shared.matching import matches
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.trace.claimed_actions import ClaimedAction
from judgemesh.validators._shared.values import (
    ABSENT,
    dig,
    pointer_segments,
)
from judgemesh.validators.execution.agreement import differences, same_content
from judgemesh.validators.execution.known_ids import same_id
from judgemesh.validators.execution.standings import status_fits
from judgemesh.validators.execution.targets import (
    same_kind,
    same_target,
    same_target_or_none,
)
from judgemesh.validators.execution.times import time_fault


@dataclass(slots=True)
class Pairing:
    """Which record belongs to which expectation and claim, as indexes into the three sequences.

    exact: record -> the expectation that it meets.
    near: record -> an expectation of its kind that it does not meet.
    record_of: claim -> the record that shows it.
    """

    expected: Sequence[ExpectedExecution]
    records: Sequence[ExecutionRecord]
    claims: Sequence[ClaimedAction]
    exact: dict[int, int] = field(default_factory=dict[int, int])
    near: dict[int, int] = field(default_factory=dict[int, int])
    record_of: dict[int, int] = field(default_factory=dict[int, int])

    def missing(self) -> list[int]:
        """How many executions of each expectation no record is paired with."""
        counts = [expectation.count for expectation in self.expected]
        for slot in (*self.exact.values(), *self.near.values()):
            counts[slot] -= 1
        return counts

    def is_copy(self, index: int) -> bool:
        """Whether a record repeats one that meets an expectation."""
        record = self.records[index]
        return any(same_execution(record, self.records[other]) for other in self.exact)


def pair(
    expected: Sequence[ExpectedExecution],
    records: Sequence[ExecutionRecord],
    claims: Sequence[ClaimedAction],
) -> Pairing:
    """Pair the records with the expectations, then with the claims."""
    pairing = Pairing(expected, records, claims)
    _pair_expected(pairing)
    _pair_claims(pairing)
    return pairing


def _pair_expected(pairing: Pairing) -> None:
    """Full matches first, as many as possible; then what is left of the same kind, same target before any target."""
    by_kind: dict[str, list[int]] = {}
    for index, record in enumerate(pairing.records):
        by_kind.setdefault(fold_name(record.kind), []).append(index)
    candidates: list[list[int]] = []
    fits: list[list[int]] = []
    for expectation in pairing.expected:
        of_kind = by_kind.get(fold_name(expectation.kind), [])
        candidates.append(of_kind)
        fits.append(
            [index for index in of_kind if meets(expectation, pairing.records[index])]
        )
    capacity = [expectation.count for expectation in pairing.expected]
    pairing.exact = assign(fits, capacity)
    _pair_near(pairing, candidates, target_fits)
    _pair_near(pairing, candidates, lambda _expectation, _record: True)


def _pair_near(
    pairing: Pairing,
    candidates: Sequence[Sequence[int]],
    fits: Callable[[ExpectedExecution, ExecutionRecord], bool],
) -> None:
    for slot, missing in enumerate(pairing.missing()):
        expectation = pairing.expected[slot]
        free = missing
        for index in candidates[slot]:
            if free <= 0:
                break
            if index in pairing.exact or index in pairing.near:
                continue
            # A repetition of what already happened is a duplicate, not another execution gone wrong.
            if not fits(expectation, pairing.records[index]) or pairing.is_copy(index):
                continue
            pairing.near[index] = slot
            free -= 1


def meets(expectation: ExpectedExecution, record: ExecutionRecord) -> bool:
    """Whether a record of the right kind is what the contract expects."""
    return (
        target_fits(expectation, record)
        and (expectation.status is None or status_fits(expectation.status, record))
        and not differing_parameters(expectation, record)
        and not time_fault(expectation, record)
    )


def target_fits(expectation: ExpectedExecution, record: ExecutionRecord) -> bool:
    """Whether the record's target is the expected one."""
    if expectation.target is None:
        return True
    target = ABSENT if record.target is None else record.target
    if matches(expectation.target, target, loose=True):
        return True
    only_equals = expectation.target.model_fields_set == {"equals"}
    wanted = expectation.target.equals
    if not only_equals or not isinstance(wanted, str) or record.target is None:
        return False
    return plain(wanted).casefold().split() == plain(record.target).casefold().split()


def parameter(record: ExecutionRecord, name: str) -> object:
    """A parameter by key, else by dotted path or pointer, else a further key of the record."""
    if name in record.parameters:
        return record.parameters[name]
    value = dig(record.parameters, pointer_segments(name))
    if value is ABSENT and record.model_extra:
        return record.model_extra.get(name, ABSENT)
    return value


def differing_parameters(
    expectation: ExpectedExecution, record: ExecutionRecord
) -> list[str]:
    """The names of the expected parameters that the record does not have as expected."""
    return [
        name
        for name, matcher in expectation.parameters.items()
        if not matches(matcher, parameter(record, name), loose=True)
    ]


def same_execution(left: ExecutionRecord, right: ExecutionRecord) -> bool:
    """Whether two records say the same: kind, target and values; ids and times do not count."""
    return (
        same_kind(left, right)
        and same_target_or_none(left.target, right.target)
        and same_content(left, right)
    )


def _pair_claims(pairing: Pairing) -> None:
    """Each claim takes one record, by the first criterion of `_CLAIM_CRITERIA` that fits."""
    taken: set[int] = set()
    for fits, may_be_expected in _CLAIM_CRITERIA:
        for position, claim in enumerate(pairing.claims):
            if position in pairing.record_of:
                continue
            for index, record in enumerate(pairing.records):
                if index in taken or (index in pairing.exact and not may_be_expected):
                    continue
                if fits(claim.action, record):
                    pairing.record_of[position] = index
                    taken.add(index)
                    break


def _same_confirmation_id(action: Action, record: ExecutionRecord) -> bool:
    if not action.confirmation_id:
        return False
    return bool(record.confirmation_id) and same_id(
        action.confirmation_id, record.confirmation_id or ""
    )


def _same_target_and_parameters(action: Action, record: ExecutionRecord) -> bool:
    return claim_fits(action, record) and not differences(action, record)


def claim_fits(action: Action, record: ExecutionRecord) -> bool:
    """Whether claim and record have the same kind, and the same target where both name one."""
    if not same_kind(action, record):
        return False
    if action.target is None or record.target is None:
        return True
    return same_target(action.target, record.target)


# By kind alone only where the record is not what the contract expected: a claim about something other than the
# expected execution is a claim of its own.
_CLAIM_CRITERIA: Final[
    tuple[tuple[Callable[[Action, ExecutionRecord], bool], bool], ...]
] = (
    (_same_confirmation_id, True),
    (_same_target_and_parameters, True),
    (claim_fits, True),
    (same_kind, False),
)
