"""A sentence of the evidence as statements: its tokens, and which runs of them it can spare.

A statement without one of its spare runs says less, and nothing else: an aside between commas, the reason given at the
end, the agent of a passive, an adjective behind `a`. Whatever may restrict, weaken or date a statement (a condition, a
place, a group of people, a negation, a speaker) is never spare.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from judgemesh.validators.claims.language.clauses import (
    clauses_of,
    fronted,
    without_opening,
)
from judgemesh.validators.claims.language.tokens import Token, tokens_of
from judgemesh.validators.claims.language.vocabulary import POSSESSIVES, PRONOUNS
from judgemesh.validators.claims.language.voices import possessive, readings_of
from judgemesh.validators.claims.support.spare import spare_runs

MAX_TOKENS: Final = 400
"""A longer sentence says more than a rule can hold together."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a sentence states: its tokens, and by the place where a spare run begins the places where it ends."""

    tokens: tuple[Token, ...]
    spare: dict[int, tuple[int, ...]]


@lru_cache(maxsize=16_384)
def statements_of(
    sentence: str, subject: tuple[Token, ...] = ()
) -> tuple[Statement, ...]:
    """What a sentence of the evidence states: as a whole, and each of its clauses that stand on their own.

    With a `subject`, only what it states where its first pronoun means that.
    """
    tokens = without_opening(tokens_of(sentence))
    if subject:
        first = tokens[0].key if tokens else ""
        if first not in PRONOUNS and first not in POSSESSIVES:
            return ()
        owner = possessive(subject) if first in POSSESSIVES else subject
        tokens = (*owner, *tokens[1:])
    return tuple(_statements(tokens))


def _statements(tokens: tuple[Token, ...]) -> Iterator[Statement]:
    if not 0 < len(tokens) <= MAX_TOKENS:
        return
    front, core = fronted(tokens)
    clauses = clauses_of(core)
    for clause in dict.fromkeys([tuple(core), *clauses]):
        for reading in readings_of(clause):
            spare = spare_runs(reading)
            yield Statement((*reading, *front), spare)
