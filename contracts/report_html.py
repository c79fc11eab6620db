"""A report as a piece of HTML for notebooks: gate, reason and verdicts. No script, every text escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.safe_text import one_line
from judgemesh.contracts.verdicts import codes_of

if TYPE_CHECKING:
    from judgemesh.contracts.report import Report

_MAX_VERDICTS: Final = 50
_CELL_CHARS: Final = 300


def report_html(report: Report) -> str:
    """The report as one `<div>`."""
    return f"<div>{''.join(_parts(report))}</div>"


def _parts(report: Report) -> Iterator[str]:
    code = report.primary_failure_reason_code
    primary = "" if code is None else f" {code}"
    yield f"<p><b>{report.gate.upper()}</b>{primary} &nbsp; {_text(report.result_id)}"
    yield f" (task {_text(report.task_id)})</p>"
    yield f"<p>{_text(report.explanation, 1_000)}</p>"
    yield "<table><thead><tr><th>verdict</th><th>validator</th><th>check</th><th>codes</th>"
    yield "<th>gates</th><th>why</th></tr></thead><tbody>"
    for row in report.verdicts[:_MAX_VERDICTS]:
        verdict = row.verdict
        cells = (
            verdict.kind,
            row.validator_name,
            verdict.check,
            ", ".join(codes_of(verdict)),
            "yes" if row.gating else "no",
            verdict.diagnostic,
        )
        yield f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in cells)}</tr>"
    yield "</tbody></table>"
    more = len(report.verdicts) - _MAX_VERDICTS
    if more > 0:
        yield f"<p>and {more} more verdicts</p>"


def _text(text: str, limit: int = _CELL_CHARS) -> str:
    return escape(one_line(text, limit))
