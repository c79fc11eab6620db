"""Which runs of a statement can be left out without making another statement of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from judgemesh.validators.claims.language.quantities import agree
from judgemesh.validators.claims.language.tokens import Kind, Token
from judgemesh.validators.claims.language.vocabulary import (
    CHANGES_MEANING,
    MADE_ONCE,
    NEGATIONS,
    ONCE_ONLY,
    PREPOSITIONS,
    REASONS,
    RELATIVES,
    SPARE_ADJECTIVES,
    SPARE_GERUNDS,
    SPARE_IN_EVIDENCE,
    SPARE_PARTICIPLES,
    TITLES,
    WEEKDAYS,
    is_verb,
)

Tokens = Sequence[Token]
Run = tuple[int, int]

_MAX_ASIDE_TOKENS: Final = 14
_MAX_PLACE_TOKENS: Final = 4


def spare_runs(tokens: Tokens) -> dict[int, tuple[int, ...]]:
    """The spare runs: by the place where they begin, the places where they end."""
    found: dict[int, set[int]] = {}
    for rule in _RULES:
        for start, end in rule(tokens):
            found.setdefault(start, set()).add(end)
    return {start: tuple(sorted(ends)) for start, ends in found.items()}


def _is_harmless(tokens: Tokens) -> bool:
    return all(
        token.key not in CHANGES_MEANING or token.kind is not Kind.WORD
        for token in tokens
    )


def _has_numbers(tokens: Tokens) -> bool:
    return any(token.quantity is not None and not token.is_time for token in tokens)


def _is_negative(tokens: Tokens) -> bool:
    return any(token.key in NEGATIONS for token in tokens)


def _single_words(tokens: Tokens) -> Iterator[Run]:
    """Commas, titles, adverbs such as `officially`, weekdays beside a date, adjectives behind `a`."""
    is_adjective = False
    for index, token in enumerate(tokens):
        adjective = (
            token.key in SPARE_ADJECTIVES or token.text.lower() in SPARE_ADJECTIVES
        )
        is_adjective = adjective and (token.article in ("a", "an") or is_adjective)
        near = (*tokens[max(0, index - 2) : index], *tokens[index + 1 : index + 3])
        weekday = token.key in WEEKDAYS and any(
            other.kind is Kind.DAY for other in near
        )
        spare = token.key in SPARE_IN_EVIDENCE or token.key in TITLES
        if token.kind is Kind.MARK:
            spare = token.key in (",", "(", ")", "\u2014")
        if spare or weekday or is_adjective:
            yield index, index + 1


def _asides(tokens: Tokens) -> Iterator[Run]:
    """What stands in brackets, or between two commas or dashes behind a word."""
    for start, token in enumerate(tokens):
        closing = {"(": ")", ",": ",", "\u2014": "\u2014"}.get(token.key)
        if token.kind is not Kind.MARK or closing is None or start == 0:
            continue
        for end in range(start + 2, min(len(tokens), start + _MAX_ASIDE_TOKENS)):
            if tokens[end].kind is Kind.MARK and tokens[end].key == closing:
                if _is_aside(tokens[start - 1], tokens[start + 1 : end], token.key):
                    yield start, end + 1
                break


def _is_aside(before: Token, inside: Tokens, mark: str) -> bool:
    if mark == "(" or not _is_harmless(inside):
        return _is_harmless(inside) and _is_gloss(before, inside)
    if mark != "," or _has_numbers(inside):
        return not _has_numbers(inside) and inside[0].key not in PREPOSITIONS
    first = inside[0]
    if first.key in RELATIVES or first.key in SPARE_PARTICIPLES or _participle(first):
        return True
    if before.kind is not Kind.WORD or first.key in ("and", "or", "but"):
        return False
    nested = any(token.key in ("and", "or") for token in inside[:-1])
    noun = bool(first.article) or first.key.endswith("'s") or before.is_capital
    is_plain = first.key not in PREPOSITIONS and not is_verb(first.key)
    return noun and is_plain and not (nested and not first.article)


def _is_gloss(before: Token, inside: Tokens) -> bool:
    """Whether brackets hold another unit for a number (`504 m (1,654 ft)`), a date, or an abbreviation."""
    if before.kind is Kind.NUMBER and inside[0].kind is Kind.NUMBER:
        return len(inside) == 1
    return all(
        token.kind is Kind.DAY or token.is_time or token.text.isupper()
        for token in inside
    )


def _participle(token: Token) -> bool:
    text = token.key.removesuffix("+ed")
    return token.key.endswith("+ed") and (
        text in SPARE_PARTICIPLES or f"{text}ed" in SPARE_PARTICIPLES
    )


def _endings(tokens: Tokens) -> Iterator[Run]:
    """The reason or the relative clause at the end of a statement that negates nothing."""
    if _is_negative(tokens):
        return
    for index in range(3, len(tokens) - 1):
        token, following = tokens[index], tokens[index + 1]
        opens = token.key in REASONS
        if token.key == ",":
            gerund = following.text in SPARE_GERUNDS
            opens = following.key in RELATIVES or following.key in REASONS or gerund
            opens = opens or following.key == "so"
        if opens and _is_harmless(tokens[index + 1 :]):
            yield index, len(tokens)


def _agents(tokens: Tokens) -> Iterator[Run]:
    """The agent of a passive in the past: `by the mayor`."""
    keys = {token.key for token in tokens}
    if "was" not in keys or MADE_ONCE.isdisjoint(keys):
        return
    for index in range(2, len(tokens) - 1):
        if tokens[index].key != "by" or tokens[index + 1].kind is not Kind.WORD:
            continue
        first = tokens[index + 1]
        if not first.article and not first.is_capital:
            continue
        end = _end_of_phrase(tokens, index + 1)
        if _is_harmless(tokens[index + 1 : end]):
            yield index, end


def _places(tokens: Tokens) -> Iterator[Run]:
    """Where something happened that happens once, when its date says which it was."""
    keys = {token.key for token in tokens}
    if ONCE_ONLY.isdisjoint(keys) or not any(token.is_time for token in tokens):
        return
    if "was" not in keys:
        return
    for index in range(2, len(tokens) - 1):
        first = tokens[index + 1]
        if tokens[index].key not in ("in", "at") or first.kind is not Kind.WORD:
            continue
        end = _end_of_phrase(tokens, index + 1)
        named = first.is_capital or first.article == "the"
        if (
            named
            and end - index <= _MAX_PLACE_TOKENS + 1
            and _is_harmless(tokens[index + 1 : end])
        ):
            yield index, end


def _end_of_phrase(tokens: Tokens, start: int) -> int:
    for index in range(start, len(tokens)):
        token = tokens[index]
        if token.kind is not Kind.WORD:
            return index
        if token.key in PREPOSITIONS and token.key != "of":
            return index
        if token.key in ("and", "or", "but"):
            return index
    return len(tokens)


def _list_members(tokens: Tokens) -> Iterator[Run]:
    """Members of a list behind a verb: of `makes pumps, valves and taps`, each may stand alone."""
    verb = next((i for i, token in enumerate(tokens) if i and is_verb(token.key)), 0)
    if not verb or _is_negative(tokens):
        return
    if (
        len(tokens) > verb + 3
        and tokens[-2].key == "and"
        and tokens[-1].article in ("a", "an")
    ):
        # `has four floors and a garden`
        yield len(tokens) - 2, len(tokens)
    if _has_numbers(tokens[verb:]):
        return
    for index in range(verb + 2, len(tokens) - 1):
        if tokens[index].key != "and" or tokens[index].kind is not Kind.WORD:
            continue
        if not (_is_member(tokens[index - 1]) and _is_member(tokens[index + 1])):
            continue
        start = index - 1
        yield index, index + 2
        yield start, index + 1
        while (
            start - 2 > verb
            and tokens[start - 1].key == ","
            and _is_member(tokens[start - 2])
        ):
            yield start - 2, start
            yield start - 1, start + 1
            start -= 2


def _is_member(token: Token) -> bool:
    return (
        token.kind is Kind.WORD
        and token.key not in CHANGES_MEANING
        and token.key not in PREPOSITIONS
        and not is_verb(token.key)
    )


def _conversions(tokens: Tokens) -> Iterator[Run]:
    """A rounder number beside the exact one: `about 0.5 km, exactly 504 m`."""
    for index in range(len(tokens) - 2):
        near = tokens[index + 1 : index + 4]
        second = next(
            (
                place
                for place, token in enumerate(near, start=index + 1)
                if token.kind is Kind.NUMBER
            ),
            0,
        )
        left = tokens[index].quantity
        right = tokens[second].quantity if second else None
        if left is None or right is None or tokens[index + 1].key != ",":
            continue
        if left.unit == right.unit != "" and agree(left, right):
            yield index, index + 1
            yield second, second + 1


def _first_names(tokens: Tokens) -> Iterator[Run]:
    """The first name behind a title: `Dr Anna Meyer`."""
    for index in range(len(tokens) - 2):
        title, first, last = tokens[index : index + 3]
        if title.key in TITLES and first.is_capital and last.is_capital:
            yield index + 1, index + 2


_RULES: Final[tuple[Callable[[Tokens], Iterator[Run]], ...]] = (
    _single_words,
    _asides,
    _endings,
    _agents,
    _places,
    _list_members,
    _conversions,
    _first_names,
)
