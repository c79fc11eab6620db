"""Words in the judged text that speak to the evaluator: find them, in any script and disguise. Pure.

The phrasings are a table (`hostile.toml`), each narrow: an agent's customer may be told to "reply YES to confirm",
and a page about prompt injection may name it. What is found is withheld from the judge (`sanitise`), and said in the
verdict.

`COMMAND` gives the evaluator an order or its verdict; `ADDRESS` speaks to it; `OVERRIDE` cancels instructions in
general, which in a trace is more often aimed at the agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any, Final

from judgemesh.mesh.judging.prompting.fold import Folded, fold, hostile


class Kind(StrEnum):
    """What the words do."""

    COMMAND = "command"
    ADDRESS = "address"
    OVERRIDE = "override"


@dataclass(frozen=True, slots=True)
class Found:
    """One place, as offsets in the original text, stretched to the end of its sentence."""

    start: int
    end: int
    kind: Kind


_BLANK: Final = (
    r"(?:[\s*_>#|~-]{1,8})"  # words may stand on two lines, in a quote block, in bold
)
_WORD: Final = re.compile(r"[^\W_]+")
_SENTENCE: Final = re.compile(r"[.!?\u3002\uff01\uff1f](?=\s|$)|\n")
_LEADING: Final = (
    " .!?;:,()[]{}|\"'>\n-"  # what an order stands behind is no part of it
)
_MAX_STRETCH: Final = 240


def find(text: str, *, view: Folded | None = None) -> tuple[Found, ...]:
    """Every place that speaks to the evaluator, in order, none overlapping another."""
    view = view or fold(text)
    return tuple(
        _merged(sorted(_raw(view), key=lambda found: (found.start, -found.end)), text)
    )


def _raw(view: Folded) -> Iterator[Found]:
    latin, native = phrasings()
    tables = (
        [(latin, view.text)]
        if view.native.isascii()
        else [(latin, view.text), (native, view.native)]
    )
    for table, text in tables:
        # Each word once: looking for a needed one in the text itself would take as long as looking for the patterns.
        words = "\n".join(set(_WORD.findall(text)))
        for phrasing in table:
            if phrasing.possible(words):
                yield from _matches(phrasing, text, view)


def _matches(phrasing: Phrasing, text: str, view: Folded) -> Iterator[Found]:
    for match in phrasing.pattern.finditer(text):
        start = match.start() + len(match[0]) - len(match[0].lstrip(_LEADING))
        if match.end() > start:
            yield Found(*view.span(start, match.end()), phrasing.kind)


def _merged(found: Iterable[Found], text: str) -> Iterator[Found]:
    """Overlapping places as one of the gravest kind, each stretched to the end of its sentence."""
    last: Found | None = None
    for item in found:
        stop = _SENTENCE.search(text, item.end, item.end + _MAX_STRETCH)
        end = max(
            item.end, stop.start() if stop else min(len(text), item.end + _MAX_STRETCH)
        )
        if last is not None and item.start <= last.end:
            last = Found(
                last.start,
                max(last.end, end),
                min(last.kind, item.kind, key=_GRAVEST.index),
            )
            continue
        if last is not None:
            yield last
        last = replace(item, end=end)
    if last is not None:
        yield last


_GRAVEST: Final = (Kind.COMMAND, Kind.ADDRESS, Kind.OVERRIDE)


@dataclass(frozen=True, slots=True)
class Phrasing:
    """One row of the table. `needs`: for each entry, one of its words stands in every match of the pattern."""

    kind: Kind
    pattern: re.Pattern[str]
    needs: tuple[tuple[str, ...], ...]

    def possible(self, words: str) -> bool:
        """Whether the words that a match needs are there."""
        return all(any(word in words for word in entry) for entry in self.needs)


@cache
def phrasings() -> tuple[tuple[Phrasing, ...], ...]:
    """The table: what is looked for in the folded text, and what in the native one."""
    data = hostile()
    return tuple(
        tuple(_phrasing(row, data["words"]) for row in rows)
        for rows in (data["latin"], data["native"])
    )


def _phrasing(row: Mapping[str, Any], words: Mapping[str, str | list[str]]) -> Phrasing:
    return Phrasing(
        kind=Kind(row["kind"]),
        pattern=re.compile(
            _spelled(row["pattern"], words).replace(" ", _BLANK), re.MULTILINE
        ),
        needs=tuple(
            tuple(_spelled(entry, words).split("|")) for entry in row.get("needs", ())
        ),
    )


def _spelled(pattern: str | list[str], words: Mapping[str, str | list[str]]) -> str:
    spelled = "".join(pattern)
    while (macro := _MACRO.search(spelled)) is not None:
        spelled = spelled.replace(macro[0], "".join(words[macro[1]]))
    return spelled


_MACRO: Final = re.compile(r"@([A-Z]+)@")
