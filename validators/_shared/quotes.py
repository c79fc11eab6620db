"""Does a quoted passage stand in a text? Compared without case, punctuation and accents; a slip of the pen is
forgiven, another wording is not. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from judgemesh.contracts.identifiers import fold

_ELLIPSIS = re.compile(
    r"\s*(?:\[\s*(?:\.\.\.|\u2026)\s*\]|\(\s*(?:\.\.\.|\u2026)\s*\)|\.\.\.|\u2026)\s*"
)
_INSERTED = re.compile(r"\[[^\[\]]{0,80}\]")
_PIECE: Final = 1_500
_MAX_TEXT: Final = 2_000_000
_MAX_QUOTE: Final = 2_000
_ANCHOR: Final = 14
_ANCHORS: Final = 64
_LOOKS: Final = 16
MIN_QUOTE_CHARS: Final = 12
"""Letters, folded: a shorter passage stands in too many texts to prove anything."""


@lru_cache(maxsize=16)
def folded_text(text: str) -> str:
    """A whole document folded; `fold` takes only so much at once. Kept, because one document is quoted many times."""
    text = text[:_MAX_TEXT]
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = min(start + _PIECE, len(text))
        if end < len(text):
            cut = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
            end = cut if cut > start else end
        pieces.append(
            fold.__wrapped__(text[start:end])
        )  # not kept: documents would crowd everything else out
        start = end
    return " ".join(piece for piece in pieces if piece)


def stands_in(quote: str, folded: str, least: float) -> bool:
    """Whether the passage stands in the folded text; around "..." and [insertions] its parts do, in order.

    least: share of the letters of each part that must be there, in order.
    """
    parts = [part for part in (fold(one) for one in _parts(quote[:_MAX_QUOTE])) if part]
    at = 0
    for part in parts:
        found = folded.find(part, at)
        if found < 0:
            found = _nearly(part, folded, at, least)
        if found < 0:
            return False
        at = found + len(part)
    return bool(parts)


def _parts(quote: str) -> list[str]:
    return _ELLIPSIS.split(_INSERTED.sub(" ... ", quote))


def _nearly(part: str, folded: str, at: int, least: float) -> int:
    """Where nearly that passage begins, or -1. A piece of it that stands there unchanged says where to look closer."""
    if least >= 1 or len(part) < MIN_QUOTE_CHARS:
        return -1
    slack = len(part) // 4 + _ANCHOR
    looked = 0
    for start in range(0, min(len(part), _ANCHOR * _ANCHORS) - _ANCHOR // 2, _ANCHOR):
        anchor = part[start : start + _ANCHOR]
        place = folded.find(anchor, at)
        while place >= 0 and looked < _LOOKS:
            low = max(at, place - start - slack)
            near = folded[low : place - start + len(part) + slack]
            found = fuzz.partial_ratio_alignment(part, near, score_cutoff=100 * least)
            if (
                found is not None
                and found.dest_end - found.dest_start >= len(part) * least
            ):
                return low + found.dest_start
            looked += 1
            place = folded.find(anchor, place + len(part))
    return -1
