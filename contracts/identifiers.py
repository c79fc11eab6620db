"""Identifiers of publications in a normal form, and titles and names folded for comparison. Pure; no look-ups.

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
"""Every kind of identifier that can be looked up, the most specific first. `id` is a source's own name for an item."""

_MAX: Final = 2_048
_SPACE = re.compile(r"\s")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
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
_ARXIV_CLASS = re.compile(r"(?:(?<!\s)\s++)?\[[a-zA-Z.-]{2,20}\]$")
# arXiv numbers: `hep-th/9108001` from 1991 to March 2007, then `0704.0001`, with five digits since January 2015.
_FIRST_OLD_YEAR: Final = 91
_OLD_UNTIL: Final = (7, 3)
_FIRST_NEW: Final = (7, 4)
_FIVE_DIGITS_FROM: Final = 15
_PMID = re.compile(
    r"(?:(?:https?://)?(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/|pmid\s*+:?\s*+)?"
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
"""How the text of an identifier shows its scheme, the most specific first."""


def normal(scheme: str, text: str) -> str | None:
    """The normal form of an identifier; None when `text` is not one of that scheme."""
    if len(text) > _MAX:
        return None
    return _NORMAL[scheme](text.strip())


def identify(text: str) -> tuple[str, str] | None:
    """The scheme and normal form of an identifier that shows its scheme (`doi:...`, an arXiv address, `NCT...`)."""
    text = text.strip()
    if len(text) > _MAX or not text or _SPACE.search(text, 5):
        return None
    for scheme, sign in _SIGNS:
        if not sign.match(text):
            continue
        identifier = normal(scheme, text)
        if identifier:
            return scheme, identifier
        if identifier is not None or scheme != "pmid":
            return None  # other addresses are on PubMed's host too
    return None


def trim(text: str) -> str:
    """An identifier cut out of a text, without the punctuation and unmatched closing brackets after it."""
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
        return arxiv and f"{_ARXIV_DOI}{arxiv}"
    return folded


def _arxiv(text: str) -> str | None:
    bare = _ARXIV_PREFIX.sub("", text).removesuffix(".pdf").rstrip("/")
    if bare.endswith("]"):
        bare = _ARXIV_CLASS.sub("", bare)
    new = _ARXIV_NEW.fullmatch(bare)
    if new:
        return _new_arxiv(*new.groups())
    old = _ARXIV_OLD.fullmatch(bare)
    if old:
        return _old_arxiv(*old.groups())
    return None


def _new_arxiv(year: str, month: str, number: str) -> str | None:
    n_digits = 4
    if int(year) >= _FIVE_DIGITS_FROM:
        n_digits = 5
    if (int(year), int(month)) < _FIRST_NEW:
        return None
    if len(number) != n_digits or int(number) == 0:
        return None
    return f"{year}{month}.{number}"


def _old_arxiv(archive: str, year: str, month: str, number: str) -> str | None:
    of_this_century = (int(year), int(month)) <= _OLD_UNTIL
    if not of_this_century and int(year) < _FIRST_OLD_YEAR:
        return None
    return f"{archive.casefold()}/{year}{month}{number}"


def _pmid(text: str) -> str | None:
    match = _PMID.fullmatch(text)
    return match and match[1]


def _nct(text: str) -> str | None:
    match = _NCT.fullmatch(text)
    return match and match[1].upper()


def _isbn(text: str) -> str | None:
    digits = re.sub(r"[\s\-\u2010-\u2015]", "", _ISBN_PREFIX.sub("", text))
    if not digits.isascii() or not _ISBN_PLAIN.fullmatch(digits):
        return None
    if len(digits) == 10:
        if _weighted_sum_10(digits) % 11:
            return None
        body = f"978{digits[:9]}"
        return body + str(-_weighted_sum_13(body) % 10)
    if _weighted_sum_13(digits) % 10:
        return None
    return digits


def _weighted_sum_10(digits: str) -> int:
    """The sum that 11 divides in an ISBN-10: weights 10 to 1, and X as a last digit of 10."""
    total = 0
    for position, digit in enumerate(digits):
        value = 10
        if digit not in "Xx":
            value = int(digit)
        total += (10 - position) * value
    return total


def _weighted_sum_13(digits: str) -> int:
    """The sum that 10 divides in an ISBN-13: weights 1 and 3 in turn."""
    even = sum(map(int, digits[::2]))
    odd = sum(map(int, digits[1::2]))
    return even + 3 * odd


def _url(text: str) -> str | None:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    scheme = parts.scheme.casefold()
    if scheme not in _DEFAULT_PORTS or not host or _SPACE.search(text):
        return None
    authority = host.casefold().rstrip(".")
    if ":" in host:
        authority = f"[{host}]"
    if port not in (None, _DEFAULT_PORTS[scheme]):
        authority = f"{authority}:{port}"
    return urlunsplit((scheme, authority, parts.path.rstrip("/"), parts.query, ""))


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
_DROPPED = re.compile(r"[{}$'\u2019\u2018\u02bc`]")
"""TeX signs and apostrophes."""
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
        text = _HYPHENS.sub("-", _without_accents(text))
    text = _DROPPED.sub("", text.casefold())
    return _NO_WORD.sub(" ", text.translate(_SPELLED)).strip()


def _without_accents(text: str) -> str:
    """The text without combining marks and invisible format characters."""
    chars: list[str] = []
    for char in unicodedata.normalize("NFKD", text):
        if not unicodedata.combining(char) and unicodedata.category(char) != "Cf":
            chars.append(char)
    return "".join(chars)


_GENERATION: Final = frozenset({"jr", "sr", "ii", "iii", "iv"})
_HOMONYM = re.compile(r"(?<!\s)\s++[0-9]{4}$")


@lru_cache(maxsize=65_536)
def person(name: str) -> tuple[str, tuple[str, ...]]:
    """A person's name as (family name, given names or initials), folded.

    `Zhou, Jie` and `Jie Zhou 0001` (a bibliography's number for one of several persons of a name) are one person.
    """
    name = _HOMONYM.sub("", name.strip()[:_MAX_TITLE])
    family, comma, forenames = name.partition(",")
    generation, second_comma, others = forenames.partition(",")
    if second_comma and fold(generation) in _GENERATION:
        forenames = others  # "King, Jr., Martin"
    if comma and fold(forenames) not in _GENERATION:
        return fold(family), _given_names(forenames)
    return _person_in_order(family)


def _person_in_order(name: str) -> tuple[str, tuple[str, ...]]:
    """The person of a name without a comma: `Martin Luther King Jr.`, `Vaswani A`."""
    words: list[str] = []
    for word in _words(name):
        if fold(word) not in _GENERATION:
            words.append(word)
    if not words:
        return "", ()
    last = words.pop()
    if words and _is_initials(last) and not _is_initials(words[0]):
        return fold(" ".join(words)), _given_names(last)  # as in PubMed
    while len(words) > 1 and fold(words[-1]) in _PARTICLES:
        last = f"{words.pop()} {last}"
    return fold(last), _given_names(" ".join(words))


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


def _given_names(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for word in _words(text):
        spaced = word
        if _is_initials(word):
            spaced = " ".join(word)
        names += map(fold, spaced.replace("-", " ").split())
    return tuple(filter(None, names))
