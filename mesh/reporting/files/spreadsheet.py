"""CSV for spreadsheets: one row a result. Nothing in it is a formula, and no sign in it is invisible.

A text that a spreadsheet may take for a formula gets an apostrophe before it; control characters and signs that change
the direction of reading are written out; a cell holds at most 32,767 characters, the limit of Excel.
"""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterable
from decimal import Decimal
from typing import BinaryIO, Final

from judgemesh.contracts.report import Report
from judgemesh.mesh.inputs.cells import as_text_cell
from judgemesh.mesh.reporting.files.columns import COLUMNS, Value, values_of
from judgemesh.mesh.reporting.text import one_line

_CELL_CHARS: Final = 32_767


async def write_csv(file: BinaryIO, reports: AsyncIterable[Report]) -> None:
    """Write a header and a row for each report as it comes, in UTF-8."""
    file.write(_line([column.name for column in COLUMNS]))
    async for report in reports:
        file.write(_line([cell_of(value) for value in values_of(report)]))


def cell_of(value: Value) -> str:
    """A value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, int | float):
        return str(value)
    text = " ".join(value) if isinstance(value, list) else value
    return _safe(one_line(text))


def _safe(text: str) -> str:
    text = as_text_cell(text)
    return text if len(text) <= _CELL_CHARS else f"{text[: _CELL_CHARS - 1]}…"


def _line(cells: list[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(cells)
    return line.getvalue().encode("utf-8", "replace")
