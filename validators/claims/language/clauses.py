"""Take a sentence apart: what opens it, the phrase in front of it, and the clauses that stand on their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.validators.claims.language.frame_words import HELPERS
from judgemesh.validators.claims.language.tokens import Kind, Token, tokens_of
from judgemesh.validators.claims.language.vocabulary import (
    CONNECTIVES,
    DIMENSIONS,
    GENERIC_LABELS,
    GOVERNS_ALL,
    ONCE_ONLY,
    OWN_SOURCES,
    PREPOSITIONS,
    PRONOUNS,
    SCOPING,
    SUBORDINATORS,
    is_verb,
)

Tokens = tuple[Token, ...]

_MAX_FRONT_TOKENS: Final = 14
_OPENINGS: Final = tuple(
    tuple(token.key for token in tokens_of(words))
    for words in sorted(CONNECTIVES, key=len, reverse=True)
)
_SOURCES: Final = frozenset(OWN_SOURCES.split("|"))
_SOURCE_OPENINGS: Final = (
    ("according", "to"),
    ("every",),
    ("as", "state+ed", "in"),
    ("in",),
    ("as", "every"),
)
"""`per` has the key of `every`."""
_SAYS: Final = frozenset(
    {"state+ed", "state", "say", "say+ed", "said", "note", "show", "show+ed", "confirm", "specify", "specifies", "list",
     "explain", "mention", "indicate", "report", "report+ed"}
)  # fmt: skip


def keys_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The keys of tokens."""
    return tuple(token.key for token in tokens)


def without_opening(tokens: Sequence[Token], *, claim: bool = False) -> Tokens:
    """The tokens without what opens a sentence: connectives, a label, and the source a claim names as its own."""
    tokens = _trimmed(tokens)
    for opening in _OPENINGS:
        if keys_of(tokens[: len(opening)]) == opening:
            rest = tokens[len(opening) :]
            if rest and (rest[0].key == "," or opening[-1] == "that"):
                tokens = _trimmed(rest)
                break
    tokens = _without_label(tokens)
    if claim:
        tokens = _without_source(tokens)
    return _trimmed(tokens)


def _trimmed(tokens: Sequence[Token]) -> Tokens:
    start, end = 0, len(tokens)
    while start < end and tokens[start].key in (",", ";", ":", "\u2014"):
        start += 1
    while end > start and tokens[end - 1].key in (",", ";", ":", "\u2014"):
        end -= 1
    return tuple(tokens[start:end])


def _without_label(tokens: Tokens) -> Tokens:
    """`Returns: shoes can be ...` without its label, where the label sets nothing apart."""
    keys = keys_of(tokens[:4])
    if ":" in keys[1:] and GENERIC_LABELS.issuperset(keys[: keys.index(":")]):
        return _trimmed(tokens[keys.index(":") + 1 :])
    return tokens


def _without_source(tokens: Tokens) -> Tokens:
    """`According to the policy, ...`, `The report says that ...` without the source."""
    keys = keys_of(tokens)
    for opening in _SOURCE_OPENINGS:
        size = len(opening)
        named = keys[size : size + 1]
        if (
            keys[:size] == opening
            and _SOURCES.issuperset(named)
            and keys[size + 1 : size + 2] == (",",)
        ):
            return tokens[size + 2 :]
    if len(keys) > 5 and keys[-3:-1] == ("according", "to") and keys[-1] in _SOURCES:
        return tokens[:-3]
    if len(keys) > 4 and keys[0] in _SOURCES and keys[1] in _SAYS and keys[2] == "that":
        return tokens[3:]
    return tokens


def fronted(tokens: Tokens) -> tuple[Tokens, Tokens]:
    """The phrase in front of a sentence (`In May, ...`, `If it rains, ...`, `2019 ...`), and the sentence behind it."""
    if not tokens:
        return (), tokens
    keys = keys_of(tokens)
    if "," in keys[:_MAX_FRONT_TOKENS]:
        comma = keys.index(",")
        opens = keys[0] in PREPOSITIONS or keys[0] in SUBORDINATORS
        opens = opens or tokens[0].is_time or tokens[0].article == "in"
        opens = opens or (tokens[0].kind is Kind.CLOCK and keys[1] == "to")
        if 0 < comma < len(tokens) - 2 and opens:
            return tokens[:comma], tokens[comma + 1 :]
    if len(tokens) > 2 and tokens[0].article == "in":
        return tokens[:1], tokens[1:]
    if len(tokens) > 3 and keys[0] in PREPOSITIONS and tokens[1].is_time:
        named = tokens[2].article or tokens[2].is_capital
        return (tokens[:2], tokens[2:]) if named else ((), tokens)
    return (), tokens


def main_verb(tokens: Sequence[Token]) -> int:
    """The place of the first finite verb behind a subject; 0 where none is found."""
    for index, token in enumerate(tokens):
        if index == 0 or token.kind is not Kind.WORD:
            continue
        is_finite = is_verb(token.key) and not token.article
        if (
            is_finite
            and not _is_capital_name(token)
            and not _is_noun_before_verb(tokens, index)
        ):
            return index
    return 0


def _is_noun_before_verb(tokens: Sequence[Token], index: int) -> bool:
    """`Wire transfers cost ...`: what could be a verb, right before one that is."""
    if index + 2 >= len(tokens) or tokens[index].key in HELPERS:
        return False
    token, following = tokens[index], tokens[index + 1]
    plain = not token.key.endswith("+ed") and following.key not in HELPERS
    is_next = following.kind is Kind.WORD and is_verb(following.key)
    return plain and is_next and not following.article and not following.is_capital


def _is_capital_name(token: Token) -> bool:
    return token.is_capital and not token.text.isupper()


def clauses_of(tokens: Tokens, *, claim: bool = False) -> list[Tokens]:
    """The coordinated clauses of a sentence, each with its subject; none where they may hang on each other.

    Of a `claim` all clauses: each of them has to be borne out.
    """
    keys = keys_of(tokens)
    verb = main_verb(tokens)
    if verb == 0:
        return []
    governed = not GOVERNS_ALL.isdisjoint(keys)
    subject = tokens[:verb]
    clauses: list[Tokens] = []
    start = 0
    for index in range(verb + 1, len(tokens)):
        if index < start:
            continue
        end = _boundary(tokens, index, only_semicolons=governed)
        if end:
            clauses.append(tokens[start:index])
            start = end
    if not clauses and not governed:
        return _gapped(tokens)
    if not clauses:
        return []
    clauses.append(tokens[start:])
    clauses = [
        _with_subject(clause, subject) if number else clause
        for number, clause in enumerate(clauses)
    ]
    clauses = [_trimmed(clause) for clause in clauses]
    if claim:
        return clauses
    return [clause for clause in clauses if not _may_lean(clause, clauses)]


def _boundary(tokens: Tokens, index: int, *, only_semicolons: bool) -> int:
    """Where the clause behind a boundary at `index` begins; 0 where there is none."""
    key = tokens[index].key
    if key == ";":
        return index + 1
    if only_semicolons:
        return 0
    after = index + 1
    if (
        key in (",", "\u2014")
        and after < len(tokens)
        and tokens[after].key in ("and", "but")
    ):
        after += 1
    elif key == "," and _starts_with_pronoun(tokens[after:]):
        return after
    elif key not in ("and", "but"):
        return 0
    if _is_clause(tokens[after:]):
        return after
    opens = key == "," and after == index + 2 and 0 < main_verb(tokens[after:]) <= 4
    return after if opens else 0


def _gapped(tokens: Tokens) -> list[Tokens]:
    """`It costs 9 euros, and 5 euros for students`: two clauses, of which the second one leaves out the verb."""
    for index in range(2, len(tokens) - 2):
        second = tokens[index + 1].quantity
        third = tokens[index + 2].key
        follows = third == "for" or third in DIMENSIONS
        if tokens[index].key != "and" or second is None or not follows:
            continue
        for place in range(index - 1, 0, -1):
            first = tokens[place].quantity
            if first is not None and first.unit == second.unit:
                return [
                    _trimmed(tokens[:index]),
                    (*tokens[:place], *tokens[index + 1 :]),
                ]
    return []


def _starts_with_pronoun(tokens: Tokens) -> bool:
    return len(tokens) > 2 and tokens[0].key in PRONOUNS and is_verb(tokens[1].key)


def _is_clause(tokens: Tokens) -> bool:
    """Whether what follows `and` has a verb of its own: at once, or behind a subject with an article or a name."""
    if len(tokens) < 2:
        return False
    first = tokens[0]
    if first.kind is Kind.WORD and is_verb(first.key) and not first.article:
        return True
    verb = main_verb(tokens[:8])
    if verb == 0:
        return False
    named = bool(first.article) or first.is_capital or first.key in PRONOUNS
    return named or verb == 1


def _with_subject(clause: Tokens, subject: Tokens) -> Tokens:
    if not clause:
        return clause
    first = clause[0]
    if first.key in PRONOUNS:
        return (*subject, *clause[1:])
    if first.kind is Kind.WORD and is_verb(first.key) and not first.article:
        return (*subject, *clause)
    return clause


def _may_lean(clause: Tokens, clauses: Sequence[Tokens]) -> bool:
    """Whether a phrase of another clause (`in 2019`, `for members`) may be meant for this one as well."""
    own = _scopes(clause)
    once = not ONCE_ONLY.isdisjoint(keys_of(clause))
    for other in clauses:
        foreign = _scopes(other) - own
        once_there = not ONCE_ONLY.isdisjoint(keys_of(other))
        if once or once_there or _tense(clause) != _tense(other):
            foreign.discard("time")
        if foreign:
            return True
    return False


def _scopes(clause: Tokens) -> set[str]:
    scopes: set[str] = set()
    for token in clause:
        if token.is_time:
            scopes.add("time")
    keys = keys_of(clause)
    for index, key in enumerate(keys[:-1]):
        following = clause[index + 1]
        complement = index > 0 and is_verb(keys[index - 1])
        if key in SCOPING and not following.is_time and not complement:
            scopes.add(key)
    return scopes


def _tense(clause: Tokens) -> str:
    verb = main_verb(clause)
    key = clause[verb].key if clause else ""
    return "past" if key.endswith("+ed") or key in ("was", "had", "did") else "present"
