"""Texts of a citation that may be a reference, a passage or a comment: what they say that the source does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from judgemesh.contracts.identifiers import fold
from judgemesh.contracts.text.limiting_words import is_limiting
from judgemesh.contracts.text.passages import is_in_text, normal_text
from judgemesh.validators.citations.cited import Cited
from judgemesh.validators.citations.quotation_marks import quoted_in
from judgemesh.validators.citations.titles import occurs_in_text
from judgemesh.validators.citations.works import Work

_MAX_OTHER_WORDS: Final = 3
"""So many words beside the parts of a reference say nothing in a plain string."""
_MAX_REFERENCE_WORDS: Final = 16
_MAX_REFERENCE_CHARS: Final = 4_000
_LOCATOR = re.compile(
    r"(?:\b(?:pp?|pages?|sections?|sec|chapters?|ch|paragraphs?|para|lines?|articles?|art|clauses?|items?|rows?|tables?|fig"
    r"|figures?|vol|volume|no|number|issue|edition|ed|version|appendix|annex|step|part|rule|point)\b\.?|\u00a7+|#)"
    r"\s?[0-9][\w.]{0,12}(?:\s?[-\u2013]\s?[0-9]{1,6})?|\b[0-9]{1,4}\s?\([0-9]{1,4}\)|\b[0-9]{1,6}\s?[-\u2013]\s?[0-9]{1,6}\b"
    r"|:L?[0-9]{1,6}(?:[-\u2013]L?[0-9]{1,6})?(?=$|[\s,;)\]])|#\S{1,80}"
    r"|\b(?:accessed|retrieved|updated|published|dated|as of)\b[^,;()\n]{0,30}",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(
    r"(?:\s*[:|\u2014\u2013>\u2192]\s+|\s+[-=]+>?\s+|[\])]\s*[:\u2014\u2013-]?\s*|,\s+|\.\s+)"
)
_SUFFIX = re.compile(r"\.[A-Za-z]{2,8}$")
_MIN_TITLE_WORDS: Final = 3
"""A shorter title may be the beginning of another statement."""
_GENERIC: Final = frozenset(
    {
        "see", "source", "sources", "document", "doc", "file", "ref", "reference", "policy", "from", "per",
        "the", "of", "in", "on", "and", "a", "an", "for", "to", "at", "by", "section", "page", "p", "available",
        "url", "doi", "link", "https", "http", "www", "handbook", "manual", "guide", "guidelines", "article",
        "chapter", "report", "minutes", "entry", "record", "catalogue", "title", "pages", "terms", "rules",
        "regulations", "statute", "protocol", "et", "al", "id", "vol", "md", "txt", "pdf", "html", "docx",
        "accessed", "heading", "says", "states", "stated", "reads", "notes", "according", "quoted", "cited",
        "quote", "as",
    }
)  # fmt: skip
_WORD = re.compile(r"[^\W_][\w'\u2019-]*")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}[a-z]?")
_MAX_PIECES: Final = 12


def unsupported_text(text: str, cited: Cited, work: Work) -> str:
    """What a text says that is neither a part of a reference to the work nor in it; empty where that is nothing.

    A comment counts by its numbers alone: all of them must be in the work.
    """
    body = work.text or ""
    if is_in_text(text, body) or (cited.strict and only_names(text, cited, work)):
        return ""
    if cited.strict:
        return "" if _is_named_passage(text, cited, work) else text
    known = _known_words(cited, work)
    rest = _other_words(text, known)
    if _is_little(rest) or _is_bibliographic(text, known, work):
        return ""
    for piece in _pieces(text):
        others = _other_words(text.replace(piece, " "), known)
        if is_in_text(piece, body) and _is_little(others):
            return ""
    if work.text is None:
        return text
    words = set(normal_text(body).words.split())
    numbers = [word for word in _numbers(rest) if word not in words]
    return text if numbers or _quotes_another(text, known, work) else ""


def _is_named_passage(text: str, cited: Cited, work: Work) -> bool:
    """Whether a text is a passage of the work and beside it nothing but what names the work."""
    for piece in _pieces(text):
        rest = text.replace(piece, " ")
        if is_in_text(piece, work.text or "") and only_names(rest, cited, work):
            return True
    return False


def only_names(text: str, cited: Cited, work: Work) -> bool:
    """Whether a text says nothing but which work, and which page of it, is meant.

    A title counts as a whole. Its words in another order, or with a word between them, are another statement.
    """
    rest = f" {fold(_LOCATOR.sub(' ', text[:_MAX_REFERENCE_CHARS]))} "
    if len(text) > _MAX_REFERENCE_CHARS:
        return False
    for name in sorted(_names_of(cited, work), key=len, reverse=True):
        rest = rest.replace(f" {name} ", "  ")
    known = set(_GENERIC)
    for part in (work.venue, cited.venue, *work.authors, *cited.authors):
        known.update(fold(part).split())
    known.update(map(str, work.years))
    others = [word for word in rest.split() if word not in known]
    if not others:
        return True
    full = len(fold(work.title).split()) >= _MIN_TITLE_WORDS and bool(work.authors)
    return full and _is_bibliographic(text, _known_words(cited, work), work)


def _names_of(cited: Cited, work: Work) -> set[str]:
    """What a work is called as a whole: its place, its file without folder and suffix, its identifiers and titles."""
    names = {work.ref, *work.all_titles, *cited.ids.values()}
    for values in work.ids.values():
        names.update(values)
    for name in tuple(names):
        path = name.rsplit("/", 1)[-1]
        names.update((path, _SUFFIX.sub("", path), _SUFFIX.sub("", name)))
    return set(filter(None, map(fold, names)))


def _is_bibliographic(text: str, known: set[str], work: Work) -> bool:
    """Whether a text has the title of the work, and otherwise only names and years: a reference in full."""
    if not occurs_in_text(text, work.all_titles):
        return False
    others = [
        word
        for word in _WORD.findall(_LOCATOR.sub(" ", text))
        if fold(word) not in known
    ]
    if len(others) > _MAX_REFERENCE_WORDS:
        return False
    return all(word[0].isupper() or _YEAR.fullmatch(word) for word in others)


def _known_words(cited: Cited, work: Work) -> set[str]:
    """The words that a reference to the work may have."""
    parts: list[str] = [
        work.ref,
        *work.all_titles,
        work.venue,
        *work.authors,
        cited.venue,
        *cited.authors,
    ]
    for values in work.ids.values():
        parts += values
    parts += cited.ids.values()
    parts += map(str, work.years)
    words: set[str] = set(_GENERIC)
    for part in parts:
        words.update(fold(part).split())
    return words


def _other_words(text: str, known: set[str]) -> list[str]:
    bare = _LOCATOR.sub(" ", text[:_MAX_REFERENCE_CHARS])
    return [word for word in fold(bare).split() if word not in known] + text[
        _MAX_REFERENCE_CHARS:
    ].split()


def _is_little(words: list[str]) -> bool:
    if len(words) > _MAX_OTHER_WORDS or is_limiting(words):
        return False
    return not any(_numbers(words))


def _numbers(words: Iterable[str]) -> Iterator[str]:
    """The words with a digit, but for years: a reference may have one that the source does not name."""
    for word in words:
        if any(map(str.isdigit, word)) and not _YEAR.fullmatch(word):
            yield word


def _pieces(text: str) -> Iterator[str]:
    """The parts of a text that may be quoted: in quotation marks, and behind what separates it from a name."""
    for _, _, quoted in quoted_in(text):
        yield quoted
    for count, match in enumerate(_AFTER_NAME.finditer(text)):
        if count >= _MAX_PIECES:
            break
        yield text[match.end() :]
        yield text[: match.start()]


def _quotes_another(text: str, known: set[str], work: Work) -> bool:
    """Whether the text quotes something that is not in the work and no part of a reference to it."""
    for _, _, quoted in quoted_in(text):
        if not is_in_text(quoted, work.text or "") and _other_words(quoted, known):
            return True
    return False
