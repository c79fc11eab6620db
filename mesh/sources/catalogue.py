"""A catalogue in memory: records found by identifier, by title, or by a title that is nearly the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from judgemesh.contracts.identifiers import SCHEMES, fold, normal
from judgemesh.contracts.needs import Found, Lookup, NotFound
from judgemesh.contracts.references import Reference, read_fields

_NEAR: Final = 75.0
_COMMON: Final = 0.25
_SHOWN_NEAR: Final = 20
_MIN_QUOTE: Final = 12
_ARXIV_DOI: Final = "10.48550/arxiv."
_ALTERNATES: Final = ("dois", "arxiv_ids", "urls", "isbns", "ee")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: where it stands, what it says, all identifiers it has."""

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
        self._label, self._authoritative = label, authoritative
        self._by_id: dict[tuple[str, str], Record] = {}
        self._by_title: dict[str, list[Record]] = {}
        self._records: list[Record] = []
        carried: Counter[str] = Counter()
        for ref, row in rows:
            record = _record(ref, row)
            self._records.append(record)
            carried.update(record.ids.keys())
            for scheme, values in record.ids.items():
                for value in values:
                    self._by_id.setdefault((scheme, value), record)
            if record.reference.title:
                self._by_title.setdefault(fold(record.reference.title), []).append(
                    record
                )
        self._schemes = tuple(
            scheme
            for scheme, number in carried.items()
            if number >= _COMMON * len(self._records)
        )
        self._known = frozenset(carried)
        self._titles = list(self._by_title)

    def __len__(self) -> int:
        """Number of records."""
        return len(self._records)

    def lookup(self, need: Lookup) -> Found | NotFound:
        """The record that the query names, or none. Without an identifier, the record of the nearest title."""
        query = need.query
        for scheme in SCHEMES:
            if scheme in query:
                record = self._by_id.get(
                    (scheme, normal(scheme, query[scheme]) or query[scheme])
                )
                return (
                    self._found(record, need)
                    if record
                    else self._missing(covers=scheme in self._known)
                )
        if "title" in query:
            record = self._titled(query)
            return self._found(record, need) if record else self._missing()
        if "quote" in query:
            return self._quoting(query["quote"], need)
        return self._missing(covers=False)

    def _titled(self, query: Mapping[str, str]) -> Record | None:
        title = fold(query["title"])
        if not title:
            return None
        found = self._by_title.get(title) or self._near(title)
        return max(found, key=lambda record: _likeness(record, query), default=None)

    def _near(self, title: str) -> list[Record]:
        from rapidfuzz import fuzz, process

        near = process.extract(
            title, self._titles, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=3
        )
        if not near:
            heads = process.extract(
                title,
                self._titles,
                scorer=fuzz.partial_ratio,
                score_cutoff=95.0,
                limit=3,
            )
            near = [one for one in heads if min(len(one[0]), len(title)) >= _SHOWN_NEAR]
        return [self._by_title[name][0] for name, _, _ in near[:1]]

    def _quoting(self, quote: str, need: Lookup) -> Found | NotFound:
        wanted = fold(quote)
        texts = [record for record in self._records if record.reference.text]
        if len(wanted) < _MIN_QUOTE or not texts:
            return self._missing(covers=bool(texts))
        for record in texts:
            if wanted in " ".join(fold_long(record.reference.text)):
                return self._found(record, need)
        return self._missing()

    def _found(self, record: Record, need: Lookup) -> Found:
        read = record.reference
        fields: dict[str, object] = {
            "title": read.title,
            "authors": list(read.authors),
            "years": [] if read.year is None else [read.year],
            "venue": read.venue,
            "ids": {scheme: sorted(values) for scheme, values in record.ids.items()},
            "schemes": list(self._schemes),
        }
        if need.want_text and read.text:
            fields["text"] = read.text
        kept = {name: value for name, value in fields.items() if value}
        return Found(
            ref=record.ref,
            fields=kept,
            source=self._label,
            authoritative=self._authoritative,
        )

    def _missing(self, *, covers: bool = True) -> NotFound:
        return NotFound(
            source=self._label,
            authoritative=self._authoritative and covers,
            covers=covers,
        )


def fold_long(text: str, size: int = 1_500) -> Iterable[str]:
    """The folded text of a document, in pieces that end between words (`fold` takes only so much at once)."""
    start = 0
    while start < len(text):
        end = (
            text.rfind(" ", start, start + size)
            if start + size < len(text)
            else len(text)
        )
        end = end if end > start else min(start + size, len(text))
        piece = fold.__wrapped__(
            text[start:end]
        )  # not kept: a long text would push everything else out of the cache
        if piece:
            yield piece
        start = end


def _record(ref: str, row: Mapping[str, object]) -> Record:
    read = read_fields(row)
    ids = {scheme: {value} for scheme, value in read.ids.items()}
    for name in _ALTERNATES:
        given = row.get(name)
        values = cast("list[object]", given) if isinstance(given, list) else [given]
        for value in values:
            scheme = {"dois": "doi", "arxiv_ids": "arxiv", "isbns": "isbn"}.get(
                name, "url"
            )
            if isinstance(value, str) and (found := normal(scheme, value)):
                ids.setdefault(scheme, set()).add(found)
    if not read.venue and _is_preprint(ids):
        read = replace(read, venue="arXiv")
    return Record(
        ref, read, {scheme: frozenset(values) for scheme, values in ids.items()}
    )


def _is_preprint(ids: Mapping[str, set[str]]) -> bool:
    """A record without a venue whose identifiers are all arXiv's is known to the catalogue as a preprint, no more."""
    others = {doi for doi in ids.get("doi", ()) if not doi.startswith(_ARXIV_DOI)}
    return (
        bool(ids.get("arxiv") or ids.get("doi"))
        and not others
        and not ids.keys() - {"arxiv", "doi", "url", "id"}
    )


def _likeness(record: Record, query: Mapping[str, str]) -> tuple[bool, int]:
    """Which of several records of one title is meant: the one whose authors and year fit best."""
    wanted = set(fold(query.get("author", "")).split())
    held = {word for name in record.reference.authors for word in fold(name).split()}
    return str(record.reference.year) == query.get("year"), len(wanted & held)
