"""Check that a quote of a judge is in the materials it was shown. Pure."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_DROPPED: Final = re.compile(r"[\W_]+")
_ESCAPES: Final = re.compile(r"\\[nrt]|\\u[0-9a-fA-F]{4}")
_ELLIPSIS: Final = re.compile(r"\.{3,}|\u2026|\[\.\.\.\]|\(\.\.\.\)")
_MIN_CHARS: Final = 3
_MAX_PIECES: Final = 12


@lru_cache(maxsize=64)  # asked where a reply is reviewed, and where its vote is counted
def is_quote(quote: str) -> bool:
    """Whether the quote is long enough to look for."""
    return len(_folded(quote)) >= _MIN_CHARS


def stands_in(quote: str, evidence: str) -> bool:
    """Whether the evidence has the letters and digits of the quote in the same order.

    Case, spaces and punctuation do not count, because models tidy them up. An ellipsis splits a quote into pieces that
    must follow each other.
    """
    text = _folded_evidence(evidence)
    folded = [_folded(piece) for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in folded if len(piece) >= _MIN_CHARS]
    end = 0
    for piece in pieces[:_MAX_PIECES]:
        start = text.find(piece, end)
        if start < 0:
            return False
        end = start + len(piece)
    return bool(pieces)


@lru_cache(maxsize=4)
def _folded_evidence(evidence: str) -> str:
    """Cached, because every vote on a question quotes the same evidence."""
    return _folded(evidence)


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text)
    return _DROPPED.sub("", _ESCAPES.sub(" ", plain).casefold())
