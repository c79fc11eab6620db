"""Phrases of a clause: its object, and the runs that a preposition, a date or a frequency opens; members of lists."""

from __future__ import annotations

from collections.abc import Sequence

from judgemesh.validators.claims.language.frame_words import FREQUENCIES
from judgemesh.validators.claims.language.tokens import Kind, Token
from judgemesh.validators.claims.language.vocabulary import PREPOSITIONS, SUBORDINATORS

Tokens = tuple[Token, ...]


def pieces_of(tokens: Tokens) -> tuple[Tokens, tuple[Tokens, ...]]:
    """The object, which opens with no preposition, and the phrases behind it."""
    pieces = split_phrases(tokens)
    if pieces and not _opens_phrase(pieces[0][0]):
        return pieces[0], pieces[1:]
    return (), pieces


def split_phrases(tokens: Tokens) -> tuple[Tokens, ...]:
    """The phrases of a run of tokens, each with the word that opens it."""
    pieces: list[list[Token]] = []
    for index, token in enumerate(tokens):
        opens = _opens_phrase(token) and not _goes_on(pieces)
        if opens and token.key == "to" and index and _is_range(tokens[index - 1 :]):
            opens = False
        if token.kind is Kind.CLOCK and _is_range(tokens[index:]):
            opens = not _goes_on(pieces)
        if opens or not pieces:
            pieces.append([])
        pieces[-1].append(token)
        if _closes_phrase(pieces[-1]) and token is not tokens[-1]:
            pieces.append([])
    found = [_trimmed(piece) for piece in pieces]
    return tuple(piece for piece in found if piece)


def _is_range(tokens: Sequence[Token]) -> bool:
    """`8:00 to 17:30`."""
    if len(tokens) < 3 or tokens[1].key != "to":
        return False
    return tokens[0].kind is tokens[2].kind is not Kind.WORD


def _opens_phrase(token: Token) -> bool:
    if token.is_time and token.article == "in":
        return True
    if token.kind is not Kind.WORD:
        return False
    if token.key in FREQUENCIES:
        return not token.article
    if token.key in SUBORDINATORS:
        return True
    return token.key in PREPOSITIONS and token.key != "of"


def _goes_on(pieces: Sequence[list[Token]]) -> bool:
    """Whether a phrase has just begun: a condition holds all that follows it."""
    if not pieces or not pieces[-1]:
        return False
    first = pieces[-1][0]
    if first.key in (
        "if",
        "unless",
        "when",
        "because",
        "although",
        "while",
        "provided",
    ):
        return True
    return len(pieces[-1]) == 1 and first.key in PREPOSITIONS


def _closes_phrase(piece: Sequence[Token]) -> bool:
    return (
        len(piece) == 1
        and piece[0].article in ("", "in")
        and (
            piece[0].key in FREQUENCIES - {"every"}
            or (piece[0].is_time and piece[0].article == "in")
        )
    )


def _trimmed(piece: Sequence[Token]) -> Tokens:
    start, end = 0, len(piece)
    while start < end and piece[start].kind is Kind.MARK:
        start += 1
    while end > start and piece[end - 1].kind is Kind.MARK:
        end -= 1
    return tuple(piece[start:end])


def without_marks(tokens: Sequence[Token]) -> Tokens:
    """The tokens without punctuation."""
    return tuple(token for token in tokens if token.kind is not Kind.MARK)


def members_of(tokens: Tokens) -> list[Tokens]:
    """The members of a list: of `a pool, 3 courts and free parking` three; one where it is no list."""
    commas = [place for place, token in enumerate(tokens) if token.kind is Kind.MARK]
    ands = [place for place, token in enumerate(tokens) if token.key == "and"]
    if len(ands) != 1 or (commas and commas[-1] > ands[0]):
        return [tuple(tokens)] if tokens else []
    members: list[list[Token]] = [[]]
    for token in tokens:
        if token.key in (",", "and") and token.kind in (Kind.MARK, Kind.WORD):
            if members[-1]:
                members.append([])
            continue
        members[-1].append(token)
    return [tuple(member) for member in members if member]
