"""Find words in the judged text that speak to the evaluator, in any script and disguise. Pure.

The phrasings are a table (`hostile.toml`), each narrow: an agent's customer may be told to "reply YES to confirm",
and a page about prompt injection may name it. Matches are withheld from the judge (`sanitise`) and reported in the
verdict.

`COMMAND` gives the evaluator an order or its verdict; `ADDRESS` speaks to it; `OVERRIDE` cancels instructions in
general, which in a trace is more often aimed at the agent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, Protocol

from judgemesh.mesh.judging.prompting.disguises import (
    SPELLINGS,
    Spelling,
    disguises,
    joined_words,
)
from judgemesh.mesh.judging.prompting.fold import fold, hostile
from judgemesh.mesh.judging.prompting.languages import orders_in
from judgemesh.mesh.judging.prompting.orders import HostileSpan, OrderKind
from judgemesh.mesh.judging.prompting.scan import Scan

_BLANK: Final = r"(?:[\s*_>#|~-]{1,8})"
"""Between two words: they may stand on two lines, in a quote block, in bold."""
_SENTENCE: Final = re.compile(
    # The last two end a sentence inside JSON: an escaped line break, and the end of the value.
    r"[.!?\u3002\uff01\uff1f](?=\s|$|\\|\")|\n|\\{1,8}[nr]|\"(?=\s{0,4}[,}\]])"
)
_LEADING: Final = " .!?;:,()[]{}|\"'>\n-"
"""Punctuation before the words, which is no part of them."""
_MAX_STRETCH: Final = 240


class View(Protocol):
    """A text that was made for searching."""

    @property
    def span(self) -> Callable[[int, int], tuple[int, int]]:
        """Of `start` and `end` in it: where that part stands in the original."""
        ...


def find(text: str) -> tuple[HostileSpan, ...]:
    """All words that speak to the evaluator, in order, none overlapping another."""
    view = fold(text)
    latin, native = phrasings()
    words = _words_by_spelling(view.text)
    matches = list(_searched(_possible(latin, words[None]), view.text, view))
    matches.extend(_native_matches(native, view.native, view))
    # Anything blank may stand for a blank. The lines themselves are looked at above.
    joined = joined_words(view.text, view)
    if joined is not None:
        matches.extend(_matches(latin, joined.text, joined))
    if view.native is not view.text:
        joined = joined_words(view.native, view)
    if joined is not None:
        matches.extend(_native_matches(native, joined.text, joined))
    for spelling in SPELLINGS:
        possible = _possible(latin, words[spelling])
        if possible:
            disguise = spelling.read(view)
            matches.extend(_searched(possible, disguise.text, disguise))
    for disguise in disguises(view):
        matches.extend(_matches(latin, disguise.text, disguise))
    matches.sort(key=lambda span: (span.start, -span.end))
    return tuple(_merged(matches, text))


def _native_matches(
    table: tuple[Phrasing, ...], text: str, view: View
) -> Iterator[HostileSpan]:
    """The matches in a text that keeps the letters of other scripts."""
    for start, end, kind in orders_in(text):
        yield HostileSpan(*view.span(start, end), kind)
    if not text.isascii():
        yield from _matches(table, text, view)


def _matches(
    table: tuple[Phrasing, ...], text: str, view: View
) -> Iterator[HostileSpan]:
    return _searched(_possible(table, words_in(text)), text, view)


def _searched(
    table: tuple[Phrasing, ...], text: str, view: View
) -> Iterator[HostileSpan]:
    for phrasing in table:
        for match in phrasing.pattern.finditer(text):
            start = match.end() - len(match[0].lstrip(_LEADING))
            if match.end() > start:
                yield HostileSpan(*view.span(start, match.end()), phrasing.kind)


@lru_cache(maxsize=256)
def _possible(
    table: tuple[Phrasing, ...], words: frozenset[str]
) -> tuple[Phrasing, ...]:
    """Cached, because most texts hold none of the words, or the same few."""
    return tuple(phrasing for phrasing in table if phrasing.possible(words))


def _merged(spans: Iterable[HostileSpan], text: str) -> Iterator[HostileSpan]:
    """Overlapping spans as one of the gravest kind, each stretched to the end of its sentence."""
    last: HostileSpan | None = None
    for span in spans:
        end = _sentence_end(text, span.end)
        if last is None:
            last = HostileSpan(span.start, end, span.kind)
        elif span.start <= last.end:
            kind = min(last.kind, span.kind, key=_GRAVEST.index)
            last = HostileSpan(last.start, max(last.end, end), kind)
        else:
            yield last
            last = HostileSpan(span.start, end, span.kind)
    if last is not None:
        yield last


def _sentence_end(text: str, start: int) -> int:
    limit = min(len(text), start + _MAX_STRETCH)
    stop = _SENTENCE.search(text, start, limit)
    return stop.start() if stop else limit


_GRAVEST: Final = (OrderKind.COMMAND, OrderKind.ADDRESS, OrderKind.OVERRIDE)


@dataclass(frozen=True, slots=True, eq=False)  # one object for each row
class Phrasing:
    """One row of the table. `needs`: for each entry, one of its words stands in every match of the pattern."""

    kind: OrderKind
    pattern: re.Pattern[str]
    needs: tuple[tuple[str, ...], ...]

    def possible(self, words: frozenset[str]) -> bool:
        """Whether the words that a match needs are among those in the text."""
        for entry in self.needs:
            if words.isdisjoint(entry):
                return False
        return True


def words_in(text: str) -> frozenset[str]:
    """The words that matches need and that stand in the text, also inside other words."""
    return _words_by_spelling(text)[None]


def _words_by_spelling(text: str) -> Mapping[Spelling | None, frozenset[str]]:
    """The same for the text as it is (None), and for what it says under each spelling: one pass finds all of them."""
    found: dict[Spelling | None, set[str]] = {None: set()}
    found |= {spelling: set() for spelling in SPELLINGS}
    for spelling, word in _needed_words().found(text):
        found[spelling].add(word)
    return {spelling: frozenset(words) for spelling, words in found.items()}


@cache
def _needed_words() -> Scan[tuple[Spelling | None, str]]:
    words: set[str] = set()
    for table in phrasings():
        for phrasing in table:
            words.update(*phrasing.needs)
    patterns: list[tuple[str, tuple[Spelling | None, str]]] = []
    for word in sorted(words):
        patterns.append((re.escape(word), (None, word)))
        for spelling in SPELLINGS:
            patterns.append((re.escape(spelling.word(word)), (spelling, word)))
    return Scan(patterns)


@cache
def phrasings() -> tuple[tuple[Phrasing, ...], ...]:
    """The table: what is looked for in the folded text, and what in the native one."""
    data = hostile()
    latin = tuple(_phrasing(row, data["words"]) for row in data["latin"])
    native = tuple(_phrasing(row, data["words"]) for row in data["native"])
    return latin, native


def _phrasing(row: Mapping[str, Any], words: Mapping[str, str | list[str]]) -> Phrasing:
    pattern = _spelled(row["pattern"], words).replace(" ", _BLANK)
    needs = [_spelled(entry, words).split("|") for entry in row.get("needs", ())]
    return Phrasing(
        kind=OrderKind(row["kind"]),
        pattern=re.compile(pattern, re.MULTILINE),
        needs=tuple(map(tuple, needs)),
    )


def _spelled(pattern: str | list[str], words: Mapping[str, str | list[str]]) -> str:
    spelled = "".join(pattern)
    while (macro := _MACRO.search(spelled)) is not None:
        spelled = spelled.replace(macro[0], "".join(words[macro[1]]))
    return spelled


_MACRO: Final = re.compile(r"@([A-Z]+)@")
