"""Collect the evidence of a case: from the contract, from the result, and from the evidence sources."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import Final

from judgemesh.contracts.evidence import ClaimsSpec
from judgemesh.contracts.needs import Answer, Found, Lookup, Unanswered
from judgemesh.contracts.results import AgentOutput
from judgemesh.contracts.validator import Case
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_mapping, as_sequence
from judgemesh.validators.claims.claim_sentences import StatedClaim
from judgemesh.validators.claims.evidence import Library

_TEXT_KEYS: Final = (
    "text",
    "passage",
    "quote",
    "content",
    "snippet",
    "excerpt",
    "abstract",
    "body",
    "summary",
)
_ID_KEYS: Final = (
    "id",
    "ref",
    "citation",
    "key",
    "source",
    "url",
    "doi",
    "title",
    "name",
)
_MIN_CHARS: Final = 20
"""A shorter text without any key is an id or a heading, not evidence."""


def collect_evidence(output: AgentOutput, spec: ClaimsSpec) -> Library:
    """The evidence that contract and result carry."""
    library = Library()
    for passage in spec.evidence:
        library.add(f"contract:{passage.id}", passage.text, [passage.id])
    evidence_outputs = {fold_name(name) for name in spec.evidence_outputs}
    for outputs in (output.outputs, output.model_extra or {}):
        for name, value in outputs.items():
            if fold_name(name) in evidence_outputs:
                _add_output(library, f"outputs/{name}", value)
    _add_citations(library, output)
    return library


def _add_output(library: Library, ref: str, value: object) -> None:
    """One output: a text, an object with a text, a list of them, or an object that holds them by name."""
    mapping = as_mapping(value)
    if mapping is not None and not _folded(mapping).keys() & set(_TEXT_KEYS):
        for key, entry in mapping.items():
            _add_entry(library, f"{ref}/{key}", entry, [key])
        return
    entries = as_sequence(value) or ()
    if mapping is not None or isinstance(value, str):
        entries = [value]
    for index, entry in enumerate(entries):
        _add_entry(library, f"{ref}/{index}", entry, [], number=index + 1)


def _add_entry(
    library: Library,
    ref: str,
    entry: object,
    names: list[str],
    number: int | None = None,
) -> None:
    mapping = as_mapping(entry)
    if mapping is not None:
        fields = _folded(mapping)
        text = _text_of(fields)
        if text:
            library.add(ref, text, [*names, *_names_in(fields)], number)
    elif isinstance(entry, str) and len(entry) >= _MIN_CHARS and " " in entry:
        library.add(ref, entry, names, number)


def _folded(mapping: Mapping[str, object]) -> dict[str, object]:
    return {fold_name(key): value for key, value in mapping.items()}


def _text_of(fields: Mapping[str, object]) -> str:
    texts: list[str] = []
    for key in _TEXT_KEYS:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            texts.append(value)
    return "\n".join(texts)


def _names_in(fields: Mapping[str, object]) -> list[str]:
    names: list[str] = []
    for key in _ID_KEYS:
        value = fields.get(key)
        if isinstance(value, str | int):
            names.append(str(value))
    return names


def _add_citations(library: Library, output: AgentOutput) -> None:
    for number, citation in enumerate(output.citations, start=1):
        fields = _folded(citation.model_extra or {})
        own = (citation.id, citation.url, citation.title, citation.text)
        names = list(filter(None, own))
        names += _names_in(fields)
        for name in (str(number), *names):
            library.add_alias(name, names)
        text = _text_of(fields)
        if text:
            library.add(f"citations/{number - 1}", text, names, number)


def fetch_evidence(
    case: Case, claims: Iterable[StatedClaim], library: Library
) -> Generator[dict[str, Lookup], Mapping[str, Answer], None]:
    """Ask the contract's evidence sources for cited texts that the result does not carry."""
    evidence = case.contract.evidence
    if evidence is None:
        return
    cited: dict[str, None] = {}
    for claim in claims:
        cited |= dict.fromkeys(claim.citations)
    lookups: dict[str, Lookup] = {}
    citation_of: dict[str, str] = {}
    for citation in library.unread(list(cited)):
        for source in evidence.sources:
            for query in library.queries(citation):
                key = f"evidence:{len(lookups)}"
                lookups[key] = Lookup(source=source, query=query, want_text=True)
                citation_of[key] = citation
    if not lookups:
        return
    answers = yield lookups
    for key, citation in citation_of.items():
        _take_answer(library, citation, answers[key])


def _take_answer(library: Library, citation: str, answer: Answer) -> None:
    if isinstance(answer, Unanswered):
        library.unreachable[citation] = answer.message
    if isinstance(answer, Found):
        text = answer.fields.get("text")
        if isinstance(text, str) and text.strip():
            library.add(answer.ref, text, [citation])
