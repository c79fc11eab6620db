"""The bill as a page that is one file: no request leaves it, and every text in it is escaped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from judgemesh.mesh.reporting.bill.rows import (
    bill_tables,
    finding_numbers,
    metric_rows,
    saving_text,
    total_cost_text,
)
from judgemesh.mesh.reporting.text import duration, plural
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow
from judgemesh.mesh.tracing.bill.conclusion import conclusion, percent
from judgemesh.mesh.tracing.findings.findings import Finding

_MAX_PROBLEMS: Final = 100
_MAX_BARS: Final = 20


def bill_page(bill: Bill, findings: Sequence[Finding] = ()) -> str:
    """The whole page."""
    from judgemesh.mesh.reporting.html.assets import CHARTS, STYLES
    from judgemesh.mesh.reporting.html.page import rendered, single_page

    name = plural(len(bill.trace_ids), "run")
    if len(bill.trace_ids) == 1:
        name = bill.trace_ids[0]
    page = single_page("bill", f"Bill: {name}", styles=STYLES, scripts=CHARTS)
    return rendered(
        "bill.html",
        page=page,
        name=name,
        conclusion=conclusion(bill),
        totals=tuple(_totals(bill)),
        tables=tuple(bill_tables(bill)),
        shares=dict(_shares(bill)),
        metrics=tuple(metric_rows(bill.metrics)),
        findings=[(finding.title, _finding(finding)) for finding in findings],
        problems=bill.problems[:_MAX_PROBLEMS],
    )


def _shares(bill: Bill) -> Iterator[tuple[str, dict[str, Any]]]:
    """Data of the charts, by the title of the table that they stand above."""
    for title, rows in (("by state", bill.by_state), ("by model", bill.by_model)):
        bars = list(_bars(rows))
        if bars:
            yield title, {"rows": bars}


def _bars(rows: Sequence[BillRow]) -> Iterator[dict[str, Any]]:
    for row in rows[:_MAX_BARS]:
        if row.share:
            yield {"name": row.name, "value": row.share, "text": percent(row.share)}


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
