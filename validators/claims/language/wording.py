"""One wording for what is written in several ways: contractions, Markdown, names of countries, fixed phrases."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.numbers.powers import with_plain_powers
from judgemesh.validators.claims.language.number_words import NUMBER_IN_WORDS

_LONG_QUOTATION: Final = 4
"""A quotation with so many words says something; a shorter one is a name or a term."""
_QUOTATION = re.compile(r"\"([^\"\n]{1,600})\"")
_EMPHASIS = re.compile(r"\*{1,3}|__|`|~~|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")
_HASH = re.compile(r"(?<!\S)#(?=\d)")
_NUMBER_TWICE = re.compile(rf"({NUMBER_IN_WORDS})\s\(\d{{1,9}}\)", re.IGNORECASE)
"""`two (2) years`."""
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\([^()\s]{1,2000}\)")
_FOOTNOTE = re.compile(r"\s?\[\d{1,3}(?:[,;\s\u2013-]+\d{1,3}){0,9}\]")
_LIST_MARK = re.compile(r"^\s{0,8}(?:[-*+\u2022]|\d{1,3}[.)]|>|#{1,6})\s+")
_QUOTES: Final = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"',
     "\u2013": "\u2013", "\u2212": "-", "\u2010": "-", "\u2011": "-"}
)  # fmt: skip
_NUMBER = r"\d[\d,.]{0,40}"
_TIMED = r"\d[\d,.:]{0,40}(?:\s?[ap]\.?m\b\.?)?"
_CURRENCY = r"[$\u20ac\u00a3]?\s?"
_RANGED = rf"{_CURRENCY}{_TIMED}(?:\s?%|\s[a-z]{{1,12}})?"
_EACH = (
    "night|hour|minute|second|person|litre|liter|kilo|kilogram|kg|mile|kilometre|kilometer|km|page|head|piece|share"
    "|seat|quarter|shift|term|trip|ride|unit|item|child|student|room|visit"
)
_ORDINALS: Final = (
    "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth",
)  # fmt: skip
_PHRASES: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        # `Turbine no. 7` is `Turbine 7`; `it has no 7` says that it has none.
        (r"(?<=[A-Za-z]\s)(?:no\.|nr\.|(?-i:No))\s?(?=\d)", ""),
        (r"(?<=[a-z]\s)(?<!\ba\s)(?<!\bthe\s)(?<!\bof\s)(?<!\bin\s)number\s(?=\d)", ""),
        *(
            (
                rf"\bthe {word}\b(?= [a-z]{{3,}})(?! (?:of|part(?:y|ies)|person|world|hand|half)\b)",
                f"the {number}{'nd' if number == 2 else 'rd' if number == 3 else 'th'}",
            )
            for number, word in enumerate(_ORDINALS, start=2)
        ),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"\bshan't\b", "shall not"),
        (r"(?<=\w)n't\b", " not"),
        (r"(?<=\w)'ll\b", " will"),
        (r"(?<=\w)'ve\b", " have"),
        (r"(?<=\w)'re\b", " are"),
        (r"\b(it|that|there|he|she)'s\b(?! been)", r"\1 is"),
        (r"\bnot yet\b", "not-yet"),
        (r"\b(?:do|does) not (?:only|just|merely) ", ""),
        (r"\bper cent\b", "percent"),
        (r"\bdegrees? celsius\b", "\u00b0C"),
        (r"\bdegrees? fahrenheit\b", "\u00b0F"),
        (r"\b(?:kilometres?|kilometers?|km) (?:per|an) hour\b", "km/h"),
        (r"\bmiles (?:per|an) hour\b", "mph"),
        (r"\b(?:per annum|per year|each year|every year|yearly)\b", "annually"),
        (r"\b(?:per month|each month|every month)\b", "monthly"),
        (r"\b(?:per week|each week|every week)\b", "weekly"),
        (r"\b(?:per day|each day|every day)\b", "daily"),
        (
            r"(?<=\w) a (year|month|week|day)\b(?! (?:ago|later|after|before|earlier))",
            r" a-\1",
        ),
        (r"\bonce (?=a-(?:day|week|month|year)\b|daily\b|weekly\b)", ""),
        (r" a-year\b", " annually"),
        (r" a-month\b", " monthly"),
        (r" a-week\b", " weekly"),
        (r" a-day\b", " daily"),
        (r"\ba (few|little)\b", r"a-\1"),
        (r"\bin advance\b", "ahead"),
        (r"(\d[\d.,]{0,40}(?: [a-z]{1,12})?) each(?=[.,;]|\s+and\b|$)", r"\1"),
        (r"\bfor (?:each|every)\b", "per"),
        (
            (
                rf"(\d[\d.,]{{0,40}}(?:\s?[a-z%\u20ac$\u00a3]{{1,12}})?) an? "
                rf"(?=(?:{_EACH})\b(?! (?:ago|later|after|before)))"
            ),
            r"\1 per ",
        ),
        (
            r"(?<![\w:.-])(\d)[-\u2013:](\d)(?![\w:-]|\.\d)(?! (?:years?|days?|weeks?|months?|hours?|people|\w+s)\b)",
            r"score-\1-\2",
        ),
        (r"\bin order to\b", "to"),
        (r"\bas well as\b", "and"),
        (r"\b(?:is|are) able to\b", "can"),
        (r"\b(?:is|are) required to\b|\bha(?:s|ve) to\b", "must"),
        (r"\b(?:is|are) (?:located|situated) (?=in|on|at|near)\b", "is "),
        (r"\bbecause of\b|\bowing to\b|\bon account of\b", "due to"),
        (r"\bprior to\b", "before"),
        (r"\bunited states of america\b|\bunited states\b|\bu\.s\.a\.|\bu\.s\.", "USA"),
        (r"\bunited kingdom\b|\bu\.k\.", "UK"),
        (r"\beuropean union\b|\be\.u\.", "EU"),
        (r"\bin the year (?=\d{4}\b)", "in "),
        (r"\be\.g\.,?", "for example"),
        (r"\bi\.e\.,?", "that is"),
        (
            rf"(?<![\w.,/#:-])({_CURRENCY}{_NUMBER}(?:\s?%|\s[a-z]+)?) or (?:more|older|over|above)\b",
            r"at least \1",
        ),
        (
            rf"(?<![\w.,/#:-])({_CURRENCY}{_NUMBER}(?:\s?%|\s[a-z]+)?) or (?:less|fewer|younger|under|below)\b",
            r"at most \1",
        ),
        (
            rf"\b(?:from|between) ({_RANGED}) (?:to|until|till|and) (?={_CURRENCY}\d)",
            r"\1 to ",
        ),
        (
            rf"(?<![\w.,/#:-])({_CURRENCY}{_TIMED})\s?(?:\u2013|-)\s?(?={_CURRENCY}{_TIMED}(?![\w/-]))",
            r"\1 to ",
        ),
        (r"\bat a (?:price|cost) of\b", "for"),
        (r",? \bin total\b|,? \baltogether\b", ""),
        (
            r"\b(within [\w-]{1,12}(?: [a-z]+)? (?:hours?|days?|weeks?|months?)) (?:of|from)\b",
            r"\1 after",
        ),
    )
)
_US: Final = re.compile(r"\b(?:the |The )US\b|\bUSA\b")


def reworded(text: str) -> str:
    """A sentence without Markdown, in the one wording of what it says."""
    text = _LIST_MARK.sub("", " ".join(text.translate(_QUOTES).split()))
    text = _FOOTNOTE.sub("", _EMPHASIS.sub("", _LINK.sub(r"\1", text)))
    text = _HASH.sub("", _NUMBER_TWICE.sub(r"\1", text))
    text = with_plain_powers(_QUOTATION.sub(_kept_quotation, text))
    for pattern, replacement in _PHRASES:
        text = pattern.sub(replacement, text)
    return _US.sub("USA", text)


def _kept_quotation(match: re.Match[str]) -> str:
    if len(match[1].split()) >= _LONG_QUOTATION:
        return match[0]
    return match[1]
