"""Searching a long text for a passage, whatever the spelling of spaces, case and punctuation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judgemesh.contracts.identifiers import fold

MIN_PASSAGE_CHARS: Final = 12
"""A shorter folded passage says nothing: it is in every text."""
_PIECE_CHARS: Final = 1_500


def holds_passage(text: str, folded_passage: str) -> bool:
    """Whether the folded text holds the passage."""
    return folded_passage in " ".join(_folded_pieces(text))


def _folded_pieces(text: str) -> Iterator[str]:
    """The folded text in pieces that end between words (`fold` takes only so much at once)."""
    start = 0
    while start < len(text):
        end = len(text)
        if start + _PIECE_CHARS < end:
            end = text.rfind(" ", start, start + _PIECE_CHARS)
        if end <= start:
            end = min(start + _PIECE_CHARS, len(text))
        # Not through the cache of `fold`: a long text would push everything else out of it.
        piece = fold.__wrapped__(text[start:end])
        if piece:
            yield piece
        start = end
