"""Whether the frame of a claim is that of a statement: the same piece by piece, in any order of the phrases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.validators.claims.language.frame_words import (
    GENERIC_AGENTS,
    INDEFINITE,
    MADE,
    NUMBERED_PLACES,
    SPARE_KINDS,
    WORKS,
)
from judgemesh.validators.claims.language.tokens import Kind, same_token
from judgemesh.validators.claims.language.vocabulary import CHANGES_MEANING
from judgemesh.validators.claims.support.alignment import Differs, Match
from judgemesh.validators.claims.support.frame_phrases import (
    Tokens,
    members_of,
    without_marks,
)
from judgemesh.validators.claims.support.frames import Frame

_NO: Final = None
_SAME: Final = Match()


def match_frames(
    claim: Frame, stated: Frame, differs: Differs | None = None
) -> Match | None:
    """The claim in the statement, with at most one pair of tokens that `differs` accepts."""
    if claim.kind != stated.kind or not _same_agent(claim, stated):
        return _NO
    found = _same_object(claim, stated, differs)
    if found is None:
        return _NO
    left = None if found.difference else differs
    ours: Sequence[Tokens] = claim.phrases
    theirs: Sequence[Tokens] = stated.phrases
    if claim.verb == "be" and claim.object and claim.object[-1].key in WORKS:
        ours, theirs = _by_maker(ours), _by_maker(theirs)
    if claim.verb in MADE and stated.tense == "past" and not stated.negated:
        theirs = _without_occasion(ours, theirs)
    phrases = _same_phrases(ours, theirs, left)
    if phrases is None:
        return _NO
    return found if found.difference else phrases


def _without_occasion(
    claim: Sequence[Tokens], stated: Sequence[Tokens]
) -> list[Tokens]:
    """When and where a thing was made, as far as the claim says so: it was made only once."""
    claimed = {_opening(phrase) for phrase in claim}
    return [
        phrase
        for phrase in stated
        if _opening(phrase) in claimed or _opening(phrase) not in ("time", "in", "at")
    ]


def _opening(phrase: Tokens) -> str:
    return "time" if _is_dated(phrase) else phrase[0].key


def _by_maker(phrases: Sequence[Tokens]) -> list[Tokens]:
    """`an album from the band` as `an album by the band`."""
    return [
        phrase[1:] if phrase[0].key in ("by", "from") else phrase for phrase in phrases
    ]


def _same_agent(claim: Frame, stated: Frame) -> bool:
    if _is_generic(claim.agent):
        return _is_generic(stated.agent) or (not stated.agent and stated.modal == "can")
    if claim.agent:
        theirs = _without_apposition(stated.agent)
        return _same(claim.agent, theirs, None) is not None
    if not stated.agent:
        return True
    if claim.passive and not claim.negated:
        drops = claim.modal in ("", "must") and _is_one(stated.agent)
        return _is_generic(stated.agent) or drops
    return claim.verb == "have" and not claim.passive


def _without_apposition(agent: Tokens) -> Tokens:
    """`Clara Wend, a painter` without what she is."""
    for place, token in enumerate(agent[:-1]):
        if token.key == "," and agent[place + 1].article in ("a", "an", "the"):
            return agent[:place]
    return agent


def _is_generic(tokens: Tokens) -> bool:
    return len(tokens) == 1 and (
        tokens[0].key in GENERIC_AGENTS and tokens[0].article != "a"
    )


def _is_one(agent: Tokens) -> bool:
    """Whether an agent is one thing that the text is about: a name, or `the` something."""
    first = agent[0]
    return first.article == "the" or all(
        token.is_capital or token.key == "and"
        for token in agent
        if token.kind is Kind.WORD
    )


def _same(claim: Tokens, stated: Tokens, differs: Differs | None) -> Match | None:
    left, right = without_marks(claim), without_marks(stated)
    if len(left) != len(right):
        return _NO
    found = _SAME
    for one, other in zip(left, right, strict=True):
        if same_token(one, other):
            continue
        if differs is None or found.difference or not differs(one, other):
            return _NO
        found = Match((one, other))
    return found


def _same_object(claim: Frame, stated: Frame, differs: Differs | None) -> Match | None:
    found = _same(claim.object, stated.object, differs)
    if found is not None:
        return found
    if claim.verb == "be" and not claim.negated and _is_kind_of(claim, stated):
        return _SAME
    shorter = _without_matter(stated.object)
    if shorter != stated.object:
        found = _same(claim.object, shorter, differs)
        if found is not None:
            return found
    return _same_members(claim, stated, differs)


def _is_kind_of(claim: Frame, stated: Frame) -> bool:
    """`is an album` where the statement says `is the second studio album`."""
    ours, theirs = claim.object, stated.object
    more = len(theirs) - len(ours)
    if more < 1 or not ours or ours[0].article not in ("a", "an"):
        return False
    extra = theirs[:more]
    plain = all(
        token.is_capital
        or token.key in SPARE_KINDS
        or (token.quantity is not None and token.quantity.ordinal)
        for token in extra
    )
    return plain and _same(ours, theirs[more:], None) is not None


def _without_matter(tokens: Tokens) -> Tokens:
    """`140 m3 of water` without `of water`, `the budget of 5 million EUR` without its sum."""
    if len(tokens) < 3 or tokens[1].key != "of":
        return tokens
    first, third = tokens[0], tokens[2]
    if first.quantity is not None and first.quantity.unit and len(tokens) == 3:
        return tokens[:1]
    if first.article == "the" and third.kind is Kind.NUMBER and len(tokens) == 3:
        return tokens[:1]
    return tokens


def _same_members(claim: Frame, stated: Frame, differs: Differs | None) -> Match | None:
    """Some members of a list that a verb has as its object, in any order."""
    theirs = members_of(stated.object)
    ours = members_of(claim.object)
    if stated.negated or not ours or len(theirs) < 2 or _is_governed(stated.object):
        return _NO
    found = _SAME
    for member in ours:
        match = _best(member, theirs, None if found.difference else differs)
        if match is None:
            return _NO
        found = match if match.difference else found
    if found.difference and len(ours) != len(theirs) and not _is_counted(found):
        return _NO
    return found


def _is_counted(match: Match) -> bool:
    return match.difference is not None and all(
        token.kind is Kind.NUMBER for token in match.difference
    )


def _is_governed(tokens: Tokens) -> bool:
    return any(
        token.key in CHANGES_MEANING and token.kind is Kind.WORD for token in tokens
    )


def _best(
    member: Tokens, others: Sequence[Tokens], differs: Differs | None
) -> Match | None:
    for allowed in (None, differs):
        for other in others:
            match = _same(member, other, allowed)
            if match is not None:
                return match
    return _NO


def _same_phrases(
    claim: Sequence[Tokens], stated: Sequence[Tokens], differs: Differs | None
) -> Match | None:
    """Each phrase of one side is one of the other; one may differ in one token."""
    if len(claim) < len(stated):
        stated = [phrase for phrase in stated if not _is_numbered_place(phrase)]
    if len(claim) != len(stated):
        return _NO
    if sum(map(_is_dated, stated)) > 1 or _opens(stated, "from"):
        return _in_order(claim, stated, differs)
    left = list(stated)
    open_phrases: list[Tokens] = []
    for phrase in claim:
        same = next((other for other in left if _same_phrase(phrase, other)), None)
        if same is None:
            open_phrases.append(phrase)
        else:
            left.remove(same)
    if not open_phrases:
        return _SAME
    if len(open_phrases) > 1:
        return _NO
    return _same(open_phrases[0], left[0], differs)


def _is_numbered_place(phrase: Tokens) -> bool:
    """`from gate B12`: a detail of what happens once."""
    return len(phrase) == 3 and phrase[1].key in NUMBERED_PLACES


def _is_dated(phrase: Tokens) -> bool:
    return any(token.is_time for token in phrase)


def _opens(phrases: Sequence[Tokens], key: str) -> bool:
    """Whether one phrase has the preposition and another one `to`: they belong together."""
    opening = {phrase[0].key for phrase in phrases}
    return {key, "to"} <= opening


def _in_order(
    claim: Sequence[Tokens], stated: Sequence[Tokens], differs: Differs | None
) -> Match | None:
    """`from 3 in 2022 to 5 in 2023`: another order says something else."""
    found = _SAME
    for ours, theirs in zip(claim, stated, strict=True):
        match = _same(ours, theirs, None if found.difference else differs)
        if match is None:
            return _NO
        found = match if match.difference else found
    return found


def _same_phrase(claim: Tokens, stated: Tokens) -> bool:
    if _same(claim, stated, None) is not None:
        return True
    ours, theirs = members_of(claim[1:]), members_of(stated[1:])
    if len(ours) < 2 or len(ours) != len(theirs) or claim[0].key != stated[0].key:
        return False
    return all(_best(member, theirs, None) for member in ours)


def is_loose(frame: Frame) -> bool:
    """Whether the frame is about something of a kind: another one may have another value."""
    agent = frame.agent
    return bool(agent) and (agent[0].key in INDEFINITE or agent[0].quantity is not None)
