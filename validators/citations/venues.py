"""Whether two names of a venue can mean the same: acronyms, abbreviated words, years and filler words left out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import product
from types import MappingProxyType
from typing import Final

from judgemesh.contracts.identifiers import fold

_ALIASES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "nips": "neurips",
        "neural information processing systems": "neurips",
        "arxiv": "corr",
        "computing research repository": "corr",
        "the web conference": "www",
        "web conference": "www",
        "world wide web": "www",
        "international world wide web": "www",
        "human factors in computing systems": "chi",
        "research and development in information retrieval": "sigir",
        "uncertainty in artificial intelligence": "uai",
        "national academy of sciences": "pnas",
        "learning theory": "colt",
        "computational learning theory": "colt",
        "special interest group on data communication": "sigcomm",
        "sysml": "mlsys",
        "knowledge discovery data mining": "kdd",
    }
)
_FILLER: Final = frozenset(
    {
        "the", "of", "on", "in", "for", "and", "a", "an", "to", "at", "with", "proceedings", "proc", "annual",
        "meeting", "international", "intl", "int", "conference", "conf", "ieee", "acm", "cvf", "aaai", "usenix",
        "th", "st", "nd", "rd", "advances", "journal", "j", "volume", "vol", "preprint", "association", "usa",
        "united", "states", "america",
    }
)  # fmt: skip
_OPTIONAL_IN_ACRONYM: Final = _FILLER | {
    "chapter",
    "symposium",
    "workshop",
    "special",
    "interest",
    "group",
    "transactions",
}
_PARENTHESES = re.compile(r"\(([^()]{1,40})\)")
_NUMBERED = re.compile(r"\b[0-9]{1,4}(?:st|nd|rd|th)?\b")
_ACRONYM = re.compile(r"(?=.{3,15}$)[a-z]*[A-Z][a-zA-Z]*[A-Z][a-zA-Z]*")
_LETTERS = re.compile(r"[a-zA-Z]+")
_MAX_VENUE_CHARS: Final = 300
_MAX_ACRONYM_CHARS: Final = 15
_MAX_SPELLED_WORDS: Final = 25
_MIN_CONTRACTION_CHARS: Final = 3


@lru_cache(maxsize=16_384)
def same_venue(left: str, right: str) -> bool:
    """Whether two names of a venue can mean the same."""
    if _has_acronym(left, right) or _has_acronym(right, left):
        return True
    pairs = product(_names_of(left), _names_of(right))
    return any(_same_name(*pair) for pair in pairs)


def _has_acronym(acronym: str, venue: str) -> bool:
    """`NeurIPS` occurs in `NeurIPS Datasets and Benchmarks Track`; a workshop of a conference is another venue."""
    acronym = acronym.strip()
    if not _ACRONYM.fullmatch(acronym) or "workshop" in venue.casefold():
        return False
    return acronym in _LETTERS.findall(venue[:_MAX_VENUE_CHARS])


def _names_of(venue: str) -> tuple[str, ...]:
    """The folded name without years and numbers, and the acronym in brackets."""
    venue = venue[:_MAX_VENUE_CHARS]
    names: list[str] = []
    for written in (_PARENTHESES.sub(" ", venue), *_PARENTHESES.findall(venue)):
        name = " ".join(_NUMBERED.sub(" ", fold(written)).split())
        if name and not name.isdigit():
            names.append(_canonical(name))
    return tuple(dict.fromkeys(names)) or (fold(venue),)


def _canonical(name: str) -> str:
    """One name for all names of a well-known venue."""
    if name.startswith("arxiv"):
        return "corr"
    core = " ".join(_core_words(name))
    return _ALIASES.get(name) or _ALIASES.get(core) or name


def _same_name(left: str, right: str) -> bool:
    if left == right:
        return True
    left_core, right_core = _core_words(left), _core_words(right)
    if set(left_core) == set(right_core):
        return True
    if len(left_core) == 1 and _spells(left_core[0], right.split()):
        return True
    if len(right_core) == 1 and _spells(right_core[0], left.split()):
        return True
    if len(left_core) != len(right_core):
        return False
    pairs = zip(left_core, right_core, strict=True)
    return all(_abbreviates(*pair) for pair in pairs)


def _core_words(name: str) -> list[str]:
    """The words that tell a venue from others; all words where there are only filler words."""
    words = name.split()
    return [word for word in words if word not in _FILLER] or words


def _abbreviates(left: str, right: str) -> bool:
    """Whether one word begins the other, or keeps its first letter and leaves some of the others out."""
    short, long = sorted((left, right), key=len)
    if long.startswith(short):
        return True
    if len(short) < _MIN_CONTRACTION_CHARS or long[0] != short[0]:
        return False
    letters = iter(long)
    return all(letter in letters for letter in short)


def _spells(acronym: str, words: Sequence[str]) -> bool:
    """Whether the acronym is made of beginnings of the words, in order.

    Only words without weight may be left out: a conference on machine learning and applications is not the one on
    machine learning.
    """
    if len(words) < 2 or not 2 <= len(acronym) <= _MAX_ACRONYM_CHARS:
        return False
    # How many letters of the acronym the words so far can spell.
    spelled = {0}
    for word in words[:_MAX_SPELLED_WORDS]:
        longer: set[int] = set()
        for start in spelled:
            longer.update(_spelled_with(acronym, start, word))
        if word in _OPTIONAL_IN_ACRONYM:
            longer |= spelled
        spelled = longer
    return len(acronym) in spelled


def _spelled_with(acronym: str, start: int, word: str) -> list[int]:
    """The lengths that the first `start` letters of the acronym reach with one letter or more of the next word."""
    lengths: list[int] = []
    for acronym_letter, letter in zip(acronym[start:], word, strict=False):
        if acronym_letter != letter:
            break
        lengths.append(start + len(lengths) + 1)
    return lengths
