"""Text as sentences and words: splitting, word stems, negation, hedges.

The stems are rough on purpose: words of one family should have one stem (`advertise`, `advertising`), and nothing is
decided on a stem alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.text import plain
from judgemesh.validators.claims.language.full_stops import goes_on

MAX_CHARS: Final = 400_000
"""Longer texts are cut to this length."""

_MAX_SENTENCE_CHARS: Final = 3_000

_END = re.compile(
    r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s)|\n\s*\n|\n(?=\s*(?:[-*\u2022]|\d{1,3}[.)])\s)|[\u3002\uff01\uff1f]"
)
_WORD = re.compile(r"[^\W_]+(?:[.,](?=\d)\d+|['\u2019-][^\W_]+|[+#]{1,2})*", re.UNICODE)

STOP_WORDS: Final = frozenset(
    {
        "a", "an", "the", "of", "in", "on", "at", "to", "for", "and", "or", "but", "is", "are", "was", "were", "be",
        "been", "being", "am", "has", "have", "had", "having", "do", "does", "did", "that", "this", "these", "those",
        "it", "its", "as", "by", "with", "from", "into", "about", "than", "then", "there", "their", "they", "them",
        "he", "she", "his", "her", "him", "we", "our", "us", "you", "your", "i", "my", "me", "which", "who", "whom",
        "whose", "what", "when", "where", "while", "if", "so", "such", "also", "however", "therefore", "thus", "can",
        "could", "may", "might", "will", "would", "shall", "should", "must", "s", "t", "up", "out", "very", "just",
        "here", "how", "why", "because", "during", "between", "through", "one's",
    }
)  # fmt: skip
_NEGATORS: Final = frozenset(
    {
        "not", "no", "never", "none", "neither", "nor", "without", "cannot", "nobody", "nothing", "nowhere", "hardly",
        "barely", "lack", "lacks", "lacked", "lacking", "fail", "fails", "failed", "false", "untrue", "incorrect",
        "myth", "deny", "denies", "denied", "refuse", "refused", "unlike", "non", "nonsense", "wrong", "wrongly",
        "mistaken", "mistakenly", "misconception", "except", "rarely", "seldom", "longer", "unable", "instead",
    }
)  # fmt: skip
_HEDGES: Final = frozenset(
    {
        "only", "rare", "limited", "partially", "some", "few", "certain", "unverified", "unconfirmed", "according",
        "may", "might", "could", "would", "should", "reportedly", "allegedly", "alleged", "supposedly", "rumored",
        "rumoured", "rumor", "rumour", "claim", "claims", "claimed", "believe", "believed", "believes", "suggest",
        "suggests", "suggested", "possibly", "perhaps", "probably", "likely", "unlikely", "if", "unless", "whether",
        "proposed", "planned", "expected", "seems", "appears", "purported", "purportedly", "hypothetical", "imagine",
        "chatgpt", "fictional", "doubt", "doubtful", "almost", "nearly", "sometimes", "often", "occasionally",
        "former", "once", "until", "before", "previously", "used", "formerly", "ex", "parody", "partly",
    }
)  # fmt: skip
_RELATIONS: Final = frozenset(
    {"by", "from", "to", "into", "than", "between", "through", "while"}
)
_NO_NEGATION = re.compile(
    r"not (?:only|just|merely|limited to)\b|no\.\s?\d|(?-i:No)\s\d", re.IGNORECASE
)
_SUFFIXES: Final = (
    "ization", "isation", "ations", "ation", "ings", "ies", "ied", "ing", "ions",
    "ion", "edly", "ed", "es", "ly", "s",
)  # fmt: skip
_MIN_STEM_CHARS: Final = 4


@dataclass(slots=True)
class Word:
    """A word that carries content: as written, its stem, its index among all words of the sentence, its offsets."""

    text: str
    stem: str
    index: int
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """Whether it is written like a name: a capital letter somewhere."""
        return self.text != self.text.lower()


@dataclass(slots=True)
class Sentence:
    """A sentence of a text: its offset, its words that carry content, and what changes or weakens its meaning.

    `negators` are the indexes of negations; `hedges` words that weaken and `relations` words such as `by` and `from`,
    with their indexes.
    """

    text: str
    start: int
    words: list[Word] = field(default_factory=list[Word])
    stems: set[str] = field(default_factory=set[str])
    negators: list[int] = field(default_factory=list[int])
    hedges: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    relations: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])

    @property
    def is_question(self) -> bool:
        """Whether it asks instead of stating."""
        return self.text.rstrip("\"'\u201d\u2019) ").endswith(("?", "\uff1f"))


def split(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text with their offsets; empty ones are left out, over-long ones come in pieces."""
    start = 0
    text = text[:MAX_CHARS]
    for end_mark in _END.finditer(text):
        if end_mark[0][0] == "." and goes_on(text, start, end_mark):
            continue
        yield from _pieces(text, start, end_mark.end())
        start = end_mark.end()
    yield from _pieces(text, start, len(text))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for piece_start in range(start, end, _MAX_SENTENCE_CHARS):
        piece = text[piece_start : min(end, piece_start + _MAX_SENTENCE_CHARS)]
        if piece.strip():
            yield piece_start + len(piece) - len(piece.lstrip()), piece.strip()


def sentence_of(text: str, start: int = 0) -> Sentence:
    """One sentence, read."""
    shown = plain(text)
    sentence = Sentence(text, start)
    after_not_only = -1
    for index, match in enumerate(_WORD.finditer(shown)):
        word = match[0]
        folded = word.lower().replace("\u2019", "'")
        if folded in _NEGATORS or folded.endswith("n't"):
            if _NO_NEGATION.match(shown, match.start()):
                after_not_only = index + 1
            else:
                sentence.negators.append(index)
            continue
        if folded in _RELATIONS:
            sentence.relations.append((folded, index))
        # A capital inside a sentence makes a name or a month of it: `May`, `Should Be Higher`.
        is_name = index > 0 and not word[0].islower()
        if folded in _HEDGES and index != after_not_only and not is_name:
            sentence.hedges.append((folded, index))
        if folded not in STOP_WORDS:
            content = Word(word, stem(folded), index, match.start(), match.end())
            sentence.words.append(content)
            sentence.stems.add(content.stem)
    return sentence


def sentences_of(text: str) -> list[Sentence]:
    """Every sentence of a text, read."""
    return [sentence_of(piece, start) for start, piece in split(text)]


def stems_of(words: Iterable[Word]) -> list[str]:
    """The stems of words, in order."""
    return [word.stem for word in words]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """What is left of a lower-case word without its ending; numbers and short words stay."""
    word = word.removesuffix("'s").removesuffix("'")
    if word[:1].isdigit():
        return word.replace(",", "")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _MIN_STEM_CHARS:
            word = word[: -len(suffix)]
            break
    if len(word) > _MIN_STEM_CHARS:
        word = word.rstrip("eyi")
    return word
