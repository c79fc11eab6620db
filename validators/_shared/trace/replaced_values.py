"""Whether a sentence names another value than the call: `F8` for `F7`, `400 EUR` for 40, `5 May` for `4 May`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import pairwise
from typing import Final

from judgemesh.validators._shared.numbers.dates import DAY_IN_WORDS, dates_of
from judgemesh.validators._shared.numbers.numbers import readings
from judgemesh.validators._shared.trace.status import status_key
from judgemesh.validators._shared.trace.verbs import kind_words, stem, stems_of
from judgemesh.validators._shared.values import is_number

_WORD: Final = re.compile(r"[^\W_]+")
_SHAPED: Final = re.compile(r"([a-z]{1,4})(\d{1,6})")
_MAX_PREFIX: Final = 4
_MAX_SHOWN: Final = 60
_AMOUNTS: Final = stems_of(
    "amount price total sum fee cost payment betrag montant importe"
)
_MONEY: Final = re.compile(
    r"(?:[$\u20ac\u00a3]|\b(?:eur|usd|gbp|chf)) ?(\d[\d.,']{0,18})"
    r"|(?<![\d.,'])(\d[\d.,']{0,18}) ?(?:[$\u20ac\u00a3]|(?:eur|euros?|usd"
    r"|dollars?|gbp|pounds?|chf)\b)",
    re.IGNORECASE,
)
_DAY: Final = re.compile(
    r"(?<![\w.-])(?:\d{4}-\d{2}-\d{2}|\d{1,2}\.\d{1,2}\.\d{4}"
    rf"|{DAY_IN_WORDS})(?![\w-])"
)
_NAME: Final = re.compile(
    r"(?<!\w)[A-Z\u00c0-\u00de][^\W\d_]{1,30}(?:[ -][A-Z\u00c0-\u00de][^\W\d_]{1,30}){1,4}"
)
_TITLES: Final = frozenset(
    {"mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "monsieur", "madame", "senor", "senora", "sra",
     "sr"}
)  # fmt: skip


def names_another(text: str, arguments: Mapping[str, object]) -> bool:
    """Whether a sentence names a value of the same sort instead of one that the call named.

    Args:
        text: the sentence.
        arguments: what the tool was called with.
    """
    words = _WORD.findall(status_key(text))
    return any(
        _is_replaced(text, words, name, value) for name, value in arguments.items()
    )


def _is_replaced(text: str, words: list[str], name: str, value: object) -> bool:
    if is_number(value):
        return _is_other_number(text, words, name, str(value))
    if not isinstance(value, str) or len(value) > _MAX_SHOWN:
        return False
    if value.isdecimal():
        return _is_other_number(text, words, name, value)
    shaped = set(_shapes(_WORD.findall(status_key(value))))
    if len(shaped) == 1:
        ((letters, figures),) = shaped
        told = {
            other
            for prefix, other in _shapes(words)
            if prefix == letters and len(other) == len(figures)
        }
        return bool(told) and figures not in told
    return _is_other_day(text, dates_of(value)) or _is_other_name(text, value)


def _shapes(words: list[str]) -> Iterator[tuple[str, str]]:
    """The ids among some words, as their letters and their figures: `f7`, `eu 2`."""
    for word in words:
        shaped = _SHAPED.fullmatch(word)
        if shaped is not None:
            yield shaped[1], shaped[2]
    for first, second in pairwise(words):
        if first.isalpha() and len(first) <= _MAX_PREFIX and second.isdecimal():
            yield first, second


def _is_other_number(text: str, words: list[str], name: str, value: str) -> bool:
    """Whether a figure beside the noun of an argument, or an amount of money for one, is another one."""
    own = set(readings(value))
    nouns = set(map(stem, kind_words(name)))
    if not nouns.isdisjoint(_AMOUNTS):
        amounts = [
            set(readings((one or two).rstrip(".,'")))
            for one, two in _MONEY.findall(text)
        ]
        return bool(amounts) and all(own.isdisjoint(amount) for amount in amounts)
    told = [
        figure
        for pair in pairwise(words)
        for noun, figure in (pair, pair[::-1])
        if stem(noun) in nouns and figure.isdecimal()
    ]
    return bool(told) and all(own.isdisjoint(readings(figure)) for figure in told)


def _is_other_day(text: str, own: frozenset[date]) -> bool:
    told = [dates_of(place) for place in _DAY.findall(text)] if own else []
    told = [days for days in told if days]
    return bool(told) and all(own.isdisjoint(days) for days in told)


def _is_other_name(text: str, value: str) -> bool:
    """Whether a text has another name that shares a part with this one, and not this one: `Ida Roy`, for `Ada Roy`."""
    if _NAME.fullmatch(value) is None or value in text:
        return False
    own = set(_WORD.findall(status_key(value)))
    for name in _NAME.findall(text):
        parts = set(_WORD.findall(status_key(name))) - _TITLES
        if parts & own and parts - own and own - parts:
            return True
    return False
