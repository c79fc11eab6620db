"""Holding a statement against a known fact: the value of a property of a subject."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum

from judgemesh.contracts.evidence import Fact
from judgemesh.validators._shared.quantities import (
    Figures,
    Quantity,
    agree,
    comparable,
    figures,
    same_day,
)
from judgemesh.validators._shared.sentences import sentence_of
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import is_number
from judgemesh.validators.claims.rules import Claim


class Word(Enum):
    """What a statement says about a fact."""

    NOTHING = "nothing"
    RIGHT = "right"
    WRONG = "wrong"
    UNCLEAR = "unclear"


def hold_against(claim: Claim, fact: Fact) -> tuple[Word, str]:
    """Whether the claim states the fact's value, another one, or nothing about it; and why."""
    if not (
        _names(claim, [fact.subject, *fact.aliases]) and _names(claim, [fact.property])
    ):
        return Word.NOTHING, ""
    if claim.sentence.negators or claim.sentence.hedges:
        return Word.UNCLEAR, "the statement negates or weakens something"
    known = figures(_written(fact))
    if is_number(fact.value) or (known.days or known.numbers):
        return _figure(claim, fact, known)
    if _names(claim, [str(fact.value)]):
        return Word.RIGHT, f"says {fact.value!s}"
    return Word.UNCLEAR, f"does not say {fact.value!s}"


def _written(fact: Fact) -> str:
    return f"{fact.value}{f' {fact.unit}' if fact.unit else ''}"


def _names(claim: Claim, names: list[str]) -> bool:
    """Whether one of the names stands in the claim: as it is, or by the stems of its words."""
    folded = plain(claim.text).casefold()
    for name in names:
        if plain(name).casefold() in folded:
            return True
        words = sentence_of(name).words
        # All words of the name have to count: of `your order`, only `order` would be left.
        whole = len(words) == len(name.split())
        if whole and words and {word.stem for word in words} <= claim.sentence.stems:
            return True
    return False


def _figure(claim: Claim, fact: Fact, known: Figures) -> tuple[Word, str]:
    if known.days:
        if any(same_day(known.days[0], day) for day in claim.figures.days):
            return Word.RIGHT, f"says {fact.value!s}"
        wrong = len(claim.figures.days) == 1
        return (Word.WRONG if wrong else Word.UNCLEAR), f"the date is {fact.value!s}"
    if not known.numbers:
        return Word.UNCLEAR, "the fact's value cannot be read as a number"
    wanted = known.numbers[0]
    # Figures in the subject's own name (`order 1001`) are no statement about its property.
    own = {
        number.value
        for name in (fact.subject, *fact.aliases)
        for number in figures(name).numbers
    }
    said = [number for number in claim.figures.numbers if number.value not in own]
    if any(_equal(wanted, number, fact) for number in said):
        return Word.RIGHT, f"says {_written(fact)}"
    rivals = [
        number
        for number in said
        if comparable(wanted, number) or _plain(wanted, number)
    ]
    others = [number for number in said if number not in rivals]
    if (
        len(rivals) == 1
        and not rivals[0].approximate
        and not (others and not wanted.unit)
    ):
        return Word.WRONG, f"says {rivals[0].text}, and it is {_written(fact)}"
    return Word.UNCLEAR, f"does not clearly say {_written(fact)}"


def _plain(wanted: Quantity, number: Quantity) -> bool:
    """Both are bare numbers, and both or neither may be a year."""
    return not (wanted.unit or number.unit) and wanted.year == number.year


def _equal(wanted: Quantity, number: Quantity, fact: Fact) -> bool:
    if wanted.unit and number.unit and wanted.unit != number.unit:
        return False
    if fact.tolerance is not None:
        return abs(wanted.value - number.value) <= Decimal(repr(fact.tolerance))
    return agree(wanted, number)
