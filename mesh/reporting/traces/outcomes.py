"""A graded run beside its traces: what a hard success cost in each state, and which states precede failures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from judgemesh.mesh.analysis.trace_outcomes import TraceOutcomes
from judgemesh.mesh.ledger.traces.queries import StateCost
from judgemesh.mesh.reporting.bill.data import monies
from judgemesh.mesh.reporting.bill.rows import costs_text
from judgemesh.mesh.reporting.tables import add_columns, plain_table
from judgemesh.mesh.tracing.bill.conclusion import percent

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def join_view(join: TraceOutcomes) -> Iterator[RenderableType]:
    """Two tables, under one line that says how many results have a trace."""
    from rich.text import Text

    counts = join.joined
    yield Text(
        f"Run {join.run_id}: {counts.with_trace:,} of {counts.results:,} results have a trace, "
        f"{counts.hard_successes:,} of them are hard successes."
    )
    if counts.with_trace:
        yield _costs_table(join)
        yield _outcomes_table(join)


def _costs_table(join: TraceOutcomes) -> Table:
    table = plain_table(title="agent cost per hard success, by state")
    table.add_column("state", no_wrap=True)
    add_columns(table, "steps", "tokens", "cost", "per hard success", "cost unknown")
    for state in join.costs:
        table.add_row(
            state.state_type,
            f"{state.steps:,}",
            f"{state.tokens:,}",
            costs_text(state.cost),
            costs_text(state.cost_per_hard_success),
            f"{state.cost_unknown:,}",
        )
    return table


def _outcomes_table(join: TraceOutcomes) -> Table:
    table = plain_table(title="states before failures")
    table.add_column("state", no_wrap=True)
    add_columns(
        table,
        "failed runs",
        "passed runs",
        "failure rate",
        "last in failed",
        "last in passed",
        "failed steps",
        "before a failed step",
        no_wrap=False,
    )
    for state in join.outcomes:
        rate = state.failure_rate
        table.add_row(
            state.state_type,
            f"{state.failed:,}",
            f"{state.passed:,}",
            "-" if rate is None else percent(rate),
            f"{state.last_in_failed:,}",
            f"{state.last_in_passed:,}",
            f"{state.failed_steps:,}",
            f"{state.before_failed_step:,}",
        )
    return table


def join_json(join: TraceOutcomes) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "run_id": join.run_id,
        **asdict(join.joined),
        "cost_per_hard_success_by_state": [_cost_json(state) for state in join.costs],
        "states_before_failure": [asdict(state) for state in join.outcomes],
    }


def _cost_json(state: StateCost) -> dict[str, Any]:
    return {
        **asdict(state),
        "cost": monies(state.cost),
        "cost_per_hard_success": monies(state.cost_per_hard_success),
    }
