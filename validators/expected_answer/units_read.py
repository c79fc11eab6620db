"""What a diagnostic says of units: the one that a contract asks for, and the one that stands beside the number."""

from __future__ import annotations

from collections.abc import Sequence

from judgemesh.contracts.sections.section import Conditions
from judgemesh.validators._shared.matching import BOUNDS
from judgemesh.validators._shared.numbers.prose_numbers import numbers_in
from judgemesh.validators._shared.numbers.rate_units import without_rate
from judgemesh.validators._shared.values import is_number, show

_NUMERIC = frozenset({"equals", "not_equals", "one_of", *BOUNDS})


def asked_in(described: str, conditions: Conditions, units: Sequence[str]) -> str:
    """A condition in words, with the units of its number: `45 EUR/hour`."""
    numeric = _NUMERIC & conditions.model_fields_set
    if not units or not any(is_number(getattr(conditions, name)) for name in numeric):
        return described
    return f"{described} {' or '.join(units)}"


def read_in(value: object, units: Sequence[str]) -> str:
    """The unit beside the first number of a text, in words to follow the text; empty where none was asked for."""
    found = numbers_in(value) if units and isinstance(value, str) else []
    if not found or not isinstance(value, str):
        return ""
    first = found[0]
    behind = value[first.end :]
    written = behind[: len(behind) - len(without_rate(behind))].strip()
    unit = written or first.unit or first.money
    if not unit:
        return " (read without a unit)"
    if first.money and unit == written:
        unit = f"{first.money} {written}"
    return f" (read in {show(unit)})"
