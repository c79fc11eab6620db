"""Whether a quoted passage occurs in a text: without case, punctuation and accents; typing errors are forgiven, another
wording is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from judgemesh.contracts.identifiers import fold

MIN_QUOTE_CHARS: Final = 12
"""A shorter passage occurs in too many texts to prove anything."""
_ELLIPSIS = re.compile(
    r"\s*(?:\[\s*(?:\.\.\.|\u2026)\s*\]|\(\s*(?:\.\.\.|\u2026)\s*\)|\.\.\.|\u2026)\s*"
)
_INSERTED = re.compile(r"\[[^\[\]]{0,80}\]")
_PIECE_CHARS: Final = 1_500
_MAX_TEXT_CHARS: Final = 2_000_000
_MAX_QUOTE_CHARS: Final = 2_000
_ANCHOR_CHARS: Final = 14
_MAX_ANCHORS: Final = 64
_MAX_ALIGNMENTS: Final = 16


@lru_cache(maxsize=16)
def folded_text(text: str) -> str:
    """A whole document folded, piece by piece because `fold` takes only so much at once.

    The result is cached: one document is quoted many times.
    """
    # The pieces do not go through the cache of `fold`: documents would crowd everything else out.
    pieces = [fold.__wrapped__(piece) for piece in _pieces(text[:_MAX_TEXT_CHARS])]
    return " ".join(filter(None, pieces))


def _pieces(text: str) -> Iterator[str]:
    """A text in pieces that end between words where they can."""
    start = 0
    while start < len(text):
        end = min(start + _PIECE_CHARS, len(text))
        if end < len(text):
            cut = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
            end = cut if cut > start else end
        yield text[start:end]
        start = end


def stands_in(quote: str, folded: str, min_share: float) -> bool:
    """Whether the passage occurs in the folded text; around "..." and [insertions] its parts do, in order.

    min_share: the share of the letters of each part that must be there, in order.
    """
    written = _INSERTED.sub(" ... ", quote[:_MAX_QUOTE_CHARS])
    has_parts = False
    start = 0
    for written_part in _ELLIPSIS.split(written):
        part = fold(written_part)
        if not part:
            continue
        has_parts = True
        position = folded.find(part, start)
        if position < 0:
            position = _find_nearly(part, folded, start, min_share)
        if position < 0:
            return False
        start = position + len(part)
    return has_parts


def _find_nearly(part: str, folded: str, start: int, min_share: float) -> int:
    """Where a passage that is nearly the same begins, or -1. It is aligned where a piece of it occurs unchanged."""
    if min_share >= 1 or len(part) < MIN_QUOTE_CHARS:
        return -1
    slack = len(part) // 4 + _ANCHOR_CHARS
    alignments = 0
    last_anchor = min(len(part), _ANCHOR_CHARS * _MAX_ANCHORS) - _ANCHOR_CHARS // 2
    for offset in range(0, last_anchor, _ANCHOR_CHARS):
        anchor = part[offset : offset + _ANCHOR_CHARS]
        position = folded.find(anchor, start)
        while position >= 0 and alignments < _MAX_ALIGNMENTS:
            low = max(start, position - offset - slack)
            high = position - offset + len(part) + slack
            aligned = fuzz.partial_ratio_alignment(
                part, folded[low:high], score_cutoff=100 * min_share
            )
            if (
                aligned is not None
                and aligned.dest_end - aligned.dest_start >= len(part) * min_share
            ):
                return low + aligned.dest_start
            alignments += 1
            position = folded.find(anchor, position + len(part))
    return -1
