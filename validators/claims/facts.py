"""Compare a claim with a known fact: the value of a property of a subject.

A clause that names subject and property states the fact when it gives one value that could be meant, and nothing in it
weakens, negates, dates or divides what it says. It is wrong only where, beside subject, property and value, it says
nothing at all: `The total was reduced by 10 EUR` states no total.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import Enum
from typing import Final

from judgemesh.contracts.sections.evidence import Fact
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import is_number
from judgemesh.validators.claims.beside_values import (
    as_count,
    is_aside,
    without_clocks,
)
from judgemesh.validators.claims.fact_spans import own_span, place_of
from judgemesh.validators.claims.language.clauses import clauses_of, without_opening
from judgemesh.validators.claims.language.quantities import (
    Quantity,
    agree,
    comparable,
    figures,
)
from judgemesh.validators.claims.language.sentences import sentence_of, split, stems_of
from judgemesh.validators.claims.language.tokens import (
    Kind,
    Token,
    same_time,
    tokens_of,
)
from judgemesh.validators.claims.language.vocabulary import CHANGES_MEANING, is_verb
from judgemesh.validators.claims.support.reading import ReadClaim

Tokens = tuple[Token, ...]


class FactStatement(Enum):
    """What a claim says about a fact. `RIGHT_AND_MORE`: it is right about it, and says other things too."""

    NOTHING = "nothing"
    RIGHT = "right"
    RIGHT_AND_MORE = "right and more"
    WRONG = "wrong"
    UNCLEAR = "unclear"


_WEAKENS: Final = CHANGES_MEANING - frozenset(
    {"each", "all", "every", "per", "both", "maximum", "minimum", "limited", "must", "will", "can", "plan+ed"}
) | frozenset(
    {"including", "excluding", "plus", "minus", "first", "last", "next", "average", "old", "another", "other", "part",
     "half", "double", "twice", "change+ed", "increase+ed", "decrease+ed", "reduce+ed", "used", "unclear", "unknown",
     "yet", "or", "wrongly", "error", "estimate", "estimated", "different", "from"}
)  # fmt: skip
_IDLE: Final = frozenset(
    {"be", "was", "have", "had", "of", "for", "in", "at", "by", "on", "to", "with", "there", "currently", "now",
     "amount", "come", "come+ed", "total", "value", "equal", "sum", "your", "our", "its", "their", "as", "stand",
     "set", "record+ed", "list+ed", "show+ed", "shown", "exactly", "and", "also", "that", "it", "contain", "include",
     "number", "count", "date", "year", "place", "take", "took", "do", "did", "so", "just", "given"}
)  # fmt: skip
"""Words that say nothing beside a subject, a property and a value."""
_PLAIN: Final = frozenset(
    {
        "grand",
        "overall",
        "final",
        "full",
        "exact",
        "current",
        "correct",
        "right",
        "actual",
        "whole",
        "entire",
        "official",
    }
)


def compare_with_fact(
    claim: ReadClaim, fact: Fact, others: Sequence[Fact] = ()
) -> tuple[FactStatement, str]:
    """Whether the claim states the fact's value, another one, or nothing about it; and why.

    `others` are facts that the claim may state too: what it says about each is read by itself.
    """
    clauses = list(_clauses(claim.text))
    found: list[tuple[FactStatement, str]] = []
    for clause in clauses:
        if _names_both(clause, fact):
            own = own_span(clause, fact, others) or clause
            found.append(_compare_clause(own, fact))
    if not found:
        whole = tokens_of(claim.text)
        if not _names_both(whole, fact):
            return FactStatement.NOTHING, ""
        return FactStatement.UNCLEAR, "subject and property stand in different parts"
    for statement in (FactStatement.WRONG, FactStatement.UNCLEAR):
        for finding in found:
            if finding[0] is statement:
                return finding
    if len(clauses) > len(found):
        return FactStatement.RIGHT_AND_MORE, found[0][1]
    return found[0]


def _clauses(text: str) -> Iterator[Tokens]:
    for _, sentence in split(text):
        tokens = without_opening(tokens_of(sentence), claim=True)
        yield from clauses_of(tokens, claim=True) or [tokens]


def _names_both(tokens: Sequence[Token], fact: Fact) -> bool:
    names = (fact.subject, *fact.aliases)
    return any(_names(tokens, name) for name in names) and _names(tokens, fact.property)


def _names(tokens: Sequence[Token], name: str) -> bool:
    """Whether the tokens contain a name: in its words, or by the stems of them."""
    if place_of(tokens, tokens_of(name)) is not None:
        return True
    words = sentence_of(plain(name)).words
    if not words or len(words) != len(name.split()):
        # All words of the name have to count: of `your order`, only `order` would be left.
        return False
    text = " ".join(token.text for token in tokens)
    return sentence_of(text).stems.issuperset(stems_of(words))


def _compare_clause(clause: Tokens, fact: Fact) -> tuple[FactStatement, str]:
    """What a clause that names subject and property says about the value."""
    if _is_of_another(clause, fact) or _is_of_another_kind(clause, fact):
        why = f"is about another {fact.property}, or something of {fact.subject}"
        return FactStatement.UNCLEAR, why
    rest = _without_names(clause, fact)
    value = tokens_of(written(fact))
    if len(value) == 1 and value[0].kind is not Kind.WORD:
        known = value[0]
        if known.kind is Kind.DAY:
            rest = without_clocks(rest)
        elif known.is_time and not any(token.is_time for token in rest):
            known = as_count(known)
        return _compare_value(rest, known, fact)
    if is_number(fact.value) and not figures(str(fact.value)).numbers:
        return FactStatement.UNCLEAR, "the fact's value cannot be read as a number"
    return _compare_words(rest, value, fact)


def _compare_words(
    rest: Tokens, value: Tokens, fact: Fact
) -> tuple[FactStatement, str]:
    """Words against the known ones."""
    place = place_of(rest, value)
    if place is None:
        return FactStatement.UNCLEAR, f"does not say {fact.value!s}"
    before, after = rest[:place], rest[place + len(value) :]
    if _is_denied(before, after):
        return FactStatement.WRONG, f"says it is not {fact.value!s}"
    if _is_weakened((*before, *after)):
        return FactStatement.UNCLEAR, "the statement negates or weakens something"
    return FactStatement.RIGHT, f"says {fact.value!s}"


def _is_of_another(clause: Tokens, fact: Fact) -> bool:
    """Whether the clause is about something that belongs to the subject: `the university of Bern`, `Bern's station`."""
    own = set(stems_of(sentence_of(fact.property).words))
    words = _unmarked(clause)
    for name in (fact.subject, *fact.aliases):
        named = _unmarked(tokens_of(name))
        size = len(named)
        place = place_of(words, named)
        if place is None or not size:
            continue
        if words[place + size - 1].key.endswith("'s") and place + size < len(words):
            owned = words[place + size]
        elif place > 1 and words[place - 1].key == "of":
            owned = words[place - 2]
            if _phrase_names(words[: place - 1], own):
                continue
        else:
            continue
        if not _is_about(owned, own):
            return True
    return False


def _phrase_names(words: Tokens, stems: set[str]) -> bool:
    """Whether the phrase that ends here holds a word of the property: `the continuous record`."""
    for token in reversed(words):
        if token.key in _IDLE or token.kind is not Kind.WORD:
            return False
        own = {word.stem for word in sentence_of(token.text).words}
        if own and own <= stems:
            return True
    return False


def _is_conjugated(token: Token) -> bool:
    """`employs`, `founded`: a property that is said with a verb."""
    return is_verb(token.key) and token.text.casefold().endswith(("s", "ed"))


_LEGAL_FORMS: Final = frozenset(
    {"ltd", "limited", "inc", "corp", "plc", "llc", "llp", "gmbh", "ag", "kg", "sa", "sarl", "bv", "nv", "oy", "ab"}
)  # fmt: skip
"""What may stand behind a company's name and belongs to it: `Hill Gears Ltd`."""


def _is_of_another_kind(clause: Tokens, fact: Fact) -> bool:
    """Whether a word in front of the property makes another one of it: `the shipping total`."""
    words = _unmarked(clause)
    place = place_of(words, tokens_of(fact.property))
    if not place or words[place].article or _is_conjugated(words[place]):
        return False
    before = words[place - 1]
    known: set[str] = {*_LEGAL_FORMS}
    for name in (fact.subject, *fact.aliases):
        known |= {token.key for token in tokens_of(name)}
    if before.kind is not Kind.WORD or before.key.removesuffix("'s") in known:
        return False
    return not (before.key in _IDLE | _PLAIN or is_verb(before.key))


def _unmarked(tokens: Sequence[Token]) -> Tokens:
    """The tokens without punctuation, which may also stand within a name: `application 26/0417`."""
    return tuple(token for token in tokens if token.kind is not Kind.MARK)


def _is_about(token: Token, stems: set[str]) -> bool:
    """Whether a word is one of the property's, or says nothing by itself."""
    own = {word.stem for word in sentence_of(token.text).words}
    return token.key in _IDLE or own <= stems


def _without_names(clause: Tokens, fact: Fact) -> Tokens:
    """The clause without punctuation, the subject and the property."""
    rest = _unmarked(clause)
    for name in sorted(
        (fact.subject, fact.property, *fact.aliases), key=len, reverse=True
    ):
        words = _unmarked(tokens_of(name))
        place = place_of(rest, words)
        if place is not None:
            rest = (*rest[:place], *rest[place + len(words) :])
    stems = set(stems_of(sentence_of(fact.property).words))
    return tuple(
        token
        for token in rest
        if not (
            token.text and stems.issuperset(stems_of(sentence_of(token.text).words))
        )
        or not sentence_of(token.text).words
        or token.quantity is not None
    )


def _is_weakened(left: Sequence[Token]) -> bool:
    """Whether what is left of a clause negates, weakens or divides it, or names another thing with a number."""
    for token in left:
        if token.kind is Kind.WORD:
            has_digit = any(char.isdigit() for char in token.text)
            if token.key in _WEAKENS or has_digit:
                return True
    return False


def _compare_value(rest: Tokens, known: Token, fact: Fact) -> tuple[FactStatement, str]:
    """One number, date or time against the known one."""
    candidates = [token for token in rest if _may_be_value(known, token)]
    left = [token for token in rest if token not in candidates]
    why = f"does not clearly say {written(fact)}"
    another_time = any(token.is_time for token in left)
    if len(candidates) == 1 and _equal(known, candidates[0], fact):
        place = rest.index(candidates[0])
        exact = candidates[0].quantity is None or not candidates[0].quantity.bound
        if exact and _is_denied(rest[:place], rest[place + 1 :]):
            return FactStatement.WRONG, f"says it is not {written(fact)}"
    if len(candidates) != 1 or _is_weakened(left) or another_time:
        return FactStatement.UNCLEAR, why
    (candidate,) = candidates
    quantity = candidate.quantity
    if (
        quantity is not None
        and quantity.approximate
        and not _is_estimate(known, quantity)
    ):
        return FactStatement.UNCLEAR, why
    if _equal(known, candidate, fact):
        return FactStatement.RIGHT, f"says {written(fact)}"
    place = rest.index(candidate)
    before, after = rest[:place], rest[place + 1 :]
    idle = _is_idle(before) and (_is_idle(after) or is_aside(candidate, after))
    if not idle or (quantity is not None and quantity.approximate):
        return FactStatement.UNCLEAR, why
    shown = candidate.text or "another date"
    return FactStatement.WRONG, f"says {shown}, and it is {written(fact)}"


def _is_denied(before: Tokens, after: Tokens) -> bool:
    """Whether a value stands behind `is not`, and nothing else is said."""
    keys = [token.key for token in before[-2:]]
    is_not = keys in (["be", "not"], ["was", "not"])
    return is_not and _is_idle(before[:-1]) and _is_idle(after)


def _is_idle(tokens: Tokens) -> bool:
    return all(token.kind is Kind.WORD and token.key in _IDLE for token in tokens)


def written(fact: Fact) -> str:
    """The value with its unit."""
    return f"{fact.value} {fact.unit}" if fact.unit else str(fact.value)


def _may_be_value(known: Token, token: Token) -> bool:
    """Whether a token may be meant for the value: it measures the same, or both are bare numbers, dates or years."""
    if known.is_time and token.is_time:
        return True
    if known.kind is not token.kind or known.is_time != token.is_time:
        return False
    if known.quantity is None or token.quantity is None:
        return known.kind is Kind.CLOCK
    if comparable(known.quantity, token.quantity):
        return True
    return not known.quantity.unit and not token.quantity.unit


def _is_estimate(known: Token, quantity: Quantity) -> bool:
    """`About 5` may stand for 5; `at least 5` may not."""
    return quantity.bound == "about" and known.quantity is not None


def _equal(known: Token, token: Token, fact: Fact) -> bool:
    if known.is_time and token.is_time:
        return same_time(known, token) or same_time(token, known)
    left, right = known.quantity, token.quantity
    if left is None or right is None:
        return known.key == token.key
    if fact.tolerance is not None:
        return abs(left.value - right.value) <= Decimal(repr(fact.tolerance))
    return agree(left, right)
