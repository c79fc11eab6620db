"""The summary of a run, for people: gates, rates, failure codes, classes, and what the grading cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from judgemesh.contracts.codes import CODES
from judgemesh.contracts.report import Gate, OutcomeClass
from judgemesh.mesh.ledger.records import RunSummary
from judgemesh.mesh.reporting.report import GATE_STYLES
from judgemesh.mesh.reporting.summary import Outline, success_bounds, success_rate
from judgemesh.mesh.reporting.tables import grid, plain_table
from judgemesh.mesh.reporting.text import amount, duration, one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_BAR: Final = 30
_MOST_WARNINGS: Final = 10


def summary_view(summary: RunSummary, outline: Outline) -> Iterator[RenderableType]:
    """Everything worth knowing after a run, the verdict first and where to look next last."""
    from rich.text import Text

    took = f"  {duration(outline.elapsed_s)}" if outline.elapsed_s is not None else ""
    yield Text.assemble(("Run ", "dim"), (outline.run_id, "bold"), (took, "dim"))
    yield Text("")
    yield _gates(summary)
    yield Text("")
    yield grid(_fact_rows(summary, outline))
    if summary.failure_codes:
        yield Text("")
        yield _codes(summary)
    if summary.outcome_classes:
        yield Text("")
        yield _classes(summary)
    for warning in _warnings(outline):
        yield Text("")
        yield warning
    yield Text("")
    yield from _places(outline)


def _gates(summary: RunSummary) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2))
    for justify in ("left", "right", "right", "left"):
        table.add_column(justify=justify, no_wrap=True)
    counts = {
        Gate.PASS: summary.passed,
        Gate.FAIL: summary.failed,
        Gate.UNDECIDED: summary.undecided,
    }
    words = {Gate.PASS: "passed", Gate.FAIL: "failed", Gate.UNDECIDED: "undecided"}
    for gate, count in counts.items():
        share = count / summary.attempted if summary.attempted else 0.0
        bar = "█" * max(round(share * _BAR), 1 if count else 0)
        style = GATE_STYLES[gate] if count else "dim"
        table.add_row(
            Text(words[gate], style), f"{count:,}", f"{share:.1%}", Text(bar, style)
        )
    return table


def _fact_rows(summary: RunSummary, outline: Outline) -> Iterator[tuple[str, str]]:
    yield "task success rate", rate_line(summary)
    score = summary.average_outcome_score
    yield (
        "average outcome score",
        "no passed result has one"
        if score is None
        else f"{score:.2f} of 10, over passed results",
    )
    yield "evaluator cost", cost_line(summary)
    calls = plural(summary.judge_calls, "judge call")
    yield (
        "judge",
        f"{calls}, {plural(summary.cache_hits, 'answer')} from the cache"
        if summary.cache_hits
        else calls,
    )
    for model, halo in outline.halos.items():
        yield (
            "asked together",
            halo.sentence()
            if len(outline.halos) == 1
            else f"{one_line(model)}: {halo.sentence()}",
        )
    if outline.panel is not None:
        yield "panel", outline.panel.line()
    if summary.error_results:
        yield "evaluator errors", plural(summary.error_results, "result")
    if summary.vacuous:
        yield (
            "vacuous",
            f"{plural(summary.vacuous, 'result')} resting on an expectation that nothing could miss",
        )
    if outline.resumed:
        yield (
            "resumed",
            f"{plural(outline.resumed, 'result')} graded before, taken from the ledger",
        )
    if outline.rejected:
        where = (
            f", kept in {one_line(outline.rejects_file)}"
            if outline.rejects_file
            else ""
        )
        yield "rejected", f"{plural(outline.rejected, 'input line')}{where}"


def rate_line(summary: RunSummary) -> str:
    """`0.786`, with its bounds when something is undecided."""
    rate, bounds = success_rate(summary), success_bounds(summary)
    if rate is None or bounds is None:
        return "nothing was graded"
    if not summary.undecided:
        return f"{rate:.3f}"
    return f"{rate:.3f}, bounds [{bounds[0]:.3f}, {bounds[1]:.3f}] (all undecided fail, all undecided pass)"


def cost_line(summary: RunSummary) -> str:
    """What the grading cost, what of it is unknown, and what the cache avoided."""
    known = " + ".join(amount(cost) for cost in summary.evaluator_cost) or "0 USD"
    if summary.evaluator_cost_unknown:
        known = f"unknown for {plural(summary.evaluator_cost_unknown, 'call')} (no price), the rest {known}"
    avoided = " + ".join(amount(cost) for cost in summary.cost_avoided if cost.amount)
    return f"{known}; the cache avoided {avoided}" if avoided else known


def _codes(summary: RunSummary) -> Table:
    table = plain_table()
    table.add_column("failure code", no_wrap=True)
    table.add_column("results", justify="right", no_wrap=True)
    table.add_column("who", no_wrap=True)
    table.add_column("meaning")
    for code, count in summary.failure_codes.items():
        table.add_row(
            code.value, f"{count:,}", CODES[code].who.value, CODES[code].meaning
        )
    return table


def _classes(summary: RunSummary) -> Table:
    table = plain_table()
    table.add_column("outcome class", no_wrap=True)
    table.add_column("results", justify="right", no_wrap=True)
    for one in OutcomeClass:
        if one in summary.outcome_classes:
            table.add_row(one.value, f"{summary.outcome_classes[one]:,}")
    return table


def _warnings(outline: Outline) -> Iterator[Text]:
    from rich.text import Text

    warnings = outline.all_warnings
    if not warnings:
        return
    lines = [one_line(warning) for warning in warnings[:_MOST_WARNINGS]]
    if len(warnings) > _MOST_WARNINGS:
        lines.append(f"and {plural(len(warnings) - _MOST_WARNINGS, 'more warning')}")
    yield Text("\n".join(f"warning: {line}" for line in lines), "yellow")


def _places(outline: Outline) -> Iterator[Text]:
    """Where things are, and what to type next: never wrapped, so that they can be copied."""
    from rich.text import Text

    places = [
        *(("wrote   ", path) for path in outline.outputs),
        ("ledger  ", outline.ledger),
    ]
    if outline.next_command:
        places.append(("next    ", outline.next_command))
    for name, place in places:
        yield Text.assemble(
            (name, "dim"), one_line(place), no_wrap=True, overflow="ignore"
        )
