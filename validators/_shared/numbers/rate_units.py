"""Units that are rates, and how they are written: `EUR/pallet`, `EUR per pallet`, `€ / pallet`, `EUR a pallet`."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_OVER: Final = r"[^\W\d_]{1,20}|[$\u00a2-\u00a5\u20a0-\u20bf%]|[^\W\d_]{1,10}[23]"
_UNDER: Final = (
    r"\s?(?:\(\s?)?(?:/\s?|(?<!\w)(?:per|an?|each|every|p|pro|je|par|por|cada|al?|il|au|om|na|za)\s"
    r"|(?<!\w)(?:(?:de\s)?l['\u2019]|all['\u2019]))(?:(?:the|la|le)\s)?(?P<under>[^\W\d_]{1,20}[23]?)(?!\w)(?:\s?\))?"
)
_RATE: Final = re.compile(rf"\s?(?:(?P<over>{_OVER})\s?)??{_UNDER}", re.IGNORECASE)
_FURTHER: Final = re.compile(_UNDER, re.IGNORECASE)


class Rate(NamedTuple):
    """A unit over another, both by `unit_name`. over: empty where only the other one is written, as in `75 per kg`."""

    over: str
    under: str


def rate_of(unit: str) -> Rate | None:
    """A unit of a contract, by `unit_name`, as a rate; None where it is none."""
    read = _read(unit)
    return read[0] if read and read[0].over and read[1] == len(unit) else None


def rate_behind(shown: str, money: str) -> Rate | None:
    """The rate that stands right behind a number, by `unit_name`; None where there is none.

    money: the currency in front of the number, or nothing.
    """
    read = _read(shown)
    if read is None:
        return None
    rate, _ = read
    return rate if rate.over or not money else rate._replace(over=money)


def without_rate(behind: str) -> str:
    """What follows the rate that stands right behind a number."""
    read = _read(behind)
    return behind if read is None else behind[read[1] :]


def _read(text: str) -> tuple[Rate, int] | None:
    """The rate with which a text begins, and where it ends: `EUR per person per night` is over `person/night`."""
    found = _RATE.match(text)
    if found is None:
        return None
    over, under, end = found["over"] or "", [found["under"]], found.end()
    while further := _FURTHER.match(text, end):
        under.append(further["under"])
        end = further.end()
    return Rate(over.casefold(), "/".join(under).casefold()), end
