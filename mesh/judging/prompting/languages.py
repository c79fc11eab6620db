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
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from judgemesh.mesh.judging.prompting.orders import OrderKind

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
    """Two meanings that make an order where one follows the other, in any order, within so many characters."""

    kind: OrderKind
    first: str
    second: str
    within_chars: int


_PAIRS: Final = (
    Pair(OrderKind.OVERRIDE, "ignore", "rules", 60),
    Pair(OrderKind.COMMAND, "tell", "yes", 30),
    Pair(OrderKind.ADDRESS, "evaluator", "must", 40),
    Pair(OrderKind.ADDRESS, "evaluator", "tell", 40),
)


@dataclass(frozen=True, slots=True)
class _Word:
    start: int
    end: int


def orders_in(text: str) -> Iterator[tuple[int, int, OrderKind]]:
    """Start, end and kind of each order in a text that is in lower case, without accents on Latin letters."""
    meanings = _meanings_of(set(_WORD.findall(text)))
    present: set[str] = set()
    for found in meanings.values():
        present |= found
    pairs = [pair for pair in _PAIRS if {pair.first, pair.second} <= present]
    if not pairs:
        return
    places = _places(text, meanings)
    for pair in pairs:
        for first in places[pair.first]:
            second = _partner(text, first, places[pair.second], pair.within_chars)
            if second is not None:
                yield (
                    min(first.start, second.start),
                    max(first.end, second.end),
                    pair.kind,
                )


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


def _partner(
    text: str, word: _Word, others: list[_Word], within_chars: int
) -> _Word | None:
    """The nearest of the others on either side, in the same sentence."""
    at = bisect_right(others, word.start, key=lambda other: other.start)
    for other in others[max(0, at - 1) : at + 1]:
        start, end = min(word.end, other.end), max(word.start, other.start)
        if start > end or end - start > within_chars:
            continue
        if _SENTENCE_END.isdisjoint(text[start:end]):
            return other
    return None


def _meanings_of(words: set[str]) -> dict[str, frozenset[str]]:
    """The words that have a meaning of the table, with their meanings."""
    known: dict[str, frozenset[str]] = {}
    for word in words:
        found = frozenset(_found(word))
        if found:
            known[word] = found
    return known


def _found(word: str) -> Iterator[str]:
    if word in _stems()[_ENGLISH][0]:
        return
    for meaning, (whole, beginnings) in _stems().items():
        if word in whole or not beginnings.isdisjoint(
            word[:length] for length in _LENGTHS
        ):
            yield meaning


_LENGTHS: Final = range(2, 18)


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
