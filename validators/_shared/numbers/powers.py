"""Units of area and volume in one spelling. Pure."""

from __future__ import annotations

import re
from typing import Final

_LENGTHS: Final = {"millimet": "mm", "centimet": "cm", "met": "m", "kilomet": "km"}
_RAISED = re.compile(
    r"(?<=[\d\s])(?P<unit>mm|cm|dm|m|km|ft)\^?(?P<power>[23\u00b2\u00b3])(?!\w)"
)
_SPELT = re.compile(
    rf"\b(?P<power>square|sq\.?|cubic|cu\.?)\s(?P<unit>{'|'.join(_LENGTHS)})(?:er|re)s?\b",
    re.IGNORECASE,
)


def with_plain_powers(text: str) -> str:
    """Areas and volumes in one spelling: `74.5 m\u00b2` and `74.5 square metres` are `74.5 m2`."""
    text = _RAISED.sub(lambda found: f"{found['unit']}{_digit(found['power'])}", text)
    return _SPELT.sub(
        lambda found: f"{_LENGTHS[found['unit'].lower()]}{_power(found['power'])}", text
    )


def _digit(power: str) -> str:
    return {"\u00b2": "2", "\u00b3": "3"}.get(power, power)


def _power(word: str) -> str:
    return "3" if word.lower().startswith("cu") else "2"
