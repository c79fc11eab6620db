"""The months, as English writes them: `September`, `Sep`, `Sept`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
"""Their names, from January."""
SHORT_MONTHS: Final = tuple(name[:3] for name in MONTHS)
"""The first three letters of each."""
MONTH_NUMBERS: Final[Mapping[str, int]] = MappingProxyType(
    {name: number for number, name in enumerate(MONTHS, start=1)}
    | {name: number for number, name in enumerate(SHORT_MONTHS, start=1)}
    | {"sept": 9}
)
"""The number of a month by its name and by each abbreviation."""
MONTH_ABBREVIATIONS: Final = frozenset(MONTH_NUMBERS) - frozenset(MONTHS)
"""What a full stop may follow."""
