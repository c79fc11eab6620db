"""Numbers in prose: which one a text states, where it states one.

An identifier (`BK-4471`), a date, a time, an ordinal and the number of a list item are no quantities. A number behind
`not` is not what the text states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from judgemesh.validators._shared.numbers.doubt_notes import is_introduced, is_noted
from judgemesh.validators._shared.numbers.notation import (
    FRACTION,
    POWER,
    TIMES_TEN,
    in_plain_signs,
    in_signs,
    value_of,
)
from judgemesh.validators._shared.numbers.number_bounds import (
    Bound,
    bound_of,
    is_denied,
)
from judgemesh.validators._shared.numbers.number_units import (
    UNIT,
    UNSPACED,
    is_unit,
    makes_range,
    unit_name,
)
from judgemesh.validators._shared.numbers.number_words import (
    NUMBER_WORDS,
    number_of_words,
    value_in_words,
)
from judgemesh.validators._shared.numbers.numbers import MONEY, Readings, readings
from judgemesh.validators._shared.numbers.rate_units import without_rate
from judgemesh.validators._shared.numbers.stated_units import (
    ProseNumber,
    behind,
    in_units,
)
from judgemesh.validators._shared.text import blank, plain

_TOKEN: Final = re.compile(
    rf"(?<![^\W{UNSPACED}])(?<![.,])(?P<number>(?:[-\u2212+]\s?)?(?:(?P<money>{MONEY})\s?)?[-\u2212]?"
    rf"(?:{FRACTION}|(?:\d{{1,3}}(?:[ '\u2019]\d{{3}})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d{{1,3}})?"
    rf"(?:{TIMES_TEN}|{POWER})?)"
    r"(?:\s?(?:(?:k|thousand|mn|million(?:s|en)?|bn|billion|millones|milioni|milliard(?:s|en))\b|(?:mio|mrd|tsd)\b\.?))?)"
    rf"(?P<percent>\s?(?:%|percent\b|per cent\b))?(?P<unit>\s?{UNIT}(?:/{UNIT})?)?",
    re.IGNORECASE,
)
_NO_QUANTITY: Final = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}(?:T[\d:.]+Z?)?|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b|\b\d{1,2}:\d{2}(?::\d{2})?\b"
    r"|\b\d+(?:st|nd|rd|th)\b|(?m:^\s*\(?\d{1,3}[.)]\s)"
    r"|\b(?:step|section|chapter|page|figure|table|part|line|option)\s+\d+\b"
    r"|\b(?=\w*[A-Za-z]{2})(?=\w*\d)\w+-[\w-]+\b|(?<!\d)(?<!\d )\b[A-Za-z_]+\d[\w-]*|\b[A-Z]{2,}-\d[\w-]*|https?://\S+",
    re.IGNORECASE,
)
_MULTIPLIED: Final = re.compile(
    r"\s*[)}]?\s*(?:squared|cubed|factorial|dozen|hundred|score|!\w)", re.IGNORECASE
)
_CHAINED: Final = re.compile(
    r"[\s()]*(?:[-+*/\u00d7\u00f7=\u2248^]|\bx\b)[\s()=$\u20ac\u00a3]*"
)
_STATES: Final = re.compile(
    r"(?:\u2248|:|\b(?:is|are|was|were|be|equals?|totals?|makes?|gives?|get|yields?|comes? to|amounts? to|leaves|"
    r"left with|costs?|paid|pays?|spent|therefore|thus|so))"
    r"\s*(?:about|approximately|roughly|exactly|around|now|only|just|\u2248|~)?[\s*_$\\(]*$",
    re.IGNORECASE,
)
_PRESENT: Final = re.compile(
    r"\b(?:now|jetzt|nun|maintenant|ahora)\b(?:\s\w{1,12}){0,3}\s*$", re.IGNORECASE
)
_CONCLUDES: Final = re.compile(
    r"\b(?:so|therefore|thus|hence|consequently|which means|meaning that)\b",
    re.IGNORECASE,
)
_HEDGED: Final = re.compile(
    r"\b(?:or|maybe|perhaps|possibly|alternatively|either|between|could be|might be|may be|not sure|unsure|"
    r"somewhere)\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(r"^\s[^\W\d_]{1,20}(?=\s?[(,;\u2013\u2014\[])")
"""What is counted stands between a number and a note about it."""
_SHARE: Final = re.compile(
    rf"\s+of\s+(?:the\s+|a\s+total\s+of\s+)?(?:{MONEY})?\s?\d", re.IGNORECASE
)
"""Of a measure with its unit, the whole that it is a part of: `75 EUR of 90 EUR`."""
_REPORTED: Final = re.compile(r"\s*(?:was|were|had been|has been)\b", re.IGNORECASE)
"""Behind the first of several numbers of one unit: which of them holds is not said."""
_LATEX: Final = re.compile(
    r"\\(?:text|mathrm|mathbf|boxed|left|right)\b|\\[,;!()\[\]$\s]|[{}]"
)
_WHOLE_FRACTION: Final = re.compile(rf"(-?)\s*({FRACTION})")
_EQUALS: Final = re.compile(r"=\s*[-$\u20ac\u00a3(]*\s*$")
_ASIDE: Final = re.compile(r"(?<![-\w])(?<!\d )\([^()\n]*\)")
"""What stands in brackets and is no part of a formula."""
_NEXT_WORD: Final = re.compile(rf"[\s-]{UNIT}")
_LOOK_BACK: Final = 60
_SENTENCES: Final = re.compile(r"(?<=[.!?])\s+|\n+")


def numbers_in(text: str, units: Sequence[str] = ()) -> list[ProseNumber]:
    """The quantities that a text states. Where the contract names units and some number carries one, only those.

    Numbers joined by operators are one statement: `28 + 32 = 60` states 60, and `8 - 3` is a sum to be done.
    """
    shown = in_signs(_NO_QUANTITY.sub(blank, in_plain_signs(text)))
    found: list[ProseNumber] = []
    for chain in _chains(shown):
        before = shown[max(0, chain[0].start() - _LOOK_BACK) : chain[0].start()]
        last = chain[-1]
        if is_denied(before, behind(shown, _number_end(last))):
            continue
        number = _prose_number(last, before, shown)
        if number is None:
            continue
        if len(chain) > 1 and "=" not in shown[chain[-2].end("number") : last.start()]:
            number = replace(number, bound=Bound.OTHER)
        if found and makes_range(shown[found[-1].end : number.start], number.unit):
            lower = found.pop()
            found.append(replace(lower, bound=Bound.RANGE, until=number.readings))
            number = replace(number, bound=Bound.RANGE, until=lower.readings)
        found.append(number)
    return in_units(found, shown, units)


def _chains(text: str) -> Iterator[list[re.Match[str]]]:
    """The numbers of the text in order; those with nothing but operators between them together."""
    chain: list[re.Match[str]] = []
    for match in _TOKEN.finditer(text):
        if not _readings(match):
            continue
        if chain and not _CHAINED.fullmatch(
            text[_number_end(chain[-1]) : match.start()] + _sign(match)
        ):
            yield chain
            chain = []
        chain.append(match)
    if chain:
        yield chain


def _sign(match: re.Match[str]) -> str:
    """A sign in front of a number may be the operator behind the number before it: `45 -5`."""
    return match["number"][0] if match["number"][0] in "-+" else ""


def _number_end(match: re.Match[str]) -> int:
    """Where a number ends with its unit, if that is one."""
    return (
        match.end()
        if is_unit(unit_name(match["unit"] or ""))
        else match.end("percent" if match["percent"] else "number")
    )


def _readings(match: re.Match[str]) -> Readings:
    written = match["number"].strip().rstrip(",.")
    if "/" not in written:
        return readings(written)
    sign = -1 if written.startswith("-") else 1
    value = value_of(written.lstrip("-+ "))
    return () if value is None else (sign * value,)


def _prose_number(match: re.Match[str], before: str, text: str) -> ProseNumber | None:
    written = match["number"].strip()
    above, slash, _ = written.partition("/")
    return ProseNumber(
        _readings(match),
        bool(match["percent"]),
        unit_name("%" if match["percent"] else match["unit"] or ""),
        match.start(),
        match.end("number"),
        bound=_bound(match, before, text),
        of=readings(above) if slash else (),
        money=(match["money"] or "").casefold().rstrip("."),
    )


def _bound(match: re.Match[str], before: str, text: str) -> Bound | None:
    after = behind(text, _number_end(match))
    bound = bound_of(before, after)
    if bound not in (None, Bound.ABOUT):
        return bound
    if is_introduced(before) or _is_noted(after):
        return Bound.OTHER
    unit = match["unit"] or ""
    if is_unit(unit_name(unit)) and _SHARE.match(after):
        return Bound.OTHER
    if bound is not None:
        return bound
    glued = unit[:1].isascii() and unit[:1].isalpha() and not is_unit(unit_name(unit))
    if glued or _MULTIPLIED.match(text[match.end("number") :]):
        return Bound.OTHER
    return None


def _is_noted(after: str) -> bool:
    """Whether a note stands behind a number, and behind what it counts or the rest of its rate."""
    return any(
        is_noted(rest) for rest in {_COUNTED.sub("", after), without_rate(after)}
    )


def stated_numbers(
    text: str, units: Sequence[str] = (), *, leads: bool = False
) -> tuple[list[ProseNumber], bool]:
    """The numbers that may be the one the text states, and whether the text leaves it open between them.

    Args:
        text: the text.
        units: units that the contract names.
        leads: a number at the beginning of the text is what it states (`40 EUR (3 items)`).
    """
    shown = in_plain_signs(plain(text))
    whole = _whole(shown)
    if whole is not None:
        return [whole], False
    shown = _LATEX.sub(" ", shown).replace("**", " ").replace("`", " ")
    found = numbers_in(shown, units)
    if _distinct(found) > 1:
        main = _ASIDE.sub(blank, shown)
        found = numbers_in(main, units)
        shown = main if found else shown
        found = found or numbers_in(shown, units)
    if not found:
        return in_units(_in_words(shown), shown, units), False
    if _distinct(found) <= 1:
        return [_checked(one, shown) for one in found], False
    if _HEDGED.search(shown):
        return found, True
    sentences = [part for part in _SENTENCES.split(shown) if numbers_in(part, units)]
    last = sentences[0] if leads else sentences[-1]
    found = numbers_in(last, units)
    if leads and "=" not in last and not last[: found[0].start].strip(" ~\u2248"):
        return (found if _is_one_report(last, found) else found[:1]), False
    return _stated(last, found), False


def _is_one_report(sentence: str, found: Sequence[ProseNumber]) -> bool:
    """Whether the first number is only one of those that the sentence reports in one unit."""
    first = found[0]
    behind = sentence[first.end :].strip()
    if first.unit and behind.casefold().startswith(first.unit):
        behind = behind[len(first.unit) :]
    same = [one for one in found[1:] if one.unit == first.unit]
    return bool(same) and _REPORTED.match(behind) is not None


def _stated(sentence: str, found: list[ProseNumber]) -> list[ProseNumber]:
    """Of several numbers of a sentence, the one that it states; all of them where that is open."""
    conclusions = [match.end() for match in _CONCLUDES.finditer(sentence)]
    concluded = [one for one in found if conclusions and one.start >= conclusions[-1]]
    behind_sign = [one for one in found[-1:] if _EQUALS.search(sentence[: one.start])]
    behind_verb = [one for one in found if _STATES.search(sentence[: one.start])]
    present = [
        one
        for one in found
        if _PRESENT.search(sentence[max(0, one.start - _LOOK_BACK) : one.start])
    ]
    for choice in (behind_sign, concluded, behind_verb, present):
        if _distinct(choice) == 1:
            return choice
    return found


def _checked(number: ProseNumber, text: str) -> ProseNumber:
    """The only number of a text; the result of an equation with a number in words behind it is not what it states."""
    if not _EQUALS.search(text[: number.start]):
        return number
    later = _in_words(text[number.end :])
    return replace(number, bound=Bound.OTHER) if later else number


def _in_words(text: str) -> list[ProseNumber]:
    """The numbers that a text writes in words, `one` apart."""
    found: list[ProseNumber] = []
    for match in NUMBER_WORDS.finditer(text):
        value = number_of_words(match[0])
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        after = behind(text, match.end())
        if value is None or is_denied(before, after):
            continue
        bound = bound_of(before, after)
        unit = _NEXT_WORD.match(after)
        found.append(
            ProseNumber(
                (Decimal(value),),
                percent=False,
                unit=unit_name(unit[0]) if unit else "",
                start=match.start(),
                end=match.end(),
                bound=bound,
            )
        )
    return found


def _whole(text: str) -> ProseNumber | None:
    """The text as one number: a fraction or number words."""
    trimmed = text.strip(" \t\r\n*_`\"'.!\\[]$")
    fraction = _WHOLE_FRACTION.fullmatch(trimmed)
    if fraction is not None:
        value = value_of(fraction[2])
        if value is None:
            return None
        of = readings(fraction[2].partition("/")[0]) if not fraction[1] else ()
        return ProseNumber(
            (-value if fraction[1] else value,),
            percent=False,
            unit="",
            start=0,
            end=len(text),
            of=of,
        )
    value = value_in_words(trimmed)
    if value is None:
        return None
    return ProseNumber((value,), percent=False, unit="", start=0, end=len(text))


def _distinct(found: Sequence[ProseNumber]) -> int:
    return len({one.readings[0] for one in found})
