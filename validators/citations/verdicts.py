"""The verdicts: one for each citation, and those on citations that are missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Unanswered
from judgemesh.contracts.sections.evidence import EvidenceSpec
from judgemesh.contracts.verdicts import (
    Abstain,
    Error,
    Fail,
    Metric,
    Pass,
    Reason,
    Verdict,
    inaccessible,
)
from judgemesh.validators.citations.cited import Citations, Cited
from judgemesh.validators.citations.findings import CitationFindings
from judgemesh.validators.citations.lookups import Inquiry, quote_key

_METRIC: Final = Metric.EVIDENCE_VALIDITY.value
_MAX_SHOWN: Final = 10
_KIND_NOT_COVERED: Final = (
    "none of the configured sources can tell about items of this kind"
)
_NO_SOURCES: Final = "the contract configures no evidence source; add `evidence.sources`, or `levels: [identifier]`"


def citation_verdict(
    cited: Cited, findings: CitationFindings, spec: EvidenceSpec
) -> Verdict:
    """The verdict on one citation.

    A fabrication fails even where another source is out of reach; "not found" fails only when every source answered.
    """
    check, label = f"citation:{cited.ref}", cited.label()
    details: dict[str, object] = {
        "citation": label,
        "ids": dict(cited.ids),
        "parts": findings.parts,
    }
    if findings.quote:
        details["quote"] = findings.quote
    refs = (cited.ref, *findings.refs[:_MAX_SHOWN])
    codes = dict.fromkeys(code for code, _ in findings.faults)
    certain = set(codes) - {FailureCode.CITATION_NOT_FOUND}
    if certain or (codes and not findings.unknown):
        reasons = dict.fromkeys(why for _, why in findings.faults)
        return Fail(
            check=check,
            codes=tuple(codes),
            diagnostic=f"{label}: {'; '.join(reasons)}",
            metric=_METRIC,
            evidence_refs=refs,
            details=details,
        )
    if findings.unknown:
        return _unanswered(cited, findings.unknown)
    if findings.doubt:
        return Abstain(
            check=check,
            code=FailureCode.LOW_CONFIDENCE_EVALUATION,
            reason=Reason.CANNOT_ASSESS,
            diagnostic=f"{label}: {findings.doubt}",
            metric=_METRIC,
            evidence_refs=refs,
        )
    if findings.uncovered:
        why = _KIND_NOT_COVERED if spec.sources else _NO_SOURCES
        return Abstain(
            check=check,
            code=FailureCode.EVIDENCE_SOURCE_INACCESSIBLE,
            reason=Reason.NOT_CONFIGURED,
            diagnostic=f"{label}: {why}",
            metric=_METRIC,
            evidence_refs=(cited.ref,),
        )
    return Pass(check=check, metric=_METRIC, evidence_refs=refs, details=details)


def _unanswered(cited: Cited, unknown: Sequence[Unanswered]) -> Abstain | Error:
    """An error where the evaluator broke; else an abstention, because a source is out of reach."""
    check, label = f"citation:{cited.ref}", cited.label()
    for answer in unknown:
        if not answer.inaccessible:
            return Error(
                check=check,
                reason=answer.error_type,
                diagnostic=f"{label}: {answer.message}",
                metric=_METRIC,
            )
    return inaccessible(
        check,
        f"{label}: {unknown[0].message}",
        metric=_METRIC,
        evidence_refs=(cited.ref,),
    )


def missing_verdicts(
    inquiries: Sequence[Inquiry],
    dangling: Sequence[str],
    citations: Citations,
    spec: EvidenceSpec,
) -> Iterator[Verdict]:
    """What should be cited and is not: nothing at all, too little, or references that lead to no citation."""
    if dangling:
        shown = ", ".join(dangling[:_MAX_SHOWN])
        yield Fail(
            check="references",
            codes=(FailureCode.MISSING_CITATION,),
            diagnostic=f"references in the text lead to no citation: {shown}",
            metric=_METRIC,
            weight=float(len(dangling)),
            evidence_refs=("final_answer",),
        )
    number = _distinct_works(inquiries) + citations.excess
    required = max(spec.min_citations, 1)
    if not spec.required or number >= required:
        return
    if number:
        code = FailureCode.MISSING_CITATION
        why = f"{required} citations are required, and {number} given"
    elif dangling:
        return
    elif citations.discussed:
        code = FailureCode.MISSING_CITATION
        why = "the answer refers to evidence and cites none"
    else:
        code = FailureCode.MISSING_EVIDENCE
        why = "evidence is required, and the answer gives none"
    yield Fail(
        check="citations",
        codes=(code,),
        diagnostic=why,
        metric=_METRIC,
        weight=float(required - number),
    )


def _distinct_works(inquiries: Sequence[Inquiry]) -> int:
    """How many works are cited: those that were found by their place, the others each by itself."""
    works: set[str] = set()
    others = 0
    for inquiry in inquiries:
        refs = [work.ref for work in inquiry.cited_works()]
        if not refs and inquiry.is_found:
            refs = [work.ref for work in inquiry.works[quote_key(0)]]
        if refs:
            works.add(refs[0])
        elif not inquiry.cited.names_nothing:
            others += 1
    return len(works) + others


def excess_verdict(excess: int) -> Abstain:
    """The abstention on the citations beyond the limit."""
    return Abstain(
        check="citations:beyond",
        diagnostic=f"{excess} citations more than are checked in one answer",
        metric=_METRIC,
        weight=float(excess),
    )
