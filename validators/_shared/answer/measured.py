"""A value with its unit as data: `{"value": 40, "unit": "kg"}`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from judgemesh.contracts.sections.section import Conditions
from judgemesh.validators._shared.answer.stated import Stated
from judgemesh.validators._shared.values import (
    as_mapping,
    is_container,
    is_number,
    json_text,
)

_AMOUNTS: Final = ("value", "amount", "quantity")
_UNIT_KEYS: Final = ("unit", "units", "uom", "currency")
_MAX_BESIDE: Final = 3
"""An object with more keys than these says more than an amount."""


def measured(conditions: Conditions, stated: Stated) -> Stated:
    """A value with its unit in an object (`{"value": 40, "unit": "kg"}`) as the text that writes it."""
    fields = as_mapping(stated.value)
    if fields is None or conditions.strict or conditions.json_schema is not None:
        return stated
    if any(map(is_container, (conditions.equals, *(conditions.one_of or ())))):
        return stated
    amount = next((fields[key] for key in _AMOUNTS if key in fields), None)
    unit = next((fields[key] for key in _UNIT_KEYS if key in fields), None)
    if not is_number(amount) or not isinstance(unit, str) or len(fields) > _MAX_BESIDE:
        return stated
    return replace(stated, value=f"{json_text(amount)} {unit}", whole=True)
