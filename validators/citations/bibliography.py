"""Is what the agent cites what the source holds? Titles, authors, years and venues compared as a reader would. Pure.

Every comparison has three outcomes beside "nothing to compare": the same; different in detail (a word of the title, an
author left out); a contradiction (another work, other people, other years).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel, Levenshtein

from judgemesh.contracts.evidence import EvidenceThresholds
from judgemesh.contracts.identifiers import fold, person
from judgemesh.contracts.references import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited(Reference):
    """One citation as the agent wrote it.

    place: where it stands. text: the reference as running text, when it was not given as data; `by` is its part before
    the title. et_al: the agent did not claim to name all authors. quote: a passage that is said to stand in it.
    """

    place: str
    by: str = ""

    def shown(self) -> str:
        """The citation for a diagnostic: its title or its first identifier."""
        name = (
            self.title
            or next((f"{scheme}:{value}" for scheme, value in self.ids.items()), "")
            or self.text
        )
        name = " ".join(name.split())
        return f"{name[:100]}..." if len(name) > 100 else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """What a source says about an item; see `needs.Found.fields`."""

    title: str = ""
    authors: tuple[str, ...] = ()
    years: tuple[int, ...] = ()
    venue: str = ""
    ids: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    schemes: frozenset[str] = frozenset()
    preprint: bool = False
    web_page: bool = False
    excerpt: bool = False
    titles: tuple[str, ...] = ()
    text: str | None = None


class Agreement(StrEnum):
    """How a part of a citation compares with the source."""

    UNKNOWN = "unknown"
    SAME = "same"
    DIFFERS = "differs"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class Compared:
    """The outcome for one part, the score behind it (0..1), and a line for people."""

    part: str
    agreement: Agreement
    score: float | None = None
    why: str = ""


_OPEN_TITLE: Final = 0.9
_SHORT_WORD: Final = 4
_SUBTITLE = re.compile(r"\s*[:\u2014\u2013]\s+|\s+-\s+")
_TAIL = re.compile(r"\s*[(\[][^()\[\]]{0,60}[)\]]\s*$")
_PREPRINT_YEARS: Final = 3
_CLOSE_YEARS: Final = 1
_OTHER_PEOPLE: Final = 0.5
_FAMILY_TYPO: Final = 0.9


def title_score(cited: str, held: str) -> float:
    """Share of words, in order, that two titles have in common: 1.0 for the same title, however it is spelled.

    Words that differ in one letter, and words joined or split, count as the same. A subtitle or a note in brackets
    that one of them lacks is forgiven.
    """
    whole = _words_score(fold(cited), fold(held))
    if whole == 1.0:
        return whole
    shorter = [
        _words_score(fold(one), fold(other))
        for one, other in (
            (_head(cited), held),
            (cited, _head(held)),
            (_TAIL.sub("", cited), _TAIL.sub("", held)),
        )
        if one
        and other
        and len(fold(one).split()) >= _SHORT_WORD
        and len(fold(other).split()) >= _SHORT_WORD
    ]
    return max([whole, *(score for score in shorter if score == 1.0)])


def exact_title(cited: Cited, item: Item) -> bool:
    """Whether the titles have the very same letters: no slip of the pen, no subtitle, nothing forgiven."""
    titles = [
        fold(title).replace(" ", "") for title in (item.title, *item.titles) if title
    ]
    return fold(cited.title).replace(" ", "") in titles or (
        bool(cited.text)
        and any(_contained(title, cited.text) for title in (item.title, *item.titles))
    )


def _head(title: str) -> str:
    return _SUBTITLE.split(title, maxsplit=1)[0]


@lru_cache(maxsize=16_384)
def _words_score(one: str, other: str) -> float:
    if not one or not other:
        return 0.0
    if one == other or one.replace(" ", "") == other.replace(" ", ""):
        return 1.0
    ours, theirs = one.split(), other.split()
    if (
        len(ours) == len(theirs)
        and sum(a != b for a, b in zip(ours, theirs, strict=True)) == 1
    ):
        a, b = next(
            pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]
        )
        if _typo(a, b):
            return 1.0
    score = Indel.normalized_similarity(ours, theirs)
    return min(score, 0.999)


def _typo(one: str, other: str) -> bool:
    """One slip of the pen in a word that is long enough to stay itself; a number is never a slip."""
    long = min(len(one), len(other)) > _SHORT_WORD and one.isalpha() and other.isalpha()
    return long and Levenshtein.distance(one, other, score_cutoff=1) <= 1


def compare_title(cited: Cited, item: Item, limits: EvidenceThresholds) -> Compared:
    """The title against the item's; for a web page or a reference in running text it is enough that it stands there."""
    if not item.title or not (cited.title or cited.text):
        return Compared("title", Agreement.UNKNOWN)
    if cited.text:
        inside = any(
            _contained(title, cited.text) for title in (item.title, *item.titles)
        )
        if inside or not cited.title:
            return Compared(
                "title",
                Agreement.SAME if inside else Agreement.UNKNOWN,
                1.0 if inside else None,
            )
    if item.web_page:
        page = fold(f"{item.title} {(item.text or '')[:20_000]}")
        seen = (
            fold(cited.title) in page
            or fuzz.token_set_ratio(fold(cited.title), fold(item.title)) >= 80
        )
        return Compared("title", Agreement.SAME if seen else Agreement.UNKNOWN)
    score = max(title_score(cited.title, title) for title in (item.title, *item.titles))
    if score >= limits.title:
        return Compared("title", Agreement.SAME, score)
    agreement = (
        Agreement.CONTRADICTS
        if score < limits.title_other and not cited.text
        else Agreement.DIFFERS
    )
    why = f"the title there is {item.title[:160]!r} ({score:.0%} of the words agree)"
    return Compared("title", agreement, score, why)


def _contained(title: str, text: str) -> bool:
    words = fold(title)
    return bool(words) and f" {words} " in f" {fold(text)} "


@lru_cache(maxsize=65_536)
def same_person(one: str, other: str) -> bool:
    """Whether two ways of writing a name can mean one person: initials, order, accents, a middle name left out."""
    (family, given), (their_family, their_given) = person(one), person(other)
    if not family or not their_family:
        return False
    if family == their_family:
        return _given_fits(given, their_given)
    ours, theirs = {*family.split(), *given}, {*their_family.split(), *their_given}
    if ours == theirs or fold(one).replace(" ", "") == fold(other).replace(" ", ""):
        return True
    longer, shorter = sorted((family, their_family), key=len, reverse=True)
    if (
        f" {shorter} " in f" {longer} "
        or family in their_given[1:]
        or their_family in given[1:]
    ):
        return _given_fits(
            given[:1], their_given[:1]
        )  # "Garcia" for "Garcia Marquez", however it was taken apart
    alike = (
        min(len(family), len(their_family)) > _SHORT_WORD
        and fuzz.ratio(family, their_family) >= 100 * _FAMILY_TYPO
    )
    return alike and _given_fits(given, their_given)


def _given_fits(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    if not ours or not theirs or _one_given(ours[0], theirs[0]):
        return True
    if "".join(ours) == "".join(theirs):
        return True  # "Jun Yan" and "Junyan"
    return any(len(name) > 1 and name in theirs for name in ours)


def _one_given(one: str, other: str) -> bool:
    if len(one) == 1 or len(other) == 1:
        return one[0] == other[0]
    return one == other or (
        min(len(one), len(other)) > 2
        and (one.startswith(other) or other.startswith(one))
    )


def compare_authors(cited: Cited, item: Item, limits: EvidenceThresholds) -> Compared:
    """The authors, in any order. Without "et al." none may be missing."""
    if not item.authors:
        return Compared("authors", Agreement.UNKNOWN)
    if not cited.authors:
        return _authors_in_text(cited, item)
    left = list(item.authors)
    matched = 0
    for name in cited.authors:
        at = next(
            (index for index, held in enumerate(left) if same_person(name, held)), None
        )
        if at is not None:
            del left[at]
            matched += 1
    score = matched / len(cited.authors)
    shown = _people(item)
    if score < min(limits.authors, _OTHER_PEOPLE):
        return Compared(
            "authors", Agreement.CONTRADICTS, score, f"the authors there are {shown}"
        )
    if score < limits.authors:
        strange = len(cited.authors) - matched
        return Compared(
            "authors",
            Agreement.DIFFERS,
            score,
            f"{strange} of the authors given are not among {shown}",
        )
    if left and not cited.et_al:
        return Compared(
            "authors",
            Agreement.DIFFERS,
            score,
            f"{len(left)} authors are left out; there are {shown}",
        )
    return Compared("authors", Agreement.SAME, score)


def _authors_in_text(cited: Cited, item: Item) -> Compared:
    if not cited.text:
        return Compared("authors", Agreement.UNKNOWN)
    text = f" {fold(cited.text)} "
    if any(f" {person(name)[0]} " in text for name in item.authors):
        return Compared("authors", Agreement.SAME)
    if not cited.by:
        return Compared("authors", Agreement.UNKNOWN)
    return Compared(
        "authors", Agreement.CONTRADICTS, 0.0, f"the authors there are {_people(item)}"
    )


def _people(item: Item) -> str:
    return ", ".join(item.authors[:6]) + (", ..." if len(item.authors) > 6 else "")


def compare_year(cited: Cited, item: Item, limits: EvidenceThresholds) -> Compared:
    """The year against all that the item may be cited with; what was a preprint may be cited as published later."""
    if cited.year is None or not item.years:
        return Compared("year", Agreement.UNKNOWN)
    later = max(limits.year, _PREPRINT_YEARS) if item.preprint else limits.year
    if min(item.years) - limits.year <= cited.year <= max(item.years) + later:
        return Compared("year", Agreement.SAME)
    apart = max(min(item.years) - cited.year, cited.year - max(item.years) - later)
    agreement = Agreement.DIFFERS if apart <= _CLOSE_YEARS else Agreement.CONTRADICTS
    return Compared(
        "year",
        agreement,
        None,
        f"the year there is {', '.join(map(str, item.years))}, not {cited.year}",
    )


def compare_venue(cited: Cited, item: Item, _limits: EvidenceThresholds) -> Compared:
    """The venue: acronyms and abbreviations are resolved. A venue alone never contradicts, it only differs."""
    if (
        not cited.venue
        or not item.venue
        or item.web_page
        or (item.preprint and not cited.text)
    ):
        return Compared("venue", Agreement.UNKNOWN)
    if same_venue(cited.venue, item.venue):
        return Compared("venue", Agreement.SAME)
    return Compared(
        "venue",
        Agreement.DIFFERS,
        None,
        f"it appeared in {item.venue[:80]!r}, not in {cited.venue[:80]!r}",
    )


def compare(
    cited: Cited, item: Item, limits: EvidenceThresholds
) -> tuple[Compared, ...]:
    """Every part, in the order in which people would name the fault."""
    return tuple(
        part(cited, item, limits)
        for part in (compare_title, compare_authors, compare_year, compare_venue)
    )


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
_PASSED: Final = _FILLER | {
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
_MAX_VENUE: Final = 300


@lru_cache(maxsize=16_384)
def same_venue(one: str, other: str) -> bool:
    """Whether two names of a venue can mean the same: acronym and full name, abbreviated words, years left out."""
    ours, theirs = _venue_names(one), _venue_names(other)
    if _acronym_in(one, other) or _acronym_in(other, one):
        return True
    return any(_one_venue(a, b) for a in ours for b in theirs)


def _acronym_in(one: str, other: str) -> bool:
    """`NeurIPS` stands in `NeurIPS Datasets and Benchmarks Track`; a workshop of a conference is another venue."""
    found = bool(_ACRONYM.fullmatch(one.strip())) and one.strip() in _LETTERS.findall(
        other[:_MAX_VENUE]
    )
    return found and "workshop" not in other.casefold()


def _venue_names(venue: str) -> tuple[str, ...]:
    """The folded name without years and numbers, and the acronym in brackets."""
    venue = venue[:_MAX_VENUE]
    names = [_PARENTHESES.sub(" ", venue), *_PARENTHESES.findall(venue)]
    folded = [" ".join(_NUMBERED.sub(" ", fold(name)).split()) for name in names]
    kept = [_alias(name) for name in folded if name and not name.isdigit()]
    return tuple(dict.fromkeys(kept)) or (fold(venue),)


def _alias(name: str) -> str:
    if name.startswith("arxiv"):
        return "corr"
    core = " ".join(
        word for word in name.split() if word not in _FILLER or name == word
    )
    return _ALIASES.get(name) or _ALIASES.get(core) or name


def _one_venue(one: str, other: str) -> bool:
    if one == other:
        return True
    ours, theirs = _core(one), _core(other)
    if ours == theirs or set(ours) == set(theirs):
        return True
    if len(ours) == 1 and _spells(ours[0], other.split()):
        return True
    if len(theirs) == 1 and _spells(theirs[0], one.split()):
        return True
    return len(ours) == len(theirs) and all(
        _abbreviates(a, b) for a, b in zip(ours, theirs, strict=True)
    )


def _core(name: str) -> list[str]:
    words = [word for word in name.split() if word not in _FILLER]
    return words or name.split()


def _abbreviates(one: str, other: str) -> bool:
    shorter, longer = sorted((one, other), key=len)
    return longer.startswith(shorter) or (
        len(shorter) > 2 and longer[0] == shorter[0] and _within(shorter, longer)
    )


def _within(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)


def _spells(acronym: str, words: Sequence[str]) -> bool:
    """Whether the acronym is made of beginnings of the words, in order; only words without weight may be passed over:
    a conference on machine learning and applications is not the one on machine learning."""
    if len(words) < 2 or not 2 <= len(acronym) <= 15:
        return False
    reached = {0}
    for word in words[:25]:
        before = reached
        reached = set(before) if word in _PASSED else set[int]()
        for start in before:
            length = 0
            while (
                start + length < len(acronym)
                and length < len(word)
                and acronym[start + length] == word[length]
            ):
                length += 1
                reached.add(start + length)
    return len(acronym) in reached
