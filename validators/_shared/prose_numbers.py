"""Numbers in prose: which one a text states, where it states one.

An identifier (`BK-4471`), a date, a time, an ordinal and the number of a list item are no quantities. A number behind
`not` is not what the text states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from judgemesh.validators._shared.number_words import number_of_words
from judgemesh.validators._shared.numbers import MONEY, Readings, readings
from judgemesh.validators._shared.text import plain

_TOKEN: Final = re.compile(
    rf"(?<![\w.,])(?P<number>(?:[-\u2212+]\s?)?(?:{MONEY}\s?)?[-\u2212]?"
    r"(?:\d{1,3}(?:[ '\u2019]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d{1,3})?"
    r"(?:\s?(?:k|thousand|mn|million|bn|billion)\b)?)"
    r"(?P<percent>\s?(?:%|percent\b|per cent\b))?(?P<unit>\s?[^\W\d_\u00b0]{1,20}|\s?\u00b0[CF]?)?",
    re.IGNORECASE,
)
_NO_QUANTITY: Final = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.]+Z?)?|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b"
    r"|\b\d+(?:st|nd|rd|th)\b|(?m:^\s*\(?\d{1,3}[.)]\s)"
    r"|\b(?:step|section|chapter|page|figure|table|part|line|option)\s+\d+\b"
    r"|\b(?=\w*[A-Za-z]{2})(?=\w*\d)\w+-[\w-]+\b|\b[A-Za-z_]+\d[\w-]*|\b[A-Z]{2,}-\d[\w-]*|https?://\S+",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"(?:\bnot|n['\u2019]t|\bnever|\bno longer|\brather than|\binstead of)"
    r"(?:\s+\w+)?\s*$",
    re.IGNORECASE,
)
_STATES: Final = re.compile(
    r"(?:=|\u2248|:|\b(?:is|are|was|were|be|equals?|totals?|makes?|gives?|get|yields?|comes? to|amounts? to|leaves|"
    r"left with|costs?|paid|pays?|spent|therefore|thus|so))"
    r"\s*(?:about|approximately|roughly|exactly|around|now|only|just|\u2248|~)?[\s*_$\\(]*$",
    re.IGNORECASE,
)
_HEDGED: Final = re.compile(
    r"\b(?:or|maybe|perhaps|possibly|alternatively|either|between|could be|might be|may be|not sure|unsure|"
    r"somewhere)\b",
    re.IGNORECASE,
)
_LATEX: Final = re.compile(
    r"\\(?:text|mathrm|mathbf|boxed|left|right)\b|\\[,;!()\[\]$\s]|[{}]"
)
_MATH: Final = re.compile(r"\$\s*(-?[\d.,]+)\s*\$")
_FRACTION: Final = re.compile(
    r"(-?)\s*(?:\\?[dt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}|(\d+)\s*/\s*(\d+))"
)
_UNITS: Final = frozenset(
    {
        "mg", "g", "kg", "t", "lb", "lbs", "oz", "mm", "cm", "m", "km", "mi", "miles", "ft", "feet", "inch", "inches",
        "ml", "cl", "l", "ms", "s", "sec", "seconds", "min", "minutes", "h", "hours", "days", "weeks", "months",
        "years", "eur", "usd", "gbp", "chf", "dollars", "euros", "kb", "mb", "gb", "w", "kw", "kwh", "v", "mv",
    }
)  # fmt: skip
"""Units that are not the one a contract names: a number with one of them is another quantity."""
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|\n+")


@dataclass(frozen=True, slots=True)
class ProseNumber:
    """A number in a text: its readings, whether a percent sign follows, the word behind it, and where it stands."""

    readings: Readings
    percent: bool
    unit: str
    start: int
    end: int


def numbers_in(text: str, units: Sequence[str] = ()) -> list[ProseNumber]:
    """The quantities that a text states. Where the contract names units and some number carries one, only those."""
    shown = _NO_QUANTITY.sub(lambda match: " " * len(match[0]), text)
    found: list[ProseNumber] = []
    for match in _TOKEN.finditer(shown):
        read = readings(match["number"].strip().rstrip(",."))
        if read and not _NEGATED.search(
            shown[max(0, match.start() - 40) : match.start()]
        ):
            unit = (match["unit"] or "").strip().casefold()
            found.append(
                ProseNumber(
                    read,
                    bool(match["percent"]),
                    unit,
                    match.start(),
                    match.end("number"),
                )
            )
    wanted = {unit.casefold() for unit in units}
    in_unit = [one for one in found if one.unit in wanted]
    if wanted and not in_unit:
        return [one for one in found if one.unit not in _UNITS]
    return in_unit or found


def stated_numbers(
    text: str, units: Sequence[str] = (), *, leads: bool = False
) -> tuple[list[ProseNumber], bool]:
    """The numbers that may be the one the text states, and whether the text leaves it open between them.

    Args:
        text: the text.
        units: units that the contract names.
        leads: a number at the beginning of the text is what it states (`40 EUR (3 items)`).
    """
    shown = _MATH.sub(r"\1", plain(text))
    whole = _whole(shown)
    if whole:
        return [
            ProseNumber(whole, percent=False, unit="", start=0, end=len(text))
        ], False
    shown = _LATEX.sub(" ", shown).replace("*", " ").replace("`", " ")
    found = numbers_in(shown, units)
    if _distinct(found) <= 1:
        return found, False
    if _HEDGED.search(shown):
        return found, True
    sentences = [part for part in _SENTENCES.split(shown) if numbers_in(part, units)]
    last = sentences[0] if leads else sentences[-1]
    found = numbers_in(last, units)
    if leads and "=" not in last and not last[: found[0].start].strip(" ~\u2248"):
        return found[:1], False
    stated = _behind_equals(last, found)
    if not stated:
        stated = [one for one in found if _STATES.search(last[: one.start])]
    return (stated if _distinct(stated) == 1 else found), False


def _behind_equals(sentence: str, found: Sequence[ProseNumber]) -> list[ProseNumber]:
    """The first number behind the last equals sign."""
    sign = sentence.rfind("=")
    return [one for one in found if 0 <= sign < one.start][:1]


def _whole(text: str) -> Readings:
    """The text as one number: digits, a fraction, or number words."""
    trimmed = text.strip(" \t\r\n*_`\"'.!\\()[]")
    fraction = _FRACTION.fullmatch(trimmed)
    if fraction is not None:
        above, below = fraction[2] or fraction[4], fraction[3] or fraction[5]
        if int(below) == 0:
            return ()
        quotient = Decimal(above) / Decimal(below)
        return (-quotient if fraction[1] else quotient,)
    words = number_of_words(trimmed)
    return () if words is None else (Decimal(words),)


def _distinct(found: Sequence[ProseNumber]) -> int:
    return len({one.readings[0] for one in found})
