"""What grading would cost: `judgemesh grade --dry-run`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from judgemesh.mesh.reporting.tables import add_columns, plain_table
from judgemesh.mesh.reporting.text import amount, plural
from judgemesh.mesh.runs.estimate import Estimate

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def estimate_view(estimate: Estimate) -> Iterator[RenderableType]:
    """How much there is to do, and what it costs from the least to the most that is likely."""
    from rich.text import Text

    work = _work(estimate)
    yield Text(f"Dry run: no call was made, nothing was written. {work}")
    if estimate.judge is None:
        yield Text("There is no judge, so grading costs nothing.")
        return
    yield Text("")
    yield _range_table(estimate, estimate.judge)
    yield Text("")
    if estimate.cost_low is None:
        models = ", ".join(estimate.unpriced) or estimate.judge
        yield Text(f"{models}: no price; give one with --prices FILE.")
    else:
        worst = amount(estimate.worst_case)
        yield Text(f"The worst case that --max-cost would have to cover is {worst}.")


def _work(estimate: Estimate) -> str:
    work = f"{plural(estimate.results, 'result')} to grade"
    if estimate.already_graded:
        work += f", {plural(estimate.already_graded, 'is', 'are')} graded already"
    if estimate.rejected:
        work += f", {plural(estimate.rejected, 'line')} cannot be read"
    if estimate.nothing_selected:
        work += f": {estimate.nothing_selected}"
    work += "."
    if estimate.cache_hits:
        answers = plural(estimate.cache_hits, "answer")
        work += f" {answers} would come from the cache."
    return work


def _range_table(estimate: Estimate, judge: str) -> Table:
    table = plain_table()
    table.add_column(judge)
    add_columns(table, "at least", "at most", no_wrap=False)
    counts = {
        "calls": estimate.calls,
        "input tokens": estimate.input_tokens,
        "output tokens": estimate.output_tokens,
    }
    for name, count in counts.items():
        table.add_row(name, f"{count.low:,}", f"{count.high:,}")
    table.add_row("cost", amount(estimate.cost_low), amount(estimate.cost_high))
    return table
