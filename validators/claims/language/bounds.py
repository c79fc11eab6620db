"""Words that make a bound or an estimate of a number: `at least 5`, `up to 5`, `about 5`, `5 or more`."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple


class Bound(StrEnum):
    """How a number is meant."""

    EXACT = ""
    ABOUT = "about"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    ABOVE = "more than"
    BELOW = "less than"


class FoundBound(NamedTuple):
    """A bound, and from where to where the number with its bound reaches."""

    bound: Bound
    start: int
    end: int


_WINDOW_CHARS: Final = 28
_BEFORE: Final = (
    (
        Bound.AT_LEAST,
        r"at least|(?:a |the )?minimum(?: of)?|not less than|no less than|no fewer than|not fewer than|min\.|>=|\u2265",
    ),
    (
        Bound.AT_MOST,
        r"at most|up to|(?:a |the )?maximum(?: of)?|no more than|not more than|not exceeding|max\.|<=|\u2264",
    ),
    (
        Bound.ABOVE,
        r"more than|over|above|exceeding|greater than|in excess of|upwards of|>",
    ),
    (
        Bound.BELOW,
        r"less than|fewer than|lower than|(?:just )?under|below|nearly|almost|<",
    ),
    (
        Bound.ABOUT,
        (
            r"about|around|approximately|approx\.?|roughly|some|circa|ca\.?|close to|an estimated|estimated"
            r"|range from|between|~|\u2248"
        ),
    ),
)
_AFTER: Final = (
    (Bound.AT_LEAST, r"or more|or above|and above|or over|and over|and up|or older|\+"),
    (
        Bound.AT_MOST,
        r"or less|or fewer|or under|or below|or younger|and under|at most|max\.?",
    ),
    (Bound.ABOUT, r"or so|approximately"),
)
_BEFORE_PATTERNS: Final = tuple(
    (bound, re.compile(rf"(?:(?<!\w)(?:{words}))\W{{0,3}}(?:an? )?$", re.IGNORECASE))
    for bound, words in _BEFORE
)
_AFTER_PATTERNS: Final = tuple(
    (bound, re.compile(rf"[\s-]?(?:{words})(?!\w)", re.IGNORECASE))
    for bound, words in _AFTER
)


def bound_of(text: str, start: int, end: int, behind: int) -> FoundBound:
    """The bound of the number at `start`; it may stand right before it, at its `end`, or `behind` its next word."""
    window_start = max(0, start - _WINDOW_CHARS)
    before = text[window_start:start]
    for bound, pattern in _BEFORE_PATTERNS:
        match = pattern.search(before)
        if match is not None:
            return FoundBound(bound, window_start + match.start(), end)
    for place in (end, behind):
        for bound, pattern in _AFTER_PATTERNS:
            match = pattern.match(text, place)
            if match is not None:
                return FoundBound(bound, start, match.end() if place == end else end)
    return FoundBound(Bound.EXACT, start, end)
