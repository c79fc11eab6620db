"""The bill and its findings, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from judgemesh.contracts.usage import Money
from judgemesh.mesh.reporting.tables import grid, plain_table
from judgemesh.mesh.reporting.text import duration, one_line, plural
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow, ContextRow, ToolRow
from judgemesh.mesh.tracing.bill.conclusion import amount_text, conclusion, percent
from judgemesh.mesh.tracing.bill.findings import Finding, PatternTotal
from judgemesh.mesh.tracing.bill.metrics import METRIC_MEANINGS, Metrics

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_NAME = 32
_MOST_LINES = 12
_MOST_STEPS = 8


def bill_view(bill: Bill) -> Iterator[RenderableType]:
    """Conclusion first, then totals, then where it went."""
    from rich.text import Text

    yield Text(one_line(conclusion(bill)))
    yield Text("")
    yield grid(_total_rows(bill))
    yield Text("")
    yield _lines_table("by state", bill.by_state, "steps")
    if bill.by_model:
        yield _lines_table("by model", bill.by_model, "calls")
    if bill.by_tool:
        yield _tools_table(bill.by_tool)
    if bill.by_context:
        yield _sources_table(bill.by_context)
    yield grid(metric_rows(bill.metrics))
    for problem in bill.problems[:_MOST_LINES]:
        yield Text(f"could not be read: {one_line(problem)}")
    if len(bill.problems) > _MOST_LINES:
        yield Text(f"and {plural(len(bill.problems) - _MOST_LINES, 'more problem')}")


def costs_text(amounts: Sequence[Money]) -> str:
    """Amounts side by side; a dash for none."""
    return " + ".join(amount_text(money) for money in amounts) if amounts else "-"


def _total_rows(bill: Bill) -> Iterator[tuple[str, str]]:
    totals = bill.totals
    yield (
        "run" if len(bill.trace_ids) == 1 else "runs",
        (
            one_line(bill.trace_ids[0])
            if len(bill.trace_ids) == 1
            else f"{len(bill.trace_ids):,}"
        ),
    )
    yield "cost", costs_text(totals.cost) if totals.cost else "unknown"
    if totals.cost_unknown_steps:
        yield (
            "",
            f"not in it: {plural(totals.cost_unknown_steps, 'step')} of unknown cost",
        )
    kinds = (
        ("input", totals.input_tokens),
        ("output", totals.output_tokens),
        ("reasoning", totals.reasoning_tokens),
    )
    yield (
        "tokens",
        f"{totals.tokens:,} ({', '.join(f'{name} {number:,}' for name, number in kinds)})",
    )
    inputs = (
        (totals.input_tokens_uncached, "fresh"),
        (totals.input_tokens_cached, "cached"),
        (totals.input_tokens_cache_write, "written to the cache"),
    )
    yield "input", ", ".join(f"{number:,} {name}" for number, name in inputs)
    yield "steps", f"{totals.steps:,}"
    if totals.latency_ms is not None:
        yield "took", duration(totals.latency_ms / 1000)
    if bill.price_versions:
        yield "prices", ", ".join(one_line(version) for version in bill.price_versions)


def _lines_table(title: str, lines: Sequence[BillRow], counted: str) -> Table:
    table = plain_table(title=title)
    table.add_column(title.removeprefix("by "), no_wrap=True)
    for name in (counted, "tokens", "cached", "output", "cost", "share"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines[:_MOST_LINES]:
        table.add_row(
            one_line(line.name, _NAME),
            f"{line.count:,}",
            f"{line.tokens:,}",
            f"{line.cached_tokens:,}",
            f"{line.output_tokens:,}",
            "unknown" if line.cost_unknown and not line.cost else costs_text(line.cost),
            "-" if line.share is None else percent(line.share),
        )
    return table


def _tools_table(lines: Sequence[ToolRow]) -> Table:
    table = plain_table(title="by tool")
    table.add_column("tool", no_wrap=True)
    for name in ("calls", "failed", "raw", "sent on", "ratio", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines[:_MOST_LINES]:
        table.add_row(
            one_line(line.name, _NAME),
            f"{line.calls:,}",
            f"{line.failed:,}",
            _count(line.raw_tokens),
            _count(line.sent_tokens),
            "-" if line.context_ratio is None else percent(line.context_ratio),
            costs_text(line.cost),
        )
    return table


def _sources_table(lines: Sequence[ContextRow]) -> Table:
    table = plain_table(title="by context source")
    table.add_column("source", no_wrap=True)
    for name in ("tokens", "of input", "input cost", "counted"):
        table.add_column(name, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(
            line.name,
            f"{line.tokens:,}",
            "-" if line.share is None else percent(line.share),
            costs_text(line.cost),
            basis_text(line),
        )
    return table


def basis_text(line: ContextRow) -> str:
    """How the tokens of a source are known."""
    if not line.estimated_tokens:
        return "measured"
    return "estimated" if line.estimated_tokens == line.tokens else "partly estimated"


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def metric_rows(metrics: Metrics) -> Iterator[tuple[str, str]]:
    """Every metric of Part VII with what it divides."""
    for name, meaning in METRIC_MEANINGS.items():
        value: float | None = getattr(metrics, name)
        yield name.replace("_", " "), f"{_ratio(name, value)}  ({meaning})"
    yield (
        "cache saving",
        f"{costs_text(metrics.cache_saving)}  (against fresh input prices)",
    )
    if metrics.cache_write_premium:
        yield (
            "cache write premium",
            f"{costs_text(metrics.cache_write_premium)}  (what writing cost more than reading)",
        )


def _ratio(name: str, value: float | None) -> str:
    if value is None:
        return "no value"
    return f"{value:,.1f}x" if name == "input_amplification_ratio" else percent(value)


def findings_view(findings: Sequence[Finding]) -> Iterator[RenderableType]:
    """A paragraph a finding: pattern, numbers, steps, saving and its assumption."""
    from rich.padding import Padding
    from rich.text import Text

    if not findings:
        yield Text("No cost pattern above its threshold.")
    for finding in findings:
        yield Text.assemble((finding.title, "bold"), f"  {finding.code}")
        yield Padding(grid(_finding_rows(finding)), (0, 0, 1, 4), expand=False)


def _finding_rows(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "run", one_line(finding.trace_id)
    yield (
        "numbers",
        ", ".join(
            f"{name} {number_text(number)}" for name, number in finding.numbers.items()
        ),
    )
    yield "threshold", finding.threshold
    steps = ", ".join(str(step) for step in finding.steps[:_MOST_STEPS])
    more = (
        f" and {len(finding.steps) - _MOST_STEPS} more"
        if len(finding.steps) > _MOST_STEPS
        else ""
    )
    yield "steps", f"{steps}{more}"
    yield "likely cause", finding.cause
    yield "direction", finding.direction
    tokens = (
        "" if finding.saving_tokens is None else f", {finding.saving_tokens:,} tokens"
    )
    yield "may save", f"{costs_text(finding.saving)}{tokens}, if {finding.assumption}"


def number_text(number: float) -> str:
    """A count with thousands marks, a ratio with three digits."""
    return (
        f"{number:,}"
        if isinstance(number, int)
        else f"{number:,.3g}"
        if number < 100
        else f"{number:,.1f}"
    )


def patterns_table(totals: Iterable[PatternTotal]) -> Table:
    """Which patterns cost most, over many runs."""
    table = plain_table(title="patterns over all runs")
    table.add_column("pattern", no_wrap=True)
    table.add_column("runs", justify="right", no_wrap=True)
    table.add_column("may save", justify="right", no_wrap=True)
    table.add_column("tokens", justify="right", no_wrap=True)
    table.add_column("worst runs")
    for total in totals:
        table.add_row(
            total.title,
            f"{total.runs:,} of {total.runs_seen:,}",
            costs_text(total.saving),
            f"{total.saving_tokens:,}" if total.saving_tokens else "-",
            ", ".join(one_line(name, 40) for name in total.worst),
        )
    return table
