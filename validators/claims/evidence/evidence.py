"""The evidence texts of a case, and which of them a citation means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from judgemesh.contracts.identifiers import identify
from judgemesh.contracts.needs import Found
from judgemesh.validators._shared.numbers.powers import with_plain_powers
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators.claims.evidence.passages import SourcePassage, passages_of
from judgemesh.validators.claims.evidence.pointers import Pointer
from judgemesh.validators.claims.language.sentences import MAX_CHARS
from judgemesh.validators.claims.language.words import words_only
from judgemesh.validators.claims.support.reading import ReadEvidence

MAX_TOTAL_CHARS: Final = 500_000
"""Evidence beyond this is not read; then no rule says that nothing supports a claim."""
MAX_TEXTS: Final = 2_000
_MAX_ID_QUERIES: Final = 3
_MIN_POINTED_WORDS: Final = 3
_ELLIPSIS = re.compile(r"\[?(?:\u2026|\.{3,})\]?|\n")
_SUFFIX = re.compile(r"\.(?:md|txt|pdf|html?|docx?|json|csv|rst)$", re.IGNORECASE)
_SECTION = re.compile(
    r"\s*(?:[,;:#(]|\u00a7|\bp(?:p|ages?|\.)?\s*\d|\bsections?\b|\bclauses?\b|\bparagraphs?\b|\bline\b).*$",
    re.IGNORECASE | re.DOTALL,
)


class EvidenceText:
    """An evidence text, read once when it is needed."""

    def __init__(self, ref: str, text: str) -> None:
        self.ref = ref
        self.text = text

    @cached_property
    def read(self) -> ReadEvidence:
        """Its sentences and words."""
        return ReadEvidence(self.text)

    @cached_property
    def passages(self) -> list[SourcePassage]:
        """Its passages."""
        return passages_of(self.ref, self.read.sentences)

    @cached_property
    def words(self) -> str:
        """Its words and figures, each between blanks, without case."""
        return words_only(self.text)


class Library:
    """All evidence texts of a case, by the names they are cited by.

    `cut`: some evidence was over the limits and is left out. `unreachable`: why a cited text could not be fetched, by
    citation; `silent`: why a source could not be searched; `searched`: sources were asked.
    `pointers`: what the agent brought; it is never evidence.
    """

    def __init__(self) -> None:
        self.texts: list[EvidenceText] = []
        self.cut = False
        self.unreachable: dict[str, str] = {}
        self.silent = ""
        self.searched = False
        self.pointers: list[Pointer] = []
        self._by_name: dict[str, list[EvidenceText]] = {}
        self._aliases: dict[str, list[Pointer]] = {}
        self._chars = 0

    def add(self, ref: str, text: str, names: Iterable[str]) -> None:
        """Add a text under its names."""
        room = MAX_TOTAL_CHARS - self._chars
        if room <= 0 or len(self.texts) >= MAX_TEXTS:
            self.cut = True
            return
        text = with_plain_powers(text)
        limit = min(room, MAX_CHARS)
        if len(text) > limit:
            self.cut = True
        evidence = EvidenceText(ref, text[:limit])
        self._chars += len(evidence.text)
        self.texts.append(evidence)
        self._name(evidence, names)

    def add_found(self, found: Found, names: Iterable[str]) -> bool:
        """Add the text that a source holds, once, under more names; whether the source gave a text."""
        text = found.fields.get("text")
        if not isinstance(text, str) or not text.strip():
            return False
        if found.fields.get("excerpt") is True:
            self.cut = True
        for known in self.texts:
            if known.ref == found.ref and text.startswith(known.text):
                self._name(known, names)
                return True
        self.add(found.ref, text, names)
        return True

    def _name(self, evidence: EvidenceText, names: Iterable[str]) -> None:
        for key in set(_keys(names)):
            named = self._by_name.setdefault(key, [])
            if evidence not in named:
                named.append(evidence)

    def point(self, pointer: Pointer) -> None:
        """Remember what a passage brought by the agent is called and says."""
        self.pointers.append(pointer)
        names = list(pointer.names)
        if pointer.number is not None:
            names.append(str(pointer.number))
        for key in set(_keys(names)):
            self._aliases.setdefault(key, []).append(pointer)

    def is_name(self, name: str) -> bool:
        """Whether a text is called so, or something that leads to a text."""
        if any(key in self._by_name for key in _spellings(name)):
            return True
        return any(self.holds(pointer) for pointer in self._pointers(name))

    def cited(self, citation: str) -> list[EvidenceText]:
        """The texts that a citation means: by name, by a pointer of that name, or because they mention it."""
        for key in _spellings(citation):
            if key in self._by_name:
                return self._by_name[key]
        for pointer in self._pointers(citation):
            texts = self._pointed(pointer)
            if texts:
                return texts
        return self._mentioning(citation)

    def _pointers(self, citation: str) -> list[Pointer]:
        return self._aliases.get(_key(citation), [])

    def _pointed(self, pointer: Pointer) -> list[EvidenceText]:
        """The texts that a pointer leads to: by one of its names, else those that hold its words."""
        for name in pointer.names:
            for key in _spellings(name):
                if key in self._by_name:
                    return self._by_name[key]
        return self._holding(pointer.text)

    def _holding(self, passage: str) -> list[EvidenceText]:
        """The texts that hold a passage word for word; marked ellipses may leave words out."""
        pieces: list[str] = _ELLIPSIS.split(passage)
        parts = [words_only(piece) for piece in pieces if words_only(piece)]
        if sum(part.count(" ") - 1 for part in parts) < _MIN_POINTED_WORDS:
            return []
        return [
            text for text in self.texts if all(part in text.words for part in parts)
        ]

    def holds(self, pointer: Pointer) -> bool:
        """Whether an evidence text is what the pointer means."""
        return bool(self._pointed(pointer))

    def _mentioning(self, citation: str) -> list[EvidenceText]:
        """The texts in which the cited name stands; a bare number is no name."""
        name = words_only(citation)
        if not name.strip() or name.strip().isdigit():
            return []
        return [text for text in self.texts if name in text.words]

    def brought(self, citation: str) -> bool:
        """Whether the agent brought words for what it cites."""
        return any(pointer.text for pointer in self._pointers(citation))

    def cited_by(self, citations: Sequence[str]) -> list[EvidenceText]:
        """The texts that several citations mean, each once."""
        texts: list[EvidenceText] = []
        for citation in citations:
            texts += self.cited(citation)
        return list(dict.fromkeys(texts))

    def unread(self, citations: Sequence[str]) -> list[str]:
        """The citations that mean no text of the library."""
        return [citation for citation in citations if not self.cited(citation)]

    def queries(self, citation: str) -> list[dict[str, str]]:
        """How a source can be asked for a cited item: by its identifiers, else by its id, and by its title."""
        names = [citation]
        for pointer in self._pointers(citation):
            names += pointer.names
        queries: list[dict[str, str]] = []
        for name in names:
            identified = identify(name)
            if identified is None:
                continue
            scheme, value = identified
            if {scheme: value} not in queries:
                queries.append({scheme: value})
        if queries:
            return queries
        for name in dict.fromkeys(names):
            if not name.isdigit():
                queries.append({"id": name})
            if " " in name:
                queries.append({"title": name})
        return queries[: 2 * _MAX_ID_QUERIES]


def _spellings(name: str) -> Iterator[str]:
    """The names that a citation may mean: as written, without a section or page, the file's name alone."""
    seen: set[str] = set()
    path = name.replace("\\", "/").rsplit("/", 1)[-1]
    for spelling in (name, path, _SECTION.sub("", name), _SECTION.sub("", path)):
        key = _key(spelling)
        if key and key not in seen:
            seen.add(key)
            yield key


def _keys(names: Iterable[str]) -> Iterator[str]:
    return filter(None, map(_key, names))


def _key(name: str) -> str:
    """A name without case, separators, brackets and a document's suffix."""
    shown = plain(name).strip("[]() \t\n#")
    return fold_name(_SUFFIX.sub("", shown))
