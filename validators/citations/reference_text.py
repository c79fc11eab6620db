"""One reference in running text: its identifiers, authors, title and year in the common citation styles."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from judgemesh.contracts.identifiers import fold
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.identifiers import (
    identifiers_in,
    without_identifiers,
)

_MAX_REFERENCE_CHARS: Final = 4_000
_MIN_TITLE_WORDS: Final = 3
_NO_WORDS: Final = ("", "doi", "url", "available at", "link")
"""What is left, folded, of a reference that holds nothing but identifiers."""
_LINK = re.compile(r"\[([^\[\]]{1,400})\]\((https?://[^()\s]{1,2000})\)")
_YEAR = re.compile(r"(?<![0-9])(1[5-9][0-9]{2}|2[01][0-9]{2})(?![0-9])")
_QUOTED_TITLE = re.compile(
    '["\u201c\u201f\u00ab]([^"\u201c\u201d\u00ab\u00bb]{8,400}?)[,.]?["\u201d\u00bb]'
)
_EMPHASISED = re.compile(
    r"(?<!\*)\*{1,2}([^*\n]{8,400})\*{1,2}(?!\*)|(?<!\w)_([^_\n]{8,400})_(?!\w)"
)
_DATED = re.compile(
    r"^(.{2,600}?)[\s,.]*\((?:[^()]{0,20}\s)?((?:1[5-9]|2[01])[0-9]{2})[a-z]?(?:,[^()]{0,20})?\)[.,:]?\s*"
)
_SENTENCE_END = re.compile(r"[.?!](?=\s|$)")
_SENTENCE_BREAK = re.compile(r"(?<=[a-z)\]]{2})\.\s+|(?<=\bal)\.\s+")
_AUTHOR_SIGNS: Final = (",", " and ", "et al")


class _Parts(NamedTuple):
    """The part before the title, the title and the year, as far as the style tells them."""

    authors_text: str
    title: str
    year: int | None


def read_reference(ref: str, text: str) -> Cited:
    """A reference in running text as a citation."""
    text = text[:_MAX_REFERENCE_CHARS]
    links = _LINK.findall(text)
    spread = _LINK.sub(r"\1 \2", text)
    ids: dict[str, str] = {}
    malformed: list[tuple[str, str]] = []
    for _, _, identifier in identifiers_in(spread):
        malformed.extend(identifier.malformed)
        for scheme, value in identifier.ids.items():
            ids.setdefault(scheme, value)
    words = without_identifiers(spread)
    authors_text, title, year = _parts(" ".join(words.split()))
    if not title and len(links) == 1:
        link_text, _ = links[0]
        if len(fold(link_text).split()) > 1:
            title = link_text
    has_words = title or authors_text or fold(words) not in _NO_WORDS
    return Cited(
        ref=ref,
        ids=ids,
        malformed=tuple(malformed),
        title=title,
        year=year,
        authors_text=authors_text,
        text=text if has_words else "",
    )


def _parts(words: str) -> _Parts:
    return _quoted_style(words) or _dated_style(words) or _sentence_style(words)


def _quoted_style(words: str) -> _Parts | None:
    """A reference such as `A. Fox, "Title," Venue, 2020`."""
    quoted = _QUOTED_TITLE.search(words)
    if quoted is None:
        return None
    before, after = words[: quoted.start()], words[quoted.end() :]
    return _Parts(
        before.strip(" ,."), quoted[1].strip(), _last_year(f"{before} {after}")
    )


def _dated_style(words: str) -> _Parts | None:
    """A reference such as `Fox, A. (2020). Title. Venue`."""
    dated = _DATED.match(words)
    if dated is None:
        return None
    rest = words[dated.end() :]
    emphasised = _EMPHASISED.match(rest)
    end = _SENTENCE_END.search(rest)
    if emphasised:
        title = emphasised[1] or emphasised[2]
    elif end:
        title = rest[: end.start()]
    else:
        title = rest
    return _Parts(dated[1].strip(), title.strip(" .*_"), int(dated[2]))


def _sentence_style(words: str) -> _Parts:
    """A reference such as `A. Fox and B. Dog. Title. Venue, 2020`."""
    year = _last_year(words)
    sentences: list[str] = []
    for piece in _SENTENCE_BREAK.split(words):
        sentence = piece.strip()
        if sentence:
            sentences.append(sentence)
    if not sentences:
        return _Parts("", "", year)
    first = sentences[0]
    if len(sentences) > 1 and any(sign in first for sign in _AUTHOR_SIGNS):
        return _Parts(first, sentences[1].strip(" ."), year)
    if len(fold(first).split()) < _MIN_TITLE_WORDS:
        return _Parts("", "", year)
    return _Parts("", first.strip(" ."), year)


def _last_year(words: str) -> int | None:
    years = _YEAR.findall(words)
    return int(years[-1]) if years else None
