"""The bill as a section of HTML, and as a page of its own: no script, no outside resource, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from judgemesh.mesh.reporting.bill.rows import (
    BillTable,
    bill_tables,
    finding_numbers,
    metric_rows,
    saving_text,
    total_cost_text,
)
from judgemesh.mesh.reporting.text import duration, one_line
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow
from judgemesh.mesh.tracing.bill.conclusion import conclusion, percent
from judgemesh.mesh.tracing.findings.findings import Finding

_CELL: Final = (
    "padding:.25rem .75rem .25rem 0;border-bottom:1px solid #d0d7de;vertical-align:top"
)
_NUMBER_CELL: Final = f"{_CELL};text-align:right;font-variant-numeric:tabular-nums"
_BAR: Final = "display:inline-block;height:.6rem;background:#2f6f9f"
_BAR_ROW: Final = "display:flex;gap:.5rem;align-items:center"
_FULL_BAR_PERCENT: Final = 60
_BODY: Final = "font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1f2328"
_CSP: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)
_MAX_PROBLEMS: Final = 100


def bill_page(bill: Bill, findings: Sequence[Finding] = ()) -> str:
    """A whole page that may load nothing and run nothing."""
    name = f"{len(bill.trace_ids):,} runs"
    if len(bill.trace_ids) == 1:
        name = bill.trace_ids[0]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_CSP}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Bill: {_text(name)}</title></head>\n"
        f'<body style="{_BODY}">\n'
        f"{bill_section(bill, findings)}\n</body></html>\n"
    )


def bill_section(bill: Bill, findings: Sequence[Finding] = ()) -> str:
    """The bill as one `<section>` to put into a larger page; its styles are inline."""
    return f'<section aria-label="Bill">{"".join(_parts(bill, findings))}</section>'


def _parts(bill: Bill, findings: Sequence[Finding]) -> Iterator[str]:
    yield "<h1>Bill</h1>"
    yield f"<p>{_text(conclusion(bill))}</p>"
    yield _pairs("", (), _totals(bill))
    bars = {"by state": bill.by_state, "by model": bill.by_model}
    for table in bill_tables(bill):
        yield _table(table)
        yield _bars(bars.get(table.title, ()))
    yield _pairs("Metrics", ("metric", "value"), metric_rows(bill.metrics))
    if findings:
        rows = [(finding.title, _finding(finding)) for finding in findings]
        yield _pairs("Findings", ("pattern", "what was seen"), rows)
    if bill.problems:
        yield "<h2>Could not be read</h2><ul>"
        for problem in bill.problems[:_MAX_PROBLEMS]:
            yield f"<li>{_text(problem)}</li>"
        yield "</ul>"


def _totals(bill: Bill) -> Iterator[tuple[str, str]]:
    totals = bill.totals
    yield "cost", total_cost_text(bill)
    if totals.cost and totals.cost_unknown_steps:
        yield "steps of unknown cost, not in it", f"{totals.cost_unknown_steps:,}"
    yield "tokens", f"{totals.tokens:,}"
    yield "input tokens", f"{totals.input_tokens:,}"
    yield "cached input tokens", f"{totals.input_tokens_cached:,}"
    yield "output tokens", f"{totals.output_tokens:,}"
    yield "reasoning tokens", f"{totals.reasoning_tokens:,}"
    yield "steps", f"{totals.steps:,}"
    if totals.latency_ms is None:
        yield "took", "unknown"
    else:
        yield "took", duration(totals.latency_ms / 1000)
    yield "prices", ", ".join(bill.price_versions) or "none"


def _finding(finding: Finding) -> str:
    saving = f"May save: {saving_text(finding)}."
    return f"{finding.cause} {finding_numbers(finding)}. {finding.direction} {saving}"


def _text(text: str) -> str:
    return escape(one_line(text))


def _table(table: BillTable) -> str:
    """A table whose columns after the first are numbers, which are right-aligned."""
    first, *others = table.heads
    heads = _head(first, _CELL, "left")
    for name in others:
        heads += _head(name, _NUMBER_CELL, "right")
    rows = ""
    for name, *numbers in table.rows:
        cells = "".join(_cell(number, _NUMBER_CELL) for number in numbers)
        rows += f"<tr>{_cell(name, _CELL)}{cells}</tr>"
    return _assembled(table.title.capitalize(), heads, rows)


def _pairs(title: str, heads: Sequence[str], rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and text."""
    body = ""
    for name, value in rows:
        body += f"<tr>{_cell(name, _CELL)}{_cell(value, _CELL)}</tr>"
    return _assembled(
        title, "".join(_head(name, _CELL, "left") for name in heads), body
    )


def _head(name: str, style: str, align: str) -> str:
    return f'<th scope="col" style="{style};text-align:{align}">{_text(name)}</th>'


def _cell(text: str, style: str) -> str:
    return f'<td style="{style}">{_text(text)}</td>'


def _assembled(title: str, heads: str, rows: str) -> str:
    heading = head = ""
    if title:
        heading = f"<h2>{_text(title)}</h2>"
    if heads:
        head = f"<thead><tr>{heads}</tr></thead>"
    return f'{heading}<table style="border-collapse:collapse">{head}<tbody>{rows}</tbody></table>'


def _bars(rows: Sequence[BillRow]) -> str:
    """Shares as bars: widths come from our own numbers, never from text of the trace."""
    bars = ""
    for row in rows:
        if row.share:
            bars += _bar(row.name, row.share)
    if not bars:
        return ""
    return f'<div role="img" aria-label="Share of cost" style="margin:.75rem 0">{bars}</div>'


def _bar(name: str, share: float) -> str:
    width = min(share, 1.0) * _FULL_BAR_PERCENT
    return (
        f'<div style="{_BAR_ROW}"><span style="width:11rem">{_text(name)}</span>'
        f'<span style="{_BAR};width:{width:.1f}%"></span><span>{percent(share)}</span></div>'
    )
