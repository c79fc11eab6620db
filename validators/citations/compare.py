"""Title, authors, year and venue of a citation compared with the work that a source holds.

A part is the same, differs in detail (a word of the title, an author left out), contradicts the source (another work,
other people, other years), or is unknown on one side.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rapidfuzz import fuzz

from judgemesh.contracts.identifiers import fold, person
from judgemesh.contracts.sections.evidence import EvidenceThresholds
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.people import same_person
from judgemesh.validators.citations.titles import (
    has_same_letters,
    occurs_in_text,
    title_score,
)
from judgemesh.validators.citations.venues import same_venue
from judgemesh.validators.citations.works import Work

_MAX_PREPRINT_YEARS: Final = 3
_MAX_NEAR_YEARS: Final = 1
_MIN_SHARED_AUTHORS: Final = 0.5
"""Where fewer of the cited authors are known, they are other people."""
_MIN_PAGE_TITLE_RATIO: Final = 80.0
_PAGE_CHARS: Final = 20_000
_FILE_SUFFIX = re.compile(r"\.[a-zA-Z]{2,8}$")
_MIN_TELLING_CHARS: Final = 4
"""A shorter word says little about what a page is about."""
_SHOWN_AUTHORS: Final = 6
_SHOWN_TITLE_CHARS: Final = 160
_SHOWN_VENUE_CHARS: Final = 80


class FieldAgreement(StrEnum):
    """How a part of a citation compares with the source."""

    UNKNOWN = "unknown"
    SAME = "same"
    DIFFERS = "differs"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class CitationComparison:
    """The outcome for one part, the score behind it (0..1), and a line for people."""

    part: str
    agreement: FieldAgreement
    score: float | None = None
    why: str = ""


def compare(
    cited: Cited, work: Work, thresholds: EvidenceThresholds
) -> tuple[CitationComparison, ...]:
    """Every part, in the order in which people would name the fault."""
    return (
        compare_title(cited, work, thresholds),
        _compare_authors(cited, work, thresholds),
        _compare_year(cited, work, thresholds),
        _compare_venue(cited, work),
    )


def compare_title(
    cited: Cited, work: Work, thresholds: EvidenceThresholds
) -> CitationComparison:
    """Compare the titles. In a web page, and in a reference in running text, it is enough that the title occurs."""
    unknown = CitationComparison("title", FieldAgreement.UNKNOWN)
    if not work.title or not (cited.title or cited.text):
        return unknown
    if cited.text and occurs_in_text(cited.text, work.all_titles):
        return CitationComparison("title", FieldAgreement.SAME, 1.0)
    if not cited.title or is_own_name(cited.title, work):
        return unknown
    if work.web_page:
        return _compare_page_title(cited, work)
    score = max(title_score(cited.title, title) for title in work.all_titles)
    if score >= thresholds.title:
        return CitationComparison("title", FieldAgreement.SAME, score)
    agreement = FieldAgreement.DIFFERS
    if score < thresholds.title_other and not cited.text:
        agreement = FieldAgreement.CONTRADICTS
    shown = repr(work.title[:_SHOWN_TITLE_CHARS])
    why = f"the source gives the title {shown} ({score:.0%} of the words agree)"
    return CitationComparison("title", agreement, score, why)


def is_own_name(title: str, work: Work) -> bool:
    """Whether what is given as a title is the id of the work, or its file."""
    names = {work.ref, *work.ids.get("id", ())}
    wanted = fold(_FILE_SUFFIX.sub("", title))
    for name in names:
        path = _FILE_SUFFIX.sub("", name)
        if wanted in (fold(path), fold(path.rsplit("/", 1)[-1])):
            return True
    return False


def is_exact_title(cited: Cited, work: Work) -> bool:
    """Whether the titles have the very same letters: no typing error and no subtitle is forgiven."""
    if has_same_letters(cited.title, work.all_titles):
        return True
    return bool(cited.text) and occurs_in_text(cited.text, work.all_titles)


def _compare_page_title(cited: Cited, work: Work) -> CitationComparison:
    """Compare with a page, whose title may be any heading: it differs only where the page has no word of it."""
    if _is_page_title(cited, work):
        return CitationComparison("title", FieldAgreement.SAME)
    page = f"{work.title} {work.ref} {(work.text or '')[:_PAGE_CHARS]}"
    words = {
        word for word in fold(cited.title).split() if len(word) >= _MIN_TELLING_CHARS
    }
    explicit = bool(cited.title) and not cited.text
    if (
        explicit
        and "id" in work.schemes
        and work.text
        and words.isdisjoint(fold_long(page))
    ):
        why = (
            f"{work.ref} has no word of the title {cited.title[:_SHOWN_TITLE_CHARS]!r}"
        )
        return CitationComparison("title", FieldAgreement.CONTRADICTS, 0.0, why)
    return CitationComparison("title", FieldAgreement.UNKNOWN)


def is_title_of(cited: Cited, work: Work, thresholds: EvidenceThresholds) -> bool:
    """Whether a work that was found by its title has it. Of a document, the title itself is compared, not its text."""
    if not work.web_page:
        comparison = compare_title(cited, work, thresholds)
        return comparison.agreement is FieldAgreement.SAME
    title = cited.title or cited.text
    if is_own_name(title, work) or title_score(title, work.title) == 1.0:
        return True
    words = fold(title).split()
    return len(words) > 1 and set(words) <= set(fold(work.title).split())


def fold_long(text: str) -> set[str]:
    """The folded words of a long text."""
    words: set[str] = set()
    for line in text.split("\n"):
        words.update(fold(line).split())
    return words


def _is_page_title(cited: Cited, work: Work) -> bool:
    page = fold(f"{work.title} {(work.text or '')[:_PAGE_CHARS]}")
    title = fold(cited.title)
    if title in page:
        return True
    return fuzz.token_set_ratio(title, fold(work.title)) >= _MIN_PAGE_TITLE_RATIO


def _compare_authors(
    cited: Cited, work: Work, thresholds: EvidenceThresholds
) -> CitationComparison:
    """Compare the authors, in any order. Without "et al." none may be left out."""
    if not work.authors:
        return CitationComparison("authors", FieldAgreement.UNKNOWN)
    if not cited.authors:
        return _compare_authors_in_text(cited, work)
    omitted = _omitted_authors(cited, work)
    known = len(work.authors) - len(omitted)
    strange = len(cited.authors) - known
    score = known / len(cited.authors)
    shown = _shown_authors(work)
    if score < min(thresholds.authors, _MIN_SHARED_AUTHORS):
        why = f"the source gives the authors {shown}"
        return CitationComparison("authors", FieldAgreement.CONTRADICTS, score, why)
    if score < thresholds.authors:
        why = f"{strange} of the authors given are not among {shown}"
        return CitationComparison("authors", FieldAgreement.DIFFERS, score, why)
    if omitted and not cited.et_al:
        why = f"{len(omitted)} authors are left out of {shown}"
        return CitationComparison("authors", FieldAgreement.DIFFERS, score, why)
    return CitationComparison("authors", FieldAgreement.SAME, score)


def _omitted_authors(cited: Cited, work: Work) -> list[str]:
    """The work's authors whom the citation does not name."""
    omitted = list(work.authors)
    for name in cited.authors:
        for author in omitted:
            if same_person(name, author):
                omitted.remove(author)
                break
    return omitted


def _compare_authors_in_text(cited: Cited, work: Work) -> CitationComparison:
    if not cited.text:
        return CitationComparison("authors", FieldAgreement.UNKNOWN)
    text = f" {fold(cited.text)} "
    if any(f" {person(name)[0]} " in text for name in work.authors):
        return CitationComparison("authors", FieldAgreement.SAME)
    if not cited.authors_text:
        return CitationComparison("authors", FieldAgreement.UNKNOWN)
    why = f"the source gives the authors {_shown_authors(work)}"
    return CitationComparison("authors", FieldAgreement.CONTRADICTS, 0.0, why)


def _shown_authors(work: Work) -> str:
    shown = ", ".join(work.authors[:_SHOWN_AUTHORS])
    if len(work.authors) > _SHOWN_AUTHORS:
        shown += ", ..."
    return shown


def _compare_year(
    cited: Cited, work: Work, thresholds: EvidenceThresholds
) -> CitationComparison:
    """Compare with all years the work may be cited with. A preprint may be cited by the year it was published later."""
    if cited.year is None or not work.years:
        return CitationComparison("year", FieldAgreement.UNKNOWN)
    later = thresholds.year
    if work.preprint:
        later = max(later, _MAX_PREPRINT_YEARS)
    first = min(work.years) - thresholds.year
    last = max(work.years) + later
    if first <= cited.year <= last:
        return CitationComparison("year", FieldAgreement.SAME)
    apart = max(min(work.years) - cited.year, cited.year - last)
    agreement = (
        FieldAgreement.DIFFERS
        if apart <= _MAX_NEAR_YEARS
        else FieldAgreement.CONTRADICTS
    )
    years = ", ".join(map(str, work.years))
    why = f"the source gives the year {years}, not {cited.year}"
    return CitationComparison("year", agreement, why=why)


def _compare_venue(cited: Cited, work: Work) -> CitationComparison:
    """Compare the venues. Another venue alone never contradicts, it only differs."""
    unknown = CitationComparison("venue", FieldAgreement.UNKNOWN)
    if not cited.venue or not work.venue or work.web_page:
        return unknown
    if work.preprint and not cited.text:
        return unknown
    if same_venue(cited.venue, work.venue):
        return CitationComparison("venue", FieldAgreement.SAME)
    venue = work.venue[:_SHOWN_VENUE_CHARS]
    cited_venue = cited.venue[:_SHOWN_VENUE_CHARS]
    why = f"it appeared in {venue!r}, not in {cited_venue!r}"
    return CitationComparison("venue", FieldAgreement.DIFFERS, why=why)
