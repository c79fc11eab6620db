"""Identifiers of publications in one normal form, and titles as people compare them. Pure text; nothing is looked up.

A normal form is what two spellings of one identifier share: `https://doi.org/10.1000/ABC` and `doi:10.1000/abc` are
`10.1000/abc`, an ISBN-10 is its ISBN-13, an arXiv id has no version. `normal` gives None for what cannot be such an
identifier: wrong syntax, or a check digit that does not fit.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

SCHEMES: Final = ("doi", "arxiv", "pmid", "nct", "isbn", "url", "id")
"""Every kind of identifier that can be looked up, the most telling first. `id` is whatever a source calls its items."""

_MAX: Final = 2_048
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/[^\s\x00-\x1f]+")
_DOI_PREFIX = re.compile(
    r"^(?:doi\s*:\s*|(?:https?://)?(?:dx\.|www\.)?doi\.org/)+", re.IGNORECASE
)
_ARXIV_DOI: Final = "10.48550/arxiv."
_ARXIV_PREFIX = re.compile(
    r"^(?:(?:https?://)?(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/|arxiv\s*:\s*|(?:https?://(?:dx\.)?doi\.org/)?"
    r"10\.48550/arxiv\.)",
    re.IGNORECASE,
)
_ARXIV_NEW = re.compile(r"([0-9]{2})(0[1-9]|1[0-2])\.([0-9]{4,5})(?:v[1-9][0-9]*)?")
_ARXIV_OLD = re.compile(
    r"([a-z][a-z-]{1,15})(?:\.[a-z]{2})?/([0-9]{2})(0[1-9]|1[0-2])([0-9]{3})(?:v[1-9][0-9]*)?",
    re.IGNORECASE,
)
_FIVE_DIGITS_FROM: Final = (
    15  # arXiv numbers have five digits since January 2015, and began in April 2007
)
_FIRST_NEW: Final = (7, 4)
_OLD_UNTIL: Final = (7, 3)
_PMID = re.compile(
    r"(?:(?:https?://)?(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/|pmid\s*:?\s*)?"
    r"([1-9][0-9]{0,8})/?",
    re.IGNORECASE,
)
_NCT = re.compile(
    r"(?:(?:https?://)?(?:www\.|classic\.)?clinicaltrials\.gov/(?:study|ct2/show|show)/)?(NCT[0-9]{8})",
    re.IGNORECASE,
)
_ISBN_PREFIX = re.compile(r"^(?:urn:)?isbn(?:-1[03])?\s*:?\s*", re.IGNORECASE)
_ISBN_PLAIN = re.compile(r"[0-9]{9}[0-9Xx]|97[89][0-9]{10}")
_TRAILING: Final = ".,;:!?'\"\u201d\u2019>"
_SIGNS: Final = (
    ("arxiv", _ARXIV_PREFIX),
    (
        "doi",
        re.compile(
            r"10\.|doi\s*:|(?:https?://)?(?:dx\.|www\.)?doi\.org/", re.IGNORECASE
        ),
    ),
    ("nct", re.compile(rf"{_NCT.pattern}$", re.IGNORECASE)),
    (
        "pmid",
        re.compile(
            r"pmid|(?:https?://)?(?:www\.)?(?:pubmed\.|ncbi\.nlm\.nih\.gov/pubmed/)",
            re.IGNORECASE,
        ),
    ),
    ("isbn", re.compile(r"(?:urn:)?isbn", re.IGNORECASE)),
    ("url", re.compile(r"https?://", re.IGNORECASE)),
)
"""How an identifier shows what it is, the most telling first."""


def normal(scheme: str, text: str) -> str | None:
    """The normal form of an identifier; None when `text` is none of that scheme."""
    if len(text) > _MAX:
        return None
    return _NORMAL[scheme](text.strip())


def identify(text: str) -> tuple[str, str] | None:
    """The scheme and normal form of an identifier that says what it is (`doi:...`, an arXiv address, `NCT...`)."""
    text = text.strip()
    if len(text) > _MAX or not text or any(char.isspace() for char in text[5:]):
        return None
    for scheme, sign in _SIGNS:
        if sign.match(text):
            identifier = normal(scheme, text)
            if identifier is not None:
                return (scheme, identifier) if identifier else None
            if scheme != "pmid":  # other addresses lead to PubMed's host too
                return None
    return None


def trim(text: str) -> str:
    """An identifier cut out of running text, without the sentence's punctuation and brackets that it never opened."""
    text = text.rstrip(_TRAILING)
    for opening, closing in ("()", "[]", "{}"):
        while text.endswith(closing) and text.count(closing) > text.count(opening):
            text = text[:-1].rstrip(_TRAILING)
    return text


def _doi(text: str) -> str | None:
    bare = unquote(_DOI_PREFIX.sub("", text))
    if not _DOI.fullmatch(bare):
        return None
    folded = bare.casefold()
    if folded.startswith(_ARXIV_DOI):
        arxiv = _arxiv(folded)
        return f"{_ARXIV_DOI}{arxiv}" if arxiv else None
    return folded


def _arxiv(text: str) -> str | None:
    bare = _ARXIV_PREFIX.sub("", text).removesuffix(".pdf").rstrip("/")
    bare = re.sub(r"\s*\[[a-zA-Z.-]{2,20}\]$", "", bare) if bare.endswith("]") else bare
    new = _ARXIV_NEW.fullmatch(bare)
    if new:
        year, month, digits = int(new[1]), int(new[2]), len(new[3])
        fits = (
            digits == (5 if year >= _FIVE_DIGITS_FROM else 4)
            and (year, month) >= _FIRST_NEW
        )
        return f"{new[1]}{new[2]}.{new[3]}" if fits and int(new[3]) else None
    old = _ARXIV_OLD.fullmatch(bare)
    if old is None:
        return None
    year, month = int(old[2]), int(old[3])
    fits = (year, month) <= _OLD_UNTIL or year >= 91
    return f"{old[1].casefold()}/{old[2]}{old[3]}{old[4]}" if fits else None


def _pmid(text: str) -> str | None:
    match = _PMID.fullmatch(text)
    return match[1] if match else None


def _nct(text: str) -> str | None:
    match = _NCT.fullmatch(text)
    return match[1].upper() if match else None


def _isbn(text: str) -> str | None:
    digits = re.sub(r"[\s\-\u2010-\u2015]", "", _ISBN_PREFIX.sub("", text))
    if not digits.isascii() or not _ISBN_PLAIN.fullmatch(digits):
        return None
    if len(digits) == 10:
        values = [10 if digit in "Xx" else int(digit) for digit in digits]
        if (
            sum(
                weight * value
                for weight, value in zip(range(10, 0, -1), values, strict=True)
            )
            % 11
        ):
            return None
        body = f"978{digits[:9]}"
        return body + str(-_sum13(body) % 10)
    return digits if _sum13(digits) % 10 == 0 else None


def _sum13(digits: str) -> int:
    return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(digits))


def _url(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if (
        parts.scheme.casefold() not in ("http", "https")
        or not host
        or any(char.isspace() for char in text)
    ):
        return None
    default = {"http": 80, "https": 443}[parts.scheme.casefold()]
    shown = f"[{host}]" if ":" in host else host.casefold().rstrip(".")
    authority = shown if port in (None, default) else f"{shown}:{port}"
    scheme, path = parts.scheme.casefold(), parts.path.rstrip("/")
    return urlunsplit((scheme, authority, path, parts.query, ""))


_NORMAL: Final[Mapping[str, Callable[[str], str | None]]] = MappingProxyType(
    {
        "doi": _doi,
        "arxiv": _arxiv,
        "pmid": _pmid,
        "nct": _nct,
        "isbn": _isbn,
        "url": _url,
        "id": lambda text: " ".join(text.split()).casefold() or None,
    }
)

_TAG = re.compile(r"<[/a-zA-Z][^<>]{0,200}>")
_TEX_ACCENT = re.compile(
    r"\\[`'^\"~=.uvHtcdbkr]\s{0,3}\{?\s{0,3}(?:\\([ij])|([a-zA-Z]))\}?"
)
_TEX_LETTER = re.compile(r"\\(ss|ae|AE|oe|OE|aa|AA|o|O|l|L|i|j)(?![a-zA-Z])\s?")
_TEX_WORDS: Final = {
    "ss": "ss",
    "ae": "ae",
    "AE": "ae",
    "oe": "oe",
    "OE": "oe",
    "aa": "a",
    "AA": "a",
}
_TEX_COMMAND = re.compile(r"\\[a-zA-Z]{1,20}\s?")
_SPELLED: Final = str.maketrans(
    {"\u00df": "ss", "\u00e6": "ae", "\u0153": "oe", "\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u0131": "i",
     "\u00fe": "th", "\u00f0": "d", "&": " and "}
)  # fmt: skip
_HYPHENS = re.compile(r"[\u2010-\u2015\u2212]")
_APOSTROPHES = re.compile(r"['\u2019\u2018\u02bc`]")
_NO_WORD = re.compile(r"[\W_]+")
_MAX_TITLE: Final = 2_000


@lru_cache(maxsize=65_536)
def fold(text: str) -> str:
    """Words of a title or name, lower case, without accents, mark-up, TeX and punctuation, one space between them."""
    text = text[:_MAX_TITLE]
    if "&" in text or "<" in text:
        text = _TAG.sub(" ", html.unescape(text))
    if "\\" in text:
        text = _TEX_ACCENT.sub(lambda match: match[1] or match[2], text)
        text = _TEX_LETTER.sub(
            lambda match: _TEX_WORDS.get(match[1], match[1].casefold()), text
        )
        text = _TEX_COMMAND.sub("", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(
            char
            for char in text
            if not unicodedata.combining(char) and unicodedata.category(char) != "Cf"
        )
        text = _HYPHENS.sub("-", text)
    text = _APOSTROPHES.sub(
        "", text.casefold().replace("{", "").replace("}", "").replace("$", "")
    )
    return _NO_WORD.sub(" ", text.translate(_SPELLED)).strip()


_GENERATION: Final = frozenset({"jr", "sr", "ii", "iii", "iv"})
_HOMONYM = re.compile(r"\s+[0-9]{4}$")


@lru_cache(maxsize=65_536)
def person(name: str) -> tuple[str, tuple[str, ...]]:
    """A person's name as (family name, given names or initials), folded.

    `Zhou, Jie` and `Jie Zhou 0001` (a bibliography's number for one of several persons of a name) are one person.
    """
    name = _HOMONYM.sub("", name.strip()[:_MAX_TITLE])
    family, comma, given = name.partition(",")
    if comma and (after := given.partition(","))[1] and fold(after[0]) in _GENERATION:
        given = after[2]  # "King, Jr., Martin"
    if comma and fold(given) not in _GENERATION:
        return fold(family), _given(given)
    words = [
        word
        for word in _words(family if comma else name)
        if fold(word) not in _GENERATION
    ]
    if len(words) > 1 and _is_initials(words[-1]) and not _is_initials(words[0]):
        return fold(" ".join(words[:-1])), _given(
            words[-1]
        )  # "Vaswani A", as in PubMed
    while len(words) > 2 and fold(words[-2]) in _PARTICLES:
        words[-2:] = [f"{words[-2]} {words[-1]}"]
    return (fold(words[-1]), _given(" ".join(words[:-1]))) if words else ("", ())


_PARTICLES: Final = frozenset(
    {"van", "von", "de", "der", "den", "del", "della", "di", "da", "dos", "du", "la", "le", "ten", "ter",
     "bin", "al", "el"}
)  # fmt: skip


def _words(name: str) -> list[str]:
    return name.replace(".", ". ").split()


def _is_initials(word: str) -> bool:
    letters = word.replace(".", "").replace("-", "")
    if not 1 <= len(letters) <= 3:
        return False
    return letters.isascii() and letters.isalpha() and letters.isupper()


def _given(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for word in _words(text):
        spaced = " ".join(word) if _is_initials(word) else word
        names.extend(fold(part) for part in spaced.replace("-", " ").split())
    return tuple(name for name in names if name)
