"""The bill and its findings on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.tracing import RunTotals
from judgemesh.mesh.reporting.bill.rows import (
    BillTable,
    bill_tables,
    costs_text,
    finding_numbers,
    metric_rows,
    saving_text,
    total_cost_text,
)
from judgemesh.mesh.reporting.tables import grid, name_table
from judgemesh.mesh.reporting.text import duration, one_line, plural
from judgemesh.mesh.tracing.bill.bill import Bill
from judgemesh.mesh.tracing.bill.conclusion import conclusion
from judgemesh.mesh.tracing.findings.findings import Finding
from judgemesh.mesh.tracing.findings.pattern import Kind
from judgemesh.mesh.tracing.findings.totals import PatternTotal

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

_NARROW: Final = 80
_HIDDEN_WHEN_NARROW: Final = frozenset({"cached", "output", "failed", "raw", "counted"})
_MAX_ROWS: Final = 12
_MAX_STEPS: Final = 8
_RUN_NAME_LIMIT: Final = 14
_MAX_ASSUMPTIONS: Final = 3


def bill_view(bill: Bill, *, width: int = _NARROW) -> Iterator[RenderableType]:
    """The conclusion first, then totals, then what they are made of.

    Below `_NARROW` columns the tables have fewer columns.
    """
    from rich.text import Text

    yield Text(one_line(conclusion(bill)))
    yield Text("")
    yield grid(_totals(bill))
    yield Text("")
    for data in bill_tables(bill):
        yield _table(data, width)
        more = len(data.rows) - _MAX_ROWS
        if more > 0:
            yield Text(f"and {more:,} more")
        yield Text("")
    yield grid(metric_rows(bill.metrics))
    for problem in bill.problems[:_MAX_ROWS]:
        yield Text(f"could not be read: {one_line(problem)}")
    more = len(bill.problems) - _MAX_ROWS
    if more > 0:
        yield Text(f"and {plural(more, 'more problem')}")


def _table(data: BillTable, width: int) -> Table:
    hidden = _HIDDEN_WHEN_NARROW if width < _NARROW else frozenset[str]()
    shown = [number for number, head in enumerate(data.heads) if head not in hidden]
    rows: list[list[str]] = []
    for row in data.rows[:_MAX_ROWS]:
        rows.append([row[number] for number in shown])
    heads = [data.heads[number] for number in shown]
    return name_table(heads, rows, width=width, title=data.title)


def _totals(bill: Bill) -> Iterator[tuple[str, str]]:
    totals = bill.totals
    if len(bill.trace_ids) == 1:
        yield "run", one_line(bill.trace_ids[0])
    else:
        yield "runs", f"{len(bill.trace_ids):,}"
    yield "cost", total_cost_text(bill)
    if totals.cost and totals.cost_unknown_steps:
        steps = plural(totals.cost_unknown_steps, "step")
        yield "", f"not in it: {steps} of unknown cost"
    yield "tokens", _tokens(totals)
    yield "input", _input_tokens(bill)
    yield "steps", f"{totals.steps:,}"
    if totals.latency_ms is not None:
        yield "took", duration(totals.latency_ms / 1000)
    if bill.price_versions:
        yield "prices", ", ".join(map(one_line, bill.price_versions))


def _tokens(totals: RunTotals) -> str:
    return (
        f"{totals.tokens:,} (input {totals.input_tokens:,}, "
        f"output {totals.output_tokens:,}, reasoning {totals.reasoning_tokens:,})"
    )


def _input_tokens(bill: Bill) -> str:
    totals = bill.totals
    if totals.input_tokens and bill.metrics.cache_hit_ratio is None:
        return f"{totals.input_tokens:,}; cached tokens are not reported"
    return (
        f"{totals.input_tokens_uncached:,} fresh, {totals.input_tokens_cached:,} cached, "
        f"{totals.input_tokens_cache_write:,} written to the cache"
    )


def findings_view(findings: Sequence[Finding]) -> Iterator[RenderableType]:
    """A paragraph a finding: pattern, numbers, steps, saving and its assumption."""
    from rich.padding import Padding
    from rich.text import Text

    if not findings:
        yield Text("No cost pattern above its threshold.")
    for finding in findings:
        style = "bold red" if finding.kind is Kind.DANGER else "bold"
        name = f"{finding.kind.value}: " if finding.kind is not Kind.COST else ""
        yield Text.assemble((f"{name}{finding.title}", style), f"  {finding.code}")
        yield Padding(grid(_finding_rows(finding)), (0, 0, 1, 4), expand=False)


def _finding_rows(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "run", one_line(finding.trace_id)
    yield "numbers", finding_numbers(finding)
    yield "threshold", finding.threshold
    steps = ", ".join(map(str, finding.steps[:_MAX_STEPS]))
    more = len(finding.steps) - _MAX_STEPS
    if more > 0:
        steps += f" and {more} more"
    yield "steps", steps
    yield "likely cause", finding.cause
    yield "direction", finding.direction
    yield "may save", saving_text(finding)


def patterns_view(
    totals: Sequence[PatternTotal], *, width: int = _NARROW
) -> Iterator[RenderableType]:
    """Which patterns cost most, over many runs, and under which assumptions."""
    from rich.text import Text

    if not totals:
        yield Text("No cost pattern above its threshold.")
        return
    heads = ["pattern", "runs", "may save", "tokens"]
    rows: list[list[str]] = []
    for total in totals:
        row = [_name(total), f"{total.runs:,}", costs_text(total.saving)]
        row.append(f"{total.saving_tokens:,}" if total.saving_tokens else "-")
        if width >= _NARROW:
            row.append(one_line(next(iter(total.worst), "-"), _RUN_NAME_LIMIT))
        rows.append(row)
    if width >= _NARROW:
        heads.append("worst run")
    title = f"patterns over {totals[0].runs_seen:,} runs"
    yield name_table(heads, rows, width=width, title=title)
    yield Text("")
    yield Text("Each saving is claimed once, so that they can be added. They assume:")
    for total in totals:
        if total.saving or total.saving_tokens:
            yield Text(f"- {total.title}: {_assumptions(total)}")


def _name(total: PatternTotal) -> str:
    if total.kind is Kind.COST:
        return total.title
    return f"{total.kind.value}: {total.title}"


def _assumptions(total: PatternTotal) -> str:
    shown = "; or ".join(total.assumptions[:_MAX_ASSUMPTIONS])
    more = len(total.assumptions) - _MAX_ASSUMPTIONS
    return f"{shown}; and {more} more" if more > 0 else shown
