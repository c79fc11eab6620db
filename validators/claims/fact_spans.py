"""The part of a clause that states one fact, where it states several: `the year is 1987 and admission is 12 EUR`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.sections.evidence import Fact
from judgemesh.validators.claims.language.tokens import (
    Kind,
    Token,
    same_token,
    tokens_of,
)

Tokens = tuple[Token, ...]

_JOINS: Final = frozenset({"and", "but", "while", "its", "their", "with", ",", ";"})


def own_span(clause: Tokens, fact: Fact, others: Sequence[Fact]) -> Tokens | None:
    """The subject and what is said from the property to the next one; None where the clause cannot be parted so."""
    names = [tokens_of(name) for name in (fact.subject, *fact.aliases)]
    subject = next((one for one in names if place_of(clause, one) is not None), None)
    start = place_of(clause, tokens_of(fact.property))
    if subject is None or start is None:
        return None
    places = {start}
    for other in others:
        place = place_of(clause, tokens_of(other.property))
        if other.subject == fact.subject and place is not None:
            places.add(place)
    ordered = sorted(places)
    spans = [
        clause[begin:end]
        for begin, end in zip(ordered, [*ordered[1:], len(clause)], strict=True)
    ]
    if (
        len(spans) < 2
        or _has_value(clause[: ordered[0]])
        or not all(map(_has_value, spans))
    ):
        return None
    own = spans[ordered.index(start)]
    while own and own[-1].key in _JOINS:
        own = own[:-1]
    return own if place_of(own, subject) is not None else (*subject, *own)


def _has_value(tokens: Sequence[Token]) -> bool:
    return any(token.kind not in (Kind.WORD, Kind.MARK) for token in tokens)


def place_of(tokens: Sequence[Token], name: Sequence[Token]) -> int | None:
    """Where a name begins among the tokens."""
    if not name:
        return None
    for start in range(len(tokens) - len(name) + 1):
        pairs = zip(name, tokens[start : start + len(name)], strict=True)
        if all(_same_name(one, other) for one, other in pairs):
            return start
    return None


def _same_name(name: Token, token: Token) -> bool:
    return same_token(name, token) or (name.key != "" and f"{name.key}'s" == token.key)
