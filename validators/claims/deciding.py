"""Decide a claim by known facts, or by what the rules say about each piece of its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.evidence import Fact
from judgemesh.validators._shared.values import listed
from judgemesh.validators.claims.evidence import EvidenceText, Library
from judgemesh.validators.claims.facts import (
    FactStatement,
    compare_with_fact,
    written,
)
from judgemesh.validators.claims.points import ClaimPoint
from judgemesh.validators.claims.rules import RuleFinding, Stance, weigh

_SHOWN_CHARS: Final = 160
_MAX_REFS: Final = 5


def decide_by_facts(point: ClaimPoint, facts: Iterable[Fact]) -> None:
    """Settle the point where it states a known fact, rightly or wrongly; leave it open where that is unclear."""
    unclear: list[str] = []
    for fact in facts:
        statement, reason = compare_with_fact(point.read, fact)
        about = f"{fact.property} of {fact.subject}"
        why = f"{about}: {reason}"
        if statement is FactStatement.WRONG:
            point.settle(Stance.CONTRADICTS, why, code=FailureCode.WRONG_FACT)
            return
        if statement is FactStatement.RIGHT and point.stance is None:
            point.settle(Stance.SUPPORTS, why)
        if statement is FactStatement.UNCLEAR:
            unclear.append(f"{about}: {written(fact)}")
    if unclear and point.stance is None:
        point.facts = tuple(unclear)
        why = f"it may be about a known fact ({listed(unclear)})"
        point.settle(Stance.OPEN, why)


def decide_by_rules(point: ClaimPoint, library: Library) -> None:
    """Settle the point by its evidence: the texts it cites, or every text where it cites nothing."""
    citations = point.claim.citations
    unread = library.unread(citations)
    point.evidence = library.cited_by(citations) if citations else library.texts
    if point.evidence:
        findings = [
            _Weighed(text, weigh(point.read, text.read)) for text in point.evidence
        ]
        _conclude(point, findings, complete=not unread and not library.cut)
    elif citations:
        point.inaccessible = f"{listed(unread)}: {_why_unread(unread, library)}"
        point.settle(Stance.OPEN, point.inaccessible)
    else:
        why = "the result carries no evidence"
        point.settle(Stance.UNRELATED, why, code=FailureCode.UNSUPPORTED_CLAIM)


def _why_unread(unread: Iterable[str], library: Library) -> str:
    for citation in unread:
        if citation in library.unreachable:
            return library.unreachable[citation]
    return "its text is not available"


class _Weighed(NamedTuple):
    """A piece of evidence and what a rule found in it."""

    text: EvidenceText
    finding: RuleFinding


def _conclude(
    point: ClaimPoint, findings: Sequence[_Weighed], *, complete: bool
) -> None:
    """What all the evidence together does to the claim. `complete`: all evidence there is was weighed."""
    by_stance: dict[Stance, list[_Weighed]] = {}
    for weighed in findings:
        by_stance.setdefault(weighed.finding.stance, []).append(weighed)
    supports = by_stance.get(Stance.SUPPORTS, [])
    contradicts = by_stance.get(Stance.CONTRADICTS, [])
    if supports and not contradicts:
        why = supports[0].finding.why
        point.settle(Stance.SUPPORTS, why, refs=_refs(supports))
    elif contradicts and not supports:
        first = contradicts[0].finding
        why = f"{first.why}: {first.sentence[:_SHOWN_CHARS]!r}"
        point.settle(
            Stance.CONTRADICTS,
            why,
            code=FailureCode.CONTRADICTED_BY_EVIDENCE,
            refs=_refs(contradicts),
        )
    elif complete and by_stance.keys() == {Stance.UNRELATED}:
        why = findings[0].finding.why
        cited = point.evidence[:_MAX_REFS] if point.claim.citations else ()
        refs = [text.ref for text in cited]
        point.settle(Stance.UNRELATED, why, code=point.unsupported_code, refs=refs)
    else:
        why = _why_open(by_stance)
        point.settle(Stance.OPEN, why)


def _why_open(by_stance: dict[Stance, list[_Weighed]]) -> str:
    for weighed in by_stance.get(Stance.OPEN, ()):
        if weighed.finding.why:
            return weighed.finding.why
    if Stance.SUPPORTS in by_stance:
        return "some evidence supports it, some contradicts it"
    return "no rule is sure"


def _refs(findings: Sequence[_Weighed]) -> list[str]:
    return [f"{text.ref}:{finding.start}" for text, finding in findings[:_MAX_REFS]]
