"""The parts of a claim that the evidence has to bear out, each with the ways to say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from judgemesh.validators.claims.language.clauses import (
    clauses_of,
    fronted,
    without_opening,
)
from judgemesh.validators.claims.language.sentences import split
from judgemesh.validators.claims.language.splitting import apart
from judgemesh.validators.claims.language.tokens import Kind, Token, tokens_of
from judgemesh.validators.claims.language.vocabulary import (
    NEGATIONS,
    POSSESSIVES,
    PREPOSITIONS,
    PRONOUNS,
    SPARE_IN_CLAIM,
    TITLES,
    is_verb,
)
from judgemesh.validators.claims.language.voices import possessive, readings_of
from judgemesh.validators.claims.support.setting import subject_of
from judgemesh.validators.claims.support.statements import MAX_TOKENS

Tokens = tuple[Token, ...]

_MIN_WORDS: Final = 2
_Piece = tuple[Tokens, Tokens]
_MAX_SENTENCES: Final = 8
_POINTING: Final = frozenset({"this", "that", "these", "those"})


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a claim: its tokens, the ways to say it, and the words without which no sentence says it."""

    tokens: Tokens
    readings: tuple[Tokens, ...]
    needed: frozenset[str]
    negations: frozenset[str]
    core: Tokens = ()
    front: Tokens = ()


def ways_of(claim: str, context: str = "") -> list[list[Part]] | None:
    """The ways to take a claim apart; all parts of one have to hold. None where it points at something said before."""
    subject = _last_subject(context)
    per_sentence: list[list[list[_Piece]]] = []
    sentences = [sentence for _, sentence in split(claim)]
    if len(sentences) > _MAX_SENTENCES:
        return []
    for sentence in sentences:
        tokens = _resolved(without_opening(tokens_of(sentence), claim=True), subject)
        if tokens is None:
            return None
        if not tokens:
            continue
        per_sentence.append(_sentence_ways(tokens))
        subject = subject_of(tokens) or subject
    ways: list[list[Part]] = []
    for choice in _choices(per_sentence):
        parts = [_part(*piece) for way in choice for piece in way]
        if parts and all(len(part.tokens) >= _MIN_WORDS for part in parts):
            ways.append(parts)
    return ways


def _choices(
    per_sentence: Sequence[list[list[_Piece]]],
) -> list[tuple[list[_Piece], ...]]:
    if len(per_sentence) <= 3:
        return list(product(*per_sentence))
    whole = tuple(ways[0] for ways in per_sentence if ways)
    apart = tuple(ways[-1] for ways in per_sentence if ways)
    return [whole, apart]


def _last_subject(context: str) -> Tokens:
    subject: Tokens = ()
    for _, sentence in split(context):
        subject = subject_of(tokens_of(sentence)) or subject
    return subject


def _resolved(tokens: Tokens, subject: Tokens) -> Tokens | None:
    """The tokens with what their first word refers to; None where that is not known."""
    if not tokens:
        return tokens
    first = tokens[0]
    if _is_expletive(tokens):
        return tokens
    if first.key in PRONOUNS and first.kind is Kind.WORD:
        return (*subject, *tokens[1:]) if subject else None
    if first.key in POSSESSIVES:
        return (*possessive(subject), *tokens[1:]) if subject else None
    if first.key in _POINTING and (len(tokens) < 2 or is_verb(tokens[1].key)):
        return None
    return tokens


def _is_expletive(tokens: Tokens) -> bool:
    """`It is known that ...`: the `it` means nothing."""
    keys = [token.key for token in tokens[:5]]
    return keys[:1] == ["it"] and keys[1:2] in (["be"], ["was"]) and "that" in keys


def _sentence_ways(tokens: Tokens) -> list[list[_Piece]]:
    if not 0 < len(tokens) <= MAX_TOKENS:
        return []
    ways: list[list[_Piece]] = []
    whole, *passing = apart(tokens)
    front, core = fronted(whole)
    ways.append([(core, front)])
    parts = [(clause, front) for clause in clauses_of(core, claim=True)]
    if len(parts) > 1:
        ways.append(parts)
    if passing:
        ways.append([(fronted(one)[1], fronted(one)[0]) for one in passing])
    return ways


def _bare(tokens: Sequence[Token]) -> Tokens:
    """The tokens without punctuation and idle words; long quotations keep their marks."""
    return tuple(filter(_counts, tokens))


def _counts(token: Token) -> bool:
    if token.kind is Kind.MARK:
        return token.key == '"'
    return token.key not in SPARE_IN_CLAIM and token.key not in TITLES


def _part(core: Tokens, front: Tokens) -> Part:
    tokens = _bare((*core, *front))
    readings = tuple(readings_of(tokens))
    needed: set[str] = set()
    for token in tokens:
        if token.kind is Kind.WORD and _is_lasting(token):
            needed.add(token.key)
    negations = frozenset(needed & NEGATIONS)
    return Part(tokens, readings, frozenset(needed), negations, core, front)


def _is_lasting(token: Token) -> bool:
    """Whether the word stays the same in every voice: no verb, no preposition."""
    key = token.key
    if key in PREPOSITIONS or key.endswith(("'s", "+ed")) or key in PRONOUNS:
        return False
    return key not in _PASSING


_PASSING: Final = frozenset({"be", "was", "do", "did"})
