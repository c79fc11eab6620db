"""The time of day or the day that a sentence states: `The show ends at 20:45`, `The decision is due on 3 July 2026`."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from judgemesh.validators._shared.equality import Truth
from judgemesh.validators._shared.numbers.dates import DAY_IN_WORDS, dates_of
from judgemesh.validators._shared.numbers.doubt_notes import is_noted

_HALF: Final = r"(?:\s?(?P<half>[ap])\.?m\b\.?)"
_CLOCK: Final = re.compile(
    rf"(?<![\d:.])(?P<hour>\d{{1,2}})(?::(?P<minute>\d{{2}})(?!:?\d){_HALF}?|{_HALF.replace('half', 'whole')})",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(r"\d{1,2}:\d{2}")
_STATED: Final = re.compile(
    r"(?:\b(?:at|is|are|um|ist|est|\u00e0|es|las|kl|alle)\.?|[:=])\s*[*_`]*\d{1,2}(?::\d{2}(?:\s?[ap]\.?m\.?)?|\s?[ap]\.?m\.?)"
    r"[*_`]*\s*(?:h|uhr|o'clock)?$",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:not|never|no|nor|if|unless|maybe|perhaps|probably|possibly|about|around|before|after|until|from|was|would|may"
    r"|might|usually|normally|should|nicht|kein\w*|vielleicht|wohl|etwa|gegen|vor|nach|bis|ab|war|wenn|sonst|pas|jamais"
    r"|vers|avant|apr\u00e8s|peut|si|antes|despu\u00e9s|quiz\u00e1s?|sobre|nunca)\b|n't\b|\?",
    re.IGNORECASE,
)
"""Words by which a time is denied, bounded, in doubt or one of another time."""
_DAY: Final = re.compile(
    r"(?<![\w.-])(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{4}"
    rf"|{DAY_IN_WORDS})(?![\w-])"
)
_ON: Final = re.compile(
    r"(?:\b(?:on|is|are|was|am|ist|war|den|le|el|est|es)|:)\s(?:[^\W\d_]{3,13},?\s(?:(?:den|the|le|el)\s)?)?[*_`]*$",
    re.IGNORECASE,
)
"""What stands before a day, with its weekday."""
_OPEN_DAY: Final = re.compile(
    r"\b(?:not|never|no|nor|if|unless|maybe|perhaps|probably|possibly|about|around|before|after|until|from|by|since|or"
    r"|would|may be|may have|might|usually|normally|should|earliest|latest|original\w*|formerly|previously|instead"
    r"|moved|postponed|rescheduled|planned|expected|cancelled|canceled|corrected|day|days|week|weeks|nicht|kein\w*|vielleicht"
    r"|wohl|etwa|vor|nach|bis|ab|seit|wenn|oder|sonst|urspr\u00fcnglich|verschoben|geplant|tag|woche|pas|jamais"
    r"|vers|avant|apr\u00e8s|peut|si|ou|d\u00e8s|pr\u00e9vue?|antes|despu\u00e9s|quiz\u00e1s?|desde|hasta|nunca|previst[oa])\b"
    r"|n't\b|\?",
    re.IGNORECASE,
)
"""Words by which a day is denied, bounded, in doubt or one of another time."""


def is_clock_time(text: str) -> bool:
    """Whether a text is a time of day and nothing else."""
    return _ALONE.fullmatch(text) is not None


def states_time(wanted: str, text: str) -> Truth:
    """Whether a text states the wanted time of day and no other; None where nobody can tell."""
    times = times_in(text)
    hour, minute = wanted.split(":")
    if (int(hour), minute) not in times:
        return False
    is_plain = len(times) == 1 and _OPEN.search(text) is None
    return True if is_plain and _STATED.search(text) else None


def times_in(text: str) -> frozenset[tuple[int, str]]:
    """The times of day that a text names, each as its hour from 0 to 23 and its minutes."""
    return frozenset(
        (
            _hour(int(found["hour"]), found["half"] or found["whole"]),
            found["minute"] or "00",
        )
        for found in _CLOCK.finditer(text)
    )


def _hour(shown: int, half: str | None) -> int:
    """The hour of the day: 2 pm is 14, and 12 am is 0."""
    if half is None:
        return shown
    return shown % 12 + (12 if half in "pP" else 0)


def states_day(wanted: frozenset[date], text: str) -> Truth:
    """Whether a sentence states the wanted day and no other; None where nobody can tell."""
    places = list(_DAY.finditer(text))
    days = [dates_of(place[0]) for place in places]
    if all(wanted.isdisjoint(one) for one in days):
        return False
    others = len(places) != 1 or len(days[0] | wanted) > 1
    is_open = others or _OPEN_DAY.search(text) is not None
    if is_open or is_noted(text[places[0].end() :]):
        return None
    return True if _ON.search(text[: places[0].start()]) else None
