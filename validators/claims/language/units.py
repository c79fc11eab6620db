"""Number words, units and currencies as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Final

NUMBER_WORDS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
"""Numbers written as one word."""
SCALES: Final = {
    "hundred": 2, "thousand": 3, "k": 3, "million": 6, "millions": 6, "mn": 6, "m": 6, "billion": 9, "billions": 9,
    "bn": 9, "b": 9, "trillion": 12, "tn": 12,
}  # fmt: skip
"""The power of ten of a word behind a number."""
CURRENCIES: Final = {
    "$": "usd", "\u20ac": "eur", "\u00a3": "gbp", "\u00a5": "jpy", "\u20b9": "inr", "us$": "usd", "a$": "aud",
    "au$": "aud", "c$": "cad", "ca$": "cad", "nz$": "nzd", "hk$": "hkd", "s$": "sgd", "r$": "brl",
    "usd": "usd", "eur": "eur", "gbp": "gbp", "jpy": "jpy", "chf": "chf", "dkk": "dkk", "sek": "sek", "nok": "nok",
    "pln": "pln", "czk": "czk", "huf": "huf", "inr": "inr", "aud": "aud", "cad": "cad", "nzd": "nzd", "cny": "cny",
    "hkd": "hkd", "sgd": "sgd", "brl": "brl", "mxn": "mxn", "zar": "zar", "try": "try", "krw": "krw",
}  # fmt: skip
_UNIT_ROWS: Final = (
    ("m", "0.001", "mm millimetre millimeter"),
    ("m", "0.01", "cm centimetre centimeter"),
    ("m", "1", "m metre meter"),
    ("m", "1000", "km kilometre kilometer"),
    ("m", "1609.344", "mile miles mi"),
    ("m", "0.3048", "ft foot feet"),
    ("m", "0.0254", "inch inches"),
    ("m", "0.9144", "yard yd"),
    ("g", "0.001", "mg milligram"),
    ("g", "1", "g gram gramme"),
    ("g", "1000", "kg kilogram kilo"),
    ("g", "1000000", "tonne"),
    ("g", "453.59237", "lb lbs"),
    ("g", "0.000001", "\u00b5g \u03bcg mcg microgram"),
    ("g", "28.349523125", "oz ounce"),
    ("l", "0.001", "ml millilitre milliliter"),
    ("l", "0.01", "cl"),
    ("l", "1", "l litre liter"),
    ("s", "0.001", "ms millisecond"),
    ("s", "1", "s sec second"),
    ("s", "60", "min minute"),
    ("s", "3600", "h hr hrs hour"),
    ("s", "86400", "day"),
    ("s", "604800", "week"),
    ("b", "1000", "kb kilobyte"),
    ("b", "1000000", "mb megabyte"),
    ("b", "1000000000", "gb gigabyte"),
    ("b", "1000000000000", "tb terabyte"),
    ("%", "1", "% percent percentage pct"),
    ("%points", "1", "pp"),
    ("month", "1", "month"),
    ("month", "12", "year yr"),
    ("usd", "1", "usd dollar"),
    ("eur", "1", "eur euro \u20ac"),
    ("gbp", "1", "gbp pound \u00a3"),
    ("jpy", "1", "jpy yen"),
    ("dkk", "1", "dkk"),
    ("chf", "1", "chf"),
    ("sek", "1", "sek"),
    ("nok", "1", "nok"),
    ("pln", "1", "pln zloty"),
    ("inr", "1", "inr rupee"),
    ("cent", "1", "cent"),
    ("m2", "1", "m2 sqm"),
    ("m2", "10000", "hectare ha"),
    ("m2", "1000000", "km2"),
    ("m3", "1", "m3"),
    ("km/h", "1", "km/h kph"),
    ("mph", "1", "mph"),
    ("w", "1", "w watt"),
    ("w", "1000", "kw kilowatt"),
    ("w", "1000000", "mw megawatt"),
    ("wh", "1000", "kwh"),
    ("hz", "1", "hz hertz"),
    ("hz", "1000000", "mhz"),
    ("hz", "1000000000", "ghz"),
)
"""The base of a unit, the factor to it, and the names of the unit."""


def _by_name() -> dict[str, tuple[str, Decimal]]:
    units: dict[str, tuple[str, Decimal]] = {}
    for base, factor, names in _UNIT_ROWS:
        units |= dict.fromkeys(names.split(), (base, Decimal(factor)))
    return units


UNITS: Final[Mapping[str, tuple[str, Decimal]]] = MappingProxyType(_by_name())
"""Base and factor of a unit, by each of its names in the singular."""
