"""When two statements that differ in one figure, date or negation cannot both be right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from judgemesh.validators.claims.language.clauses import main_verb
from judgemesh.validators.claims.language.quantities import agree, same_day
from judgemesh.validators.claims.language.tokens import (
    Kind,
    Token,
    same_token,
    tokens_of,
)
from judgemesh.validators.claims.language.vocabulary import NEGATIONS, ONCE_ONLY
from judgemesh.validators.claims.support.alignment import find_match
from judgemesh.validators.claims.support.statements import Statement

_INDEFINITE: Final = frozenset(
    {
        "some",
        "one",
        "another",
        "many",
        "most",
        "few",
        "several",
        "there",
        "someone",
        "people",
        "any",
    }
)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Why two statements cannot both be right, and the rival value that the evidence gives."""

    why: str
    rival: str
    claimed: Token | None = None


def find_conflict(claim: Sequence[Token], statement: Statement) -> Conflict | None:
    """The conflict of a claim with a statement that says the same but for one figure, date or negation."""
    if _has_loose_subject(claim):
        return None
    match = find_match(claim, statement, may_conflict, tight=True)
    if match is not None and match.difference is not None:
        if _is_compared(claim, match.difference[0]):
            return None
        conflict = _conflict_of_values(claim, *match.difference)
        return conflict and replace(conflict, claimed=match.difference[0])
    return _conflict_of_negation(claim, statement)


def _has_loose_subject(claim: Sequence[Token]) -> bool:
    """Whether the claim is about something of a kind (`a patient`, `some members`): many things may be right of it."""
    if not claim:
        return True
    first = claim[0]
    return (
        first.article in ("a", "an")
        or first.key in _INDEFINITE
        or first.quantity is not None
    )


def _is_compared(claim: Sequence[Token], claimed: Token) -> bool:
    """Whether the number follows `than`: `heavier than 5 kg` and `heavier than 3 kg` may both be right."""
    place = claim.index(claimed)
    return place > 0 and claim[place - 1].key == "than"


def may_conflict(claimed: Token, stated: Token) -> bool:
    """Whether the two are values of one kind of which only one can be right."""
    if claimed.is_time and stated.is_time:
        return claimed.kind is stated.kind or Kind.DAY in (claimed.kind, stated.kind)
    if claimed.kind is Kind.CLOCK and stated.kind is Kind.CLOCK:
        return True
    left, right = claimed.quantity, stated.quantity
    if left is None or right is None or left.is_year or right.is_year:
        return False
    if left.unit != right.unit or left.ordinal != right.ordinal:
        return False
    return not left.approximate and not right.approximate and not agree(left, right)


def _conflict_of_values(
    claim: Sequence[Token], claimed: Token, stated: Token
) -> Conflict | None:
    keys = {token.key for token in claim}
    verb = main_verb(claim)
    is_past_event = claim[verb].key.endswith("+ed") or claim[verb].key in ("had", "did")
    if verb == 0:
        is_past_event = any(token.text.endswith("ed") for token in claim)
    if verb and claim[verb].key == "was" and verb + 1 < len(claim):
        is_past_event = claim[verb + 1].key.endswith("+ed")
    once = not ONCE_ONLY.isdisjoint(keys)
    if claimed.is_time:
        return (
            _conflict_of_dates(claimed, stated)
            if once or claim[verb].key == "be"
            else None
        )
    dated = any(token.is_time for token in claim)
    # What happened once may have happened again with another number.
    if is_past_event and not dated and not once:
        return None
    return Conflict(
        f"the evidence says {stated.text}, the claim {claimed.text}",
        str(stated.quantity.value if stated.quantity else stated.key),
    )


def conflict_of_tokens(
    verb: str, difference: tuple[Token, Token], *, dated: bool, is_event: bool
) -> Conflict | None:
    """The conflict of two frames that differ in one token, as far as both cannot be right."""
    claimed, stated = difference
    once = f"{verb}+ed" in ONCE_ONLY or verb in ONCE_ONLY or verb == "release"
    if claimed.is_time:
        found = _conflict_of_dates(claimed, stated) if once or verb == "be" else None
    elif is_event and not dated and not once:
        found = None
    else:
        why = f"the evidence says {stated.text}, the claim {claimed.text}"
        rival = str(stated.quantity.value if stated.quantity else stated.key)
        found = Conflict(why, rival)
    return found and replace(found, claimed=claimed)


def _conflict_of_dates(claimed: Token, stated: Token) -> Conflict | None:
    left, right = claimed.day, stated.day
    if left is not None and right is not None:
        if same_day(left, right) or (left.year is None) != (right.year is None):
            return None
        if left.year is None and (left.day is None or right.day is None):
            return None
        rival = f"{right.year}-{right.month}-{right.day}"
        return Conflict("the evidence gives another date", rival)
    years = [_year(token) for token in (claimed, stated)]
    if None in years or years[0] == years[1]:
        return None
    return Conflict("the evidence gives another year", str(years[1]))


def _year(token: Token) -> int | None:
    if token.day is not None:
        return token.day.year
    return int(token.quantity.value) if token.quantity is not None else None


def _conflict_of_negation(
    claim: Sequence[Token], statement: Statement
) -> Conflict | None:
    """One says `not`, `no` or `never`, and that is the only difference."""
    claimed = _without_negation(claim)
    if claimed is not None:
        if find_match(claimed, statement, tight=True) is not None:
            return Conflict("the sentence differs in a negation", "negation")
        return None
    places = [i for i, token in enumerate(statement.tokens) if token.key in NEGATIONS]
    if len(places) != 1:
        return None
    (place,) = places
    spare = {**statement.spare, place: (place + 1,)}
    if find_match(claim, Statement(statement.tokens, spare), tight=True) is not None:
        return Conflict("the sentence differs in a negation", "negation")
    return None


def _without_negation(claim: Sequence[Token]) -> tuple[Token, ...] | None:
    places = [index for index, token in enumerate(claim) if token.key in NEGATIONS]
    if len(places) != 1:
        return None
    return (*claim[: places[0]], *claim[places[0] + 1 :])


def says_both(conflict: Conflict, sentence: str) -> bool:
    """Whether the sentence gives the claimed value too, for another case: `9 euros, and 5 euros for students`."""
    claimed = conflict.claimed
    if claimed is None:
        return False
    return states_value(claimed, sentence.partition(";")[0])


def states_value(value: Token, sentence: str) -> bool:
    """Whether a sentence gives a number, a date or a time."""
    return any(same_token(value, token) for token in tokens_of(sentence))
