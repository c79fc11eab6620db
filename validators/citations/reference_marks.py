"""References in the text, such as `[12]` and `(Smith et al., 2020)`, and what they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.identifiers import fold, person
from judgemesh.validators._shared.numbers.months import MONTH_NUMBERS
from judgemesh.validators.citations.cited import Cited, Standing

_MAX_RANGE: Final = 50
_MAX_BEFORE: Final = 30
_BRACKETED = re.compile(
    r"\[\^?([0-9]{1,3}(?:\s?[,;\u2013-]\s?\^?[0-9]{1,3}){0,20})\](?![(:\w])"
)
_NAMED_NOTE = re.compile(r"\[\^([A-Za-z][\w-]{0,39})\](?![(:])")
_VALUES = re.compile(
    r"=\s?$|\w[_.]\w{1,20}$"
    r"|\b(?:between|range|interval|scale|values?|list|array|index|indices|items|args)\s?$",
    re.IGNORECASE,
)
"""What stands before a list of values or an index, and not before a reference."""
_INDEXED = re.compile(r"\s?(?:[=+*/<>]|\.[a-z_]|\[[a-z\"'])")
_NAME: Final = r"[A-Z\u00c0-\u00de][\w'\u2019-]{1,30}"
_AUTHOR_YEAR = re.compile(
    rf"({_NAME})(?:,?\s(?:et\sal\.?|(?:and|&)\s{_NAME}))?,?\s((?:19|20)[0-9]{{2}})[a-z]?(?=[);,])"
)
_NARRATIVE = re.compile(
    rf"({_NAME})\s(?:et\sal\.?|(?:and|&)\s{_NAME})\s\(((?:19|20)[0-9]{{2}})[a-z]?\)"
)
_GROUP = re.compile(r"\(([^()\n]{4,200})\)")
_NO_AUTHOR: Final = frozenset(
    {
        *MONTH_NUMBERS, "spring", "summer", "autumn", "fall", "winter", "early", "late", "since", "until", "version",
        "table", "figure", "q1", "q2", "q3", "q4", "week", "copyright", "in", "by", "from", "updated", "accessed",
        "published", "the",
    }
)  # fmt: skip
"""Words that stand before a year and are no author's name."""


@dataclass(frozen=True, slots=True)
class NumberedMark:
    """`[3]` in the text: where it is, and the `ref` of the citation that it means."""

    start: int
    end: int
    ref: str


def read_marks(
    body: str, given: Sequence[Cited], entries: Mapping[str, Cited]
) -> tuple[list[NumberedMark], list[str]]:
    """References of the text that lead to a citation, and those that lead to none.

    Args:
        body: the text without its reference list.
        given: the citations given as data. A number counts them where there is no reference list.
        entries: the entries of the reference list by label.
    """
    marks: list[NumberedMark] = []
    dangling: list[str] = []
    for match in _BRACKETED.finditer(body):
        if _is_no_reference(body, match):
            continue
        for number in _numbers(match[1]):
            cited = _numbered(number, given, entries)
            if cited is None:
                dangling.append(f"[{number}]")
            else:
                marks.append(NumberedMark(match.start(), match.end(), cited.ref))
    for match in _NAMED_NOTE.finditer(body):
        if match[1] in entries:
            ref = entries[match[1]].ref
            marks.append(NumberedMark(match.start(), match.end(), ref))
    listed = [*entries.values(), *given]
    for name, year in _author_years(body):
        if not any(_is_by(cited, name, year) for cited in listed):
            dangling.append(f"({name}, {year})")
    return marks, dangling


def _is_no_reference(body: str, match: re.Match[str]) -> bool:
    """Whether numbers in brackets are an index, a list of values, an interval or a range."""
    before = body[max(0, match.start() - _MAX_BEFORE) : match.start()]
    after = body[match.end() : match.end() + 3]
    if _VALUES.search(before) or _INDEXED.match(after):
        return True
    return "0" in re.split(r"[^0-9]+", match[1])


def _numbered(
    number: int, given: Sequence[Cited], entries: Mapping[str, Cited]
) -> Cited | None:
    """The citation of that number; one that stands for nothing is none."""
    own = [cited for cited in given if not cited.ref.startswith("claims/")]
    marked = {cited.mark: cited for cited in reversed(own) if cited.mark}
    cited = marked.get(str(number))
    if entries:
        cited = entries.get(str(number))
    elif not marked and 0 < number <= len(own):
        cited = own[number - 1]
    if cited is not None and cited.standing is Standing.NAMED:
        return None
    return cited


def _numbers(inside: str) -> Iterable[int]:
    """The numbers of `1, 3-5`."""
    for part in re.split(r"[,;]", inside.replace("^", "").replace("\u2013", "-")):
        first, _, last = part.partition("-")
        start = end = int(first)
        if last.strip():
            end = int(last)
        if start <= end <= start + _MAX_RANGE:
            yield from range(start, end + 1)
        else:
            yield start


def _author_years(body: str) -> Iterator[tuple[str, int]]:
    for match in _author_year_matches(body):
        if match[1].casefold() not in _NO_AUTHOR:
            yield match[1], int(match[2])


def _author_year_matches(body: str) -> Iterator[re.Match[str]]:
    for group in _GROUP.finditer(body):
        yield from _AUTHOR_YEAR.finditer(group[1] + ")")
    yield from _NARRATIVE.finditer(body)


def _is_by(cited: Cited, name: str, year: int) -> bool:
    """Whether a citation may be the one of `(name, year)`."""
    if cited.year not in (None, year) and str(year) not in cited.text:
        return False
    family = fold(name)
    if not cited.authors:
        return f" {family} " in f" {fold(cited.text or cited.title)} "
    return any(family in person(author)[0].split() for author in cited.authors)
