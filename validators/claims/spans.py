"""The shortest run of a sentence that holds the words of a claim in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.validators.claims.sentences import Sentence, Word

_MAX_EXTRA_WORDS: Final = 4
_WORDS_BEFORE: Final = 8
_WORDS_AFTER: Final = 6
"""A word so many words before or after a run can still change its meaning."""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A run of a sentence: how many content words it has, its first and its last one."""

    words: int
    first: Word
    last: Word

    def is_near(self, index: int) -> bool:
        """Whether the word at `index` can still change what the run says."""
        earliest = self.first.index - _WORDS_BEFORE
        latest = self.last.index + _WORDS_AFTER
        return earliest <= index <= latest

    def contains(self, offset: int) -> bool:
        """Whether an offset of the text is inside the run."""
        return self.first.start <= offset < self.last.end

    def relations(self, sentence: Sentence) -> list[str]:
        """The words inside that say who does what to whom."""
        first, last = self.first.index, self.last.index
        return [word for word, index in sentence.relations if first < index < last]


def shortest_span(stems: Sequence[str], words: Sequence[Word]) -> TextSpan | None:
    """The shortest run that holds the stems in order; None where none is short enough."""
    shortest: TextSpan | None = None
    max_words = 2 * len(stems) + _MAX_EXTRA_WORDS
    for start, word in enumerate(words):
        if word.stem != stems[0]:
            continue
        last = _last_of_run(stems, words[start : start + max_words])
        if last is None:
            continue
        length = last + 1
        if shortest is None or length < shortest.words:
            shortest = TextSpan(length, word, words[start + last])
    return shortest


def _last_of_run(stems: Sequence[str], words: Sequence[Word]) -> int | None:
    """The index of the word at which all stems have occurred in order."""
    matched = 0
    for index, word in enumerate(words):
        if word.stem == stems[matched]:
            matched += 1
            if matched == len(stems):
                return index
    return None
