"""Decide a claim by known facts, or by what the rules say about each piece of its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.sections.evidence import Fact
from judgemesh.validators._shared.honorifics import addressed_otherwise
from judgemesh.validators._shared.values import listed
from judgemesh.validators.claims.evidence.evidence import Library
from judgemesh.validators.claims.facts import (
    FactStatement,
    compare_with_fact,
    written,
)
from judgemesh.validators.claims.language.quantities import figures
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.support.rules import RuleFinding, Stance, weigh

_SHOWN_CHARS: Final = 160
_MAX_REFS: Final = 5


def decide_by_facts(
    point: ClaimPoint, facts: Iterable[Fact], *, alone: bool = True
) -> None:
    """Settle the point where it states a known fact, rightly or wrongly; leave it open where that is unclear.

    `alone`: nothing but facts is asked for. Otherwise what a claim says beside a fact needs evidence, and the point is
    not settled by the fact.
    """
    unclear: list[str] = []
    known = tuple(facts)
    stated: list[Fact] = []
    doubtful: list[Fact] = []
    for fact in known:
        statement, reason = compare_with_fact(point.read, fact, known)
        about = f"{fact.property} of {fact.subject}"
        why = f"{about}: {reason}"
        if statement is FactStatement.WRONG:
            point.settle(Stance.CONTRADICTS, why, code=FailureCode.WRONG_FACT)
            return
        right = statement is FactStatement.RIGHT
        if alone and statement is FactStatement.RIGHT_AND_MORE:
            right = True
        if right:
            stated.append(fact)
        if right and point.stance is None:
            point.settle(Stance.SUPPORTS, why)
        if statement is FactStatement.UNCLEAR:
            doubtful.append(fact)
            unclear.append(f"{about}: {written(fact)}")
    if unclear and (point.stance is None or _says_more(point, stated, doubtful)):
        point.facts = tuple(unclear)
        why = f"it may be about a known fact ({listed(unclear)})"
        point.settle(Stance.OPEN, why)


def _says_more(
    point: ClaimPoint, stated: Sequence[Fact], doubtful: Sequence[Fact]
) -> bool:
    """Whether a claim that is right about some facts gives a figure that may be meant for another property."""
    told = sum(bool(figures(written(fact)).count) for fact in stated)
    if point.read.figures.count <= told:
        return False
    for fact in doubtful:
        same = any(
            fact.property in one.property or fact.subject != one.subject
            for one in stated
        )
        if not same and figures(written(fact)).count:
            return True
    return False


def decide_by_rules(point: ClaimPoint, library: Library) -> None:
    """Settle the point by its evidence: the texts it cites, or every text where it cites nothing."""
    citations = point.claim.citations
    unread = library.unread(citations)
    point.evidence = library.cited_by(citations) if citations else library.texts
    if point.evidence:
        texts = [text.read for text in point.evidence]
        finding = weigh(point.read, texts, point.claim.context)
        _conclude(point, finding, complete=not unread and not library.cut)
    elif citations:
        point.inaccessible = f"{listed(unread)}: {_why_unread(unread, library)}"
        point.settle(Stance.OPEN, point.inaccessible)
    else:
        why = (
            "no evidence source holds a text about it"
            if library.searched
            else "the result carries no evidence"
        )
        point.settle(Stance.UNRELATED, why, code=FailureCode.UNSUPPORTED_CLAIM)


def _why_unread(unread: Iterable[str], library: Library) -> str:
    for citation in unread:
        if citation in library.unreachable:
            return library.unreachable[citation]
    return "its text is not available"


def _conclude(point: ClaimPoint, finding: RuleFinding, *, complete: bool) -> None:
    """What the evidence does to the claim. `complete`: all evidence there is was weighed."""
    stance = finding.stance
    refs = [
        f"{point.evidence[place.text].ref}:{place.start}" for place in finding.places
    ]
    if stance is Stance.SUPPORTS:
        sentences = " ".join(place.sentence for place in finding.places)
        name = addressed_otherwise(point.claim.text, sentences)
        if name:
            why = f"the evidence has another title before {name}"
            point.settle(Stance.OPEN, why, refs=refs)
            return
        point.settle(stance, finding.why, refs=refs)
    elif stance is Stance.CONTRADICTS:
        why = f"{finding.why}: {finding.places[0].sentence[:_SHOWN_CHARS]!r}"
        code = FailureCode.CONTRADICTED_BY_EVIDENCE
        point.settle(stance, why, code=code, refs=refs)
    elif stance is Stance.UNRELATED and complete:
        cited = point.evidence[:_MAX_REFS] if point.claim.citations else ()
        refs = [text.ref for text in cited]
        point.settle(stance, finding.why, code=point.unsupported_code, refs=refs)
    else:
        why = "no rule is sure" if stance is Stance.UNRELATED else finding.why
        point.settle(Stance.OPEN, why or "no rule is sure")
