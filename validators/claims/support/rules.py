"""What rules alone can tell about a claim and the evidence. A rule that is not sure leaves the point open.

The rules decide only what they can hardly get wrong:

* *supports*: each part of the claim is a statement of the evidence word for word, but for spelling, formats, voice and
  order, and for runs that the statement can spare (`spare`);
* *contradicts*: a statement differs from the claim in one number, date or negation alone, and only one can be right;
* *unrelated*: the evidence has no word in common with the claim that could carry it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Final, Literal

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.language.sentences import split
from judgemesh.validators.claims.language.tokens import tokens_of
from judgemesh.validators.claims.language.vocabulary import POSSESSIVES, PRONOUNS
from judgemesh.validators.claims.support.alignment import find_match
from judgemesh.validators.claims.support.claim_parts import Part, ways_of
from judgemesh.validators.claims.support.conflicts import (
    Conflict,
    find_conflict,
    says_both,
    states_value,
)
from judgemesh.validators.claims.support.frame_keys import may_have, needed_keys
from judgemesh.validators.claims.support.frame_rules import claim_frames, weigh_frames
from judgemesh.validators.claims.support.naming import named
from judgemesh.validators.claims.support.reading import ReadClaim, ReadEvidence
from judgemesh.validators.claims.support.relatedness import is_unrelated
from judgemesh.validators.claims.support.setting import StatedSentence
from judgemesh.validators.claims.support.statements import Statement, statements_of


class Stance(StrEnum):
    """What the evidence does to a claim."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    UNRELATED = "unrelated"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence of the evidence: which text, and where in it."""

    text: int
    start: int
    sentence: str


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What the rules found: the stance, why, and the sentences it rests on."""

    stance: Stance
    why: str = ""
    places: tuple[Place, ...] = ()


_SHOWN_QUOTE_CHARS: Final = 80
_MAX_PLACES: Final = 5
_POINTS_BACK = re.compile(r"\W*(?:it|its|he|she|they|his|her|their)\b", re.IGNORECASE)
_IS_MYTH = re.compile(
    r"^\W*it (?:is|'s) (?:a myth|false|untrue|not true|incorrect|wrong) that (?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)


def weigh(
    claim: ReadClaim, texts: Sequence[ReadEvidence], context: str = ""
) -> RuleFinding:
    """What the evidence does to the claim, as far as rules can tell; `context` is what was said just before it."""
    missing = _missing_quote(claim, texts)
    if missing is not None:
        shown = repr(missing[:_SHOWN_QUOTE_CHARS])
        why = f"the quotation {shown} is not in the evidence"
        return RuleFinding(Stance.OPEN, why)
    copied = _copied(claim, texts, context)
    if copied is not None:
        return copied
    ways = ways_of(claim.text, context)
    if ways is None:
        return RuleFinding(Stance.OPEN, "what it refers to is said elsewhere")
    open_finding = RuleFinding(Stance.OPEN)
    for way in ways:
        finding = _weigh_way(way, texts)
        if finding.stance is not Stance.OPEN:
            return finding
        if finding.why:
            open_finding = finding
    if (
        not open_finding.why
        and texts
        and all(is_unrelated(claim, text) for text in texts)
    ):
        why = "the evidence has none of the content words of the claim"
        return RuleFinding(Stance.UNRELATED, why)
    return open_finding


def _copied(
    claim: ReadClaim, texts: Sequence[ReadEvidence], context: str
) -> RuleFinding | None:
    """A sentence about `it` that the evidence has word for word, behind the same sentence if there is one."""
    if not _POINTS_BACK.match(claim.text):
        return None
    wanted = _words_only(claim.text)
    before = [sentence for _, sentence in split(context)][-1:]
    places: list[Place] = []
    for number, text in enumerate(texts):
        earlier = {two.start: one.text for one, two in pairwise(text.sentences)}
        for sentence in text.stated:
            if _words_only(sentence.text) != wanted or sentence.lead:
                continue
            same = _words_only(earlier.get(sentence.start, ""))
            if not before or same == _words_only(before[0]):
                places.append(Place(number, sentence.start, sentence.text))
    if not places:
        return None
    return RuleFinding(Stance.SUPPORTS, "the evidence says it so", tuple(places[:5]))


def _missing_quote(claim: ReadClaim, texts: Sequence[ReadEvidence]) -> str | None:
    """A quotation that no evidence has in these words; it leaves everything else open."""
    for quote in claim.quotes:
        wanted = _words_only(quote)
        if not any(wanted in _words_only(text.text) for text in texts):
            return quote
    return None


def _words_only(text: str) -> str:
    return " ".join(re.findall(r"\w+", plain(text).casefold()))


def _weigh_way(parts: Sequence[Part], texts: Sequence[ReadEvidence]) -> RuleFinding:
    """What the evidence does to all parts of a claim together."""
    findings = [_weigh_part(part, texts) for part in parts]
    for finding in findings:
        if finding.stance is Stance.CONTRADICTS:
            return finding
    for finding in findings:
        if finding.stance is Stance.OPEN:
            return finding
    places: list[Place] = []
    for finding in findings:
        places += finding.places
    why = "one sentence says all of it"
    if len(parts) > 1:
        why = f"each of its {len(parts)} parts is said"
    return RuleFinding(Stance.SUPPORTS, why, tuple(places))


def _weigh_part(part: Part, texts: Sequence[ReadEvidence]) -> RuleFinding:
    supports: list[Place] = []
    conflicts: list[tuple[Conflict, Place]] = []
    for number, text in enumerate(texts):
        frames = claim_frames(
            named(part.core, text.names), named(part.front, text.names)
        )
        needed = needed_keys(frames)
        for index, sentence in enumerate(text.stated):
            place = Place(number, sentence.start, sentence.text)
            verdict = _weigh_sentence(part, sentence)
            if (
                not verdict
                and may_have(needed, text.frame_keys[index])
                and not _is_set_apart(part, sentence)
            ):
                verdict = _without_both(
                    weigh_frames(frames, text.frames(index)), sentence
                )
            if isinstance(verdict, Conflict):
                conflicts.append((verdict, place))
            elif verdict:
                supports.append(place)
    rivals = {conflict.rival for conflict, _ in conflicts}
    if conflicts and not supports and _gives_it_elsewhere(part, conflicts, texts):
        return RuleFinding(Stance.OPEN, "the evidence gives the value in another case")
    if supports and not conflicts:
        return RuleFinding(Stance.SUPPORTS, "", tuple(supports[:_MAX_PLACES]))
    if supports:
        return RuleFinding(
            Stance.OPEN, "some evidence supports it, some contradicts it"
        )
    if len(rivals) == 1:
        places = tuple(place for _, place in conflicts[:_MAX_PLACES])
        return RuleFinding(Stance.CONTRADICTS, conflicts[0][0].why, places)
    why = "the evidence gives several other values" if rivals else ""
    return RuleFinding(Stance.OPEN, why)


def _gives_it_elsewhere(
    part: Part,
    conflicts: Sequence[tuple[Conflict, Place]],
    texts: Sequence[ReadEvidence],
) -> bool:
    """Whether another sentence about the same thing gives the claimed value, for another case."""
    claimed = {conflict.claimed for conflict, _ in conflicts} - {None}
    places = {(place.text, place.start) for _, place in conflicts}
    for number, text in enumerate(texts):
        for sentence in text.stated:
            own = {token.key for token in tokens_of(sentence.text)}
            keys = sentence.keys if own & (PRONOUNS | POSSESSIVES) else own
            if (number, sentence.start) in places or not part.needed <= keys:
                continue
            if any(states_value(token, sentence.text) for token in claimed if token):
                return True
    return False


def _weigh_sentence(part: Part, sentence: StatedSentence) -> Conflict | bool:
    """True where the sentence states the part, a conflict where it states something else of the same thing."""
    missing = part.needed - sentence.keys
    if len(missing) > 1 or (missing and not missing <= part.negations):
        return False
    if _is_set_apart(part, sentence):
        return False
    conflict: Conflict | None = None
    for statement in _statements(sentence):
        for reading in part.readings:
            if find_match(reading, statement) is not None:
                return True
            if conflict is None:
                conflict = find_conflict(reading, statement)
    return _without_both(conflict or False, sentence) or _myth(part, sentence) or False


def _without_both(
    verdict: Conflict | Literal[True, False], sentence: StatedSentence
) -> Conflict | bool:
    """No conflict where the sentence gives the claimed value too."""
    if isinstance(verdict, Conflict) and says_both(verdict, sentence.text):
        return False
    return verdict


def _is_set_apart(part: Part, sentence: StatedSentence) -> bool:
    """Whether a heading puts the sentence under a condition that the claim does not state."""
    said = {token.key for token in part.tokens}
    if any(token.is_time for token in part.tokens):
        said.add("#time")
    return not sentence.lead <= said


def _statements(sentence: StatedSentence) -> Iterator[Statement]:
    yield from statements_of(sentence.text)
    if sentence.subject:
        yield from statements_of(sentence.text, sentence.subject)


def _myth(part: Part, sentence: StatedSentence) -> Conflict | None:
    """`It is a myth that ...`, and then the claim."""
    match = _IS_MYTH.match(sentence.text)
    if match is None:
        return None
    for statement in statements_of(match["rest"]):
        for reading in part.readings:
            if find_match(reading, statement, tight=True) is not None:
                return Conflict("the sentence denies it", "denial")
    return None
