"""A claim and an evidence text, each read once into what the rules compare: sentences, stems, figures, quotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.language.quantities import (
    Day,
    Figures,
    Quantity,
    figures,
)
from judgemesh.validators.claims.language.sentences import (
    Sentence,
    sentence_of,
    sentences_of,
    stems_of,
)
from judgemesh.validators.claims.support.frame_keys import stated_keys
from judgemesh.validators.claims.support.frame_rules import stated_frames
from judgemesh.validators.claims.support.frames import Frame
from judgemesh.validators.claims.support.naming import Names, names_in
from judgemesh.validators.claims.support.setting import StatedSentence, stated_sentences

MAX_CLAIM_CHARS: Final = 3_000
_MIN_WORDS: Final = 3
_PREFIX_CHARS: Final = 5
_QUOTATION = re.compile(
    r"[\"\u201c\u00ab](?P<quote>[^\"\u201c\u201d\u00ab\u00bb\n]{12,600})[\"\u201d\u00bb]"
)


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """A claim, read once. `stems` are those of its content words without numbers, in order."""

    text: str
    sentence: Sentence
    figures: Figures
    stems: tuple[str, ...]
    quotes: tuple[str, ...]

    @property
    def has_figures(self) -> bool:
        """Whether it states a number or a date."""
        return bool(self.figures.numbers or self.figures.days)

    @property
    def is_short(self) -> bool:
        """Whether it says too little for a rule to be sure that a text has nothing to do with it."""
        return len(set(self.stems)) + self.has_figures < _MIN_WORDS


@lru_cache(maxsize=1_024)
def read_claim(text: str) -> ReadClaim:
    """Read the first 3,000 characters of a claim."""
    text = text[:MAX_CLAIM_CHARS]
    stated = figures(text)
    words = sentence_of(_without_figures(plain(text), stated)).words
    quotes = tuple(match["quote"] for match in _QUOTATION.finditer(text))
    stems = tuple(stems_of(words))
    return ReadClaim(text, sentence_of(text), stated, stems, quotes)


def _without_figures(text: str, stated: Figures) -> str:
    """A text with its figures blanked out: they are compared as figures, not as words."""
    stated_figures: tuple[Day | Quantity, ...] = (*stated.days, *stated.numbers)
    for figure in stated_figures:
        blank = " " * (figure.end - figure.start)
        text = f"{text[: figure.start]}{blank}{text[figure.end :]}"
    return text


class ReadEvidence:
    """An evidence text, read once. What few rules ask for is worked out when it is needed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sentences = sentences_of(text)
        self._frames: dict[int, tuple[Frame, ...]] = {}

    @cached_property
    def stated(self) -> list[StatedSentence]:
        """Its sentences that state something, each with the words that any statement of it can have."""
        return list(stated_sentences(self.sentences))

    @cached_property
    def names(self) -> Names:
        """The full names of what it speaks of, by the common noun that stands for them."""
        return names_in(self.sentences)

    @cached_property
    def frame_keys(self) -> list[frozenset[str]]:
        """The words that a frame of each of these sentences can have, written as `needed_keys` writes them."""
        return [stated_keys(one.keys, self.names) for one in self.stated]

    def frames(self, index: int) -> tuple[Frame, ...]:
        """The frames of one of its sentences that state something."""
        found = self._frames.get(index)
        if found is None:
            one = self.stated[index]
            found = stated_frames(one.text, one.subject, self.names)
            self._frames[index] = found
        return found

    @cached_property
    def prefixes(self) -> frozenset[str]:
        """The beginnings of the stems of its words."""
        stems: set[str] = set()
        for sentence in self.sentences:
            stems |= sentence.stems
        return prefixes_of(stems)

    @cached_property
    def word_count(self) -> int:
        """How many content words it has."""
        return sum(len(sentence.words) for sentence in self.sentences)

    @cached_property
    def values(self) -> frozenset[Decimal]:
        """Every number in it, years of dates among them."""
        values: set[Decimal] = set()
        for sentence in self.sentences:
            values.update(values_of(figures(sentence.text)))
        return frozenset(values)


def prefixes_of(stems: Iterable[str]) -> frozenset[str]:
    """The beginnings of stems: words of one family mostly share them."""
    return frozenset(stem[:_PREFIX_CHARS] for stem in stems)


def values_of(stated: Figures) -> Iterator[Decimal]:
    """Every number among figures, years of dates among them."""
    for day in stated.days:
        if day.year is not None:
            yield Decimal(day.year)
    for number in stated.numbers:
        yield number.value
