"""Units at the end of a key: `weight_kg: 12.4` says that the weight is 12.4 kg."""

from __future__ import annotations

from dataclasses import replace

from judgemesh.validators.claims.answer.keyed import Keyed
from judgemesh.validators.claims.language.quantities import figures
from judgemesh.validators.claims.language.units import CURRENCIES, UNITS


def measured(keyed: Keyed) -> Keyed:
    """The value with the unit that ends its key: `weight kg: 12.4` is `weight: 12.4 kg`."""
    name, _, last = keyed.key.rpartition(" ")
    unit = last.casefold()
    known = unit in UNITS or unit in CURRENCIES
    stated = figures(keyed.value)
    if not (name and known) or len(stated.numbers) != 1 or stated.numbers[0].unit:
        return keyed
    return replace(keyed, key=name, value=f"{keyed.value} {last}")
