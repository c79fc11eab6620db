"""Text as sentences and words: splitting that knows abbreviations, word stems, negation, hedges.

The stems are rough on purpose: two words of one family should meet (`advertise`, `advertising`), and nothing is decided
on a stem alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.text import plain

MAX_CHARS: Final = 400_000
"""Texts longer than this are read to here."""

_MAX_SENTENCE: Final = 3_000

_ABBREVIATIONS: Final = frozenset(
    {
        "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "no", "nos", "fig", "figs", "eq", "al", "inc",
        "ltd", "co", "corp", "dept", "est", "approx", "ca", "cf", "e.g", "i.e", "u.s", "u.k", "p", "pp", "vol", "ed",
        "eds", "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "gen", "gov", "sen",
        "rep", "rev", "mt", "ft", "min", "max", "avg",
    }
)  # fmt: skip
_END = re.compile(
    r"[.!?\u2026]+[\"'\u201d\u2019)\]]*(?=\s)|\n\s*\n|\n(?=\s*(?:[-*\u2022]|\d{1,3}[.)])\s)|[\u3002\uff01\uff1f]"
)
_LAST_WORD = re.compile(r"([\w.]{1,12})[.]$")
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
_NO_NEGATION = re.compile(r"not (?:only|just|merely|limited to)\b", re.IGNORECASE)
_SUFFIXES: Final = (
    "ization", "isation", "ations", "ation", "ings", "ies", "ied", "ing", "ions",
    "ion", "edly", "ed", "es", "ly", "s",
)  # fmt: skip
_SHORTEST_STEM: Final = 4


@dataclass(frozen=True, slots=True)
class Word:
    """A word that carries content: as written, its stem, its place among all words of the sentence, its offsets."""

    text: str
    stem: str
    place: int
    start: int
    end: int

    @property
    def name(self) -> bool:
        """Whether it is written like a name: a capital letter somewhere."""
        return self.text != self.text.lower()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a text: its offset, its words that carry content, and what turns or weakens its meaning.

    `negators` are the places of negations; `hedges` words that weaken and `relations` words such as `by` and `from`,
    with their places.
    """

    text: str
    start: int
    words: tuple[Word, ...]
    stems: frozenset[str]
    negators: tuple[int, ...]
    hedges: tuple[tuple[str, int], ...]
    relations: tuple[tuple[str, int], ...]

    @property
    def question(self) -> bool:
        """Whether it asks instead of stating."""
        return self.text.rstrip("\"'\u201d\u2019) ").endswith(("?", "\uff1f"))


def split(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text with their offsets, empty ones left out, over-long ones in pieces."""
    start = 0
    text = text[:MAX_CHARS]
    for match in _END.finditer(text):
        end = match.end()
        if match.group()[0] == "." and _is_abbreviation(
            text[max(start, match.start() - 14) : match.start() + 1]
        ):
            continue
        yield from _pieces(text, start, end)
        start = end
    yield from _pieces(text, start, len(text))


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    for here in range(start, end, _MAX_SENTENCE):
        piece = text[here : min(end, here + _MAX_SENTENCE)]
        if piece.strip():
            yield here + len(piece) - len(piece.lstrip()), piece.strip()


def _is_abbreviation(tail: str) -> bool:
    last = _LAST_WORD.search(tail)
    if last is None:
        return False
    word = last[1].lower().rstrip(".")
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())


def sentence_of(text: str, start: int = 0) -> Sentence:
    """One sentence, read."""
    shown = plain(text)
    words: list[Word] = []
    hedges: list[tuple[str, int]] = []
    relations: list[tuple[str, int]] = []
    negators: list[int] = []
    said_only = -1
    for place, match in enumerate(_WORD.finditer(shown)):
        word = match.group()
        folded = word.lower().replace("\u2019", "'")
        if folded in _NEGATORS or folded.endswith("n't"):
            if not _NO_NEGATION.match(shown, match.start()):
                negators.append(place)
            else:
                said_only = place + 1
            continue
        if folded in _RELATIONS:
            relations.append((folded, place))
        # A capital inside a sentence makes a name or a month of it: `May`, `Should Be Higher`.
        if (
            folded in _HEDGES
            and place != said_only
            and (place == 0 or word[0].islower())
        ):
            hedges.append((folded, place))
        if folded not in STOP_WORDS:
            words.append(Word(word, stem(folded), place, match.start(), match.end()))
    stems = frozenset(word.stem for word in words)
    return Sentence(
        text,
        start,
        tuple(words),
        stems,
        tuple(negators),
        tuple(hedges),
        tuple(relations),
    )


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """Every sentence of a text, read."""
    return tuple(sentence_of(piece, start) for start, piece in split(text))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """What is left of a lower-case word without its ending; numbers and short words stay."""
    word = word.removesuffix("'s").removesuffix("'")
    if word[:1].isdigit():
        return word.replace(",", "")
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            word = word[: -len(suffix)]
            break
    return word.rstrip("eyi") if len(word) > _SHORTEST_STEM else word
