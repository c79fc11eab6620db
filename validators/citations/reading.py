"""All citations of an answer: given as data, in its reference list, and as identifiers in its text.

Only identifiers and references that say what they are count: a DOI, an arXiv id, a PMID, an NCT number, an ISBN, an
address; an entry of a reference list; `[12]` and `(Smith et al., 2020)`, which must lead to such an entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.references import read_fields
from judgemesh.contracts.results import AgentOutput
from judgemesh.validators._shared.values import as_mapping, as_sequence
from judgemesh.validators.citations.cited import MAX_CITATIONS, Citations, Cited
from judgemesh.validators.citations.identifiers import identifiers_in
from judgemesh.validators.citations.reference_list import split_reference_list
from judgemesh.validators.citations.reference_marks import read_marks
from judgemesh.validators.citations.reference_text import read_reference

_MAX_TEXT_CHARS: Final = 500_000
_LIST_NAMES: Final = frozenset(
    {"citations", "references", "sources", "bibliography", "evidence", "evidencelist"}
)
_DISCUSSED = re.compile(
    r"\b(?:stud(?:y|ies)|research(?:ers)?|trials?|papers?|surveys?|literature|meta-analys[ei]s|experts|evidence|reports?"
    r"|authors)\s(?:\w{1,20}\s){0,3}?(?:show|found|find|suggest|indicate|demonstrate|report|confirm|conclude|prove)"
    r"(?:n|s|d|ed)?\b|\baccording to\b",
    re.IGNORECASE,
)


def citations_of(output: AgentOutput, *, text: bool = True) -> Citations:
    """Everything the answer cites, each work once, in the answer's order: structured citations first.

    Args:
        output: the agent's output.
        text: whether the final answer is read too.
    """
    structured = list(_structured(output))
    answer = ""
    if text:
        answer = (output.final_answer or "")[:_MAX_TEXT_CHARS]
    body, entries = split_reference_list(answer)
    identified = identifiers_in(body)
    citations = _distinct([*structured, *entries.values(), *identified])
    dangling, quotes = read_marks(body, structured, entries)
    citations = [_with_quote(cited, quotes) for cited in citations]
    return Citations(
        checked=tuple(citations[:MAX_CITATIONS]),
        dangling=tuple(dict.fromkeys(dangling)),
        excess=max(0, len(citations) - MAX_CITATIONS),
        discussed=not citations and _DISCUSSED.search(answer) is not None,
    )


def _with_quote(cited: Cited, quotes: Mapping[str, str]) -> Cited:
    if cited.quote or cited.ref not in quotes:
        return cited
    return replace(cited, quote=quotes[cited.ref])


def _structured(output: AgentOutput) -> Iterator[Cited]:
    """The citations that the output gives as data."""
    for index, citation in enumerate(output.citations):
        cited = _from_data(f"citations/{index}", citation.model_dump(exclude_none=True))
        if cited is not None:
            yield cited
    for key, value in output.outputs.items():
        if fold(key).replace(" ", "") not in _LIST_NAMES:
            continue
        for index, entry in enumerate(as_sequence(value) or ()):
            data = {"text": entry} if isinstance(entry, str) else as_mapping(entry)
            cited = _from_data(f"outputs/{key}/{index}", data or {})
            if cited is not None:
                yield cited


def _from_data(ref: str, data: Mapping[str, object]) -> Cited | None:
    """A citation given as an object; text alone is read as a reference list entry. None for an empty object."""
    reference = read_fields(data)
    if reference.title or reference.ids or reference.malformed:
        return Cited(
            ref=ref,
            ids=reference.ids,
            malformed=reference.malformed,
            title=reference.title,
            authors=reference.authors,
            et_al=reference.et_al,
            year=reference.year,
            venue=reference.venue,
            quote=reference.quote,
        )
    if reference.text:
        return read_reference(ref, reference.text, quote=reference.quote)
    return None


def _distinct(citations: Iterable[Cited]) -> list[Cited]:
    """Each work once: a citation that adds no identifier and no title to those before it is left out."""
    distinct: list[Cited] = []
    seen: set[tuple[object, ...]] = set()
    for cited in citations:
        marks = _marks(cited)
        # A citation known only as running text is never taken for a repetition.
        comparable = cited.title or not cited.text
        if comparable and marks and marks <= seen:
            continue
        seen |= marks
        distinct.append(cited)
    return distinct


def _marks(cited: Cited) -> set[tuple[object, ...]]:
    """What tells one work from another: identifiers as written or in normal form, and the title with its details."""
    marks: set[tuple[object, ...]] = {*cited.ids.items(), *cited.malformed}
    if cited.title:
        ids = tuple(sorted(cited.ids.items()))
        authors = fold(" ".join(cited.authors))
        marks.add(("title", fold(cited.title), cited.year, authors, ids))
    return marks
