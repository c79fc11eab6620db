"""What may stand beside a value without changing it: the people that are counted, the hour of a day, who brings it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from judgemesh.validators.claims.language.tokens import Kind, Token

Tokens = tuple[Token, ...]

_COUNTED: Final = frozenset(
    {"people", "person", "staff", "employee", "worker", "member", "inhabitant", "resident", "individual", "item",
     "unit", "piece", "copy", "time", "case", "record", "entry"}
)  # fmt: skip
"""What nearly every number without a unit counts; `3 restaurants` may be another number than that of the rooms."""
_PARTS_OF_DAY: Final = frozenset(
    {
        "morning",
        "afternoon",
        "evening",
        "night",
        "noon",
        "midday",
        "midnight",
        "lunchtime",
    }
)
_JOINING: Final = frozenset(
    {"in", "at", "by", "around", "about", "on", "the", "during"}
)
_CARRYING: Final = frozenset({"with", "via", "by", "through"})
_HOURS: Final = 12


def as_count(token: Token) -> Token:
    """A number that looks like a year, as the count that it may be: 1,312 orders."""
    quantity = token.quantity
    if quantity is None:
        return token
    return replace(token, quantity=replace(quantity, text=f"{quantity.value:,}"))


def is_aside(value: Token, after: Tokens) -> bool:
    """Whether what follows a value leaves it as it is.

    After a number, the word for what is counted. After a date, the part of the day, and the name of who brings it.
    """
    if value.kind is Kind.NUMBER and not value.is_time:
        return len(after) == 1 and after[0].key in _COUNTED
    names = False
    for token in after:
        if token.kind is not Kind.WORD:
            return False
        if token.key in _CARRYING | _JOINING | _PARTS_OF_DAY:
            names = token.key in _CARRYING
        elif not (names and token.is_capital):
            return False
    return value.is_time


def without_clocks(tokens: Tokens) -> Tokens:
    """The tokens beside a date without the hours of the day: `around half past nine`, `at 9:30`."""
    left: list[Token] = []
    place = 0
    while place < len(tokens):
        length = _clock_length(tokens[place:])
        if not length:
            left.append(tokens[place])
            place += 1
            continue
        while left and left[-1].key in ("at", "around", "about", "by"):
            left.pop()
        place += length
    return tuple(left)


def _clock_length(tokens: Tokens) -> int:
    """How many tokens at the beginning tell an hour."""
    if tokens[0].kind is Kind.CLOCK:
        return 1
    keys = [token.key for token in tokens[:2]]
    if len(tokens) > 2 and keys[0] in ("half", "quarter") and keys[1] in ("past", "to"):
        return 3 if _is_hour(tokens[2]) else 0
    if len(tokens) > 1 and _is_hour(tokens[0]) and keys[1] in ("o'clock", "oclock"):
        return 2
    return 0


def _is_hour(token: Token) -> bool:
    quantity = token.quantity
    return quantity is not None and not quantity.unit and 0 < quantity.value <= _HOURS
