"""The evidence texts of a case, and which of them a citation means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from judgemesh.contracts.identifiers import identify
from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.passages import SourcePassage, passages_of
from judgemesh.validators.claims.reading import ReadEvidence
from judgemesh.validators.claims.sentences import MAX_CHARS

MAX_TOTAL_CHARS: Final = 500_000
"""Evidence beyond this is not read; then no rule says that nothing supports a claim."""
MAX_TEXTS: Final = 2_000
_MAX_ID_QUERIES: Final = 3


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


class Library:
    """All evidence texts of a case, by the names they are cited by.

    `cut`: some evidence was over the limits and is left out. `unreachable`: why a cited text could not be fetched, by
    citation.
    """

    def __init__(self) -> None:
        self.texts: list[EvidenceText] = []
        self.cut = False
        self.unreachable: dict[str, str] = {}
        self._by_name: dict[str, list[EvidenceText]] = {}
        self._by_number: dict[str, list[EvidenceText]] = {}
        self._aliases: dict[str, list[str]] = {}
        self._chars = 0

    def add(
        self, ref: str, text: str, names: Iterable[str], number: int | None = None
    ) -> None:
        """Add a text under its names, and under its number in a list."""
        room = MAX_TOTAL_CHARS - self._chars
        if room <= 0 or len(self.texts) >= MAX_TEXTS:
            self.cut = True
            return
        limit = min(room, MAX_CHARS)
        if len(text) > limit:
            self.cut = True
        evidence = EvidenceText(ref, text[:limit])
        self._chars += len(evidence.text)
        self.texts.append(evidence)
        for key in set(_keys(names)):
            self._by_name.setdefault(key, []).append(evidence)
        if number is not None:
            self._by_number.setdefault(str(number), []).append(evidence)

    def add_alias(self, name: str, others: Iterable[str]) -> None:
        """A citation called `name` has these other names too."""
        self._aliases.setdefault(_key(name), []).extend(_keys(others))

    def cited(self, citation: str) -> list[EvidenceText]:
        """The texts that a citation means: by name, by another name of the same citation, else by number."""
        key = _key(citation)
        for name in (key, *self._aliases.get(key, ())):
            if name in self._by_name:
                return self._by_name[name]
        return self._by_number.get(key, [])

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
        """How a source can be asked for a cited item: by its identifiers, else by its id."""
        names = [citation, *self._aliases.get(_key(citation), ())]
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
        return queries[:_MAX_ID_QUERIES]


def _keys(names: Iterable[str]) -> Iterator[str]:
    return filter(None, map(_key, names))


def _key(name: str) -> str:
    """A name without case, brackets and extra blanks."""
    return " ".join(plain(name).casefold().strip("[]() \t\n#").split())
