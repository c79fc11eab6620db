"""Whether a sentence goes on behind a full stop: behind an abbreviation, an initial, or an ordinal number.

A sentence that is cut in two loses what stands in its second half, and the half alone may be true. Where a full stop
may be either, the sentence goes on: both halves then have to be supported.
"""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.numbers.months import (
    MONTH_ABBREVIATIONS,
    MONTH_NUMBERS,
)

_ABBREVIATIONS: Final = frozenset(
    {
        "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "no", "nos", "fig", "figs", "eq", "al", "inc",
        "ltd", "co", "corp", "dept", "est", "approx", "ca", "cf", "e.g", "i.e", "u.s", "u.k", "p", "pp", "vol", "ed",
        "eds", "gen", "gov", "sen", "rep", "rev", "mt", "ft", "min", "max", "avg", *MONTH_ABBREVIATIONS,
    }
)  # fmt: skip
_TITLES: Final = frozenset(
    {
        "mr", "mrs", "ms", "dr", "prof", "gen", "gov", "sen", "rep", "rev", "mt", "vs", "cf", "approx", "ca", "e.g",
        "i.e", "no", "nos", "fig", "figs", "eq", "p", "pp", "vol",
    }
)  # fmt: skip
"""Abbreviations that never end a sentence: something belongs behind them."""
_ABROAD: Final = frozenset(
    {
        # German, Dutch, Danish, Norwegian, Swedish
        "mio", "mrd", "tsd", "bzw", "nr", "str", "evtl", "ggf", "inkl", "exkl", "zzgl", "vgl", "bspw", "sog", "fr",
        "hr", "frl", "ing", "dipl", "z.b", "d.h", "u.a", "v.a", "i.d.r", "geb", "gest", "jh", "jhd", "std", "stk",
        "stv", "abt", "okt", "dez", "mär", "dhr", "mevr", "blz", "f.eks", "bl.a", "mia", "kr", "kap", "pct",
        "t.ex", "d.v.s",
        # Spanish, Portuguese, French, Italian
        "sra", "srta", "srs", "dra", "núm", "núms", "pág", "págs", "aprox", "av", "avda", "ej", "depto", "abr", "ago",
        "mme", "mlle", "réf", "boul", "janv", "févr", "avr", "juil", "déc", "dott", "avv", "magg", "giu", "lug", "ecc",
        "pag", "fev", "mill",
        # Turkish, Polish, Czech
        "sn", "doç", "yrd", "bkz", "cad", "sok", "mah", "tys", "mln", "mld", "ul", "godz", "tzn", "tzv", "např", "hod",
    }
)  # fmt: skip
"""Abbreviations of other languages; where an English sentence begins behind one, it is an English word."""
_MONTHS: Final = (
    "|".join(MONTH_NUMBERS)
    + "|januar|jänner|februar|feber|märz|mai|juni|juli|oktober|dezember|mär|okt|dez"
    "|januari|februari|maart|mei|augustus|augusti|marts|maj|desember"
)
"""The months of languages that write a full stop behind the day, and may write a capital behind it."""
_ORDINAL = re.compile(r"(?<![\w.,:/-])\d{1,3}[.]$")
_MONTH = re.compile(rf"\s+(?:{_MONTHS})\b(?!\s+(?:I|we|you)\b)", re.IGNORECASE)
_LETTER = re.compile(r"\s+[^\W\d_]")
_DETERMINED = re.compile(
    r"\b(?:der|die|das|den|dem|des|am|im|zum|zur|vom|beim|ans|ins|ab|bis|seit|jede[rsmn]?|diese[rsmn]?|ein(?:e[rsmn]?)?"
    r"|kein(?:e[rsmn]?)?|mein(?:e[rsmn]?)?|unser(?:e[rsmn]?)?|ihre?[rsmn]?|sein(?:e[rsmn]?)?|vor|nach|und|oder|den|det"
    r"|de|en|til|till|fra|från)\s+\d{1,3}[.]$",
    re.IGNORECASE,
)
_UNIT_BEFORE_END = re.compile(r"(?:\u00b0|\d\s?|[a-z]/)(?:[A-Za-z]|min|max|ft)[.]$")
"""A full stop behind a unit ends the sentence: `180 \u00b0C.`, `45 min.`, `60 km/h.`."""
_LETTER_NAME = re.compile(r"(?:^|\s)[a-z][a-z-]{2,}\s[A-Z][.]$")
"""A letter that names a thing (`hall B.`) is no initial of a person."""
_NEW_SENTENCE = re.compile(
    r"\s+(?:The|An?|It|They|He|She|You|We|I|Your|Our|This|That|These|Those|There|Let|Please|If|In|On|At|For|To|No|Is|Are"
    r"|Do|Does|Would|Can|Should|Have|Hope|Thanks?|Kind|Best|Sincerely|Shout|Feel|All|Each|Every|My|As|Here|And|But|Also)\b"
)
_BEGINS = re.compile(
    r"\s+(?:Der|Die|Das|Ein|Eine|Es|Er|Sie|Wir|Ich|Ihr|Ihre|Bitte|Wenn|Und|Aber|Det|Han|Hun|Vi|Den|De|Et|El|La|Los|Las"
    r"|Un|Una|Le|Les|Il|Elle|Nous|Vous|Lo|Gli|O|Os|As|Um|Uma|Het|Een|Wij)\b"
)
_ASKS = re.compile(r"[^.!?]{1,160}\?")
_HALF_DAY = re.compile(r"\b[ap]\.m\.$", re.IGNORECASE)
_LAST_WORD = re.compile(r"([\w.]{1,12})[.]$")
_TAIL_CHARS: Final = 24


def goes_on(text: str, start: int, end_mark: re.Match[str]) -> bool:
    """Whether the sentence that begins at `start` goes on behind the full stop that `end_mark` found."""
    end = end_mark.end()
    tail = text[max(start, end_mark.start() - _TAIL_CHARS) : end_mark.start() + 1]
    if _LETTER_NAME.search(tail) and _NEW_SENTENCE.match(text, end):
        return False
    following = _LETTER.match(text, end)
    is_lower = following is not None and following[0][-1].islower()
    if _ORDINAL.search(tail):
        if is_lower or _MONTH.match(text, end):
            return True
        return (
            following is not None
            and _DETERMINED.search(tail) is not None
            and not _begins(text, end)
        )
    if is_lower and _HALF_DAY.search(tail):
        return True
    word = _abbreviation(tail)
    if word in _TITLES:
        return True
    return word in _ABBREVIATIONS | _ABROAD and not _begins(text, end)


def _begins(text: str, end: int) -> bool:
    """Whether what follows begins a sentence by its first word, or is a question of its own."""
    return any(
        pattern.match(text, end) is not None
        for pattern in (_NEW_SENTENCE, _BEGINS, _ASKS)
    )


def _abbreviation(tail: str) -> str:
    """The last word, where it may be an abbreviation; an initial is one that is known."""
    last = _LAST_WORD.search(tail)
    if last is None or _UNIT_BEFORE_END.search(tail):
        return ""
    word = last[1].lower().rstrip(".")
    return "p" if len(word) == 1 and word.isalpha() else word
