"""Whether two titles are the same: spelling, subtitles and notes in brackets forgiven, another wording not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Indel, Levenshtein

from judgemesh.contracts.identifiers import fold

_MIN_TITLE_WORDS: Final = 4
"""A title of fewer words says too little without its subtitle."""
_MIN_TYPO_CHARS: Final = 5
_MAX_UNEQUAL_SCORE: Final = 0.999
_SUBTITLE = re.compile(r"\s*[:\u2014\u2013]\s+|\s+-\s+")
_NOTE = re.compile(r"\s*[(\[][^()\[\]]{0,60}[)\]]\s*$")


def title_score(cited: str, held: str) -> float:
    """The share of words, in order, that two titles have in common: 1.0 for the same title, however it is spelled.

    Words that differ in one letter, and words joined or split, count as the same. A subtitle or a note in brackets
    that one of them lacks is forgiven.
    """
    whole = _words_score(fold(cited), fold(held))
    if whole == 1.0:
        return whole
    shortened = (
        (_main_title(cited), held),
        (cited, _main_title(held)),
        (_NOTE.sub("", cited), _NOTE.sub("", held)),
    )
    for shortened_cited, shortened_held in shortened:
        left, right = fold(shortened_cited), fold(shortened_held)
        long_enough = min(len(left.split()), len(right.split())) >= _MIN_TITLE_WORDS
        if long_enough and _words_score(left, right) == 1.0:
            return 1.0
    return whole


def has_same_letters(cited: str, titles: Iterable[str]) -> bool:
    """Whether a title has the very same letters as one of `titles`: no typing error and no subtitle is forgiven."""
    letters = fold(cited).replace(" ", "")
    return any(fold(title).replace(" ", "") == letters for title in titles if title)


def occurs_in_text(text: str, titles: Iterable[str]) -> bool:
    """Whether one of the titles occurs, word for word, in a text."""
    folded = f" {fold(text)} "
    for title in titles:
        words = fold(title)
        if words and f" {words} " in folded:
            return True
    return False


def _main_title(title: str) -> str:
    return _SUBTITLE.split(title, maxsplit=1)[0]


@lru_cache(maxsize=16_384)
def _words_score(left: str, right: str) -> float:
    if not left or not right:
        return 0.0
    if left == right or left.replace(" ", "") == right.replace(" ", ""):
        return 1.0
    left_words, right_words = left.split(), right.split()
    if len(left_words) == len(right_words):
        pairs = zip(left_words, right_words, strict=True)
        differing = [pair for pair in pairs if pair[0] != pair[1]]
        if len(differing) == 1 and _is_typo(*differing[0]):
            return 1.0
    score = Indel.normalized_similarity(left_words, right_words)
    return min(score, _MAX_UNEQUAL_SCORE)


def _is_typo(left: str, right: str) -> bool:
    """Whether two words differ in one letter. Short words and numbers are never taken for typing errors."""
    if min(len(left), len(right)) < _MIN_TYPO_CHARS:
        return False
    if not left.isalpha() or not right.isalpha():
        return False
    return Levenshtein.distance(left, right, score_cutoff=1) <= 1
