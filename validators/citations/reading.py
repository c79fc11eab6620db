"""All citations of an answer: given as data, in its reference list, and as identifiers and names in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.results import AgentOutput
from judgemesh.validators._shared.json_answers import json_answer
from judgemesh.validators._shared.text import line_number
from judgemesh.validators.citations.cited import (
    MAX_CITATIONS,
    Citations,
    Cited,
)
from judgemesh.validators.citations.given import given_citations
from judgemesh.validators.citations.identifiers import identifiers_in
from judgemesh.validators.citations.mentions import mentions_in
from judgemesh.validators.citations.quotations import QuotationIndex
from judgemesh.validators.citations.reference_list import split_reference_list
from judgemesh.validators.citations.reference_marks import NumberedMark, read_marks

_MAX_TEXT_CHARS: Final = 500_000
_WIDE: Final = {0xFF01 + offset: 0x21 + offset for offset in range(94)} | dict.fromkeys(
    [0x00A0, 0x2007, 0x2009, 0x202F, 0x3000], 0x20
)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_DISCUSSED = re.compile(
    r"\b(?:stud(?:y|ies)|research(?:ers)?|trials?|papers?|surveys?|literature|meta-analys[ei]s|experts|evidence|reports?"
    r"|authors)\s(?:\w{1,20}\s){0,3}?(?:show|found|find|suggest|indicate|demonstrate|report|confirm|conclude|prove)"
    r"(?:n|s|d|ed)?\b|\baccording to\b",
    re.IGNORECASE,
)


def citations_of(output: AgentOutput, *, text: bool = True) -> Citations:
    """Everything the answer cites, each work once, in the answer's order: citations given as data first.

    Args:
        output: the agent's output.
        text: whether the final answer is read too.
    """
    given = list(given_citations(output))
    answer = ""
    if text and json_answer(output.final_answer) is None:
        answer = _as_seen((output.final_answer or "")[:_MAX_TEXT_CHARS])
    body, entries = split_reference_list(answer)
    body = body.replace("**", "").replace("__", "")
    index = QuotationIndex(body)
    numbered, dangling = read_marks(body, given, entries)
    quotes = _quotes_by_ref(numbered, index)
    known = [_with_quotes(cited, quotes) for cited in (*given, *entries.values())]
    identified = list(identifiers_in(body))
    named = list(_named(_without(body, identified), index))
    addressed = list(_addressed(identified, index))
    unattached = list(_unattached(body, index))
    citations = _distinct([*known, *addressed, *named, *unattached])
    return Citations(
        checked=tuple(citations[:MAX_CITATIONS]),
        dangling=tuple(dict.fromkeys(dangling)),
        excess=max(0, len(citations) - MAX_CITATIONS),
        discussed=_DISCUSSED.search(answer) is not None,
    )


def _as_seen(text: str) -> str:
    """The text with plain letters, digits and spaces for wide ones, and without characters that nobody sees."""
    if text.isascii():
        return text
    return _UNSEEN.sub("", text.translate(_WIDE))


def _quotes_by_ref(
    numbered: Iterable[NumberedMark], index: QuotationIndex
) -> dict[str, list[str]]:
    """The quotations beside `[3]`, by the place of the citation that the number means."""
    quotes: dict[str, list[str]] = {}
    for mark in numbered:
        quotes.setdefault(mark.ref, []).extend(index.beside(mark.start, mark.end))
    return quotes


def _with_quotes(cited: Cited, quotes: Mapping[str, Sequence[str]]) -> Cited:
    passages = dict.fromkeys((*cited.passages, *quotes.get(cited.ref, ())))
    if len(passages) == len(cited.passages):
        return cited
    return replace(cited, passages=tuple(passages))


def _addressed(
    identified: Iterable[tuple[int, int, Cited]], index: QuotationIndex
) -> Iterator[Cited]:
    for start, end, cited in identified:
        yield replace(cited, passages=tuple(index.beside(start, end)))


def _without(body: str, identified: Iterable[tuple[int, int, Cited]]) -> str:
    """The text with spaces in place of its identifiers, so that no part of one is read as a name."""
    parts: list[str] = []
    position = 0
    for start, end, _ in identified:
        if start >= position:
            parts += [body[position:start], " " * (end - start)]
            position = end
    return "".join([*parts, body[position:]])


def _named(body: str, index: QuotationIndex) -> Iterator[Cited]:
    for mention in mentions_in(body):
        passages = tuple(index.beside(mention.start, mention.end))
        yield replace(mention.cited, passages=passages)


def _unattached(body: str, index: QuotationIndex) -> Iterator[Cited]:
    """Quotations that a sentence gives as a document's words: any source may hold them."""
    for quotation in index.unattached():
        ref = f"final_answer:L{line_number(body, quotation.start)}"
        yield Cited(ref=ref, passages=(quotation.text,), strict=True)


def _distinct(citations: Iterable[Cited]) -> list[Cited]:
    """Each work once: a citation that adds no identifier, no name and no passage to those before it is left out."""
    distinct: list[Cited] = []
    seen: set[tuple[object, ...]] = set()
    for cited in citations:
        marks = _marks(cited)
        # A citation known only as running text is never taken for a repetition.
        comparable = cited.title or cited.names or not cited.text
        if comparable and marks and marks <= seen:
            continue
        seen |= marks
        distinct.append(cited)
    return distinct


def _marks(cited: Cited) -> set[tuple[object, ...]]:
    """What tells one citation from another: identifiers, names, the title with its details, and the passages."""
    marks: set[tuple[object, ...]] = {*cited.ids.items(), *cited.malformed}
    marks |= {("name", fold(name)) for name in cited.names}
    marks |= {("passage", passage) for passage in cited.passages}
    if cited.title:
        ids = tuple(sorted(cited.ids.items()))
        authors = fold(" ".join(cited.authors))
        marks.add(("title", fold(cited.title), cited.year, authors, ids))
    return marks
