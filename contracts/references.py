"""Bibliographic data as strangers write it: an object with a title, authors, a year, identifiers. Pure.

What an agent cites and what a catalogue holds are read by the same rules, so that only what they say can differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from judgemesh.contracts.identifiers import SCHEMES, fold, identify, normal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The parts of a reference that could be read. `ids` are in normal form by scheme, `malformed` are none at all."""

    ids: Mapping[str, str] = field(default_factory=dict[str, str])
    malformed: tuple[tuple[str, str], ...] = ()
    title: str = ""
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    venue: str = ""
    quote: str = ""
    text: str = ""


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "title": ("title", "article_title", "name"),
    "authors": ("authors", "author"),
    "year": (
        "year",
        "date",
        "published",
        "publication_date",
        "issued",
        "publication_year",
    ),
    "venue": (
        "venue",
        "booktitle",
        "journal",
        "container_title",
        "publication",
        "conference",
    ),
    "quote": ("quote", "quotation", "excerpt", "snippet", "passage", "quoted_text"),
    "doi": ("doi",),
    "arxiv": ("arxiv", "arxiv_id", "eprint"),
    "pmid": ("pmid", "pubmed_id", "pubmed"),
    "nct": ("nct", "nct_id", "nct_number", "trial_id"),
    "isbn": ("isbn", "isbn13", "isbn10", "isbn_13", "isbn_10"),
    "url": ("url", "link", "href", "uri"),
    "text": ("text", "abstract", "content", "body", "summary"),
    "id": (
        "id",
        "key",
        "source_id",
        "document_id",
        "doc_id",
        "file",
        "path",
        "document",
    ),
}
_NAMES: Final = {name: part for part, names in _KEYS.items() for name in names}
_NO_ID = re.compile(
    r"(?:\[?\^?[0-9]{1,4}\]?|ref[-_ ]?[0-9]{1,4}|[a-z]?[0-9]{1,3})", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|2[01][0-9]{2})(?![0-9])")
_MAX_VALUE: Final = 4_000
_MAX_AUTHORS: Final = 500


def read_fields(data: Mapping[str, object]) -> Reference:
    """The reference that an object holds, its keys in any spelling; a nested `fields` object is read too."""
    parts: dict[str, object] = {}
    nested = data.get("fields")
    groups = (
        [data, cast("Mapping[str, object]", nested)]
        if isinstance(nested, Mapping)
        else [data]
    )
    for group in groups:
        for name, value in group.items():
            part = _NAMES.get(re.sub(r"[\s-]+", "_", str(name).strip().casefold()))
            if part and value not in (None, "", [], {}):
                parts.setdefault(part, value)
    ids, malformed = _ids(parts)
    authors, et_al = authors_of(parts.get("authors"))
    return Reference(
        ids=ids,
        malformed=malformed,
        title=plain(parts.get("title")),
        authors=authors,
        et_al=et_al,
        year=year_of(parts.get("year")),
        venue=plain(parts.get("venue")),
        quote=plain(parts.get("quote")),
        text=_whole(parts.get("text")),
    )


def _ids(
    parts: Mapping[str, object],
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Identifiers by scheme in normal form, and those that are none. An address may be a DOI in disguise."""
    ids: dict[str, str] = {}
    malformed: list[tuple[str, str]] = []
    for scheme in SCHEMES:
        given = plain(parts.get(scheme))
        if not given or (scheme == "id" and _NO_ID.fullmatch(given)):
            continue  # a bare number is a label within the answer
        known = identify(given)
        if known is not None and (scheme in ("url", "id") or known[0] == "arxiv"):
            ids.setdefault(*known)
            continue
        found = normal(scheme, given)
        if found is None:
            malformed.append((scheme, given))
        else:
            ids.setdefault(scheme, found)
    return ids, tuple(malformed)


def authors_of(value: object) -> tuple[tuple[str, ...], bool]:
    """Names out of a list, of objects with `given` and `family`, or of one text; and whether more are meant."""
    if isinstance(value, str):
        return split_authors(value)
    if not isinstance(value, list | tuple):
        return (), False
    names: list[str] = []
    for one in cast("Sequence[object]", value)[:_MAX_AUTHORS]:
        if isinstance(one, Mapping):
            data = cast("Mapping[str, object]", one)
            family = plain(data.get("family")) or plain(data.get("last"))
            given = plain(data.get("given")) or plain(data.get("first"))
            names.append(
                f"{family}, {given}"
                if family and given
                else family or plain(data.get("name"))
            )
        else:
            names.append(plain(one))
    kept = [name for name in names if name and not _ET_AL.fullmatch(name)]
    return tuple(kept), len(kept) < sum(map(bool, names))


_ET_AL = re.compile(
    r"[\s,;]*(?:\band\s+|&\s*)?(?:\bet\s+al\b\.?|\bothers\b|\.\.\.|\u2026)[\s,;.]*",
    re.IGNORECASE,
)
_INITIALS = re.compile(r"(?:[A-Z](?:\.|\b)[\s-]?){1,4}(?:,?\s*(?:Jr|Sr)\.?)?")


def split_authors(text: str) -> tuple[tuple[str, ...], bool]:
    """The names in `A and B`, `A; B`, `A, B & C` or `Smith, J., Doe, A.`; whether it ends in "et al."."""
    text = text[:_MAX_VALUE]
    bare = _ET_AL.sub(" ", text)
    more = bare != text
    bare = re.sub(
        r",?\s*&\s*|,\s*and\s+", " and " if " and " not in bare else ", ", bare
    )
    if ";" in bare:
        names = [name for part in bare.split(";") for name in part.split(" and ")]
    else:
        names = [name for part in bare.split(" and ") for name in _by_comma(part)]
    return tuple(name.strip(" ,.;") + "" for name in names if name.strip(" ,.;"))[
        :_MAX_AUTHORS
    ], more


def _by_comma(text: str) -> list[str]:
    """Names between commas; a piece of initials belongs to the family name before it, and `Jr.` does too."""
    pieces = [piece.strip() for piece in text.split(",") if piece.strip()]
    if len(pieces) == 2 and " " not in pieces[0] and not _INITIALS.fullmatch(pieces[0]):
        return [f"{pieces[0]}, {pieces[1]}"]
    names: list[str] = []
    for piece in pieces:
        if (
            names
            and "," not in names[-1]
            and (_INITIALS.fullmatch(piece) or fold(piece) in ("jr", "sr"))
        ):
            names[-1] = f"{names[-1]}, {piece}"
        else:
            names.append(piece)
    return names


def year_of(value: object) -> int | None:
    """The year that a number, a date or a `date-parts` object names."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        value = str(cast("Mapping[str, object]", value).get("date-parts", ""))
    found = _YEAR.search(plain(value))
    return int(found[1]) if found else None


def plain(value: object) -> str:
    """A value as one short text; the first of a list; nothing for an object."""
    if isinstance(value, list | tuple) and value:
        value = cast("Sequence[object]", value)[0]
    return (
        str(value).strip()[:_MAX_VALUE]
        if isinstance(value, str | int | float) and value is not True
        else ""
    )


def _whole(value: object) -> str:
    return value if isinstance(value, str) else ""
