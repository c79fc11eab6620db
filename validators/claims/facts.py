"""Compare a claim with a known fact: the value of a property of a subject."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum

from judgemesh.contracts.evidence import Fact
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import is_number
from judgemesh.validators.claims.quantities import (
    Figures,
    Quantity,
    agree,
    comparable,
    figures,
    same_day,
)
from judgemesh.validators.claims.reading import ReadClaim
from judgemesh.validators.claims.sentences import sentence_of, stems_of


class FactStatement(Enum):
    """What a claim says about a fact."""

    NOTHING = "nothing"
    RIGHT = "right"
    WRONG = "wrong"
    UNCLEAR = "unclear"


def compare_with_fact(claim: ReadClaim, fact: Fact) -> tuple[FactStatement, str]:
    """Whether the claim states the fact's value, another one, or nothing about it; and why."""
    names_subject = any(_names(claim, name) for name in (fact.subject, *fact.aliases))
    if not names_subject or not _names(claim, fact.property):
        return FactStatement.NOTHING, ""
    if claim.sentence.negators or claim.sentence.hedges:
        return FactStatement.UNCLEAR, "the statement negates or weakens something"
    return _compare_value(claim, fact)


def _compare_value(claim: ReadClaim, fact: Fact) -> tuple[FactStatement, str]:
    known = figures(written(fact))
    if known.days:
        return _compare_date(claim, fact, known)
    if known.numbers:
        return _compare_number(claim, fact, known.numbers[0])
    if is_number(fact.value):
        return (
            FactStatement.UNCLEAR,
            "the fact's value cannot be read as a number",
        )
    if _names(claim, str(fact.value)):
        return FactStatement.RIGHT, f"says {fact.value!s}"
    return FactStatement.UNCLEAR, f"does not say {fact.value!s}"


def written(fact: Fact) -> str:
    """The value with its unit."""
    return f"{fact.value} {fact.unit}" if fact.unit else str(fact.value)


def _names(claim: ReadClaim, name: str) -> bool:
    """Whether the claim contains a name: as it is, or by the stems of its words."""
    if plain(name).casefold() in plain(claim.text).casefold():
        return True
    words = sentence_of(name).words
    if not words or len(words) != len(name.split()):
        # All words of the name have to count: of `your order`, only `order` would be left.
        return False
    return claim.sentence.stems.issuperset(stems_of(words))


def _compare_date(
    claim: ReadClaim, fact: Fact, known: Figures
) -> tuple[FactStatement, str]:
    days = claim.figures.days
    if any(same_day(known.days[0], day) for day in days):
        return FactStatement.RIGHT, f"says {fact.value!s}"
    why = f"the date is {fact.value!s}"
    if len(days) == 1:
        return FactStatement.WRONG, why
    return FactStatement.UNCLEAR, why


def _compare_number(
    claim: ReadClaim, fact: Fact, known: Quantity
) -> tuple[FactStatement, str]:
    # Figures in the subject's own name (`order 1001`) are no statement about its property.
    in_names: set[Decimal] = set()
    for name in (fact.subject, *fact.aliases):
        in_names.update(number.value for number in figures(name).numbers)
    rivals: list[Quantity] = []
    has_others = False
    for number in claim.figures.numbers:
        if number.value in in_names:
            continue
        if _equal(known, number, fact):
            return FactStatement.RIGHT, f"says {written(fact)}"
        if _may_be_value(known, number):
            rivals.append(number)
        else:
            has_others = True
    if (
        len(rivals) == 1
        and not rivals[0].approximate
        and (known.unit or not has_others)
    ):
        return FactStatement.WRONG, f"says {rivals[0].text}, and it is {written(fact)}"
    return FactStatement.UNCLEAR, f"does not clearly say {written(fact)}"


def _may_be_value(known: Quantity, number: Quantity) -> bool:
    """Whether a number may be meant for the value: it measures the same, or both are bare numbers or years."""
    if comparable(known, number):
        return True
    return not known.unit and not number.unit and known.is_year == number.is_year


def _equal(known: Quantity, number: Quantity, fact: Fact) -> bool:
    if known.unit and number.unit and known.unit != number.unit:
        return False
    if fact.tolerance is not None:
        return abs(known.value - number.value) <= Decimal(repr(fact.tolerance))
    return agree(known, number)
