"""Collect the evidence of a case: the contract's passages, what tools returned, and what the evidence sources hold.

What the agent wrote is never evidence. The passages it brings are pointers (`pointers.py`) to texts that are.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Final

from judgemesh.contracts.needs import Answer, Found, Lookup, Unanswered
from judgemesh.contracts.parts import JsonObject
from judgemesh.contracts.sections.evidence import EvidenceSpec
from judgemesh.contracts.validator import Case
from judgemesh.validators._shared.values import of_type
from judgemesh.validators.claims.answer.claim_sentences import StatedClaim
from judgemesh.validators.claims.asked import spec_of, takes_tool_results
from judgemesh.validators.claims.evidence.evidence import Library
from judgemesh.validators.claims.evidence.pointers import (
    Pointer,
    cited_sources,
    pointers_of,
)
from judgemesh.validators.claims.evidence.tool_evidence import tool_texts

_IDS = re.compile(
    r"https?://\S+|(?<!\S)(?:(?=\S*[A-Za-z])(?=\S*\d)\S+|\S+\.(?:md|pdf|txt|html?|docx?)\b)"
)
_MAX_QUERIES: Final = 300
_MIN_QUOTE_CHARS: Final = 12
_MAX_QUOTE_CHARS: Final = 2_000

Lookups = Generator[dict[str, Lookup], Mapping[str, Answer], None]
"""A generator that yields look-ups by name and is sent their answers."""


def collect_evidence(case: Case, references: Mapping[str, str]) -> Library:
    """The evidence that contract and trace carry, and what the agent's pointers mean.

    Args:
        case: the case.
        references: the entries of the answer's list of sources by their marks.
    """
    spec = spec_of(case.contract)
    library = Library()
    for passage in spec.evidence:
        library.add(f"contract:{passage.id}", passage.text, [passage.id])
    if takes_tool_results(case.contract):
        for tool_text in tool_texts(case.result):
            library.add(tool_text.ref, tool_text.text, tool_text.names)
    for pointer in pointers_of(case.result.output, spec.evidence_outputs):
        library.point(pointer)
    for pointer in cited_sources(case.result.output):
        library.point(pointer)
    for mark, entry in references.items():
        library.point(Pointer((mark, entry, *_ids_in(entry))))
    return library


def _ids_in(entry: str) -> list[str]:
    """The names in an entry of a list of sources: addresses and identifiers of letters and digits."""
    return [match.strip(".,;()[]") for match in _IDS.findall(entry)]


def fetch_evidence(
    case: Case, claims: Sequence[StatedClaim], library: Library
) -> Lookups:
    """Ask the contract's evidence sources for what the answer cites or quotes."""
    evidence = case.contract.evidence
    if evidence is None or not evidence.sources:
        return
    library.searched = True
    cited: dict[str, None] = {}
    for claim in claims:
        cited |= dict.fromkeys((*claim.citations, *claim.mentions))
    for pointer in library.pointers:
        cited |= dict.fromkeys(pointer.own_names[:1])
    yield from _fetch_named(evidence.sources, list(cited), library)
    yield from _fetch_quoted(evidence, claims, library)
    yield from _fetch_about(evidence.sources, claims, library)


def _fetch_named(
    sources: Sequence[JsonObject], cited: Sequence[str], library: Library
) -> Lookups:
    """Ask for what is cited by name."""
    lookups: dict[str, Lookup] = {}
    citation_of: dict[str, str] = {}
    for citation in library.unread(cited):
        for source in sources:
            for query in library.queries(citation):
                key = f"evidence:{len(lookups)}"
                lookups[key] = Lookup(source=source, query=query, want_text=True)
                citation_of[key] = citation
    if not lookups:
        return
    answers = yield lookups
    for key, citation in citation_of.items():
        _take_answer(library, citation, answers[key])


def _fetch_quoted(
    evidence: EvidenceSpec, claims: Iterable[StatedClaim], library: Library
) -> Lookups:
    """Ask for the passages the agent brings, and for claims that cite nothing, in their own words."""
    wanted = _quotes(claims, library)
    lookups: dict[str, Lookup] = {}
    for number, quote in enumerate(wanted):
        for index, source in enumerate(evidence.sources):
            lookups[f"quote:{number}:{index}"] = Lookup(
                source=source, query={"quote": quote}, want_text=True
            )
    if not lookups:
        return
    answers = yield lookups
    for key, lookup in lookups.items():
        answer, pointer = answers[key], wanted[lookup.query["quote"]]
        if isinstance(answer, Found):
            library.add_found(answer, pointer.names if pointer else ())
        elif isinstance(answer, Unanswered) and pointer is None:
            library.silent = answer.message


def _quotes(
    claims: Iterable[StatedClaim], library: Library
) -> dict[str, Pointer | None]:
    """What to search for word for word: passages whose text was not found, and claims that cite nothing."""
    wanted: dict[str, Pointer | None] = {}
    for pointer in library.pointers:
        if pointer.text and not library.holds(pointer):
            wanted.setdefault(pointer.text[:_MAX_QUOTE_CHARS], pointer)
    for claim in claims:
        if not claim.citations:
            wanted.setdefault(claim.text[:_MAX_QUOTE_CHARS], None)
    quotes = [quote for quote in wanted if len(quote) >= _MIN_QUOTE_CHARS]
    return {quote: wanted[quote] for quote in quotes[:_MAX_QUERIES]}


def _fetch_about(
    sources: Sequence[JsonObject], claims: Iterable[StatedClaim], library: Library
) -> Lookups:
    """Search for the text that is most likely about a claim, where nothing that it cites was found."""
    lookups: dict[str, Lookup] = {}
    for claim in claims:
        cited = (*claim.citations, *claim.mentions)
        if library.cited_by(cited) or len(lookups) >= _MAX_QUERIES:
            continue
        query = {"about": claim.text[:_MAX_QUOTE_CHARS]}
        for source in sources:
            key = f"about:{len(lookups)}"
            lookups[key] = Lookup(source=source, query=query, want_text=True)
    if not lookups:
        return
    answers = yield lookups
    for answer in of_type(Found, answers.values()):
        library.add_found(answer, ())


def _take_answer(library: Library, citation: str, answer: Answer) -> None:
    if isinstance(answer, Unanswered):
        library.unreachable[citation] = answer.message
    if isinstance(answer, Found) and not library.add_found(answer, [citation]):
        why = f"{answer.ref} holds no text of it"
        library.unreachable.setdefault(citation, why)
