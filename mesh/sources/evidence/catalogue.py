"""A catalogue in memory: records found by identifier, by title, by a title that is nearly the same, or by a passage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from judgemesh.contracts.identifiers import SCHEMES, fold, normal
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import Reference, plain, read_fields
from judgemesh.contracts.text.passages import is_in_text
from judgemesh.mesh.sources.evidence.json_answers import without_empty
from judgemesh.mesh.sources.evidence.names import (
    forms_of,
    has_kin,
    path_parts,
    same_name,
    stem_of,
)
from judgemesh.mesh.sources.evidence.relevance import most_relevant

_MIN_TITLE_SCORE: Final = 75.0
_MIN_PART_SCORE: Final = 95.0
_MIN_PART_CHARS: Final = 20
_MAX_CANDIDATES: Final = 3
_MIN_SCHEME_SHARE: Final = 0.25
_ARXIV_DOI_PREFIX: Final = "10.48550/arxiv."
_PREPRINT_SCHEMES: Final = frozenset({"arxiv", "doi", "url", "id"})
_ALTERNATE_IDS: Final = {
    "dois": "doi",
    "arxiv_ids": "arxiv",
    "urls": "url",
    "isbns": "isbn",
    "ee": "url",
}


@dataclass(frozen=True, slots=True)
class CatalogueRecord:
    """One record: where it is, what it says, and all its identifiers by scheme."""

    ref: str
    reference: Reference
    ids: Mapping[str, frozenset[str]]


class Catalogue:
    """Records, indexed. Immutable once made; safe to ask from several threads."""

    def __init__(
        self,
        rows: Iterable[tuple[str, Mapping[str, object]]],
        label: str,
        *,
        authoritative: bool,
    ) -> None:
        self._label = label
        self._authoritative = authoritative
        self._by_id: dict[tuple[str, str], CatalogueRecord] = {}
        self._by_title: dict[str, list[CatalogueRecord]] = {}
        self._by_name: dict[str, list[CatalogueRecord]] = {}
        self._records = [_record(ref, row) for ref, row in rows]
        schemes: Counter[str] = Counter()
        for record in self._records:
            schemes.update(record.ids.keys())
            self._index(record)
        common = _MIN_SCHEME_SHARE * len(self._records)
        self._schemes = [scheme for scheme, count in schemes.items() if count >= common]
        self._known_schemes = frozenset(schemes)
        self._titles = list(self._by_title)
        self._own_ids = [own for scheme, own in self._by_id if scheme == "id"]

    def _index(self, record: CatalogueRecord) -> None:
        for scheme, values in record.ids.items():
            for value in values:
                self._by_id.setdefault((scheme, value), record)
        for own in record.ids.get("id", ()):
            name = fold(stem_of(own).rsplit("/", 1)[-1])
            self._by_name.setdefault(name, []).append(record)
        if record.reference.title:
            title = fold(record.reference.title)
            self._by_title.setdefault(title, []).append(record)

    def __len__(self) -> int:
        """Number of records."""
        return len(self._records)

    def check(self) -> tuple[str, ...]:
        """A warning where no record can be named: none has a title or an identifier."""
        if not self._records or self._by_id or self._by_title:
            return ()
        return (f"{self._label}: no record has a title or an identifier",)

    def lookup(self, need: Lookup) -> Found | NotFound:
        """The record that the query names, or none. Without an identifier, the record of the nearest title."""
        query = need.query
        for scheme in SCHEMES:
            if scheme in query:
                value = normal(scheme, query[scheme]) or query[scheme]
                record = self._by_id.get((scheme, value))
                if scheme == "id":
                    return self._by_any_name(record, query[scheme], need)
                return self._answer(record, need, covers=scheme in self._known_schemes)
        if "title" in query:
            return self._answer(self._by_nearest_title(query), need)
        if "quote" in query:
            return self._by_passage(query["quote"], need)
        if "about" in query:
            texts = [record.reference.text for record in self._records]
            number = most_relevant(query["about"], texts)
            record = None if number is None else self._records[number]
            return self._answer(record, need, covers=any(texts))
        return self._answer(None, need, covers=False)

    def _by_any_name(
        self, record: CatalogueRecord | None, name: str, need: Lookup
    ) -> Found | NotFound:
        """The record of that id; else the one that the name means in another spelling, or by its exact title."""
        for form in () if record else forms_of(name):
            folded = fold(stem_of(form).rsplit("/", 1)[-1])
            record = self._by_id.get(("id", form.casefold())) or self._named(
                form, self._by_name.get(folded, ())
            )
            if record is None and len(self._by_title.get(fold(form), ())) == 1:
                record = self._by_title[fold(form)][0]
            if record is not None:
                break
        kin = record is None and has_kin(name, self._own_ids)
        covers = "id" in self._known_schemes
        return self._answer(record, need, covers=covers, kin=kin)

    def _named(
        self, form: str, records: Sequence[CatalogueRecord]
    ) -> CatalogueRecord | None:
        """The only one of the records whose id is spelled as the form, or is a path that it may mean."""
        fitting: list[CatalogueRecord] = []
        for record in records:
            for own in record.ids.get("id", ()):
                if same_name(own, form) or _is_same_path(form, own):
                    fitting.append(record)
        return fitting[0] if len(fitting) == 1 else None

    def _by_nearest_title(self, query: Mapping[str, str]) -> CatalogueRecord | None:
        title = fold(query["title"])
        if not title:
            return None
        records = self._by_title.get(title) or self._nearest(title)
        return max(records, key=lambda record: _likeness(record, query), default=None)

    def _nearest(self, title: str) -> Sequence[CatalogueRecord]:
        """The first record of the nearest title; else of one that is a part of the title, or the other way round."""
        from rapidfuzz import fuzz, process

        whole = process.extract(
            title,
            self._titles,
            scorer=fuzz.ratio,
            score_cutoff=_MIN_TITLE_SCORE,
            limit=_MAX_CANDIDATES,
        )
        if whole:
            return self._by_title[whole[0][0]][:1]
        parts = process.extract(
            title,
            self._titles,
            scorer=fuzz.partial_ratio,
            score_cutoff=_MIN_PART_SCORE,
            limit=_MAX_CANDIDATES,
        )
        for known_title, _, _ in parts:
            if min(len(known_title), len(title)) >= _MIN_PART_CHARS:
                return self._by_title[known_title][:1]
        return []

    def _by_passage(self, quote: str, need: Lookup) -> Found | NotFound:
        with_text = [record for record in self._records if record.reference.text]
        if not with_text:
            return self._answer(None, need, covers=False)
        for record in with_text:
            if is_in_text(quote, record.reference.text):
                return self._answer(record, need)
        return self._answer(None, need)

    def _answer(
        self,
        record: CatalogueRecord | None,
        need: Lookup,
        *,
        covers: bool = True,
        kin: bool = False,
    ) -> Found | NotFound:
        """The record as the answer, or that there is none. `covers`, `kin`: as in `NotFound`."""
        if record is None:
            return NotFound(
                source=self._label,
                authoritative=self._authoritative and covers,
                covers=covers,
                kin=kin,
            )
        reference = record.reference
        fields: dict[str, object] = {
            "title": reference.title,
            "authors": list(reference.authors),
            "years": [] if reference.year is None else [reference.year],
            "venue": reference.venue,
            "ids": {scheme: sorted(values) for scheme, values in record.ids.items()},
            "schemes": list(self._schemes),
            "text": reference.text if need.want_text else "",
        }
        return Found(
            ref=record.ref,
            fields=without_empty(fields),
            source=self._label,
            authoritative=self._authoritative,
        )


def _record(ref: str, row: Mapping[str, object]) -> CatalogueRecord:
    reference = read_fields(row)
    ids = {scheme: {value} for scheme, value in reference.ids.items()}
    own_id = normal("id", plain(row.get("id")))
    if own_id and not reference.ids:
        ids["id"] = {own_id}
    for column, scheme in _ALTERNATE_IDS.items():
        cell = row.get(column)
        values = cast("list[object]", cell) if isinstance(cell, list) else [cell]
        for value in values:
            identifier = normal(scheme, value) if isinstance(value, str) else None
            if identifier:
                ids.setdefault(scheme, set()).add(identifier)
    if not reference.venue and _is_preprint(ids):
        reference = replace(reference, venue="arXiv")
    frozen = {scheme: frozenset(values) for scheme, values in ids.items()}
    return CatalogueRecord(ref, reference, frozen)


def _is_same_path(form: str, own: str) -> bool:
    """Whether a name and an id that is a path, or has the suffix of a file, are the same file."""
    named, held = path_parts(form), path_parts(own)
    shared = min(len(named), len(held))
    return bool(shared) and named[-shared:] == held[-shared:]


def _is_preprint(ids: Mapping[str, set[str]]) -> bool:
    """Whether all identifiers are arXiv's: such a record is known to the catalogue as a preprint and no more."""
    if not ids.get("arxiv") and not ids.get("doi"):
        return False
    if not _PREPRINT_SCHEMES.issuperset(ids):
        return False
    return all(doi.startswith(_ARXIV_DOI_PREFIX) for doi in ids.get("doi", ()))


def _likeness(record: CatalogueRecord, query: Mapping[str, str]) -> tuple[bool, int]:
    """How well a record of the title fits the query: by year, then by the number of shared words of authors' names."""
    names = " ".join(fold(name) for name in record.reference.authors)
    shared = set(names.split()) & set(fold(query.get("author", "")).split())
    return str(record.reference.year) == query.get("year"), len(shared)
