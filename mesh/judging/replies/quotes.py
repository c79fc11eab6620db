"""Whether what a judge quotes stands in what it was shown. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_DROPPED: Final = re.compile(r"[\W_]+")
_ESCAPES: Final = re.compile(r"\\[nrt]|\\u[0-9a-fA-F]{4}")
_ELLIPSIS: Final = re.compile(r"\.{3,}|\u2026|\[\.\.\.\]|\(\.\.\.\)")
_LEAST: Final = 3
_MAX_PIECES: Final = 12


def is_quote(quote: str) -> bool:
    """Whether there is anything to look for: a mark or two is no quote."""
    return len(_folded(quote)) >= _LEAST


def stands_in(quote: str, evidence: str) -> bool:
    """Whether the quote stands in the evidence: same letters and digits in the same order.

    Case, spaces and punctuation do not count, because models tidy them up. An ellipsis parts a quote into pieces that
    must follow each other.
    """
    text, place = _kept(evidence), 0
    pieces = [
        folded
        for piece in _ELLIPSIS.split(quote)
        if len(folded := _folded(piece)) >= _LEAST
    ]
    for piece in pieces[:_MAX_PIECES]:
        found = text.find(piece, place)
        if found < 0:
            return False
        place = found + len(piece)
    return bool(pieces)


@lru_cache(maxsize=4)
def _kept(evidence: str) -> str:
    """Kept for a while: every vote on a question quotes the same evidence."""
    return _folded(evidence)


def _folded(text: str) -> str:
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return _DROPPED.sub("", _ESCAPES.sub(" ", plain).casefold())
