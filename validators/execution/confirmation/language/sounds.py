"""Figures that are written for their sound: `go 4 it`, `gr8`, `b4`, `need 2 ask`. They count nothing."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Final

_FIGURE: Final = re.compile(r"[12489]")
_WORDS: Final = {
    "b4": "before", "gr8": "great", "m8": "mate", "l8": "late", "l8r": "later", "l8er": "later", "w8": "wait",
    "w8ing": "waiting", "h8": "hate", "str8": "straight", "2day": "today", "2nite": "tonight", "2night": "tonight",
    "2moro": "tomorrow", "2morrow": "tomorrow", "4get": "forget", "4ever": "forever", "any1": "anyone",
    "every1": "everyone", "some1": "someone", "no1": "no one", "in2": "into", "un2": "unto", "2gether": "together",
    "4ward": "forward", "4give": "forgive", "4sure": "for sure", "4real": "for real", "thx4": "thanks for",
    "ty4": "thanks for", "f9": "fine", "k8": "kate", "2u": "to you", "4u": "for you", "4me": "for me", "2me": "to me",
}  # fmt: skip
"""Words in which a figure stands for a sound."""


def with_sounds(text: str, told: Collection[str]) -> str:
    """The text with words in place of figures that are written for their sound.

    Args:
        text: what a user says.
        told: words in small letters of the proposal and the record. One of them (`seat b4`) stays as it is.
    """
    if _FIGURE.search(text) is None:
        return text
    spelled = _mixed().sub(lambda found: _word(found[0], told), text)
    spelled = _for().sub("for", _to().sub(r"\1 to", spelled))
    return _too().sub(r"\1 too", spelled)


def _word(written: str, told: Collection[str]) -> str:
    small = written.casefold()
    return written if small in told else _WORDS.get(small, written)


# Few answers hold such a figure: the patterns are compiled when the first does.


@cache
def _mixed() -> re.Pattern[str]:
    return re.compile(r"(?<![\w.,-])(?:[A-Za-z]{1,6}[12489]|[248])[a-z]{0,6}(?![\w-])")


@cache
def _for() -> re.Pattern[str]:
    """A 4 before a word that cannot be counted: a pronoun, an article, a participle."""
    return re.compile(
        r"(?<![\w.,-])4(?= (?:it|this|that|me|us|you|u|him|her|the|my|our|your|a|an|sure|real|now|good|free"
        r"|\w{2,}ing)\b)"
    )


@cache
def _to() -> re.Pattern[str]:
    """A 2 behind what an infinitive follows, and before a word alone or with an object, which is no plural."""
    return re.compile(
        r"\b(need|needs|want|wants|have|has|like|love|happy|glad|ready|going|ok|okay|able|free|about|got|good|time"
        r"|hesitate|way|up|thanks|thx|ty) 2"
        r"(?= (?!(?:more|extra|other|people|children|men|women|eur|euro|usd|gbp|chf|kg|km|min|gb|mb|hour|day|week|month"
        r"|dollar|pound|cent|percent|pm|am)\b)[a-z]{2,}(?<!s)"
        r"(?:\s*(?:[.,!?;:)]|$)"
        r"| (?:it|this|that|me|us|you|u|the|my|our|your|a|an|for|about|with|on|at|now|again|in)\b))",
        re.IGNORECASE,
    )


@cache
def _too() -> re.Pattern[str]:
    """A 2 behind whom one wishes the same."""
    return re.compile(r"\b(u|you|me|us) 2(?=\s*(?:[.!?,;:)]|$)| have\b)", re.IGNORECASE)
