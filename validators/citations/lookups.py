"""What the evidence sources are asked about each citation: by identifier, then by title, then by quote."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.evidence import EvidenceSpec
from judgemesh.contracts.needs import Answer, Found, Lookup, Need, NotFound
from judgemesh.validators._shared.values import of_type
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.quotes import (
    MIN_QUOTE_CHARS,
    folded_text,
    stands_in,
)
from judgemesh.validators.citations.works import Work, work_of

_MAX_TITLE_CHARS: Final = 300
_MAX_AUTHORS: Final = 3
_MAX_QUOTE_CHARS: Final = 2_000

Queries = dict[str, dict[str, str]]
"""The queries about a citation by what they ask with: a scheme of its identifiers, `title` or `quote`."""


Lookups = Generator[dict[str, Need], Mapping[str, Answer], None]
"""A generator that yields lookups by name and is sent their answers."""


@dataclass(slots=True)
class Inquiry:
    """One citation, its number, and all that the sources answered about it.

    answers: one for each source, by what was asked with (see `Queries`). works: those among them that were found.
    """

    number: int
    cited: Cited
    answers: dict[str, list[Answer]] = field(default_factory=dict[str, list[Answer]])
    works: dict[str, list[Work]] = field(default_factory=dict[str, list[Work]])

    def record(self, asked_with: str, answers: list[Answer]) -> None:
        """Keep the answers of the sources to one query."""
        self.answers[asked_with] = answers
        self.works[asked_with] = list(map(work_of, of_type(Found, answers)))

    def cited_works(self) -> Iterator[Work]:
        """Everything found by an identifier, then by title."""
        for asked_with in (*self.cited.ids, "title"):
            yield from self.works.get(asked_with, ())


def look_up(inquiries: Sequence[Inquiry], spec: EvidenceSpec) -> Lookups:
    """Ask the sources, each round about what the rounds before left open."""
    for queries in (_first_queries, _title_queries, _quote_queries):
        yield from _look_up(inquiries, spec, queries)


def denial(answers: Sequence[Answer]) -> NotFound | None:
    """The answer of an authority that there is no such work, unless another source holds it."""
    if of_type(Found, answers):
        return None
    for answer in of_type(NotFound, answers):
        if answer.authoritative and answer.covers:
            return answer
    return None


def wants_quote(cited: Cited, spec: EvidenceSpec) -> bool:
    """Whether the quote of a citation is checked."""
    return "quote" in spec.levels and len(cited.quote) >= MIN_QUOTE_CHARS


def is_quote_of_cited(inquiry: Inquiry, spec: EvidenceSpec) -> bool | None:
    """Whether a cited work contains the quote; None where none does and the whole text of none is known."""
    quote, min_share = inquiry.cited.quote, spec.thresholds.quote
    is_contained = None
    for work in inquiry.cited_works():
        if work.text is None:
            continue
        if stands_in(quote, folded_text(work.text), min_share):
            return True
        if not work.excerpt:
            is_contained = False
    return is_contained


def _look_up(
    inquiries: Sequence[Inquiry],
    spec: EvidenceSpec,
    queries_of: Callable[[Inquiry, EvidenceSpec], Queries],
) -> Lookups:
    """One round: every query to every source; the answers are recorded with their inquiries."""
    sources = dict(enumerate(spec.sources))
    queries = [(inquiry, queries_of(inquiry, spec)) for inquiry in inquiries]
    needs: dict[str, Need] = {}
    for inquiry, by_kind in queries:
        want_text = wants_quote(inquiry.cited, spec)
        for asked_with, query in by_kind.items():
            for number, source in sources.items():
                needs[_key(inquiry, asked_with, number)] = Lookup(
                    source=source,
                    query=query,
                    want_text=want_text and asked_with != "quote",
                )
    if not needs:
        return
    answers = yield needs
    for inquiry, by_kind in queries:
        for asked_with in by_kind:
            answered = [
                answers[_key(inquiry, asked_with, number)] for number in sources
            ]
            inquiry.record(asked_with, answered)


def _key(inquiry: Inquiry, asked_with: str, source: int) -> str:
    return f"{inquiry.number}:{asked_with}:{source}"


def _first_queries(inquiry: Inquiry, _spec: EvidenceSpec) -> Queries:
    """By each identifier; by title where there is none."""
    cited = inquiry.cited
    if not cited.ids:
        return _by_title(cited)
    return {scheme: {scheme: value} for scheme, value in cited.ids.items()}


def _title_queries(inquiry: Inquiry, _spec: EvidenceSpec) -> Queries:
    """By title too, where no identifier led to a work and no authority has denied one."""
    if not inquiry.cited.ids or any(inquiry.cited_works()):
        return {}
    if any(denial(answers) for answers in inquiry.answers.values()):
        return {}
    return _by_title(inquiry.cited)


def _by_title(cited: Cited) -> Queries:
    title = cited.title or cited.text[:_MAX_TITLE_CHARS]
    if not title or cited.malformed:
        return {}
    query = {"title": title}
    if cited.authors:
        query["author"] = ", ".join(cited.authors[:_MAX_AUTHORS])
    if cited.year:
        query["year"] = str(cited.year)
    return {"title": query}


def _quote_queries(inquiry: Inquiry, spec: EvidenceSpec) -> Queries:
    """By quote, where the whole text of a cited work is known and does not contain the quote."""
    cited = inquiry.cited
    if not wants_quote(cited, spec) or is_quote_of_cited(inquiry, spec) is not False:
        return {}
    return {"quote": {"quote": cited.quote[:_MAX_QUOTE_CHARS]}}
