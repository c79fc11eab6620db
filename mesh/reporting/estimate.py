"""What grading would cost (`--dry-run`), for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import amount, plural
from judgemesh.mesh.runs.estimate import Estimate, Range

if TYPE_CHECKING:
    from rich.console import RenderableType


def estimate_view(found: Estimate) -> Iterator[RenderableType]:
    """How much there is to do, and what it costs from the least to the most that is likely."""
    from rich.text import Text

    yield Text(f"Dry run: no call was made, nothing was written. {_work(found)}")
    if found.judge is None:
        yield Text("There is no judge, so grading costs nothing.")
        return
    yield Text("")
    table = plain_table()
    table.add_column(found.judge)
    table.add_column("at least", justify="right")
    table.add_column("at most", justify="right")
    for name, one in (
        ("calls", found.calls),
        ("input tokens", found.input_tokens),
        ("output tokens", found.output_tokens),
    ):
        table.add_row(name, *_ends(one))
    table.add_row("cost", amount(found.cost_low), amount(found.cost_high))
    yield table
    yield Text("")
    if found.cost_low is None:
        yield Text(
            f"{', '.join(found.unpriced) or found.judge}: no price; give one with --prices FILE."
        )
    else:
        yield Text(
            f"The worst case that --max-cost would have to cover is {amount(found.worst_case)}."
        )


def _work(found: Estimate) -> str:
    known = (
        f", {plural(found.already_graded, 'is', 'are')} graded already"
        if found.already_graded
        else ""
    )
    rejected = (
        f", {plural(found.rejected, 'line')} cannot be read" if found.rejected else ""
    )
    cached = (
        f" {plural(found.cache_hits, 'answer')} would come from the cache."
        if found.cache_hits
        else ""
    )
    return f"{plural(found.results, 'result')} to grade{known}{rejected}.{cached}"


def _ends(one: Range) -> tuple[str, str]:
    return f"{one.low:,}", f"{one.high:,}"
