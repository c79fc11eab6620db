"""Orders to the evaluator in languages other than English, by words that stand near each other. Pure.

No table of phrasings covers how people give the same order in a language. The words that such an order cannot do
without are few: one for "ignore" and one for the instructions, one for "answer" and the answer that is wanted, one for
the evaluator and one for what it must do.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from judgemesh.mesh.judging.prompting.orders import OrderKind
from judgemesh.mesh.judging.prompting.scan import Scan

# Not `\w`, which leaves out the vowel signs of Indian scripts.
_WORD: Final = re.compile(
    r"[^\s\d!-/:-@\[-`{-~\u0964\u0965\u061f\u060c\u061b\u2018-\u201f\u00ab\u00bb\u3001\u3002]+"
)
# A colon too: "Antwort: ja" gives an answer, and orders nobody to.
_SENTENCE_END: Final = frozenset(".!?;:\u0964\u061f\u3002\n")
_ENDS_A_VERDICT: Final = re.compile(
    r"\s{0,2}(?:[\"'`*_)\]}.!;,:\u0964\u00bb\u201c\u201d\u2019\n]|$)"
)
_WHOLE: Final = "="
_ENGLISH: Final = "english"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two meanings that make an order where one follows the other, in any order, within so many characters.

    third: a meaning that has to stand near them too. over_colon: a colon may stand between them.
    """

    kind: OrderKind
    first: str
    second: str
    within_chars: int
    third: str = ""
    over_colon: bool = False

    @property
    def meanings(self) -> set[str]:
        """All of its meanings."""
        return {self.first, self.second, self.third} - {""}

    @property
    def ends(self) -> frozenset[str]:
        """The characters that may not stand between its words."""
        return _SENTENCE_END - {":"} if self.over_colon else _SENTENCE_END


_PAIRS: Final = (
    Pair(OrderKind.OVERRIDE, "ignore", "rules", 60),
    Pair(OrderKind.COMMAND, "tell", "yes", 30),
    Pair(OrderKind.ADDRESS, "evaluator", "must", 40),
    Pair(OrderKind.ADDRESS, "evaluator", "tell", 40),
    Pair(OrderKind.ADDRESS, "evaluator", "accept", 60, "must", over_colon=True),
    Pair(OrderKind.ADDRESS, "assessor", "accept", 60, "must", over_colon=True),
)
_NOT_FAR_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int


def orders_in(text: str) -> Iterator[tuple[int, int, OrderKind]]:
    """Start, end and kind of each order in a text that is in lower case, without accents on Latin letters."""
    if text.isascii() and not _pairs_among(_ascii_stems().found(text)):
        return
    meanings = _meanings_of(set(_WORD.findall(text)))
    present: set[str] = set()
    for found in meanings.values():
        present |= found
    pairs = _pairs_among(present)
    if not pairs:
        return
    places = _places(text, meanings)
    for pair in pairs:
        for first in places[pair.first]:
            words = _together(text, pair, first, places)
            if words:
                start = min(word.start for word in words)
                yield start, max(word.end for word in words), pair.kind


def _pairs_among(meanings: AbstractSet[str]) -> list[Pair]:
    return [pair for pair in _PAIRS if pair.meanings <= meanings]


def _together(
    text: str, pair: Pair, first: _Word, places: Mapping[str, list[_Word]]
) -> list[_Word]:
    """The words of a pair that stand together with its first; empty where one is missing, or "not" goes with it."""
    words = [first]
    for meaning in (pair.second, pair.third):
        if meaning:
            word = _partner(text, first, places[meaning], pair)
            if word is None:
                return []
            words.append(word)
    if pair.first == "ignore" and _is_denied(text, words):
        return []
    return words


def _is_denied(text: str, words: list[_Word]) -> bool:
    """Whether people are told *not* to forget the rules."""
    start = words[0].start
    if _NOT_BEFORE.search(text, max(0, start - _NOT_FAR_CHARS), start):
        return True
    end = max(word.end for word in words)
    return _NOT_BEHIND.match(text, end, end + _NOT_FAR_CHARS) is not None


_NOT_BEFORE: Final = re.compile(
    r"(?<!\w)(?:no|non|nao|ne|n|nicht|niet|inte|ikke|nie|nem|nu|не|μην|μη|لا|אל|לא|đung|jangan|usi)[\s'\u2019]{1,3}\Z"
)
_NOT_BEHIND: Final = re.compile(r"[^.!?;:,\n]{0,50}\s(?:nicht|niet|inte|ikke)(?!\w)")


def _places(
    text: str, meanings: Mapping[str, frozenset[str]]
) -> dict[str, list[_Word]]:
    places: dict[str, list[_Word]] = {meaning: [] for meaning in _stems()}
    for match in _WORD.finditer(text):
        for meaning in meanings.get(match[0], ()):
            if meaning == "yes" and _ENDS_A_VERDICT.match(text, match.end()) is None:
                continue
            places[meaning].append(_Word(match.start(), match.end()))
    return places


def _partner(text: str, word: _Word, others: list[_Word], pair: Pair) -> _Word | None:
    """The nearest of the others on either side, in the same sentence."""
    at = bisect_right(others, word.start, key=lambda other: other.start)
    for other in others[max(0, at - 1) : at + 1]:
        start, end = min(word.end, other.end), max(word.start, other.start)
        if start > end or end - start > pair.within_chars:
            continue
        if pair.ends.isdisjoint(text[start:end]):
            return other
    return None


def _meanings_of(words: set[str]) -> dict[str, frozenset[str]]:
    """The words that have a meaning of the table, with their meanings."""
    known: dict[str, frozenset[str]] = {}
    for word in words:
        found = _meanings(word)
        if found:
            known[word] = found
    return known


@lru_cache(maxsize=8192)
def _meanings(word: str) -> frozenset[str]:
    return frozenset(_found(word))


def _found(word: str) -> Iterator[str]:
    if word in _stems()[_ENGLISH][0]:
        return
    for meaning, (whole, beginnings) in _stems().items():
        if word.startswith(_DENIED_FORMS) and meaning == "ignore":
            continue
        if word in whole or not beginnings.isdisjoint(
            word[:length] for length in _LENGTHS
        ):
            yield meaning


_LENGTHS: Final = range(2, 18)
_DENIED_FORMS: Final = ("unutma",)
"""Forms that say the opposite: in Turkish, do not forget."""


@cache
def _stems() -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """For each meaning: the whole words, and the beginnings of words."""
    path = files("judgemesh.mesh.judging.prompting") / "languages.toml"
    table: Mapping[str, Mapping[str, str]] = tomllib.loads(
        path.read_text(encoding="utf-8")
    )
    stems: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for meaning, languages in table.items():
        words = " ".join(languages.values()).split()
        whole = frozenset(
            word.rstrip(_WHOLE) for word in words if word.endswith(_WHOLE)
        )
        beginnings = frozenset(word for word in words if not word.endswith(_WHOLE))
        stems[meaning] = whole, beginnings
    return stems


@cache
def _ascii_stems() -> Scan[str]:
    """The stems in ASCII at the beginning of a word of `_WORD`, each with its meaning, for RE2."""
    patterns: list[tuple[str, str]] = []
    for meaning, (whole, beginnings) in _stems().items():
        for stem in whole | beginnings:
            if stem.isascii():
                end = f"(?:{_NO_LETTER}|\\z)" if stem in whole else ""
                pattern = rf"(?:\A|{_NO_LETTER}){re.escape(stem)}{end}"
                patterns.append((pattern, meaning))
    return Scan(patterns)


_NO_LETTER: Final = r"[\t-\r\x1c-\x20\d!-/:-@\[-`{-~]"
"""What ends a word of `_WORD` in ASCII."""
