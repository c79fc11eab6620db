"""Citations that the output gives as data: objects and plain strings, wherever a name says that they are citations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.references import Reference, read_fields
from judgemesh.contracts.results import AgentOutput
from judgemesh.validators._shared.json_answers import json_values
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_mapping, as_sequence
from judgemesh.validators.citations.cited import MAX_CITATIONS, Cited, Standing
from judgemesh.validators.citations.hollow import is_hollow
from judgemesh.validators.citations.plain_text import plain_citation
from judgemesh.validators.citations.quotations import as_statement
from judgemesh.validators.citations.reference_text import read_reference

_LISTS: Final = frozenset(
    map(
        fold_name,
        (
            "citations", "references", "sources", "bibliography", "works_cited", "footnotes", "refs", "source_list",
            "sources_used", "cited_sources", "cited_documents", "citation_list", "reference_list", "source_documents",
            "source_ids", "document_ids", "source_files", "sources_cited", "documents_used", "documents_cited",
        ),
    )
)  # fmt: skip
_EVIDENCE: Final = frozenset(
    map(
        fold_name,
        (
            "evidence", "evidence_list", "evidences", "supporting_evidence", "supporting_passages", "supporting_quotes",
            "evidence_items", "evidence_passages", "cited_passages", "quoted_passages",
        ),
    )
)  # fmt: skip
_PERHAPS: Final = frozenset(
    map(
        fold_name,
        (
            "citation",
            "reference",
            "source",
            "ref",
            "source_id",
            "document",
            "document_id",
            "based_on",
        ),
    )
)
"""Names that may hold something else than a citation: a booking has a reference, a lead has a source."""
_MAX_DEPTH: Final = 6
_MIN_REFERENCE_WORDS: Final = 4
_LABEL = re.compile(
    r"\[?\^?[0-9]{1,4}\]?|(?:refs?|cite|cit|citation|source|src|evidence|ev|note|fn|[a-z])?[-_ ]?[0-9]{1,3}",
    re.IGNORECASE,
)
_MARKS: Final = frozenset(
    map(fold_name, ("id", "number", "no", "num", "n", "index", "label", "ref", "key", "mark", "marker", "footnote",
                    "citation_id", "citation_number", "ref_id", "reference_id"))
)  # fmt: skip
"""Names of the number of a citation."""
_NUMBER = re.compile(r"\[?\^?[0-9]{1,4}\]?")
_PIECES = re.compile(r"\s*[;\n]\s*|,\s+")
_BARE_NAME = re.compile(r"\S{1,120}")


def given_citations(output: AgentOutput) -> Iterator[Cited]:
    """The citations in `citations`, in the outputs, and in an answer that is JSON."""
    for index, citation in enumerate(output.citations):
        data = citation.model_dump(exclude_none=True)
        yield from _one(f"citations/{index}", data, strict=False)
    trees: list[tuple[str, object]] = [
        ("outputs", output.outputs),
        ("output", output.model_extra),
    ]
    trees += [("final_answer", value) for value in json_values(output.final_answer)]
    for ref, tree in trees:
        yield from _in_tree(ref, tree)
    yield from _of_claims(output)


def _of_claims(output: AgentOutput) -> Iterator[Cited]:
    """What the listed claims cite, unless it is a label of a citation of the answer."""
    labels = set(_labels(output))
    for index, claim in enumerate(output.claims):
        for number, name in enumerate(claim.citations):
            folded = fold(name)
            if folded in labels or _LABEL.fullmatch(name.strip()):
                continue
            labels.add(folded)
            yield from plain_citation(
                f"claims/{index}/citations/{number}", name, strict=False
            )


def _labels(output: AgentOutput) -> Iterator[str]:
    for citation in output.citations:
        data = citation.model_dump(exclude_none=True)
        yield from (fold(value) for value in data.values() if isinstance(value, str))


def _in_tree(ref: str, tree: object) -> Iterator[Cited]:
    """Every value below the names of such lists, whatever it is nested in."""
    stack: list[tuple[str, object, int]] = [(ref, tree, 0)]
    while stack:
        ref, value, depth = stack.pop()
        mapping = as_mapping(value)
        inner: list[tuple[str, object]] = []
        if mapping is None:
            entries = as_sequence(value) or ()
            inner = [(f"{ref}/{index}", entry) for index, entry in enumerate(entries)]
        else:
            for key, entry in mapping.items():
                name = fold_name(key)
                if name in _LISTS or name in _EVIDENCE:
                    yield from _all(f"{ref}/{key}", entry, strict=name in _EVIDENCE)
                elif name in _PERHAPS:
                    for cited in _all(f"{ref}/{key}", entry, strict=False):
                        yield replace(cited, standing=Standing.NAMED)
                else:
                    inner.append((f"{ref}/{key}", entry))
        if depth < _MAX_DEPTH:
            stack += [(place, entry, depth + 1) for place, entry in reversed(inner)]


def _all(ref: str, value: object, *, strict: bool) -> Iterator[Cited]:
    """The citations in a text, a list, an object, or an object that holds them by name."""
    mapping = as_mapping(value)
    if isinstance(value, str):
        for index, piece in enumerate(_pieces(value)):
            yield from plain_citation(f"{ref}/{index}", piece, strict=strict)
    elif mapping is None:
        entries = (as_sequence(value) or ())[: 2 * MAX_CITATIONS]
        for index, entry in enumerate(entries):
            yield from _entry(f"{ref}/{index}", entry, strict=strict)
    elif _says_something(read_fields(mapping)):
        yield from _one(ref, mapping, strict=strict)
    else:
        for key, entry in mapping.items():
            yield from _by_key(f"{ref}/{key}", key, entry, strict=strict)


def _pieces(text: str) -> Iterator[str]:
    """The names in a text that lists nothing else; otherwise, its lines."""
    pieces = [piece for piece in _PIECES.split(text) if piece.strip()]
    if len(pieces) < 2 or not all(map(_BARE_NAME.fullmatch, pieces)):
        pieces = [line for line in text.split("\n") if line.strip()]
    return (piece.strip(" \t-*\u2022") for piece in pieces)


def _by_key(ref: str, key: str, entry: object, *, strict: bool) -> Iterator[Cited]:
    """An entry of an object: its key is a label, or names the work."""
    mapping = as_mapping(entry)
    if as_sequence(entry) is not None:
        yield from _all(ref, entry, strict=strict)
    elif _LABEL.fullmatch(key):
        yield from _entry(ref, entry, strict=strict)
    elif mapping is not None:
        yield from _one(ref, {"id": key} | dict(mapping), strict=strict)
    elif isinstance(entry, str):
        yield from _one(ref, {"id": key, "text": entry}, strict=strict)


def _entry(ref: str, entry: object, *, strict: bool) -> Iterator[Cited]:
    mapping = as_mapping(entry)
    if mapping is not None:
        yield from _one(ref, mapping, strict=strict)
    elif isinstance(entry, str | int) and not isinstance(entry, bool):
        yield from plain_citation(ref, str(entry), strict=strict)


def _says_something(reference: Reference) -> bool:
    return bool(
        reference.title
        or reference.ids
        or reference.malformed
        or reference.names
        or reference.texts
        or reference.passages
    )


def _one(ref: str, data: Mapping[str, object], *, strict: bool) -> Iterator[Cited]:
    """A citation given as an object. Its `text` alone is read as a plain string."""
    reference = read_fields(data)
    if not _says_something(reference):
        return
    passages = tuple(map(as_statement, reference.passages))
    reference = replace(reference, passages=passages)
    named = reference.title or reference.ids or reference.malformed or reference.names
    if not named:
        texts = reference.texts
        if not texts:
            yield Cited(ref=ref, passages=reference.passages, strict=True)
        for text in texts:
            for cited in plain_citation(ref, text, strict=strict):
                yield replace(cited, passages=(*cited.passages, *reference.passages))
        return
    yield _named(ref, reference, _mark_in(data))


def _mark_in(data: Mapping[str, object]) -> str:
    """The number by which the text refers to a citation, where it gives one."""
    for key, value in data.items():
        written = value if isinstance(value, str | int) else None
        if written is None or isinstance(value, bool) or fold_name(key) not in _MARKS:
            continue
        if _NUMBER.fullmatch(str(written).strip()):
            return str(written).strip(" [^]")
    return ""


def _named(ref: str, reference: Reference, mark: str) -> Cited:
    """The citation of an object that names a work."""
    names = reference.names
    hollow = (
        not reference.malformed
        and not (set(reference.ids) - {"id"})
        and all(map(is_hollow, names or [""]))
    )
    own = {*map(fold, names), *map(fold, reference.ids.values()), fold(reference.title)}
    remarks = tuple(text for text in reference.texts if fold(text) not in own)
    base = Cited(
        ref=ref,
        mark=mark,
        ids=reference.ids,
        malformed=reference.malformed,
        title=reference.title,
        authors=reference.authors,
        et_al=reference.et_al,
        year=reference.year,
        venue=reference.venue,
        names=names,
        passages=reference.passages,
        remarks=remarks,
        strict=True,
        standing=Standing.NAMED if hollow and names else Standing.CITED,
    )
    written = names[0] if names else ""
    if reference.title or reference.ids or len(written.split()) < _MIN_REFERENCE_WORDS:
        return base
    read = read_reference(ref, written)
    return replace(base, ids=read.ids, malformed=read.malformed, title=read.title, text=read.text,
                   authors_text=read.authors_text, year=base.year or read.year)  # fmt: skip
