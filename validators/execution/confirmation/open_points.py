"""What the user's yes or order for an execution leaves open."""

from __future__ import annotations

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.validators._shared.text import plain
from judgemesh.validators.execution.confirmation.beside import (
    leaves_open,
    order_is_open,
)
from judgemesh.validators.execution.confirmation.binding import (
    offers_piece_price,
    other_currency,
)
from judgemesh.validators.execution.confirmation.corrections import stray_number
from judgemesh.validators.execution.confirmation.language.wording import (
    action_verbs,
    with_english_nouns,
    with_english_verbs,
)
from judgemesh.validators.execution.confirmation.orders import words_of
from judgemesh.validators.execution.confirmation.replies import Reply
from judgemesh.validators.execution.confirmation.statements import effect_of


def open_point(text: str, proposal: str, says: Reply, record: ExecutionRecord) -> str:
    """What a yes or an order leaves open, in words; empty where it leaves nothing."""
    if says is Reply.UNCLEAR:
        return "the user's answer has a condition or a question"
    currency = other_currency(text, record)
    if currency is not None:
        return f"the user spoke of {currency.upper()}"
    if not proposal:
        restricted = says is Reply.ORDER and order_is_open(
            text, action_verbs(record.kind)
        )
        return "something restricts the user's order" if restricted else ""
    if offers_piece_price((text, proposal), record):
        return "the amount that was named is that of one piece"
    return _beside_amounts(text, proposal, record)


def _beside_amounts(text: str, proposal: str, record: ExecutionRecord) -> str:
    """What a yes to a proposal leaves open once condition and currency are plain."""
    stray = stray_number(text, proposal, record)
    if stray is not None:
        return f"nobody proposed the number {stray}"
    known, verbs = _known_words(proposal, record), action_verbs(record.kind)
    to_a_name, effect = _is_name(record.target), effect_of(record.kind)
    if leaves_open(text, known, verbs, to_a_name=to_a_name, effect=effect):
        return "what stands beside the user's yes restricts it, or is not understood"
    return ""


def _known_words(proposal: str, record: ExecutionRecord) -> frozenset[str]:
    """The words of the proposal and of the record, which say nothing new in an answer."""
    values = (record.kind, record.target, *record.parameters.values())
    shown = plain(f"{proposal} {values}".replace("_", " ")).casefold()
    joined = plain(record.target or "").casefold().replace("-", "")
    english = with_english_nouns(with_english_verbs(shown))
    return frozenset(words_of(f"{shown} {english} {joined}"))


def _is_name(target: str | None) -> bool:
    """Whether the target is a name, for which a reply may give another: `Lena Vogt`."""
    words = (target or "").split()
    return bool(words) and all(word.isalpha() and word.istitle() for word in words)
