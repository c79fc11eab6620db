"""The evidence texts of a case, and which of them a claim cites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.evidence import ClaimsSpec
from judgemesh.contracts.identifiers import identify
from judgemesh.contracts.results import AgentOutput
from judgemesh.validators._shared.passages import Passage, passages
from judgemesh.validators._shared.sentences import MAX_CHARS
from judgemesh.validators._shared.text import fold_name, plain
from judgemesh.validators._shared.values import as_mapping, as_sequence
from judgemesh.validators.claims.rules import Reading, read_evidence

MAX_TOTAL_CHARS: Final = 500_000
"""Evidence beyond this is not read; then no rule says that nothing supports a claim."""
MAX_TEXTS: Final = 2_000

_TEXT_KEYS: Final = tuple(
    map(
        fold_name,
        (
            "text",
            "passage",
            "quote",
            "content",
            "snippet",
            "excerpt",
            "abstract",
            "body",
            "summary",
        ),
    )
)
_ID_KEYS: Final = tuple(
    map(
        fold_name,
        ("id", "ref", "citation", "key", "source", "url", "doi", "title", "name"),
    )
)
_FEWEST_CHARS: Final = 20


@dataclass(slots=True)
class Evidence:
    """An evidence text, read once when it is needed."""

    ref: str
    text: str
    _reading: Reading | None = field(default=None, repr=False)
    _passages: list[Passage] | None = field(default=None, repr=False)

    @property
    def reading(self) -> Reading:
        """Its sentences and words."""
        if self._reading is None:
            self._reading = read_evidence(self.text)
        return self._reading

    @property
    def passages(self) -> list[Passage]:
        """Its passages."""
        if self._passages is None:
            self._passages = passages(self.ref, self.reading.sentences)
        return self._passages


@dataclass(slots=True)
class Library:
    """All evidence texts of a case, by the names they are cited by."""

    texts: list[Evidence] = field(default_factory=list[Evidence])
    cut: bool = False
    unreachable: dict[str, str] = field(default_factory=dict[str, str])
    _by_name: dict[str, list[Evidence]] = field(
        default_factory=dict[str, list[Evidence]]
    )
    _aliases: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    _positions: dict[str, list[Evidence]] = field(
        default_factory=dict[str, list[Evidence]]
    )
    _chars: int = 0

    def add(
        self, ref: str, text: str, names: Sequence[str], position: int | None = None
    ) -> None:
        """Take in a text under its names."""
        room = MAX_TOTAL_CHARS - self._chars
        if room <= 0 or len(self.texts) >= MAX_TEXTS:
            self.cut = True
            return
        limit = min(room, MAX_CHARS)
        self.cut = self.cut or len(text) > limit
        self._chars += min(len(text), limit)
        evidence = Evidence(ref, text[:limit])
        self.texts.append(evidence)
        for name in {_key(name) for name in names} - {""}:
            self._by_name.setdefault(name, []).append(evidence)
        if position is not None:
            self._positions.setdefault(str(position), []).append(evidence)

    def alias(self, name: str, others: Sequence[str]) -> None:
        """A citation called `name` has these other names too."""
        self._aliases.setdefault(_key(name), []).extend(
            key for other in others if (key := _key(other))
        )

    def cited(self, citation: str) -> list[Evidence]:
        """The texts that a citation means: by name, by another name of the same citation, else by number."""
        key = _key(citation)
        for name in (key, *self._aliases.get(key, ())):
            if name in self._by_name:
                return self._by_name[name]
        return self._positions.get(key, [])

    def queries(self, citation: str) -> list[dict[str, str]]:
        """How a source could be asked for a cited item: by its identifiers, else by its id."""
        found: list[dict[str, str]] = []
        names = [citation, *self._aliases.get(_key(citation), ())]
        for name in names:
            identified = identify(name)
            if identified is not None and {identified[0]: identified[1]} not in found:
                found.append({identified[0]: identified[1]})
        return (
            found
            or [{"id": name} for name in dict.fromkeys(names) if not name.isdigit()][:3]
        )


def library_of(output: AgentOutput, spec: ClaimsSpec) -> Library:
    """The evidence that contract and result carry."""
    library = Library()
    for passage in spec.evidence:
        library.add(f"contract:{passage.id}", passage.text, [passage.id])
    wanted = {fold_name(name) for name in spec.evidence_outputs}
    for source in (output.outputs, output.model_extra or {}):
        for name, value in source.items():
            if fold_name(name) in wanted:
                _add_output(library, f"outputs/{name}", value)
    _add_citations(library, output)
    return library


def _add_output(library: Library, ref: str, value: object) -> None:
    mapping = as_mapping(value)
    if mapping is not None and not any(fold_name(key) in _TEXT_KEYS for key in mapping):
        for key, item in mapping.items():
            _add_item(library, f"{ref}/{key}", item, [key], None)
        return
    items = (
        [value]
        if mapping is not None or isinstance(value, str)
        else as_sequence(value) or ()
    )
    for index, item in enumerate(items):
        _add_item(library, f"{ref}/{index}", item, [], index + 1)


def _add_item(
    library: Library, ref: str, item: object, names: list[str], position: int | None
) -> None:
    if isinstance(item, str):
        if len(item) >= _FEWEST_CHARS and " " in item:
            library.add(ref, item, names, position)
        return
    mapping = as_mapping(item)
    if mapping is None:
        return
    folded = {fold_name(key): value for key, value in mapping.items()}
    text = "\n".join(_texts(folded))
    if text:
        library.add(ref, text, [*names, *_names(folded)], position)


def _texts(folded: Mapping[str, object]) -> Iterator[str]:
    for key in _TEXT_KEYS:
        value = folded.get(key)
        if isinstance(value, str) and value.strip():
            yield value


def _names(folded: Mapping[str, object]) -> list[str]:
    return [
        str(folded[key]) for key in _ID_KEYS if isinstance(folded.get(key), str | int)
    ]


def _add_citations(library: Library, output: AgentOutput) -> None:
    for index, citation in enumerate(output.citations):
        names = [
            name
            for name in (citation.id, citation.url, citation.title, citation.text)
            if name
        ]
        extra = {
            fold_name(key): value for key, value in (citation.model_extra or {}).items()
        }
        names += _names(extra)
        for name in (str(index + 1), *names):
            library.alias(name, names)
        text = "\n".join(_texts(extra))
        if text:
            library.add(f"citations/{index}", text, names, index + 1)


def _key(name: str) -> str:
    return " ".join(plain(name).casefold().strip("[]() \t\n#").split())
