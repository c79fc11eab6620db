"""What a sentence says in passing, as sentences of their own: of `The dam, finished in 1967, ...` that it was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.validators.claims.language.clauses import fronted, main_verb
from judgemesh.validators.claims.language.tokens import Kind, Token
from judgemesh.validators.claims.language.vocabulary import (
    CHANGES_MEANING,
    MADE_ONCE,
    ONCE_ONLY,
    POSSESSIVES,
    PRONOUNS,
    is_verb,
)

Tokens = tuple[Token, ...]
_WAS: Final = Token(Kind.WORD, "was", "was")
_BE: Final = Token(Kind.WORD, "be", "is")
_COMMA: Final = Token(Kind.MARK, ",", ",")
_MAX_ASIDE: Final = 14
_MAX_SUBJECT: Final = 6
_MIN_HEAD: Final = 3
_MIN_TAIL: Final = 2
_EVENTS: Final = (
    ONCE_ONLY | MADE_ONCE | {"finish+ed", "release+ed", "locate+ed", "name+ed"}
)
"""What happened to a thing: said in passing it restricts nothing, as `reserved for members` does."""


def apart(tokens: Tokens) -> Iterator[Tokens]:
    """The sentence, and where it says something in passing, the sentence without that and what it says."""
    yield tokens
    for rule in (_fronted, _inserted, _contrasted, _trailing):
        found = rule(tokens)
        if found is not None:
            yield from found
            return


def _contrasted(tokens: Tokens) -> list[Tokens] | None:
    """`In May, A fell by 3, while B rose by 5`: two sentences, both in May."""
    for place in _commas(tokens):
        behind = tokens[place + 1 : place + 2]
        rest = tokens[place + 2 :]
        if not behind or behind[0].key not in ("while", "whereas"):
            continue
        verb = main_verb(rest)
        figures = all(
            any(token.kind is Kind.NUMBER for token in part)
            for part in (tokens[:place], rest)
        )
        if 0 < verb <= _MAX_SUBJECT and place >= _MIN_HEAD and figures:
            front, _ = fronted(tokens[:place])
            head = (*front, _COMMA) if front else ()
            return [tokens[:place], (*head, *rest)]
    return None


def _trailing(tokens: Tokens) -> list[Tokens] | None:
    """`..., most of them part-time`, `..., a record of the town`, without that; `a room, which is cold`."""
    commas = _commas(tokens)
    if not commas or commas[-1] < _MIN_HEAD:
        return None
    start, tail = tokens[: commas[-1]], tokens[commas[-1] + 1 :]
    keys = [token.key for token in tail]
    if len(tail) < _MIN_TAIL or "and" in keys or len(tail) > _MAX_ASIDE:
        return None
    if keys[1:3] in (["of", "them"], ["of", "which"], ["of", "whom"]):
        return [start]
    if any(token.key in CHANGES_MEANING for token in tail):
        return None
    return _described(start, tail, is_only=len(commas) == 1)


def _described(start: Tokens, tail: Tokens, *, is_only: bool) -> list[Tokens] | None:
    """What is said at the end of a sentence about something in it."""
    first, verb = tail[0], main_verb(start)
    if _is_participle(first) and 0 < verb <= _MAX_SUBJECT and _is_subject(start[:verb]):
        return [start, (*start[:verb], _WAS, *tail)]
    if first.article in ("a", "an") and is_only and "for" not in [t.key for t in tail]:
        return [start]
    noun = max((i for i, token in enumerate(start) if token.article), default=0)
    if first.key == "which" and noun > verb > 0:
        return [start, (*start[noun:], *tail[1:])]
    return None


def _commas(tokens: Tokens) -> list[int]:
    return [
        i
        for i, token in enumerate(tokens)
        if token.key == "," and token.kind is Kind.MARK
    ]


def _fronted(tokens: Tokens) -> list[Tokens] | None:
    """`Founded in 1932, it teaches ...`: it teaches, it was founded in 1932."""
    commas = _commas(tokens)
    if not commas or not 1 < commas[0] <= _MAX_ASIDE or not _is_participle(tokens[0]):
        return None
    rest = tokens[commas[0] + 1 :]
    verb = main_verb(rest)
    if not 0 < verb <= _MAX_SUBJECT or not _is_subject(rest[:verb]):
        return None
    return [rest, (*rest[:verb], _WAS, *tokens[: commas[0]])]


def _inserted(tokens: Tokens) -> list[Tokens] | None:
    """`The dam, finished in 1967, holds ...`: it holds, it was finished in 1967; `..., which is kept at 4 °C`."""
    commas = _commas(tokens)
    if len(commas) < 2 or not 0 < commas[0] <= _MAX_SUBJECT:
        return None
    start, end = commas[0], commas[1]
    inside, rest = tokens[start + 1 : end], tokens[end + 1 :]
    subject = tokens[:start]
    fits = bool(rest) and len(inside) <= _MAX_ASIDE and _is_subject(subject)
    if not fits or not is_verb(rest[0].key) or rest[0].article:
        return None
    if len(inside) == 1 and inside[0].is_time:
        return [(*subject, *rest), (*subject, rest[0], *inside)]
    aside = _aside(inside)
    if aside is None:
        return None
    return [(*subject, *rest), (*subject, *aside)]


def _aside(inside: Tokens) -> Tokens | None:
    if any(token.key in CHANGES_MEANING for token in inside):
        return None
    first, *rest = inside or (_COMMA,)
    if first.key in ("which", "who") and len(rest) > 1:
        return tuple(rest)
    if _is_participle(first):
        return (_WAS, *inside)
    if first.article in ("a", "an") and all(t.kind is Kind.WORD for t in inside):
        return (_BE, *inside)
    return None


def _is_participle(token: Token) -> bool:
    return token.kind is Kind.WORD and token.key in _EVENTS and not token.article


def _is_subject(tokens: Tokens) -> bool:
    first, *rest = tokens
    if first.key in PRONOUNS:
        return not rest
    opens = first.article == "the" or first.is_capital or first.key in POSSESSIVES
    return opens and all(
        token.kind is Kind.WORD and token.key not in CHANGES_MEANING for token in tokens
    )
