"""Cells of a table that a spreadsheet might take for formulas: an apostrophe before them makes them text."""

from __future__ import annotations

import re
from typing import Final

_FORMULA: Final = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def as_text_cell(text: str) -> str:
    """A text as a cell that no spreadsheet evaluates."""
    return f"'{text}" if _FORMULA.match(text) else text


def text_of_cell(cell: str) -> str:
    """The text that `as_text_cell` was given."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell[1:]) else cell
