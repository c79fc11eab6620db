"""Sets of words that are written as one text and split when they are first asked for. Pure."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=64)
def word_set(text: str) -> frozenset[str]:
    """The words of a constant text, which are separated by white space."""
    return frozenset(text.split())
