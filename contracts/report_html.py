"""A report as a piece of HTML for notebooks: gate, reason and verdicts. No script, every text escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from judgemesh.contracts.text.safe_text import one_line

HEADS: Final = ("verdict", "validator", "check", "codes", "gates", "why")
_MAX_ROWS: Final = 50
_CELL_CHARS: Final = 300


def report_html(title: str, explanation: str, rows: Sequence[Sequence[str]]) -> str:
    """One `<div>`: a title, a paragraph, and a row of `HEADS` for each verdict."""
    return f"<div>{''.join(_parts(title, explanation, rows))}</div>"


def _parts(
    title: str, explanation: str, rows: Sequence[Sequence[str]]
) -> Iterator[str]:
    yield f"<p><b>{_text(title)}</b></p><p>{_text(explanation, 1_000)}</p>"
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    yield f"<table><thead><tr>{heads}</tr></thead><tbody>"
    for row in rows[:_MAX_ROWS]:
        yield f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table>"
    more = len(rows) - _MAX_ROWS
    if more > 0:
        yield f"<p>and {more} more verdicts</p>"


def _text(text: str, limit: int = _CELL_CHARS) -> str:
    return escape(one_line(text, limit))
