"""Citation marks in a sentence: `[1]`, `[POL-7; POL-8]`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from judgemesh.validators.claims.answer.markup import without_marks

_MAX_CHARS: Final = 3_000
_LETTER = re.compile(r"\w")
_BRACKETS = re.compile(r"\s?\[(?P<ids>[^\[\]\n]{1,120})\](?!\()")
_ID_SEPARATOR = re.compile(r"\s*[,;]\s*")
_CITATION_ID = re.compile(r"[\w.:/#+-]{1,80}")
_NO_CITATION: Final = frozenset(
    {"x", "sic", "...", "edit", "optional", "note", "update"}
)


def without_citations(text: str) -> tuple[str, list[str]]:
    """A text without citation marks and marks of emphasis, and what the marks cite."""
    sentence = cited_sentence(without_marks(text))
    return sentence.text, [*sentence.leading, *sentence.citations]


class CitedSentence(NamedTuple):
    """A sentence without its citation marks; what it cites; and the marks before its first word."""

    text: str
    citations: list[str]
    leading: list[str]


def cited_sentence(piece: str) -> CitedSentence:
    """A sentence and its citation marks."""
    citations: list[str] = []
    leading: list[str] = []
    texts: list[str] = []
    end = 0
    has_words = False
    for mark in _BRACKETS.finditer(piece):
        ids = _citation_ids(mark["ids"])
        if not ids:
            continue
        if _LETTER.search(piece, end, mark.start()):
            has_words = True
        if has_words:
            citations += ids
        else:
            leading += ids
        texts.append(piece[end : mark.start()])
        end = mark.end()
    texts.append(piece[end:])
    text = " ".join("".join(texts).split())
    return CitedSentence(text[:_MAX_CHARS], citations, leading)


def _citation_ids(inside: str) -> list[str]:
    """The ids between brackets; none where something there is no id."""
    ids: list[str] = []
    for part in _ID_SEPARATOR.split(inside.strip()):
        if not part:
            continue
        if not _CITATION_ID.fullmatch(part) or part.casefold() in _NO_CITATION:
            return []
        ids.append(part)
    return ids
