"""Confirmations that the harness gives: on a record, or in the result's `confirmations`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.values import as_mapping, as_sequence, flag
from judgemesh.validators.execution.agreement import fields_of, values_agree
from judgemesh.validators.execution.confirmation.binding import (
    amounts_of,
    money_in,
    names_action,
    numbers_in,
)
from judgemesh.validators.execution.targets import same_kind, same_target_or_none
from judgemesh.validators.execution.times import utc

_BY: Final = frozenset(
    map(fold_name, ("confirmed_by", "approved_by", "authorized_by", "authorised_by", "user_confirmed_by"))
)  # fmt: skip
_FLAGS: Final = frozenset(
    map(fold_name, ("confirmed", "user_confirmed", "approved_by_user", "confirmed_by_user", "user_approved"))
)  # fmt: skip
_CONFIRMED = re.compile(
    r"\b(?:has|have|is|was|already)(?: been)? (?:already )?(?:confirmed|approved|authori[sz]ed)\b|"
    r"\bpre-?\s?(?:approved|authori[sz]ed|confirmed)\b"
    r"|\bno (?:further |more )?(?:confirmation|approval) (?:is )?(?:needed|required|necessary)\b|"
    r"\bwithout (?:asking|(?:further )?confirmation)\b"
)
_KEYS: Final = ("confirmations", "user_confirmations", "approvals")
_NOBODY: Final = frozenset(
    {"", "agent", "assistant", "ai", "bot", "model", "system", "self", "auto", "automatic", "none", "null", "false",
     "n/a", "nobody", "no one", "unknown", "pending"}
)  # fmt: skip


def on_record(record: ExecutionRecord) -> bool:
    """Whether the record itself says that a person confirmed the execution."""
    extras = {
        fold_name(key): value for key, value in (record.model_extra or {}).items()
    }
    given = {key: flag(extras[key]) for key in _FLAGS & extras.keys()}
    if False in given.values():
        return False
    if any(_is_person(extras[key]) for key in _BY & extras.keys()):
        return True
    return True in given.values() and _BY.isdisjoint(extras)


def _is_person(value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and flag(value) is False:
        return False
    return isinstance(value, str) and value.strip().casefold() not in _NOBODY


def authorises(instruction: str, record: ExecutionRecord) -> bool:
    """Whether the contract's own text says that this execution is confirmed already.

    To ask for an action is not to confirm it.
    """
    shown = plain(instruction).casefold()
    if _CONFIRMED.search(shown) is None or not names_action(shown, record):
        return False
    amounts = amounts_of(record)
    return (
        not money_in(shown) or not amounts or not numbers_in(shown).isdisjoint(amounts)
    )


def given_confirmations(result: AgentResult) -> list[ExecutionRecord]:
    """The confirmations that stand beside the result, in the form of the executions they are for.

    Each entry has a `kind`, and a `target`, `parameters` and `at` as a record has.
    """
    found: list[ExecutionRecord] = []
    for key in _KEYS:
        for entry in as_sequence(result.metadata.get(key)) or ():
            confirmation = as_mapping(entry)
            if confirmation is None or not _is_given(confirmation):
                continue
            try:
                found.append(ExecutionRecord.model_validate(confirmation))
            except ValidationError:
                continue
    return found


def _is_given(confirmation: Mapping[str, object]) -> bool:
    """Whether the entry does not itself say that nobody confirmed."""
    folded = {fold_name(key): value for key, value in confirmation.items()}
    if any(flag(folded.get(key)) is False for key in (*_FLAGS, "approved", "granted")):
        return False
    return all(_is_person(folded[key]) for key in (_BY | {"by"}) & folded.keys())


def one_for(
    record: ExecutionRecord,
    given: list[ExecutionRecord],
    required: Sequence[str],
) -> bool:
    """Whether a confirmation is for this execution; it is used up by it."""
    for confirmation in given:
        if _is_for(record, confirmation, required):
            given.remove(confirmation)
            return True
    return False


def _is_for(
    record: ExecutionRecord, confirmation: ExecutionRecord, required: Iterable[str]
) -> bool:
    if not same_kind(record, confirmation):
        return False
    if not same_target_or_none(record.target, confirmation.target):
        return False
    if record.at and confirmation.at and utc(confirmation.at) > utc(record.at):
        return False
    recorded: dict[str, Any] = fields_of(record)
    confirmed = fields_of(confirmation)
    if not confirmed.keys() & recorded.keys() >= set(map(fold_name, required)):
        return False
    return all(
        values_agree(confirmed[name], recorded[name])
        for name in confirmed.keys() & recorded.keys()
    )
