"""Whether a confirmation is bound to an execution: its target, its amount, its quantities and required parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.validators.execution.confirmation.binding import (
    amounts_of,
    another_is_named,
    corrected_amounts,
    identifying_values,
    lacks_parameter,
    limits_in,
    money_in,
    names_target,
    numbers_in,
    other_quantity,
)

_PART = re.compile(r"(?<=[.!?;])\s|,\s")
_ADDS = re.compile(
    r"^and\b.*\b(?:too|also|as well)\b|^und auch\b|^et aussi\b|^y tambi\u00e9n\b",
    re.IGNORECASE,
)
"""What is wanted beside the thing that was proposed."""
_SPARES = re.compile(
    r"\b(?:keep|leave|not|never|without|instead of|(?:replaced|superseded) (?:by|with)|moved to)\b|n't\b"
)


def unbound(
    texts: Sequence[str],
    own: Sequence[str],
    record: ExecutionRecord,
    required: Sequence[str],
) -> str:
    """Why a yes is not for this execution, in words; empty where it is.

    Args:
        texts: all turns up to the yes.
        own: the yes, and the proposal that it answers.
        record: the execution.
        required: the parameters that a confirmation has to name.
    """
    targets = [record.target] if record.target else []
    if _orders_another(own[0], targets):
        return "it names another one"
    if another_is_named(own, identifying_values(record)) or another_is_named(
        texts, targets
    ):
        return "it names another one"
    if not _amounts_fit(own, texts, amounts_of(record)):
        return "the amount is another one"
    quantity = other_quantity(own, record)
    if quantity:
        return f"{quantity} is another one"
    lacking = lacks_parameter(own, record, required)
    return f"{lacking} was not named" if lacking else ""


def target_is_named(texts: Sequence[str], record: ExecutionRecord) -> bool:
    """Whether somebody named the target, or it is one that people do not say."""
    return (
        not record.target
        or _is_opaque(record.target)
        or any(names_target(text, record.target) for text in texts)
    )


def _orders_another(text: str, targets: Sequence[str]) -> bool:
    """Whether the user names another target and not this one, and does not say to leave that one alone."""
    ordering = [
        part
        for part in _PART.split(text)
        if _SPARES.search(part.casefold()) is None and _ADDS.search(part) is None
    ]
    return another_is_named([" , ".join(ordering)], targets)


def _is_opaque(target: str) -> bool:
    """Whether the target is an id, which people do not say."""
    return any(map(str.isdigit, target)) or "_" in target or "@" in target


def _amounts_fit(
    own: Sequence[str], texts: Sequence[str], amounts: Sequence[Decimal]
) -> bool:
    """Whether the amount is the one named: in the user's turn, else in the proposal, else anywhere before."""
    if not amounts:
        return True
    changed = corrected_amounts(own[0])
    if changed:
        return not changed.isdisjoint(amounts)
    limits = limits_in(own[0])
    if limits:
        return all(amount <= min(limits) for amount in amounts)
    for group in (own[:1], own, texts):
        if any(map(money_in, group)):
            return any(not numbers_in(text).isdisjoint(amounts) for text in group)
    if not any(map(numbers_in, own)):
        return True
    return any(not numbers_in(text).isdisjoint(amounts) for text in texts)
