"""What is wrong with a citation, level by level: identifier, existence, match, quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Answer, NotFound, Unanswered
from judgemesh.contracts.sections.evidence import EvidenceSpec
from judgemesh.contracts.text.passages import difference, has_words
from judgemesh.contracts.verdicts import Reason
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
from judgemesh.validators.citations.lookups import (
    Inquiry,
    denial,
    is_in_cited,
    name_keys,
    quote_key,
    wants_text,
)
from judgemesh.validators.citations.remarks import unsupported_text
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
    matches = matches or _by_name(inquiry) or _by_title(inquiry, spec)
    if not matches:
        if inquiry.stands_by_itself and inquiry.works.get(quote_key(0)):
            _check_passages(inquiry, findings)
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
        _check_passages(inquiry, findings)
        _check_remarks(cited, works, findings)


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
        elif not findings.add_unknown(answers) and _is_covered(answers):
            lacking.append(scheme)
    return matches, lacking


def _is_covered(answers: Sequence[Answer]) -> bool:
    """Whether a source could have held it and does not."""
    return any(answer.covers for answer in of_type(NotFound, answers))


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
        _check_passages(inquiry, findings)
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


def _check_passages(inquiry: Inquiry, findings: CitationFindings) -> None:
    """Every passage stands in a cited work, or in any source where no work is named."""
    for number, passage in enumerate(inquiry.own_passages):
        if not has_words(passage) or _is_title(passage, inquiry):
            continue
        state = is_in_cited(passage, inquiry)
        elsewhere = inquiry.works.get(quote_key(number), [])
        by_itself = (
            elsewhere and inquiry.stands_by_itself and not any(inquiry.cited_works())
        )
        if state or by_itself:
            findings.quote = findings.quote or "found"
            findings.refs += [work.ref for work in elsewhere if by_itself]
        elif state is None and not inquiry.stands_by_itself:
            findings.unknown.append(_NO_FULL_TEXT)
        else:
            _report_passage(inquiry, number, passage, findings)


def _is_title(passage: str, inquiry: Inquiry) -> bool:
    """Whether what stands in quotation marks is the title of the work, not a passage of it."""
    works = inquiry.cited_works()
    return any(has_same_letters(passage, work.all_titles) for work in works)


def _report_passage(
    inquiry: Inquiry, number: int, passage: str, findings: CitationFindings
) -> None:
    shown = f"the passage {passage[:_MAX_SHOWN_QUOTE_CHARS]!r}"
    elsewhere = inquiry.works.get(quote_key(number), [])
    if elsewhere:
        findings.quote = "misattributed"
        why = f"{shown} is in {elsewhere[0].ref}, not in the work cited"
        findings.add_fault(FailureCode.CLAIM_EVIDENCE_MISMATCH, why)
    elif not findings.add_unknown(inquiry.answers.get(quote_key(number), [])):
        answers = inquiry.answers.get(quote_key(number), [])
        if answers and not _is_covered(answers) and not any(inquiry.cited_works()):
            findings.uncovered = True
            return
        findings.quote = "not_found"
        why = f"{shown} is in no source{_nearest(passage, inquiry)}"
        findings.add_fault(FailureCode.UNSUPPORTED_CLAIM, why)


def _nearest(passage: str, inquiry: Inquiry) -> str:
    """How the nearest passage of a cited work differs."""
    for work in inquiry.cited_works():
        differs = difference(passage, work.text or "")
        if differs:
            return f"; in {work.ref}, {differs}"
    return ""


def _check_remarks(
    cited: Cited, works: Sequence[Work], findings: CitationFindings
) -> None:
    """A text of the citation is a reference to a work, or stands in it."""
    readable = [work for work in works if work.text is not None]
    for text in cited.remarks:
        if not readable:
            if cited.strict and not _is_reference(text, cited, works):
                findings.unknown.append(_NO_FULL_TEXT)
            continue
        rests = [unsupported_text(text, cited, work) for work in readable]
        if not all(rests):
            continue
        if all(work.excerpt for work in readable):
            findings.unknown.append(_NO_FULL_TEXT)
            continue
        findings.quote = "not_found"
        shown = f"the text {rests[0][:_MAX_SHOWN_QUOTE_CHARS]!r}"
        differs = difference(text, readable[0].text or "")
        why = f"{shown} is not in {readable[0].ref}"
        findings.add_fault(
            FailureCode.UNSUPPORTED_CLAIM,
            f"{why}; there, {differs}" if differs else why,
        )


def _is_reference(text: str, cited: Cited, works: Sequence[Work]) -> bool:
    return any(not unsupported_text(text, cited, work) for work in works)


_NO_FULL_TEXT: Final = Unanswered(
    error_type=Reason.SOURCE_INACCESSIBLE,
    message="the full text of the source is not available, so the quoted passage cannot be checked",
    inaccessible=True,
)
