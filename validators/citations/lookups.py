"""What the evidence sources are asked about each citation: by identifier, then by title, then by quote."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.identifiers import fold, normal
from judgemesh.contracts.needs import Answer, Found, Lookup, Need, NotFound
from judgemesh.contracts.sections.evidence import EvidenceSpec
from judgemesh.contracts.text.fronted_settings import loses_setting
from judgemesh.contracts.text.passages import is_in_text
from judgemesh.validators._shared.values import of_type
from judgemesh.validators.citations.cited import Cited, Standing
from judgemesh.validators.citations.works import Work, work_of

_MAX_TITLE_CHARS: Final = 300
_MAX_AUTHORS: Final = 3
_BEHIND_NAME = re.compile(r"\s*[:|\u2013\u2014]\s+|\s+-\s+|\s*[(\]]\s*|,\s+")
_MAX_TITLE_WORDS: Final = 10
_MIN_WEIGHT_CHARS: Final = 5
"""Shorter words of a title need no capital."""
_MIN_PASSAGE_WORDS: Final = 4
"""A shorter plain string that no source knows is a name, not a passage."""

Queries = dict[str, dict[str, str]]
"""The queries about a citation by what they ask with: a scheme of its identifiers, `name:0` and so on for its other
names, `title`, `other` for another work of that title, or `quote:0` and so on for its passages."""


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
        """Everything found by an identifier, then by a name, then by title."""
        for asked_with in (*self.cited.ids, *name_keys(self.cited), "title"):
            yield from self.works.get(asked_with, ())

    @property
    def is_found(self) -> bool:
        """Whether a source holds the work, or the passage of a citation that is one."""
        if any(self.cited_works()):
            return True
        return self.stands_by_itself and bool(self.works.get(quote_key(0)))

    @property
    def stands_by_itself(self) -> bool:
        """Whether the citation may be a passage, and names no work that it is from."""
        cited = self.cited
        if cited.names_nothing:
            return True
        words = fold(cited.remarks[0]).split() if cited.remarks else ()
        return not cited.ids and len(words) >= _MIN_PASSAGE_WORDS

    @property
    def is_title(self) -> bool:
        """Whether a plain string is written as a title: short, each word of weight with a capital, no full stop."""
        text = self.cited.remarks[0].strip() if self.cited.remarks else ""
        words = [word for word in text.split() if len(word) >= _MIN_WEIGHT_CHARS]
        if self.cited.strict or not words or text.endswith((".", "!", "?")):
            return False
        if len(text.split()) > _MAX_TITLE_WORDS:
            return False
        return all(word[0].isupper() or word[0].isdigit() for word in words)

    @property
    def other_title(self) -> str:
        """What may be the title of another work: the title, or what stands behind the name in a plain string."""
        cited = self.cited
        if cited.title and not cited.text:
            return cited.title
        for name in cited.names[:1]:
            pieces = _BEHIND_NAME.split(name, maxsplit=1)
            if len(pieces) == 2 and len(pieces[1].split()) <= _MAX_TITLE_WORDS:
                return pieces[1].strip(" .,;:)]\"'\u201c\u201d")
        return ""

    @property
    def own_passages(self) -> tuple[str, ...]:
        """The passages to look up; the text itself where it may be one."""
        cited = self.cited
        if (
            not cited.names_nothing
            and self.stands_by_itself
            and not any(self.cited_works())
        ):
            return (cited.remarks[0], *cited.passages)
        return cited.passages


def name_keys(cited: Cited) -> list[str]:
    """What is asked with for each name of a citation."""
    return [f"name:{number}" for number in range(len(cited.names))]


def quote_key(number: int) -> str:
    """What is asked with for a passage."""
    return f"quote:{number}"


def look_up(inquiries: Sequence[Inquiry], spec: EvidenceSpec) -> Lookups:
    """Ask the sources, each round about what the rounds before left open."""
    rounds = (
        _first_queries,
        _name_queries,
        _title_queries,
        _other_queries,
        _quote_queries,
    )
    for queries in rounds:
        yield from _look_up(inquiries, spec, queries)


def is_citation(inquiry: Inquiry) -> bool:
    """Whether what may be a citation is one: it says so, a source holds it, or sources have items of such names."""
    standing = inquiry.cited.standing
    if standing is Standing.CITED or inquiry.is_found:
        return True
    if standing is Standing.NAMED:
        return False
    for answers in inquiry.answers.values():
        if any(answer.kin for answer in of_type(NotFound, answers)):
            return True
    return False


def denial(answers: Sequence[Answer]) -> NotFound | None:
    """The answer of an authority that there is no such work, unless another source holds it."""
    if of_type(Found, answers):
        return None
    for answer in of_type(NotFound, answers):
        if answer.authoritative and answer.covers:
            return answer
    return None


def wants_text(cited: Cited, spec: EvidenceSpec) -> bool:
    """Whether the text of the work is needed: for a passage, or for a text that may be one."""
    return "quote" in spec.levels and bool(cited.passages or cited.remarks)


def is_in_cited(passage: str, inquiry: Inquiry) -> bool | None:
    """Whether a cited work contains a passage; None where none does and the whole text of none is known."""
    is_contained = None
    for work in inquiry.cited_works():
        if work.text is None:
            continue
        if is_in_text(passage, work.text):
            return True
        if not work.excerpt:
            is_contained = False
    return is_contained


def loses_its_setting(passage: str, inquiry: Inquiry) -> bool:
    """Whether each cited work that holds a passage says it of a time or a condition only, which the passage drops."""
    held = [
        work.text
        for work in inquiry.cited_works()
        if work.text is not None and is_in_text(passage, work.text)
    ]
    return bool(held) and all(loses_setting(passage, text) for text in held)


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
        want_text = wants_text(inquiry.cited, spec)
        for asked_with, query in by_kind.items():
            for number, source in sources.items():
                needs[_key(inquiry, asked_with, number)] = Lookup(
                    source=source,
                    query=query,
                    want_text=want_text and not asked_with.startswith("quote"),
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
    """By each identifier; by name where there is none."""
    cited = inquiry.cited
    if cited.ids:
        return {scheme: {scheme: value} for scheme, value in cited.ids.items()}
    return _by_name(cited)


def _name_queries(inquiry: Inquiry, _spec: EvidenceSpec) -> Queries:
    """By the other names too, where no identifier led to a work."""
    if not inquiry.cited.ids or not _is_open(inquiry):
        return {}
    return _by_name(inquiry.cited)


def _title_queries(inquiry: Inquiry, _spec: EvidenceSpec) -> Queries:
    """By title, where nothing else led to a work and no authority has denied one."""
    if inquiry.cited.standing is not Standing.CITED or not _is_open(inquiry):
        return {}
    return _by_title(inquiry.cited)


def _is_open(inquiry: Inquiry) -> bool:
    """Whether no work is found yet, and no authority has denied one."""
    if any(inquiry.cited_works()):
        return False
    return not any(denial(answers) for answers in inquiry.answers.values())


def _by_name(cited: Cited) -> Queries:
    if cited.malformed:
        return {}
    queries: Queries = {}
    for key, name in zip(name_keys(cited), cited.names, strict=True):
        if cited.ids.get("id") != normal("id", name):
            queries[key] = {"id": name}
    return queries


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


def _other_queries(inquiry: Inquiry, spec: EvidenceSpec) -> Queries:
    """By the title of a document that was found in another way, where the document does not have it."""
    title = inquiry.other_title
    works = list(inquiry.cited_works())
    if not title or "match" not in spec.levels or not works or "title" in inquiry.works:
        return {}
    if inquiry.cited.title == title and not all(work.web_page for work in works):
        return {}
    return {"other": {"title": title}}


def _quote_queries(inquiry: Inquiry, spec: EvidenceSpec) -> Queries:
    """By passage, where the whole text of a cited work is known and does not contain it, or no work is named."""
    if "quote" not in spec.levels:
        return {}
    by_itself = inquiry.stands_by_itself and _is_open(inquiry)
    queries: Queries = {}
    for number, passage in enumerate(inquiry.own_passages):
        if by_itself or is_in_cited(passage, inquiry) is False:
            queries[quote_key(number)] = {"quote": passage}
    return queries
