"""Numbers as programs and people write them: `900`, `"900.00"`, `$1,200`, `1.200,50 EUR`, `5k`.

A text can be read in more than one way: `1.200` is 1.2 in one country and 1200 in another. All readings are returned,
the usual one first, and who compares decides what to do where they disagree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Final

from judgemesh.validators._shared.numbers.notation import in_plain_signs, value_of
from judgemesh.validators._shared.text import plain
from judgemesh.validators._shared.values import is_number

Readings = tuple[Decimal, ...]
"""The numbers that a value may stand for, the usual one first; empty where it is no number."""

_MAX_CHARS: Final = 60
_WORDS_OF_MONEY: Final = (
    r"dollars?|euros?|pounds?|sterling|cents?|pence|yen|yuan|rupees?|francs?|kroner|kronor|kr|pesos?|rs|reais|"
    r"us\$|usd|eur|gbp|chf|jpy|cny|inr|aud|cad|nzd|sek|nok|dkk|pln|brl|mxn|zar|sgd|hkd|krw|czk|huf|try|aed"
)
MONEY: Final = rf"(?:(?:us|a|c|ca|au|nz|hk|s|r)?[\u0024\u00a2-\u00a5\u20a0-\u20bf]|(?:{_WORDS_OF_MONEY})(?![a-z])\.?)"
_SCALE: Final = {
    "k": 1_000,
    "thousand": 1_000,
    "mn": 1_000_000,
    "mio.": 1_000_000,
    "mio": 1_000_000,
    "millionen": 1_000_000,
    "millions": 1_000_000,
    "millones": 1_000_000,
    "milioni": 1_000_000,
    "mrd.": 1_000_000_000,
    "mrd": 1_000_000_000,
    "milliarden": 1_000_000_000,
    "milliards": 1_000_000_000,
    "tsd.": 1_000,
    "tsd": 1_000,
    "million": 1_000_000,
    "bn": 1_000_000_000,
    "billion": 1_000_000_000,
}
_SIGNS: Final = "-\u2212+"
_FORM: Final = re.compile(
    rf"(?P<sign>[{_SIGNS}])?\s*(?:{MONEY}\s*)?(?P<inner>[{_SIGNS}])?"
    r"(?P<body>\d[\d.,' \u2019]*|\.\d+)(?P<exponent>e[-+]?\d{1,3})?"
    rf"(?:\s*(?P<scale>{'|'.join(map(re.escape, _SCALE))})(?![a-z]))?"
    rf"\s*(?:{MONEY}|%|percent\b|per cent\b)?(?:[.,]?-)?\.?",
    re.IGNORECASE,
)


_PRICE: Final = re.compile(r"\d+,\d\d")
_COMMA_MONEY: Final = re.compile(
    r"\u20ac|\b(?:eur|euros?|sek|nok|dkk|pln|czk|huf|kroner|kronor|kr|brl|reais)\b",
    re.IGNORECASE,
)
"""Currencies whose amounts are written with a decimal comma."""


def _joined(body: str) -> Readings:
    return (Decimal(re.sub(r"[^\d.]", "", body)),)


def _comma_is_decimal(body: str) -> Readings:
    return (Decimal(re.sub(r"[^\d,]", "", body).replace(",", ".")),)


def _comma_or_nothing(body: str) -> Readings:
    """`1,20`: a decimal comma, or a slip in grouping."""
    return *_comma_is_decimal(body), *_joined(body)


def _comma_as_group_first(body: str) -> Readings:
    return *_joined(body), *_comma_is_decimal(body)


def _dot_or_group(body: str) -> Readings:
    """`1.200`: a decimal point with three digits behind it, or a group."""
    return Decimal(body), Decimal(body.replace(".", ""))


_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[[str], Readings]], ...]] = tuple(
    (re.compile(pattern), read)
    for pattern, read in (
        (r"\d+\.?|0\.\d+|\.\d+|\d{4,}\.\d+|\d+\.(?:\d{1,2}|\d{4,})", _joined),
        (r"[1-9]\d{0,2}\.\d{3}", _dot_or_group),
        (r"00+\.\d+|0\d+\.\d+", _joined),
        # Groups of three by comma, by the Indian system, by a blank or an apostrophe.
        (r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", _joined),
        (r"[1-9]\d?(?:,\d{2})+,\d{3}(?:\.\d+)?", _joined),
        (r"[1-9]\d{0,2}(?:[ '\u2019]\d{3})+(?:\.\d+)?", _joined),
        (r"[1-9]\d{0,2}(?:[ '\u2019]\d{3})+,\d+", _comma_is_decimal),
        # Groups of three by points, with a decimal comma or more than one group.
        (r"[1-9]\d{0,2}(?:\.\d{3})+,\d+|[1-9]\d{0,2}(?:\.\d{3}){2,}", _comma_is_decimal),
        (r"0,\d+", _comma_is_decimal),
        (r"\d{4,},\d{3}", _comma_as_group_first),
        (r"\d+,\d+", _comma_or_nothing),
    )
)  # fmt: skip
"""How the digits of a number are read. A form that is not here is no number."""


def readings(value: object) -> Readings:
    """The numbers that a JSON value, or the text that writes one, may stand for; true and false are none."""
    if is_number(value):
        return _finite(repr(value))
    if isinstance(value, str) and len(value) <= _MAX_CHARS:
        return _readings_of_text(value)
    return ()


@lru_cache(maxsize=4_096)
def _readings_of_text(text: str) -> Readings:
    written = in_plain_signs(plain(text)).strip()
    form = _FORM.fullmatch(written)
    if form is None:
        return _readings_of_notation(written, vulgar=not text.isascii())
    body = form["body"].strip()
    found = _readings_of_digits(body)
    if len(found) > 1 and _PRICE.fullmatch(body) and _COMMA_MONEY.search(written):
        # `34,50 EUR` is a price in the notation of its currency.
        found = found[:1]
    factor = Decimal(_SCALE.get((form["scale"] or "").casefold(), 1))
    if form["exponent"]:
        factor *= Decimal(f"1{form['exponent']}")
    signs = (form["sign"] or "") + (form["inner"] or "")
    if len(signs) > 1:
        return ()
    if signs in {"-", "\u2212"}:
        factor = -factor
    distinct = dict.fromkeys(reading * factor for reading in found)
    return tuple(distinct)


def _readings_of_notation(text: str, *, vulgar: bool) -> Readings:
    """A power, a number times a power of ten, and a fraction; `10/12` in plain signs may be a date or a code."""
    sign = -1 if text[:1] == "-" else 1
    body = text.lstrip("+-").strip()
    if "/" in body and not vulgar:
        return ()
    value = value_of(body)
    return () if value is None else (sign * value,)


def _readings_of_digits(body: str) -> Readings:
    for pattern, read in _FORMS:
        if pattern.fullmatch(body):
            return read(body)
    return ()


def _finite(text: str) -> Readings:
    try:
        exact = Decimal(text)
    except InvalidOperation:
        return ()
    return (exact,) if exact.is_finite() else ()


def exact_number(value: object) -> Decimal | None:
    """The one number that a value stands for; None where it is none or can be read in two ways."""
    found = readings(value)
    return found[0] if len(found) == 1 else None
