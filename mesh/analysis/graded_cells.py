"""Rows of a CSV file of graded results, as `grade -o results.csv` or a person writes it, as rows of JSON Lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from judgemesh.mesh.inputs.cells import text_of_cell

OF_TABLES: Final = "stated_gate"
"""A column that only a table written by judgemesh has; its other columns are known, and need not be said."""
_CLASSES: Final = ("outcome", "outcome_class", "label")
_TEXTS: Final = ("result_id", "task_id", "family")
_CURRENCIES: Final = {"cost": "currency", "agent_cost": "agent_currency"}
"""Amounts and the columns of their currencies."""
_CODES: Final = "failure_reason_codes"


def row_of_cells(cells: Mapping[str, str | None]) -> dict[str, Any]:
    """A row without its empty cells. An empty class stays: it is undecided."""
    row: dict[str, Any] = {
        name: cell
        for name, cell in cells.items()
        if cell is not None or name in _CLASSES
    }
    for name in _TEXTS:
        if name in row:
            row[name] = text_of_cell(row[name])
    for name, currency in _CURRENCIES.items():
        if name in row and currency in row:
            row[name] = {"amount": row[name], "currency": row.pop(currency)}
        elif currency in cells:
            row.pop(currency, None)
    if _CODES in row:
        row[_CODES] = row[_CODES].split()
    if "score" in row:
        row["score"] = _number(row["score"])
    return row


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
