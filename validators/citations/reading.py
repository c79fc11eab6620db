"""All citations of an answer: given as data, in its reference list, and as identifiers and names in its text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
    Standing,
)
from judgemesh.validators.citations.given import given_citations
from judgemesh.validators.citations.identifiers import identifiers_in
from judgemesh.validators.citations.mentions import Mention, mentions_in
from judgemesh.validators.citations.quotations import QuotationIndex
from judgemesh.validators.citations.reference_list import split_reference_list
from judgemesh.validators.citations.reference_marks import read_marks

_MAX_TEXT_CHARS: Final = 500_000
_WIDE: Final = {0xFF01 + offset: 0x21 + offset for offset in range(94)} | dict.fromkeys(
    [0x00A0, 0x2007, 0x2009, 0x202F, 0x3000], 0x20
)
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_LINK_TEXT = re.compile(r"\[([^\[\]\n]{1,200})\]\($")
_MAX_LINK_CHARS: Final = 210
_LOCATOR = re.compile(r"[,;]?\s(?:pp?\.|page|section|\u00a7).{0,20}$", re.IGNORECASE)
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
        answer = answer.replace("\r\n", "\n").replace("\r", "\n")
    body, entries = split_reference_list(answer)
    body = body.replace("**", "").replace("__", "")
    index = QuotationIndex(body)
    numbered, dangling = read_marks(body, given, entries)
    for mark in numbered:
        index.attach(mark.ref, mark.start, mark.end)
    identified = list(_addressed(body))
    named = mentions_in(_without(body, identified))
    for mention in (*identified, *named):
        cited = mention.cited
        firm = cited.standing is not Standing.NAMED
        index.attach(_key(cited), mention.start, mention.end, firm=firm)
    listed = [(cited.ref, cited) for cited in (*given, *entries.values())]
    listed += [
        (_key(mention.cited), mention.cited) for mention in (*identified, *named)
    ]
    quoted = [_with_quotes(cited, index.passages_of(key)) for key, cited in listed]
    citations = _distinct([*quoted, *_shared(body, index)])
    return Citations(
        checked=tuple(citations[:MAX_CITATIONS]),
        dangling=tuple(dict.fromkeys(dangling)),
        labels={cited.mark: cited for cited in reversed(given) if cited.mark} | entries,
        excess=max(0, len(citations) - MAX_CITATIONS),
        discussed=_DISCUSSED.search(answer) is not None,
    )


def _as_seen(text: str) -> str:
    """The text with plain letters, digits and spaces for wide ones, and without characters that nobody sees."""
    if text.isascii():
        return text
    return _UNSEEN.sub("", text.translate(_WIDE))


def _key(cited: Cited) -> str:
    """What a citation in the text is told from others by."""
    names = (*cited.ids.values(), *cited.names, cited.ref)
    return fold(_LOCATOR.sub("", names[0]))


def _with_quotes(cited: Cited, quotes: Sequence[str]) -> Cited:
    passages = dict.fromkeys((*cited.passages, *quotes))
    if len(passages) == len(cited.passages):
        return cited
    return replace(cited, passages=tuple(passages))


def _addressed(body: str) -> Iterator[Mention]:
    """Addresses and other identifiers; the text of a link is another name."""
    for start, end, cited in identifiers_in(body):
        link = _LINK_TEXT.search(body, max(0, start - _MAX_LINK_CHARS), start)
        names = (link[1],) if link else ()
        yield Mention(start, end, replace(cited, names=names))


def _without(body: str, identified: Iterable[Mention]) -> str:
    """The text with spaces in place of its identifiers, so that no part of one is read as a name."""
    parts: list[str] = []
    position = 0
    for mention in identified:
        if mention.start >= position:
            parts += [
                body[position : mention.start],
                " " * (mention.end - mention.start),
            ]
            position = mention.end
    return "".join([*parts, body[position:]])


def _shared(body: str, index: QuotationIndex) -> Iterator[Cited]:
    """Quotations of which no single work is named: any source may hold them."""
    for quotation in index.shared():
        ref = f"final_answer:L{line_number(body, quotation.start)}"
        yield Cited(ref=ref, passages=(quotation.passage,), strict=True)


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
