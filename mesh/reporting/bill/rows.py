"""The rows of the bill as text, for a terminal and for a page alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judgemesh.contracts.money import Money
from judgemesh.mesh.reporting.text import one_line
from judgemesh.mesh.tracing.bill.bill import Bill, BillRow, ContextRow, ToolRow
from judgemesh.mesh.tracing.bill.conclusion import amount_text, percent
from judgemesh.mesh.tracing.bill.metrics import METRIC_MEANINGS, Metrics
from judgemesh.mesh.tracing.findings.findings import Finding
from judgemesh.mesh.tracing.findings.pattern import Number

_TOOL_HEADS: Final = ("tool", "calls", "failed", "raw", "sent on", "ratio", "cost")
_MAX_NAMES: Final = 100
_CONTEXT_HEADS: Final = (
    "source",
    "tokens",
    "of input",
    "cached",
    "input cost",
    "counted",
)


@dataclass(frozen=True, slots=True)
class BillTable:
    """One table of the bill. The first column holds names, the others numbers."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def bill_tables(bill: Bill) -> Iterator[BillTable]:
    """The tables by state, model, tool and context source, as far as there are any; that by state always."""
    yield _usage_table("by state", "steps", bill.by_state)
    if bill.by_model:
        yield _usage_table("by model", "calls", bill.by_model)
    if len(bill.by_run) > 1:
        yield _usage_table("by run", "steps", bill.by_run)
    if bill.by_tool:
        yield BillTable("by tool", _TOOL_HEADS, tuple(map(_tool, bill.by_tool)))
    if bill.by_context:
        rows = tuple(map(_context_source, bill.by_context))
        yield BillTable("by context source", _CONTEXT_HEADS, rows)


def _usage_table(title: str, counted: str, rows: Sequence[BillRow]) -> BillTable:
    name = title.removeprefix("by ")
    heads = (name, counted, "tokens", "cached", "output", "cost", "share")
    return BillTable(title, heads, tuple(map(_usage, rows)))


def _usage(row: BillRow) -> tuple[str, ...]:
    cost = costs_text(row.cost, is_at_most=row.cost_is_at_most)
    if row.cost_unknown:
        cost = f"{cost} + ?" if row.cost else "unknown"
    return (
        row.name,
        f"{row.count:,}",
        f"{row.tokens:,}",
        cached_text(row.cached_tokens, row.cache_unknown_tokens),
        f"{row.output_tokens:,}",
        cost,
        _percent(row.share),
    )


def cached_text(cached: int, unknown: int) -> str:
    """Cached tokens; a dash where no call reports any."""
    return "-" if unknown and not cached else f"{cached:,}"


def _tool(row: ToolRow) -> tuple[str, ...]:
    return (
        row.name,
        f"{row.calls:,}",
        f"{row.failed:,}",
        _count(row.raw_tokens),
        _count(row.sent_tokens),
        _percent(row.context_ratio),
        costs_text(row.cost),
    )


def _context_source(row: ContextRow) -> tuple[str, ...]:
    return (
        row.name,
        f"{row.tokens:,}",
        _percent(row.share),
        cached_text(row.cached_tokens, row.cache_unknown_tokens),
        costs_text(row.cost),
        _basis(row),
    )


def _basis(row: ContextRow) -> str:
    """How the tokens of a source are known."""
    if not row.estimated_tokens:
        return "measured"
    if row.estimated_tokens == row.tokens:
        return "estimated"
    return "partly estimated"


def metric_rows(metrics: Metrics) -> Iterator[tuple[str, str]]:
    """Every metric of article 002, part VII, with what it divides."""
    for name, meaning in METRIC_MEANINGS.items():
        value: float | None = getattr(metrics, name)
        text = _ratio(name, value)
        if name == "cache_hit_ratio" and metrics.cache_unknown_tokens:
            text = _of_known(text, value, metrics.cache_unknown_tokens)
        yield name.replace("_", " "), f"{text}  ({meaning})"
    saving = "unknown"
    if metrics.cache_saving:
        saving = costs_text(metrics.cache_saving)
    yield "cache saving", f"{saving}  (against fresh input prices)"
    if metrics.unreported_saving:
        most = costs_text(metrics.unreported_saving)
        yield (
            "unreported cache",
            f"at most {most}  (less, if all input of the calls that do not report it was cached)",
        )
    if metrics.cache_write_premium:
        premium = costs_text(metrics.cache_write_premium)
        yield (
            "cache write premium",
            f"{premium}  (what writing cost more than reading)",
        )


def _of_known(text: str, value: float | None, unknown: int) -> str:
    if value is None:
        return "not reported"
    return f"{text} of the calls that report it, {unknown:,} input tokens do not"


def _ratio(name: str, value: float | None) -> str:
    if value is None:
        return "no value"
    if name == "input_amplification_ratio":
        return f"{value:,.1f}x"
    return percent(value)


def finding_numbers(finding: Finding) -> str:
    """The numbers that show a finding, each after its name."""
    numbers = finding.numbers.items()
    texts = [f"{name.replace('_', ' ')} {_number(value)}" for name, value in numbers]
    return "; ".join(texts)


def _number(number: Number) -> str:
    """A name as it is, a count with thousands separators, a ratio with three digits."""
    if isinstance(number, str):
        return one_line(number, _MAX_NAMES)
    if isinstance(number, int):
        return f"{number:,}"
    if number < 100:
        return f"{number:,.3g}"
    return f"{number:,.1f}"


def costs_text(amounts: Sequence[Money], *, is_at_most: bool = False) -> str:
    """One amount a currency, `≤` before an upper bound; a dash for none."""
    sign = "≤ " if is_at_most and amounts else ""
    return sign + (" + ".join(map(amount_text, amounts)) or "-")


def saving_text(finding: Finding) -> str:
    """What a finding could save, and under which assumption."""
    if not finding.saving and finding.saving_tokens is None:
        return f"not estimated: {finding.assumption.removeprefix('nothing: ')}"
    saving = costs_text(finding.saving) if finding.saving else "unknown cost"
    if finding.saving_tokens is not None:
        saving += f", {finding.saving_tokens:,} tokens"
    return f"{saving}, if {finding.assumption}"


def total_cost_text(bill: Bill) -> str:
    """The cost of the runs, or `unknown`; `≤` where they can only have cost less."""
    if not bill.totals.cost:
        return "unknown"
    return costs_text(bill.totals.cost, is_at_most=bill.cost_is_at_most)


def _count(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def _percent(share: float | None) -> str:
    return "-" if share is None else percent(share)
