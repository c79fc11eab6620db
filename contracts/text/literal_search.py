"""Globs and whole words without regular expressions: both sides may be long texts of an agent. Pure.

A glob with several stars takes polynomial time as a regular expression, and so does a long phrase that is looked for at
every word. `str.find` takes linear time for one phrase.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_MAX_HITS: Final = 10_000
"""Places of a phrase inside words after which no whole word is looked for."""


def fits_glob(pattern: str, name: str) -> bool:
    """Whether a name fits a pattern, in which `*` stands for any run of characters."""
    first, *others = pattern.split("*")
    if not others:
        return name == first
    *middle, last = others
    end = len(name) - len(last)
    if end < len(first) or not name.startswith(first) or not name.endswith(last):
        return False
    at = len(first)
    for part in middle:
        # The first place is as good as any: what follows has the more room.
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def is_word_part(char: str) -> bool:
    """A letter, a digit or an underscore."""
    return char.isalnum() or char == "_"


def stands_whole(
    phrase: str, text: str, is_part: Callable[[str], bool] = is_word_part
) -> bool:
    """Whether a phrase stands in a text with no part of a word right before or behind it. The case counts."""
    if not phrase:
        return False
    at = text.find(phrase)
    for _ in range(_MAX_HITS):
        if at < 0:
            return False
        end = at + len(phrase)
        before = at > 0 and is_part(text[at - 1])
        behind = end < len(text) and is_part(text[end])
        if not before and not behind:
            return True
        at = text.find(phrase, at + 1)
    return False
