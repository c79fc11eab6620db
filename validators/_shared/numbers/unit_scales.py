"""Units of one kind of quantity, so that `3500 W` is the `3.5 kW` that a contract names."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from judgemesh.validators._shared.numbers.number_units import are_one

_SCALES: Final[tuple[Mapping[str, str], ...]] = (
    {"mg": "0.001", "g": "1", "kg": "1000", "t": "1000000"},
    {"mm": "0.001", "cm": "0.01", "m": "1", "km": "1000"},
    {"ml": "0.001", "cl": "0.01", "dl": "0.1", "l": "1"},
    {"w": "1", "kw": "1000"},
    {"wh": "1", "kwh": "1000"},
    {"s": "1", "min": "60", "h": "3600", "d": "86400"},
)
"""Sizes in the first unit of each kind that is 1. `mw` is two units in small letters, and in none of them."""


def scale_of(unit: str, wanted: str) -> tuple[Decimal, Decimal] | None:
    """What to multiply and to divide by for the wanted unit; None for units of two kinds. Both by `unit_name`."""
    for scale in _SCALES:
        sizes = [_size(scale, name) for name in (unit, wanted)]
        if sizes[0] is not None and sizes[1] is not None:
            return sizes[0], sizes[1]
    return None


def _size(scale: Mapping[str, str], name: str) -> Decimal | None:
    found = next((size for one, size in scale.items() if are_one(one, name)), None)
    return None if found is None else Decimal(found)
