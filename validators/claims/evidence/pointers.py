"""What the agent brings as evidence, read as pointers: the names and the words by which a text can be found.

A pointer proves nothing. Where an evidence text or a source holds what it points to, that text counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.results import AgentOutput
from judgemesh.validators._shared.text import fold_name
from judgemesh.validators._shared.values import as_mapping, as_sequence
from judgemesh.validators.citations.cited import Standing
from judgemesh.validators.citations.mentions import looks_like_id
from judgemesh.validators.citations.reading import citations_of

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
    "documentid",
    "docid",
    "document",
    "file",
    "path",
    "url",
    "link",
    "doi",
    "title",
    "name",
)
_MIN_CHARS: Final = 20
"""A shorter text without any key is an id or a heading, not a passage."""
_MIN_PASSAGE_BLANKS: Final = 7
"""A citation that is running text says where something stands; only a long one may be a passage."""
_NUMBER = re.compile(r"\[?\^?[0-9]{1,4}\]?")
_MAX_POINTERS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Pointer:
    """A passage that the agent brings: what it is called, what it is said to say, its number in its list."""

    names: tuple[str, ...]
    text: str = ""
    number: int | None = None

    @property
    def own_names(self) -> list[str]:
        """The names that are more than a number within the answer; the number where there is nothing else."""
        names = [name for name in self.names if not _NUMBER.fullmatch(name)]
        return names or list(self.names)


def cited_sources(output: AgentOutput) -> Iterator[Pointer]:
    """What the citations check reads in the answer: its list of sources, footnotes, and the names in its text."""
    citations = citations_of(output)
    marks = {cited.ref: mark for mark, cited in citations.labels.items()}
    seen = {cited.ref for cited in citations.checked}
    hidden = [cited for cited in citations.labels.values() if cited.ref not in seen]
    for cited in (*citations.checked, *hidden):
        names = [*cited.ids.values(), *cited.names]
        if cited.standing is Standing.NAMED:
            names = list(filter(looks_like_id, names))
        elif cited.title:
            names.append(cited.title)
        mark = [marks[cited.ref]] if cited.ref in marks else []
        if names:
            yield Pointer((*mark, *names))


def pointers_of(output: AgentOutput, evidence_outputs: Iterable[str]) -> list[Pointer]:
    """The citations of an output, and the entries of the outputs that hold passages."""
    pointers = list(_citations(output))
    wanted = {fold_name(name) for name in evidence_outputs}
    for outputs in (output.outputs, output.model_extra or {}):
        for name, value in outputs.items():
            if fold_name(name) in wanted:
                pointers += _entries(value)
    return pointers[:_MAX_POINTERS]


def _citations(output: AgentOutput) -> Iterator[Pointer]:
    own = any(_NUMBER.fullmatch(citation.id or "") for citation in output.citations)
    for number, citation in enumerate(output.citations, start=1):
        fields = _folded(citation.model_extra or {})
        named = (citation.id, citation.url, citation.title, citation.text)
        names = (*filter(None, named), *_names_in(fields))
        text = _text_of(fields)
        if not text and citation.text.count(" ") >= _MIN_PASSAGE_BLANKS:
            text = citation.text
        place = None if own else number
        yield Pointer(tuple(dict.fromkeys(names)), text, place)


def _entries(value: object) -> Iterator[Pointer]:
    """One output: a text, an object with a text, a list of them, or an object that holds them by name."""
    mapping = as_mapping(value)
    if mapping is not None and not _folded(mapping).keys() & {*_TEXT_KEYS, *_ID_KEYS}:
        for key, entry in mapping.items():
            yield from _entry(entry, key, None)
        return
    entries = as_sequence(value) or ()
    if mapping is not None or isinstance(value, str):
        entries = [value]
    for number, entry in enumerate(entries, start=1):
        yield from _entry(entry, None, number)


def _entry(entry: object, name: str | None, number: int | None) -> Iterator[Pointer]:
    names = [] if name is None else [name]
    mapping = as_mapping(entry)
    if mapping is not None:
        fields = _folded(mapping)
        yield Pointer((*names, *_names_in(fields)), _text_of(fields), number)
    elif isinstance(entry, str) and entry.strip():
        is_passage = len(entry) >= _MIN_CHARS and " " in entry
        text = entry if is_passage else ""
        yield Pointer((*names, entry), text, number)


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
        if isinstance(value, str | int) and str(value).strip():
            names.append(str(value))
    return names
