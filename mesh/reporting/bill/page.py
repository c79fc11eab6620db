"""The bill as a section of HTML, and as a page of its own: no script, no outside resource, every text escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from judgemesh.mesh.reporting.bill.tables import (
    basis_text,
    costs_text,
    metric_rows,
    number_text,
)
from judgemesh.mesh.reporting.text import duration, one_line
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow
from judgemesh.mesh.tracing.bill.conclusion import conclusion, percent
from judgemesh.mesh.tracing.bill.findings import Finding

_CELL: Final = (
    "padding:.25rem .75rem .25rem 0;border-bottom:1px solid #d0d7de;vertical-align:top"
)
_RIGHT: Final = f"{_CELL};text-align:right;font-variant-numeric:tabular-nums"
_BAR: Final = "display:inline-block;height:.6rem;background:#2f6f9f"
_BODY: Final = "font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1f2328"
CSP: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)


def bill_page(bill: Bill, findings: Sequence[Finding] = ()) -> str:
    """A whole page that may load nothing and run nothing."""
    name = (
        bill.trace_ids[0]
        if len(bill.trace_ids) == 1
        else f"{len(bill.trace_ids):,} runs"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{CSP}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Bill: {_text(name)}</title></head>\n"
        f'<body style="{_BODY}">\n'
        f"{bill_section(bill, findings)}\n</body></html>\n"
    )


def bill_section(bill: Bill, findings: Sequence[Finding] = ()) -> str:
    """The bill as one `<section>` to put into a larger page; its styles are inline."""
    totals = bill.totals
    facts = [
        ("cost", costs_text(totals.cost) if totals.cost else "unknown"),
        ("tokens", f"{totals.tokens:,}"),
        ("input tokens", f"{totals.input_tokens:,}"),
        ("cached input tokens", f"{totals.input_tokens_cached:,}"),
        ("output tokens", f"{totals.output_tokens:,}"),
        ("reasoning tokens", f"{totals.reasoning_tokens:,}"),
        ("steps", f"{totals.steps:,}"),
        (
            "took",
            "unknown"
            if totals.latency_ms is None
            else duration(totals.latency_ms / 1000),
        ),
        ("prices", ", ".join(bill.price_versions) or "none"),
    ]
    parts = [
        "<h1>Bill</h1>",
        f"<p>{_text(conclusion(bill))}</p>",
        _table(("", ""), facts, ""),
        _lines("By state", "steps", bill.by_state),
        _lines("By model", "calls", bill.by_model) if bill.by_model else "",
        _tools(bill) if bill.by_tool else "",
        _sources(bill) if bill.by_context else "",
        _table(("metric", "value"), metric_rows(bill.metrics), "Metrics"),
        _findings(findings) if findings else "",
        _problems(bill.problems) if bill.problems else "",
    ]
    return f'<section aria-label="Bill">{"".join(parts)}</section>'


def _text(text: str) -> str:
    return escape(one_line(text))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> str:
    """A table of text; columns after the first are numbers and stand right, in tables of more than two."""
    wide = len(head) > 2
    heads = "".join(
        f'<th scope="col" style="{_RIGHT if wide and at else _CELL};text-align:{"right" if wide and at else "left"}">'
        f"{_text(name)}</th>"
        for at, name in enumerate(head)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{_RIGHT if wide and at else _CELL}">{_text(cell)}</td>'
            for at, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    shown = f"<thead><tr>{heads}</tr></thead>" if any(head) else ""
    heading = f"<h2>{_text(title)}</h2>" if title else ""
    return f'{heading}<table style="border-collapse:collapse">{shown}<tbody>{body}</tbody></table>'


def _lines(title: str, counted: str, lines: Sequence[BillRow]) -> str:
    rows = [
        (
            line.name,
            f"{line.count:,}",
            f"{line.tokens:,}",
            f"{line.cached_tokens:,}",
            f"{line.output_tokens:,}",
            costs_text(line.cost),
            "-" if line.share is None else percent(line.share),
        )
        for line in lines
    ]
    head = (
        title.removeprefix("By "),
        counted,
        "tokens",
        "cached",
        "output",
        "cost",
        "share",
    )
    return _table(head, rows, title) + _bars(lines)


def _bars(lines: Sequence[BillRow]) -> str:
    """Shares as bars: widths come from our own numbers, never from text of the trace."""
    bars = "".join(
        f'<div style="display:flex;gap:.5rem;align-items:center"><span style="width:11rem">{_text(line.name)}</span>'
        f'<span style="{_BAR};width:{min(line.share, 1.0) * 60:.1f}%"></span><span>{percent(line.share)}</span></div>'
        for line in lines
        if line.share
    )
    return (
        f'<div role="img" aria-label="Share of cost" style="margin:.75rem 0">{bars}</div>'
        if bars
        else ""
    )


def _tools(bill: Bill) -> str:
    rows = [
        (
            line.name,
            f"{line.calls:,}",
            f"{line.failed:,}",
            "-" if line.raw_tokens is None else f"{line.raw_tokens:,}",
            "-" if line.sent_tokens is None else f"{line.sent_tokens:,}",
            "-" if line.context_ratio is None else percent(line.context_ratio),
            costs_text(line.cost),
        )
        for line in bill.by_tool
    ]
    return _table(
        ("tool", "calls", "failed", "raw tokens", "sent on", "ratio", "cost"),
        rows,
        "By tool",
    )


def _sources(bill: Bill) -> str:
    rows = [
        (
            line.name,
            f"{line.tokens:,}",
            "-" if line.share is None else percent(line.share),
            costs_text(line.cost),
            basis_text(line),
        )
        for line in bill.by_context
    ]
    return _table(
        ("source", "tokens", "of input", "input cost", "counted"),
        rows,
        "By context source",
    )


def _findings(findings: Sequence[Finding]) -> str:
    rows = [
        (
            finding.title,
            ", ".join(
                f"{name} {number_text(number)}"
                for name, number in finding.numbers.items()
            )
            + f". {finding.direction} May save {costs_text(finding.saving)} if {finding.assumption}.",
        )
        for finding in findings
    ]
    return _table(("pattern", "what was seen"), rows, "Findings")


def _problems(problems: Sequence[str]) -> str:
    return f"<h2>Could not be read</h2><ul>{''.join(f'<li>{_text(one)}</li>' for one in problems[:100])}</ul>"
