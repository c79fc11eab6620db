"""What the frames of a sentence do to a claim: they bear it out, or give one other value in its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from judgemesh.validators.claims.language.clauses import (
    clauses_of,
    fronted,
    without_opening,
)
from judgemesh.validators.claims.language.splitting import apart
from judgemesh.validators.claims.language.tokens import Token, tokens_of
from judgemesh.validators.claims.language.vocabulary import POSSESSIVES, PRONOUNS
from judgemesh.validators.claims.language.voices import possessive
from judgemesh.validators.claims.support.conflicts import (
    Conflict,
    conflict_of_tokens,
    may_conflict,
)
from judgemesh.validators.claims.support.frame_forms import forms_of, label_frames
from judgemesh.validators.claims.support.frame_match import is_loose, match_frames
from judgemesh.validators.claims.support.frame_phrases import Tokens
from judgemesh.validators.claims.support.frames import Frame, frames_of, iter_tokens
from judgemesh.validators.claims.support.naming import (
    Names,
    appositions_in,
    kinds_in,
    named,
)

_MAX_FRAMES: Final = 24
_NUMBERED: Final = re.compile(r"[A-Z]{2,8}-?\d[\d.-]{0,8}")


def claim_frames(core: Tokens, front: Tokens) -> tuple[Frame, ...]:
    """What a clause of a claim states, in each way to read it."""
    found = [*label_frames((*core, *front))]
    for frame in frames_of(core, front):
        found += forms_of(frame)
    return tuple(found[:_MAX_FRAMES])


@lru_cache(maxsize=8_192)
def _stated(core: Tokens) -> tuple[Frame, ...]:
    front, rest = fronted(core)
    found: list[Frame] = []
    for clause in dict.fromkeys([rest, *clauses_of(rest)]):
        for frame in frames_of(clause, front):
            found += forms_of(frame)
    return tuple(found[: 4 * _MAX_FRAMES])


def stated_frames(sentence: str, subject: Tokens, names: Names) -> tuple[Frame, ...]:
    """What a sentence of the evidence states; `subject` is whom its first pronoun means."""
    found: list[Frame] = []
    for tokens in apart(_without_number(without_opening(tokens_of(sentence)))):
        first = tokens[0].key if tokens else ""
        shown = tokens
        if first in PRONOUNS or first in POSSESSIVES:
            if not subject:
                continue
            owner = possessive(subject) if first in POSSESSIVES else subject
            shown = (*owner, *tokens[1:])
        found += _stated(named(shown, names))
        for name, kind in (*kinds_in(shown), *appositions_in(shown)):
            for tense in ("", "past"):
                found.append(Frame(name, "be", object=kind, tense=tense))
    return tuple(found)


def _without_number(tokens: Tokens) -> Tokens:
    """`POL-7: Invoices need ...` without the number of the document or clause."""
    if len(tokens) > 3 and tokens[1].key == ":" and _NUMBERED.fullmatch(tokens[0].text):
        return tokens[2:]
    return tokens


def weigh_frames(claimed: Sequence[Frame], stated: Sequence[Frame]) -> Conflict | bool:
    """True where a frame of the sentence is one of the claim, a conflict where only one value differs."""
    conflict: Conflict | None = None
    found = False
    for theirs in stated:
        for ours in claimed:
            if ours.verb != theirs.verb:
                continue
            if match_frames(ours, theirs) is not None:
                if ours.agent or ours.verb != "have":
                    return True
                found = True
            elif conflict is None:
                conflict = _conflict(ours, theirs)
    # What names no owner is right only where there is one value.
    return found if found and conflict is None else (not found and conflict) or False


def _conflict(ours: Frame, theirs: Frame) -> Conflict | None:
    if is_loose(ours) or is_loose(theirs):
        return None
    match = match_frames(ours, theirs, may_conflict)
    if match is None or match.difference is None:
        return None
    is_event = ours.tense == "past" and ours.verb not in ("be", "have")
    if _is_compared(ours, match.difference[0]):
        return None
    return conflict_of_tokens(
        ours.verb, match.difference, dated=_is_dated(ours), is_event=is_event
    )


def _is_compared(frame: Frame, claimed: Token) -> bool:
    """`heavier than 5 kg` and `heavier than 3 kg` may both be right."""
    tokens = list(iter_tokens(frame))
    return any(
        before.key == "than" and token is claimed for before, token in pairwise(tokens)
    )


def _is_dated(frame: Frame) -> bool:
    return any(token.is_time for token in iter_tokens(frame))
