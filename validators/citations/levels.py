"""What is wrong with a citation, level by level: identifier, existence, match, quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import NotFound
from judgemesh.contracts.sections.evidence import EvidenceSpec
from judgemesh.validators._shared.values import of_type
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.compare import (
    CitationComparison,
    FieldAgreement,
    compare,
    is_exact_title,
    is_own_name,
    is_title_of,
)
from judgemesh.validators.citations.findings import CitationFindings, is_covered
from judgemesh.validators.citations.lookups import (
    Inquiry,
    denial,
    name_keys,
    quote_key,
    wants_text,
)
from judgemesh.validators.citations.passage_level import (
    check_passages,
    check_remarks,
)
from judgemesh.validators.citations.titles import has_same_letters
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
    matches = matches or _by_name(inquiry) or _by_title(inquiry, spec)
    if not matches:
        if inquiry.stands_by_itself and inquiry.works.get(quote_key(0)):
            check_passages(inquiry, findings)
        else:
            _report_absence(inquiry, findings, lacking)
        return
    works: list[Work] = []
    for match in matches:
        works += match.works
    findings.refs = list(dict.fromkeys(work.ref for work in works))
    if "match" in spec.levels:
        for match in matches:
            _check_parts(cited, match, spec, findings)
        for scheme in lacking:
            _check_lacking_identifier(inquiry, scheme, works, findings)
        _check_other_title(inquiry, works, findings)
    if wants_text(cited, spec):
        check_passages(inquiry, findings)
        check_remarks(cited, works, findings)


def _by_name(inquiry: Inquiry) -> list[_Match]:
    works: list[Work] = []
    for key in name_keys(inquiry.cited):
        works += inquiry.works.get(key, ())
    return [_Match("name", works)] if works else []


def _by_title(inquiry: Inquiry, spec: EvidenceSpec) -> list[_Match]:
    titled = inquiry.works.get("title", [])
    same = [work for work in titled if _has_title(inquiry.cited, work, spec)]
    return [_Match("title", same)] if same else []


def _check_other_title(
    inquiry: Inquiry, works: Sequence[Work], findings: CitationFindings
) -> None:
    """A document that is cited under the title of another one."""
    title = inquiry.other_title
    refs = {work.ref for work in works}
    for other in inquiry.works.get("other", ()):
        if other.ref in refs or any(
            has_same_letters(title, work.all_titles) for work in works
        ):
            continue
        if has_same_letters(title, other.all_titles) or is_own_name(title, other):
            why = (
                f"{title[:_MAX_SHOWN_TITLE_CHARS]!r} is {other.ref}, not {works[0].ref}"
            )
            findings.add_fault(FailureCode.FABRICATED_REFERENCE, why)


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
        elif not findings.add_unknown(answers) and is_covered(answers):
            lacking.append(scheme)
    return matches, lacking


def _has_title(cited: Cited, work: Work, spec: EvidenceSpec) -> bool:
    return is_title_of(cited, work, spec.thresholds)


def _report_absence(
    inquiry: Inquiry, findings: CitationFindings, lacking: Sequence[str]
) -> None:
    """No source holds the work, as far as the sources could be asked."""
    answers = list(inquiry.answers.get("title", []))
    for key in (*name_keys(inquiry.cited), quote_key(0)):
        answers += inquiry.answers.get(key, [])
    near = inquiry.works.get("title", [])
    findings.add_unknown(answers)
    if findings.faults:
        return
    is_passage = inquiry.stands_by_itself and not inquiry.is_title
    if is_passage and inquiry.answers.get(quote_key(0)) and not near:
        check_passages(inquiry, findings)
        return
    if not (lacking or near or is_covered(answers)):
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
    if asked_with not in ("title", "name"):
        prefix = f"{_SCHEME_NAMES[asked_with]} {cited.ids[asked_with]}: "
    for comparison in comparisons:
        if comparison.agreement is FieldAgreement.UNKNOWN:
            continue
        if asked_with == "name" and cited.text and comparison.part == "title":
            continue  # what a plain string says beside a name need not be the title
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
    inquiry: Inquiry, scheme: str, works: Sequence[Work], findings: CitationFindings
) -> None:
    """An identifier that the source lacks, although it holds the work and names identifiers of that kind."""
    cited = inquiry.cited
    if scheme == "id":
        if any(answer.kin for answer in of_type(NotFound, inquiry.answers["id"])):
            why = f"no source holds the id {cited.ids['id']}; what is found is {works[0].ref}"
            findings.add_fault(FailureCode.CITATION_NOT_FOUND, why)
        return
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
