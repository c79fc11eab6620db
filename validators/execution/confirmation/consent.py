"""Whether a user consented to a recorded execution in the talk before it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.validators._shared.trace.verbs import kind_words, stem
from judgemesh.validators.execution.confirmation.asking import (
    asked_last,
    asks_first,
    asks_further,
    is_question,
)
from judgemesh.validators.execution.confirmation.binding import (
    amounts_of,
    another_is_named,
    names_action,
    names_target,
    numbers_in,
    target_words,
)
from judgemesh.validators.execution.confirmation.bound import target_is_named, unbound
from judgemesh.validators.execution.confirmation.corrections import (
    another_value,
    chooses,
    corrects,
    fits_correction,
    stops,
    without_reasons,
)
from judgemesh.validators.execution.confirmation.dialogue import Turn
from judgemesh.validators.execution.confirmation.language.courtesies import (
    without_courtesies,
)
from judgemesh.validators.execution.confirmation.language.said_numbers import (
    numbers_in_words,
)
from judgemesh.validators.execution.confirmation.language.tongues import is_english
from judgemesh.validators.execution.confirmation.language.wording import action_verbs
from judgemesh.validators.execution.confirmation.names import names_another
from judgemesh.validators.execution.confirmation.offers import unoffered
from judgemesh.validators.execution.confirmation.open_points import open_point
from judgemesh.validators.execution.confirmation.orders import About, words_of
from judgemesh.validators.execution.confirmation.proposals import (
    asks_other,
    proposes,
    proposes_to_keep,
)
from judgemesh.validators.execution.confirmation.replies import Reply, reply
from judgemesh.validators.execution.pairing import same_execution


class Consent(StrEnum):
    """What the talk says about an execution. OTHER: the user confirmed something else."""

    GIVEN = "given"
    REFUSED = "refused"
    OTHER = "other"
    UNCLEAR = "unclear"
    NONE = "none"


class Spoken(NamedTuple):
    """What the talk says, by which turn, and in words why it is not enough."""

    consent: Consent
    ref: str = ""
    why: str = ""


class Rules(NamedTuple):
    """What a contract asks of a confirmation: the parameters it has to name, and whether the user is asked first."""

    confirm_parameters: Sequence[str] = ()
    ask_first: bool = False


_NOTHING = Spoken(Consent.NONE)


def spoken_consent(
    said: Sequence[Turn],
    record: ExecutionRecord,
    executed_at: int,
    rules: Rules,
    used: Sequence[tuple[Spoken, ExecutionRecord]],
) -> Spoken:
    """What the user's turns before the execution say about it; the last one that says anything decides.

    Args:
        said: the turns of the talk.
        record: the execution.
        executed_at: the position of the call that executed it.
        rules: what the contract asks of a confirmation.
        used: the turns that confirmed earlier executions. One yes is no yes for the same execution again.
    """
    before = _plainly([turn for turn in said if turn.position < executed_at], record)
    decision = _NOTHING
    for index, turn in enumerate(before):
        if not turn.by_user:
            continue
        found = _says(before, index, record, rules, decision)
        if found.consent is not Consent.NONE:
            decision = found
    if decision.consent is Consent.GIVEN and _is_used(decision, record, used):
        return Spoken(
            Consent.NONE, decision.ref, "the confirmation was for one execution"
        )
    return decision


def _plainly(said: Sequence[Turn], record: ExecutionRecord) -> list[Turn]:
    """The turns, those of the user without courtesies that look like something else."""
    proposed = "\n".join(turn.text for turn in said if not turn.by_user)
    return [
        turn._replace(text=without_courtesies(turn.text, proposed, record))
        if turn.by_user
        else turn
        for turn in said
    ]


def _is_used(
    spoken: Spoken,
    record: ExecutionRecord,
    used: Sequence[tuple[Spoken, ExecutionRecord]],
) -> bool:
    return any(
        spoken.ref == earlier.ref and same_execution(record, other)
        for earlier, other in used
    )


def _says(
    before: Sequence[Turn],
    index: int,
    record: ExecutionRecord,
    rules: Rules,
    earlier: Spoken,
) -> Spoken:
    """What one turn of the user says about the execution, with the proposal that it answers.

    earlier: what the turns before it say.
    """
    turn = before[index]
    proposal = _proposal(before, index)
    named = bool(proposal) and names_action(proposal, record)
    agreed = earlier.consent in (Consent.GIVEN, Consent.UNCLEAR)
    strange = not (agreed or named or is_english(proposal.casefold()))
    says = _reply(turn, proposal, record, asked=named and is_question(proposal))
    talk = before[: index + 1]
    silent = says in (Reply.NOTHING, Reply.UNREAD)
    open_ = silent or says in (Reply.NO, Reply.UNCLEAR)
    if open_ and agreed and stops(turn.text, record):
        return Spoken(Consent.REFUSED, turn.ref, f"in {turn.ref}")
    if says is Reply.NO:
        return _refusal(turn, proposal, record, agreed=agreed)
    if silent and named and chooses(turn.text, proposal, record):
        says = Reply.YES
    elif silent:
        found = _correction(talk, record, agreed=agreed)
        is_read = says is Reply.NOTHING or found.consent is not Consent.NONE
        return (
            found if is_read else _unread(talk, proposal, record, rules, agreed=agreed)
        )
    answers = named and (says is Reply.ORDER or proposes(proposal, record))
    if named and not answers and proposes_to_keep(proposal, record):
        return Spoken(Consent.REFUSED, turn.ref, f"in {turn.ref}")
    found = _agreement(talk, proposal if answers else "", says, record, rules)
    if found.consent is Consent.NONE and strange:
        why = "the rules do not understand what the user answered"
        return Spoken(Consent.UNCLEAR, turn.ref, why)
    return found


def _unread(
    talk: Sequence[Turn],
    proposal: str,
    record: ExecutionRecord,
    rules: Rules,
    *,
    agreed: bool,
) -> Spoken:
    """A turn in words that the rules do not know. It may say anything about a proposal of the action, and after a yes.

    Of its own it is at most an order, and then it names the target and the amount.
    """
    text = talk[-1].text
    beside = open_point(text, proposal, Reply.YES, record) if proposal else text
    open_ = agreed and bool(beside) and not asks_other(proposal, record)
    if proposal and (
        names_action(proposal, record)
        or not (agreed or is_english(proposal.casefold()))
    ):
        open_ = open_ or proposes(proposal, record)
    if open_ or _stands_alone(Reply.UNREAD, talk, record, rules):
        why = "the rules do not understand what the user said"
        return Spoken(Consent.UNCLEAR, talk[-1].ref, why)
    return _NOTHING


def _agreement(
    talk: Sequence[Turn],
    proposal: str,
    says: Reply,
    record: ExecutionRecord,
    rules: Rules,
) -> Spoken:
    """What a yes or an order is worth: for this execution, for another one, or open.

    proposal: what the turn answers; empty where it answers no proposal of the action.
    """
    turn = talk[-1]
    if not proposal and not _stands_alone(says, talk, record, rules):
        return _NOTHING
    own = [turn.text, proposal] if proposal else [turn.text]
    texts = [one.text for one in talk]
    why = another_value(turn.text, proposal, record) or unbound(
        texts, own, record, rules.confirm_parameters
    )
    unnamed = (
        "" if target_is_named(texts, record) else f"nobody named {record.target!r}"
    )
    if not why and all(is_english(text.casefold()) for text in own):
        why = unnamed
    if why:
        return Spoken(Consent.OTHER, turn.ref, why)
    why = open_point(turn.text, proposal, says, record) or unnamed
    if not why and proposal and says is not Reply.ORDER:
        why = unoffered(proposal, record)
    why = why or names_another(own, record)
    return Spoken(Consent.UNCLEAR if why else Consent.GIVEN, turn.ref, why)


def _reply(turn: Turn, proposal: str, record: ExecutionRecord, *, asked: bool) -> Reply:
    """What the words of a turn say. A no to the offer of keeping a thing says nothing of the action."""
    said = reply(
        without_reasons(turn.text, record),
        _about(record),
        asked=asked,
        proposal=proposal if proposal and names_action(proposal, record) else "",
    )
    if said is Reply.NO and proposes_to_keep(proposal, record):
        return Reply.NOTHING
    return said


def _about(record: ExecutionRecord) -> About:
    return About(
        action_verbs(record.kind),
        target_words(record.target),
        frozenset(kind_words(record.kind)),
    )


def _correction(
    talk: Sequence[Turn], record: ExecutionRecord, *, agreed: bool
) -> Spoken:
    """A turn that changes a value of what was ordered or agreed: to the record's own, or to another one."""
    turn = talk[-1]
    if not corrects(turn.text):
        return _NOTHING
    why = another_value(turn.text, "", record)
    if agreed and why is not None:
        return Spoken(Consent.OTHER, turn.ref, why)
    ordered = any(
        one.by_user
        and names_target(one.text, record.target)
        and reply(one.text, _about(record), asked=False) is Reply.ORDER
        for one in talk[:-1]
    )
    if ordered and why is None and fits_correction(turn.text, record):
        return Spoken(Consent.GIVEN, turn.ref)
    return _NOTHING


def _proposal(before: Sequence[Turn], index: int) -> str:
    """What the agent said last before a turn of the user, as one text."""
    texts: list[str] = []
    for turn in reversed(before[:index]):
        if not turn.by_user:
            texts.append(turn.text)
        elif texts:
            break
    return "\n".join(reversed(texts))


def _stands_alone(
    says: Reply, talk: Sequence[Turn], record: ExecutionRecord, rules: Rules
) -> bool:
    """Whether a turn that answers no proposal is a confirmation by itself: it names the target and the amount.

    Not where the user, or the contract, wants to be asked first.
    """
    text = talk[-1].text
    if says is Reply.ORDER and (
        rules.ask_first or any(turn.by_user and asks_first(turn.text) for turn in talk)
    ):
        return False
    amounts = amounts_of(record)
    said = numbers_in(text) | numbers_in_words(text)
    if amounts and said.isdisjoint(amounts):
        return False
    return bool(record.target or amounts) and names_target(text, record.target)


def _refusal(
    turn: Turn, proposal: str, record: ExecutionRecord, *, agreed: bool
) -> Spoken:
    """A refusal, unless it is about another target, or answers a question that was not about the action.

    After a yes, a refusal that answers no question takes the yes back.
    """
    targets = [record.target] if record.target else []
    if another_is_named([turn.text], targets):
        return _NOTHING
    about = names_action(turn.text, record)
    if agreed and asks_other(proposal, record) and not about:
        return _NOTHING
    if proposal and not (agreed or about or names_action(proposal, record)):
        return _NOTHING
    question = asked_last(proposal)
    if (
        question
        and asks_further(question)
        and not (_names_verb(question, record) or _names_verb(turn.text, record))
    ):
        return _NOTHING
    return Spoken(Consent.REFUSED, turn.ref, f"in {turn.ref}")


def _names_verb(text: str, record: ExecutionRecord) -> bool:
    """Whether a text names the action by a verb of its kind, or by its target."""
    words = set(map(stem, words_of(text.casefold())))
    if not words.isdisjoint(action_verbs(record.kind)):
        return True
    return bool(record.target) and names_target(text, record.target)
