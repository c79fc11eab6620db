"""Read bibliographic data: objects with a title, authors, a year and identifiers, in any common spelling. Pure.

Citations of an agent and items of a catalogue are read by the same rules, so that only their content can differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from judgemesh.contracts.identifiers import SCHEMES, fold, identify, normal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The parts of a reference that could be read.

    ids: identifiers in normal form, by scheme. malformed: (scheme, text) of those that are not valid. names: what else
    the item is called (a title, a file, an id under another key). passages: texts said to be quoted from it. texts: its
    text, or parts of it; `summary` is one in other words.
    """

    ids: Mapping[str, str] = field(default_factory=dict[str, str])
    malformed: tuple[tuple[str, str], ...] = ()
    title: str = ""
    authors: tuple[str, ...] = ()
    et_al: bool = False
    year: int | None = None
    venue: str = ""
    names: tuple[str, ...] = ()
    passages: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    summary: str = ""
    text: str = ""


_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "title": ("title", "article_title"),
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
    "doi": ("doi",),
    "arxiv": ("arxiv", "arxiv_id", "eprint"),
    "pmid": ("pmid", "pubmed_id", "pubmed"),
    "nct": ("nct", "nct_id", "nct_number", "trial_id"),
    "isbn": ("isbn", "isbn13", "isbn10", "isbn_13", "isbn_10"),
    "url": ("url", "link", "href", "uri"),
    "summary": ("summary",),
    "id": (
        "id",
        "key",
        "source_id",
        "document_id",
        "doc_id",
        "record_id",
        "file",
        "filename",
        "file_name",
        "path",
        "file_path",
        "filepath",
    ),
    "called": (
        "source",
        "document",
        "doc",
        "ref",
        "reference",
        "citation",
        "cite",
        "cites",
        "name",
        "source_name",
        "document_name",
        "doc_name",
        "source_title",
        "document_title",
        "doc_title",
        "label",
        "based_on",
        "from",
    ),
}
_TITLE_NAMES: Final = ("name", "document_title", "doc_title", "source_title")
"""Keys that hold the title where none is called so."""
_TEXT_KEYS: Final = frozenset(
    {"text", "abstract", "content", "body", "page_content", "chunk", "full_text"}
)
_PASSAGE_WORDS: Final = frozenset(
    {
        "quote", "quotes", "quoted", "quotation", "quotations", "excerpt", "excerpts", "snippet", "snippets", "passage",
        "passages", "extract", "extracts", "verbatim", "highlight", "says", "states", "text", "content", "chunk",
        "evidence", "abstract", "span",
    }
)  # fmt: skip
"""A key with one of these words holds a passage of the item."""
_NO_PASSAGE_WORDS: Final = frozenset(
    {"id", "ids", "type", "url", "link", "hash", "length", "format", "context", "name", "title", "page", "number",
     "count", "source", "language", "score", "start", "end", "strength", "level", "quality"}
)  # fmt: skip
_CONTAINERS: Final = (
    "fields",
    "source",
    "document",
    "doc",
    "reference",
    "ref",
    "citation",
    "metadata",
    "file",
)
"""Keys that may hold an object with further parts of the same reference."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[\s-]+")
_ADDRESS = re.compile(r"\w+:|www\.|[\w-]+(?:\.[\w-]+)+/", re.IGNORECASE)
_MAX_NAMES: Final = 4
_MAX_PASSAGES: Final = 100
_MAX_DEPTH: Final = 3
_NO_ID = re.compile(
    r"(?:\[?\^?[0-9]{1,4}\]?|ref[-_ ]?[0-9]{1,4}|[a-z]?[0-9]{1,3})", re.IGNORECASE
)
_YEAR = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|2[01][0-9]{2})(?![0-9])")
_MAX_VALUE: Final = 4_000
_MAX_AUTHORS: Final = 500


def _part_of_key() -> dict[str, str]:
    parts: dict[str, str] = {}
    for part, keys in _KEYS.items():
        parts |= dict.fromkeys(keys, part)
    return parts


_PART_OF_KEY: Final = _part_of_key()


def read_fields(data: Mapping[str, object]) -> Reference:
    """The reference in an object with keys in any spelling; an object inside it that holds parts of it is read too."""
    parts, texts, passages = _parts(data)
    ids, malformed = _ids(parts)
    authors, et_al = authors_of(parts.get("authors"))
    return Reference(
        ids=ids,
        malformed=malformed,
        title=plain(parts.get("title")) or plain(parts.get("named")),
        authors=authors,
        et_al=et_al,
        year=year_of(parts.get("year")),
        venue=plain(parts.get("venue")),
        names=_names(parts),
        passages=tuple(passages[:_MAX_PASSAGES]),
        texts=tuple(texts[:_MAX_PASSAGES]),
        summary=_whole(parts.get("summary")),
        text="\n\n".join(texts) or _whole(parts.get("summary")),
    )


_Parts = tuple[dict[str, object], list[str], list[str]]
"""The values by the part of a reference that their key names, the texts, and the passages."""


def _parts(data: Mapping[str, object], depth: int = 0) -> _Parts:
    parts: dict[str, object] = {}
    texts: list[str] = []
    passages: list[str] = []
    inner: list[Mapping[str, object]] = []
    for name, value in data.items():
        key = _folded_key(str(name))
        if value in (None, "", [], {}):
            continue
        if key in _TEXT_KEYS:
            texts += _texts(value)
        elif _is_passage_key(key):
            passages += _texts([value])
        elif _is_object(value) and key in _CONTAINERS and depth < _MAX_DEPTH:
            inner.append(cast("Mapping[str, object]", value))
        elif key in _PART_OF_KEY:
            _add_part(parts, key, value)
    for nested in inner:
        nested_parts, nested_texts, nested_passages = _parts(nested, depth + 1)
        parts = nested_parts | parts
        texts += nested_texts
        passages += nested_passages
    return parts, texts, passages


def _add_part(parts: dict[str, object], key: str, value: object) -> None:
    part = _PART_OF_KEY[key]
    if _is_object(value) and part != "year":
        return
    if part == "url" and isinstance(value, str) and not _ADDRESS.match(value.strip()):
        part = "called"
    if part in ("called", "id"):
        called = cast("list[object]", parts.setdefault("called", []))
        called += _texts(value) or [plain(value)]
    if key in _TITLE_NAMES:
        parts.setdefault("named", value)
    if part != "called":
        parts.setdefault(part, value)


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _folded_key(name: str) -> str:
    return _SEPARATORS.sub("_", _CAMEL.sub("_", name.strip())).casefold()


def _is_passage_key(key: str) -> bool:
    words = set(key.split("_"))
    return bool(words & _PASSAGE_WORDS) and not words & _NO_PASSAGE_WORDS


def _texts(value: object) -> list[str]:
    """A text, or the texts of a list of texts or of objects with a text."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if not isinstance(value, list | tuple):
        return []
    texts: list[str] = []
    for entry in cast("Sequence[object]", value):
        if isinstance(entry, str) and entry.strip():
            texts.append(entry)
        elif isinstance(entry, list):
            texts += _texts(
                [part for part in cast("list[object]", entry) if isinstance(part, str)]
            )
        elif isinstance(entry, Mapping):
            _, entry_texts, entry_passages = _parts(
                cast("Mapping[str, object]", entry), _MAX_DEPTH
            )
            texts += [*entry_texts, *entry_passages]
    return texts


def _names(parts: Mapping[str, object]) -> tuple[str, ...]:
    """What the item is called. A bare number is a label within the answer, unless nothing else is given."""
    names: list[str] = []
    labels: list[str] = []
    for value in (*cast("list[object]", parts.get("called", [])), parts.get("title")):
        name = plain(value)
        if name:
            (labels if _NO_ID.fullmatch(name) else names).append(name)
    if not names and not any(parts.get(scheme) for scheme in SCHEMES if scheme != "id"):
        names = labels
    return tuple(dict.fromkeys(names))[:_MAX_NAMES]


def _ids(
    parts: Mapping[str, object],
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Identifiers by scheme in normal form, and malformed ones. An address may be that of a DOI."""
    ids: dict[str, str] = {}
    malformed: list[tuple[str, str]] = []
    for scheme in SCHEMES:
        text = plain(parts.get(scheme))
        if not text or (scheme == "id" and _NO_ID.fullmatch(text)):
            continue  # a bare number is a label within the answer
        known = identify(text)
        if known is not None and (scheme in ("url", "id") or known[0] == "arxiv"):
            ids.setdefault(*known)
            continue
        identifier = normal(scheme, text)
        if identifier is None:
            malformed.append((scheme, text))
        else:
            ids.setdefault(scheme, identifier)
    return ids, tuple(malformed)


def authors_of(value: object) -> tuple[tuple[str, ...], bool]:
    """Names in a list of texts or of objects with `given` and `family`, or in one text; whether "et al." follows."""
    if isinstance(value, str):
        return split_authors(value)
    if not isinstance(value, list | tuple):
        return (), False
    names: list[str] = []
    et_al = False
    for author in cast("Sequence[object]", value)[:_MAX_AUTHORS]:
        name = _author_name(author)
        if _ET_AL.fullmatch(name):
            et_al = True
        elif name:
            names.append(name)
    return tuple(names), et_al


def _author_name(author: object) -> str:
    if not isinstance(author, Mapping):
        return plain(author)
    data = cast("Mapping[str, object]", author)
    family = plain(data.get("family")) or plain(data.get("last"))
    forenames = plain(data.get("given")) or plain(data.get("first"))
    if family and forenames:
        return f"{family}, {forenames}"
    return family or plain(data.get("name"))


_ET_AL = re.compile(
    r"(?:(?<![\s,;])[\s,;]++)?(?:\band\s++|&\s*+)?(?:\bet\s++al\b\.?|\bothers\b|\.\.\.|\u2026)[\s,;.]*",
    re.IGNORECASE,
)
_LAST_AND = re.compile(r"(?:,\s*+|(?<!\s)\s*+|)&\s*|,\s*+and\s+")
_INITIALS = re.compile(r"(?:[A-Z](?:\.|\b)[\s-]?){1,4}(?:,?\s*(?:Jr|Sr)\.?)?")


def split_authors(text: str) -> tuple[tuple[str, ...], bool]:
    """The names in `A and B`, `A; B`, `A, B & C` or `Smith, J., Doe, A.`; whether it ends in "et al."."""
    text = text[:_MAX_VALUE]
    bare = _ET_AL.sub(" ", text)
    more = bare != text
    if " and " in bare:
        bare = _LAST_AND.sub(", ", bare)
    else:
        bare = _LAST_AND.sub(" and ", bare)
    names: list[str] = []
    if ";" in bare:
        for part in bare.split(";"):
            names += part.split(" and ")
    else:
        for part in bare.split(" and "):
            names += _by_comma(part)
    return tuple(_stripped(names, " ,.;")[:_MAX_AUTHORS]), more


def _stripped(texts: Sequence[str], characters: str | None = None) -> list[str]:
    """The texts without the characters (or spaces) around them, and without those that are then empty."""
    stripped = [text.strip(characters) for text in texts]
    return list(filter(None, stripped))


def _by_comma(text: str) -> list[str]:
    """Names between commas; a piece of initials belongs to the family name before it, and `Jr.` does too."""
    pieces = _stripped(text.split(","))
    if len(pieces) == 2 and " " not in pieces[0] and not _INITIALS.fullmatch(pieces[0]):
        return [f"{pieces[0]}, {pieces[1]}"]
    names: list[str] = []
    for piece in pieces:
        continues = _INITIALS.fullmatch(piece) or fold(piece) in ("jr", "sr")
        if continues and names and "," not in names[-1]:
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
    match = _YEAR.search(plain(value))
    return match and int(match[1])


def plain(value: object) -> str:
    """A value as one short text; the first of a list; nothing for an object."""
    if isinstance(value, list | tuple) and value:
        value = cast("Sequence[object]", value)[0]
    if isinstance(value, str | int | float) and value is not True:
        return str(value).strip()[:_MAX_VALUE]
    return ""


def _whole(value: object) -> str:
    if isinstance(value, str):
        return value
    return ""
