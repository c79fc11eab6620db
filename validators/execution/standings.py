"""Which records took effect: by their status, by the flags beside it, and by what the contract says of either."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.result_parts.call_results import states_error
from judgemesh.contracts.sections.effects import ExecutionSpec
from judgemesh.contracts.sections.section import Matcher
from judgemesh.validators._shared.matching import matches
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.trace.status import (
    Standing,
    StatusWords,
    standing,
    status_key,
)
from judgemesh.validators._shared.values import ABSENT, flag, is_number
from judgemesh.validators.execution.rehearsals import rehearsal_flag

_STATUS_KEYS: Final = frozenset(
    map(
        fold_name,
        (
            "state", "outcome", "result", "execution_status", "exec_status", "status_code", "http_status",
            "response_code", "status_text", "delivery_status", "payment_status", "final_status",
        ),
    )
)  # fmt: skip
_SUCCESS_FLAGS: Final = frozenset(
    {"success", "successful", "succeeded", "ok", "executed", "completed", "done", "committed", "sent", "delivered",
     "paid", "processed", "booked"}
)  # fmt: skip
_FAULT_FLAGS: Final = frozenset(
    {"failed", "error", "iserror", "cancelled", "canceled", "voided", "reversed", "reverted", "rejected", "declined",
     "bounced", "refunded", "expired", "rolledback", "draft", "pending", "partial"}
)  # fmt: skip
_ERROR_KEYS: Final = frozenset(
    map(
        fold_name,
        ("error", "errors", "error_message", "error_code", "failure_reason", "decline_code", "decline_reason"),
    )
)  # fmt: skip
_ANSWER_KEYS: Final = frozenset(
    {"result", "response", "output", "body", "payload", "details"}
)
"""Keys of what the executing system answered."""
_NO_ERROR: Final = frozenset(
    {"", "0", "none", "null", "false", "ok", "no", "n/a", "success"}
)
_FLAG_SPELLING: Final = {
    "rolledback": "rolled back",
    "iserror": "error",
}
_OBJECT_KEYS: Final = frozenset(
    map(fold_name, ("status", "state", "new_status", "to_status", "stage"))
)


@dataclass(slots=True)
class Settled:
    """The records apart: those that took effect, those of which nobody can tell, and the others."""

    executed: list[ExecutionRecord] = field(default_factory=list[ExecutionRecord])
    doubtful: list[ExecutionRecord] = field(default_factory=list[ExecutionRecord])
    void: list[ExecutionRecord] = field(default_factory=list[ExecutionRecord])

    @property
    def perhaps(self) -> list[ExecutionRecord]:
        """The records that took effect if the doubtful ones did too."""
        return [*self.executed, *self.doubtful]


def settle(records: Iterable[ExecutionRecord], spec: ExecutionSpec) -> Settled:
    """The executions that took effect: the last row of each confirmation id, without failed and open ones.

    A record whose status is the one that the contract expects of its kind took effect.
    """
    words = contract_words(spec)
    settled = Settled()
    for record in _latest(records):
        says = record_standing(record, words)
        if rehearsal_flag(record, spec) is not None:
            settled.void.append(record)
        elif says in (Standing.DONE, Standing.PARTIAL) or _has_expected_status(
            record, spec
        ):
            settled.executed.append(record)
        elif says is Standing.UNKNOWN:
            settled.doubtful.append(record)
        else:
            settled.void.append(record)
    return settled


def _latest(records: Iterable[ExecutionRecord]) -> list[ExecutionRecord]:
    latest: dict[object, ExecutionRecord] = {}
    for index, record in enumerate(records):
        key: object = index
        if record.confirmation_id:
            key = (fold_name(record.kind), record.confirmation_id)
        latest.pop(key, None)
        latest[key] = record
    return list(latest.values())


def contract_words(spec: ExecutionSpec) -> StatusWords:
    """The status words of a contract in the form in which they are compared."""
    words: dict[str, Standing] = {}
    for standing_, names in (
        (Standing.DONE, spec.status_words.done),
        (Standing.OPEN, spec.status_words.open),
        (Standing.FAILED, spec.status_words.failed),
    ):
        words.update((status_key(name), standing_) for name in names)
    return words


def _has_expected_status(record: ExecutionRecord, spec: ExecutionSpec) -> bool:
    return any(
        expectation.status is not None
        and fold_name(expectation.kind) == fold_name(record.kind)
        and status_fits(expectation.status, record)
        for expectation in spec.expected
    )


def status_fits(expected: Matcher, record: ExecutionRecord) -> bool:
    """Whether the record's status is the expected one; spelling does not count."""
    if record.status is None:
        return matches(expected, ABSENT)
    if matches(expected, record.status, loose=True):
        return True
    key = status_key(record.status)
    if isinstance(expected.equals, str) and "equals" in expected.model_fields_set:
        return status_key(expected.equals) == key
    return matches(expected, key, loose=True)


def record_standing(record: ExecutionRecord, words: StatusWords) -> Standing:
    """What a record says about its execution: its status, and the flags and errors beside it."""
    extras = {
        fold_name(key): value for key, value in (record.model_extra or {}).items()
    }
    says = _by_status(record, extras, words)
    flagged = set(_by_flags(record.kind, extras))
    for worst in (Standing.FAILED, Standing.OPEN):
        if worst in flagged and says is not Standing.OPEN:
            return worst
    if says is Standing.DONE and _has_error(extras):
        return Standing.UNKNOWN if record.status else Standing.FAILED
    if says is Standing.DONE and Standing.PARTIAL in flagged:
        return Standing.PARTIAL
    return says


def _by_status(
    record: ExecutionRecord, extras: Mapping[str, object], words: StatusWords
) -> Standing:
    if record.status and record.status.strip():
        if _is_new_state(record):
            return Standing.DONE
        says = standing(record.status, record.kind, words)
        others = set(_other_statuses(record.kind, extras, words))
        if says is Standing.DONE and Standing.FAILED in others:
            return Standing.UNKNOWN
        return says
    known = [
        says
        for says in _other_statuses(record.kind, extras, words)
        if says is not Standing.UNKNOWN
    ]
    if known:
        return min(known, key=_WORST_FIRST.index)
    return Standing.DONE


_WORST_FIRST: Final[Sequence[Standing]] = (
    Standing.FAILED,
    Standing.OPEN,
    Standing.PARTIAL,
    Standing.DONE,
)


def _is_new_state(record: ExecutionRecord) -> bool:
    """Whether the status is the state that the action was to set: `update_ticket` with `status: closed`."""
    wanted = [
        value
        for key, value in record.parameters.items()
        if fold_name(key) in _OBJECT_KEYS and isinstance(value, str)
    ]
    return bool(record.status) and status_key(record.status or "") in map(
        status_key, wanted
    )


def _other_statuses(
    kind: str, extras: Mapping[str, object], words: StatusWords
) -> Iterator[Standing]:
    for key, value in extras.items():
        if key in _STATUS_KEYS and (isinstance(value, str) or is_number(value)):
            yield standing(str(value), kind, words)


def _by_flags(kind: str, extras: Mapping[str, object]) -> Iterator[Standing]:
    for key, value in extras.items():
        name = key.removesuffix("at") if key.endswith("at") and value else key
        raised = flag(value) if name == key else bool(value)
        if raised is False and name in _SUCCESS_FLAGS:
            yield Standing.FAILED
        if raised is True and name in _FAULT_FLAGS:
            yield standing(_FLAG_SPELLING.get(name, name), kind)


def _has_error(extras: Mapping[str, object]) -> bool:
    """Whether a key for errors holds one, or the answer of the system is one."""
    if any(_is_error(extras[key]) for key in _ERROR_KEYS & extras.keys()):
        return True
    return any(states_error(extras[key]) for key in _ANSWER_KEYS & extras.keys())


def _is_error(value: object) -> bool:
    return bool(value) and str(value).strip().casefold() not in _NO_ERROR


def telling_keys(record: ExecutionRecord) -> dict[str, object]:
    """The keys beside the status that say that the execution did not take effect, with their values."""
    found: dict[str, object] = {}
    for key, value in (record.model_extra or {}).items():
        folded = fold_name(key)
        error = _has_error({folded: value})
        flags = set(_by_flags(record.kind, {folded: value}))
        others = set(_other_statuses(record.kind, {folded: value}, {}))
        if error or (flags | others) - {Standing.DONE}:
            found[key] = value
    return found
