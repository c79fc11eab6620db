"""Outcome and cost together: what a hard success cost in each state, and which states precede failures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from judgemesh.mesh.ledger.trace_queries import Joined, StateCost, StateOutcome
from judgemesh.mesh.reporting.bill.data import monies
from judgemesh.mesh.reporting.bill.tables import costs_text
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.tracing.bill.conclusion import percent

if TYPE_CHECKING:
    from rich.console import RenderableType


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A graded run and its traces."""

    run_id: str
    joined: Joined
    costs: tuple[StateCost, ...]
    outcomes: tuple[StateOutcome, ...]


def join_view(join: Join) -> Iterator[RenderableType]:
    """Two tables, under one line that says how much could be joined."""
    from rich.text import Text

    counts = join.joined
    yield Text(
        f"Run {join.run_id}: {counts.with_trace:,} of {counts.results:,} results have a trace, "
        f"{counts.hard_successes:,} of them are hard successes."
    )
    if not counts.with_trace:
        return
    costs = plain_table(title="agent cost per hard success, by state")
    costs.add_column("state", no_wrap=True)
    for name in ("steps", "tokens", "cost", "per hard success", "cost unknown"):
        costs.add_column(name, justify="right", no_wrap=True)
    for line in join.costs:
        costs.add_row(
            line.state_type,
            f"{line.steps:,}",
            f"{line.tokens:,}",
            costs_text(line.cost),
            costs_text(line.cost_per_hard_success),
            f"{line.cost_unknown:,}",
        )
    yield costs
    outcomes = plain_table(title="states before failures")
    outcomes.add_column("state", no_wrap=True)
    for name in (
        "failed runs",
        "passed runs",
        "failure rate",
        "last in failed",
        "last in passed",
        "failed steps",
    ):
        outcomes.add_column(name, justify="right")
    outcomes.add_column("before a failed step", justify="right")
    for one in join.outcomes:
        outcomes.add_row(
            one.state_type,
            f"{one.failed:,}",
            f"{one.passed:,}",
            "-" if one.failure_rate is None else percent(one.failure_rate),
            f"{one.last_in_failed:,}",
            f"{one.last_in_passed:,}",
            f"{one.failed_steps:,}",
            f"{one.before_failed_step:,}",
        )
    yield outcomes


def join_json(join: Join) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "run_id": join.run_id,
        **asdict(join.joined),
        "cost_per_hard_success_by_state": [
            {
                **asdict(line),
                "cost": monies(line.cost),
                "cost_per_hard_success": monies(line.cost_per_hard_success),
            }
            for line in join.costs
        ],
        "states_before_failure": [asdict(one) for one in join.outcomes],
    }
