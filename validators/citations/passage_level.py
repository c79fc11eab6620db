"""The level of quotes: whether the passages of a citation stand in the works that it cites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.needs import Unanswered
from judgemesh.contracts.text.passages import difference, has_words
from judgemesh.contracts.verdicts import Reason
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.findings import CitationFindings, is_covered
from judgemesh.validators.citations.lookups import (
    Inquiry,
    is_in_cited,
    loses_its_setting,
    quote_key,
)
from judgemesh.validators.citations.remarks import unsupported_text
from judgemesh.validators.citations.titles import has_same_letters
from judgemesh.validators.citations.works import Work

_NO_FULL_TEXT: Final = Unanswered(
    error_type=Reason.SOURCE_INACCESSIBLE,
    message="the full text of the source is not available, so the quoted passage cannot be checked",
    inaccessible=True,
)
_MAX_SHOWN_QUOTE_CHARS: Final = 120


def check_passages(inquiry: Inquiry, findings: CitationFindings) -> None:
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
            if loses_its_setting(passage, inquiry):
                shown = repr(passage[:_MAX_SHOWN_QUOTE_CHARS])
                findings.doubt = f"the source says {shown} of a time or a condition that the quote drops"
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
        if answers and not is_covered(answers) and not any(inquiry.cited_works()):
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


def check_remarks(
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
