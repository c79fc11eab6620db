"""What is wrong with a citation, level by level: identifier, existence, match, quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.evidence import EvidenceSpec
from judgemesh.contracts.needs import Answer, NotFound, Unanswered
from judgemesh.contracts.verdicts import Reason
from judgemesh.validators._shared.values import of_type
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.compare import (
    CitationComparison,
    FieldAgreement,
    compare,
    compare_title,
    is_exact_title,
)
from judgemesh.validators.citations.lookups import (
    Inquiry,
    denial,
    is_quote_of_cited,
    wants_quote,
)
from judgemesh.validators.citations.works import Work

_UNIQUE_SCHEMES: Final = frozenset({"doi", "arxiv", "pmid", "nct", "isbn"})
"""Schemes in which a work that has an identifier has no other one."""
_SCHEME_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "doi": "DOI",
        "arxiv": "arXiv",
        "pmid": "PMID",
        "nct": "trial",
        "isbn": "ISBN",
        "url": "address",
        "id": "id",
    }
)
_CODE_OF_AGREEMENT: Final[Mapping[FieldAgreement, FailureCode]] = MappingProxyType(
    {
        FieldAgreement.CONTRADICTS: FailureCode.FABRICATED_REFERENCE,
        FieldAgreement.DIFFERS: FailureCode.CITATION_NOT_FOUND,
    }
)
_FROM_WORST_TO_BEST: Final = (
    FieldAgreement.CONTRADICTS,
    FieldAgreement.DIFFERS,
    FieldAgreement.UNKNOWN,
    FieldAgreement.SAME,
)
_MIN_TELLING_WORDS: Final = 4
"""A title of so many words hardly belongs to two works."""
_MAX_SHOWN_ID_CHARS: Final = 100
_MAX_SHOWN_TITLE_CHARS: Final = 160
_MAX_SHOWN_QUOTE_CHARS: Final = 120


@dataclass(slots=True)
class CitationFindings:
    """What is wrong with a citation, and what could not be found out.

    uncovered: no source can tell about works of this kind. parts: the agreement by part. quote: what became of it.
    """

    faults: list[tuple[FailureCode, str]] = field(
        default_factory=list[tuple[FailureCode, str]]
    )
    unknown: list[Unanswered] = field(default_factory=list[Unanswered])
    uncovered: bool = False
    refs: list[str] = field(default_factory=list[str])
    parts: dict[str, str] = field(default_factory=dict[str, str])
    quote: str = ""

    def add_fault(self, code: FailureCode, why: str) -> None:
        """Add something that is wrong."""
        self.faults.append((code, why))

    def add_unknown(self, answers: Sequence[Answer]) -> bool:
        """Keep the needs that were not answered; return whether there are any."""
        unanswered = of_type(Unanswered, answers)
        self.unknown.extend(unanswered)
        return bool(unanswered)


@dataclass(frozen=True, slots=True)
class _Match:
    """The works that one query led to, by what was asked with: a scheme or `title`."""

    asked_with: str
    works: list[Work]


def findings_of(inquiry: Inquiry, spec: EvidenceSpec) -> CitationFindings:
    """Check one citation, as far as the contract's levels ask for."""
    cited, findings = inquiry.cited, CitationFindings()
    if "identifier" in spec.levels or not cited.ids:
        for scheme, written in cited.malformed:
            shown = repr(written[:_MAX_SHOWN_ID_CHARS])
            why = f"{shown} is no {_SCHEME_NAMES[scheme]}"
            findings.add_fault(FailureCode.OUTPUT_FORMAT_INVALID, why)
    if "exists" not in spec.levels or findings.faults:
        return findings
    if spec.sources:
        _check_existence(inquiry, spec, findings)
    else:
        findings.uncovered = True
    return findings


def _check_existence(
    inquiry: Inquiry, spec: EvidenceSpec, findings: CitationFindings
) -> None:
    """Existence, match and quote, in this order: each level rests on the one before."""
    cited = inquiry.cited
    matches, lacking = _by_identifier(inquiry, findings)
    if not matches:
        titled = inquiry.works.get("title", [])
        same = [work for work in titled if _has_title(cited, work, spec)]
        if not same:
            _report_absence(inquiry, findings, lacking)
            return
        matches = [_Match("title", same)]
    works: list[Work] = []
    for match in matches:
        works += match.works
    findings.refs = list(dict.fromkeys(work.ref for work in works))
    if "match" in spec.levels:
        for match in matches:
            _check_parts(cited, match, spec, findings)
        for scheme in lacking:
            _check_lacking_identifier(cited, scheme, works, findings)
    if wants_quote(cited, spec):
        _check_quote(inquiry, spec, findings)


def _by_identifier(
    inquiry: Inquiry, findings: CitationFindings
) -> tuple[list[_Match], list[str]]:
    """The works each identifier led to, and the schemes whose identifier no source holds although one could."""
    matches: list[_Match] = []
    lacking: list[str] = []
    for scheme, value in inquiry.cited.ids.items():
        answers = inquiry.answers[scheme]
        works = inquiry.works[scheme]
        denied = denial(answers)
        if works:
            matches.append(_Match(scheme, works))
        elif denied is not None:
            why = f"{denied.source} knows no {_SCHEME_NAMES[scheme]} {value}"
            findings.add_fault(FailureCode.FABRICATED_REFERENCE, why)
        elif not findings.add_unknown(answers) and _is_covered(answers):
            lacking.append(scheme)
    return matches, lacking


def _is_covered(answers: Sequence[Answer]) -> bool:
    """Whether a source could have held it and does not."""
    return any(answer.covers for answer in of_type(NotFound, answers))


def _has_title(cited: Cited, work: Work, spec: EvidenceSpec) -> bool:
    comparison = compare_title(cited, work, spec.thresholds)
    return comparison.agreement is FieldAgreement.SAME


def _report_absence(
    inquiry: Inquiry, findings: CitationFindings, lacking: Sequence[str]
) -> None:
    """No source holds the work, as far as the sources could be asked."""
    answers = inquiry.answers.get("title", [])
    near = inquiry.works.get("title", [])
    findings.add_unknown(answers)
    if findings.faults:
        return
    if not (lacking or near or _is_covered(answers)):
        findings.uncovered = True
        return
    why = "no configured source holds it"
    if near:
        shown = repr(near[0].title[:_MAX_SHOWN_TITLE_CHARS])
        why += f"; the nearest title is {shown} ({near[0].ref})"
    findings.add_fault(FailureCode.CITATION_NOT_FOUND, why)


def _check_parts(
    cited: Cited, match: _Match, spec: EvidenceSpec, findings: CitationFindings
) -> None:
    """Title, authors, year and venue. Of several sources of one work, the one that agrees best counts for each."""
    comparisons = list(_best_comparisons(cited, match, spec))
    agreements = {comparison.part: comparison.agreement for comparison in comparisons}
    asked_with = match.asked_with
    prefix = ""
    if asked_with != "title":
        prefix = f"{_SCHEME_NAMES[asked_with]} {cited.ids[asked_with]}: "
    for comparison in comparisons:
        if comparison.agreement is FieldAgreement.UNKNOWN:
            continue
        findings.parts[comparison.part] = comparison.agreement.value
        code = _CODE_OF_AGREEMENT.get(comparison.agreement)
        if code is None:
            continue
        if asked_with == "title" and not _is_same_work(
            cited, match.works, comparison.part, agreements
        ):
            code = FailureCode.CITATION_NOT_FOUND
        findings.add_fault(code, f"{prefix}{comparison.why}")


def _best_comparisons(
    cited: Cited, match: _Match, spec: EvidenceSpec
) -> Iterator[CitationComparison]:
    rows = [compare(cited, work, spec.thresholds) for work in match.works]
    for column in zip(*rows, strict=True):
        yield max(column, key=_rank)


def _rank(comparison: CitationComparison) -> int:
    return _FROM_WORST_TO_BEST.index(comparison.agreement)


def _is_same_work(
    cited: Cited,
    works: Sequence[Work],
    part: str,
    agreements: Mapping[str, FieldAgreement],
) -> bool:
    """Whether a work found by its title alone is the one that is meant.

    Two works may share a short title or the beginning of a long one; hardly a whole long one, and hardly one by the
    same people.
    """
    if not any(is_exact_title(cited, work) for work in works):
        return False
    if part == "authors":
        return len(cited.title.split()) >= _MIN_TELLING_WORDS
    return agreements.get("authors") is FieldAgreement.SAME


def _check_lacking_identifier(
    cited: Cited, scheme: str, works: Sequence[Work], findings: CitationFindings
) -> None:
    """An identifier that the source lacks, although it holds the work and names identifiers of that kind."""
    if scheme not in _UNIQUE_SCHEMES:
        return
    for work in works:
        held = work.ids.get(scheme, frozenset[str]())
        if cited.ids[scheme] in held:
            return
        if held or scheme in work.schemes:
            known = "in the source the work has none"
            if held:
                known = f"in the source it is {', '.join(sorted(held))}"
            name = _SCHEME_NAMES[scheme]
            why = f"no source holds the {name} {cited.ids[scheme]}; {known}"
            findings.add_fault(FailureCode.CITATION_NOT_FOUND, why)
            return


def _check_quote(
    inquiry: Inquiry, spec: EvidenceSpec, findings: CitationFindings
) -> None:
    cited = inquiry.cited
    is_contained = is_quote_of_cited(inquiry, spec)
    if is_contained:
        findings.quote = "found"
        return
    if is_contained is None:
        findings.unknown.append(_NO_FULL_TEXT)
        return
    passage = f"the passage {cited.quote[:_MAX_SHOWN_QUOTE_CHARS]!r}"
    elsewhere = inquiry.works.get("quote", [])
    if elsewhere:
        findings.quote = "misattributed"
        why = f"{passage} is in {elsewhere[0].ref}, not in the work cited"
        findings.add_fault(FailureCode.CLAIM_EVIDENCE_MISMATCH, why)
    elif not findings.add_unknown(inquiry.answers.get("quote", [])):
        findings.quote = "not_found"
        why = f"{passage} is in no source"
        findings.add_fault(FailureCode.UNSUPPORTED_CLAIM, why)


_NO_FULL_TEXT: Final = Unanswered(
    error_type=Reason.SOURCE_INACCESSIBLE,
    message="the full text of the source is not available, so the quoted passage cannot be checked",
    inaccessible=True,
)
