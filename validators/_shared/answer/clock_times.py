"""The time of day that a sentence states, such as `The show ends at 20:45`."""

from __future__ import annotations

import re
from typing import Final

from judgemesh.validators._shared.equality import Truth

_CLOCK: Final = re.compile(r"(?<![\d:.])(\d{1,2}):(\d{2})(?!:?\d)")
_STATED: Final = re.compile(
    r"(?:\b(?:at|is|are|um|ist|est|\u00e0|es|las|kl|alle)\.?|[:=])\s*[*_`]*\d{1,2}:\d{2}[*_`]*"
    r"\s*(?:h|uhr|o'clock)?$",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:not|never|no|nor|if|unless|maybe|perhaps|probably|possibly|about|around|before|after|until|from|was|would|may"
    r"|might|usually|normally|should|nicht|kein\w*|vielleicht|wohl|etwa|gegen|vor|nach|bis|ab|war|wenn|sonst|pas|jamais"
    r"|vers|avant|apr\u00e8s|peut|si|antes|despu\u00e9s|quiz\u00e1s?|sobre|nunca)\b|n't\b|\?",
    re.IGNORECASE,
)
"""Words by which a time is denied, bounded, in doubt or one of another time."""


def is_clock_time(text: str) -> bool:
    """Whether a text is a time of day and nothing else."""
    return _CLOCK.fullmatch(text) is not None


def states_time(wanted: str, text: str) -> Truth:
    """Whether a text states the wanted time of day and no other; None where nobody can tell."""
    times = {(int(hour), minute) for hour, minute in _CLOCK.findall(text)}
    hour, minute = wanted.split(":")
    if (int(hour), minute) not in times:
        return False
    is_plain = len(times) == 1 and _OPEN.search(text) is None
    return True if is_plain and _STATED.search(text) else None
