"""Claims that leave out what they are about: `The total is 61.40 EUR.`, or nothing but `61.40 EUR`.

Read alone they name no known fact's subject, and so nothing would be compared. They are read as if they named it. Where
only one subject can be meant, they are right or wrong about its fact; otherwise they are open unless they are right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.sections.evidence import Fact
from judgemesh.validators.claims.facts import (
    FactStatement,
    compare_with_fact,
    written,
)
from judgemesh.validators.claims.language.quantities import figures
from judgemesh.validators.claims.language.sentences import sentence_of
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.support.reading import ReadClaim, read_claim
from judgemesh.validators.claims.support.rules import Stance

_IDLE: Final = frozenset(
    {
        "come",
        "amount",
        "equal",
        "sum",
        "value",
        "answer",
        "total",
        "stand",
        "number",
        "figur",
        "result",
    }
)
"""Stems that say nothing beside a property and a value."""
_MAX_FACTS: Final = 200


def decide_elliptic(point: ClaimPoint, facts: Sequence[Fact]) -> None:
    """Settle a point that may state a known fact without naming its subject."""
    found = list(_meant(point, facts[:_MAX_FACTS]))
    right = [fact for fact, statement in found if _is_right(statement)]
    wrong = [fact for fact, statement in found if statement is FactStatement.WRONG]
    if right:
        why = f"{right[0].property} of {right[0].subject}: says {written(right[0])}"
        point.settle(Stance.SUPPORTS, why)
    elif found:
        meant = found[0][0]
        about = f"{meant.property} of {meant.subject}: {written(meant)}"
        subjects = {fact.subject for fact in facts}
        if wrong and len(subjects) == 1:
            why = f"it gives another {about}"
            point.settle(Stance.CONTRADICTS, why, code=FailureCode.WRONG_FACT)
        else:
            point.facts = (about,)
            point.settle(Stance.OPEN, f"it may be about a known fact ({about})")


def _is_right(statement: FactStatement) -> bool:
    return statement not in (FactStatement.WRONG, FactStatement.UNCLEAR)


def _meant(
    point: ClaimPoint, facts: Sequence[Fact]
) -> Iterator[tuple[Fact, FactStatement]]:
    """The facts that a claim may be about, and what it says about them once their subject is filled in."""
    claim = point.claim
    value = claim.text if claim.keyed is None else claim.keyed.value
    is_bare = set(point.read.stems) <= _IDLE or (
        claim.keyed is not None and not claim.keyed.key
    )
    for fact in facts:
        if not _names_nothing_else(point.read, fact):
            continue
        text = f"{fact.subject}: {claim.text}"
        if is_bare:
            text = f"The {fact.property} of {fact.subject} is {value}"
        statement, _ = compare_with_fact(read_claim(text), fact)
        if statement is FactStatement.NOTHING:
            continue
        if statement is FactStatement.UNCLEAR and not _same_measure(point.read, fact):
            continue
        yield fact, statement


def _names_nothing_else(claim: ReadClaim, fact: Fact) -> bool:
    """Whether a claim has no words but those of the fact's names and such as say nothing."""
    known: set[str] = set()
    for name in (fact.subject, fact.property, written(fact), *fact.aliases):
        known |= sentence_of(name).stems
    return {stem for stem in claim.stems if stem not in _IDLE} <= known


def _same_measure(claim: ReadClaim, fact: Fact) -> bool:
    """Whether the claim gives a figure with the unit of the fact."""
    known = figures(written(fact)).numbers
    if len(known) != 1 or not known[0].unit:
        return False
    return any(number.unit == known[0].unit for number in claim.figures.numbers)
