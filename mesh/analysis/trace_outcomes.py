"""A graded run together with the traces of its results, from the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from judgemesh.mesh.ledger.traces import queries
from judgemesh.mesh.ledger.traces.queries import Joined, StateCost, StateOutcome

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceOutcomes:
    """What hard successes cost in each state, and which states precede failures."""

    run_id: str
    joined: Joined
    costs: tuple[StateCost, ...]
    outcomes: tuple[StateOutcome, ...]


async def trace_outcomes_of(ledger: Ledger, run_id: str) -> TraceOutcomes:
    """The outcomes of a run by the states of its traces."""
    joined = partial(queries.joined, run_id=run_id)
    costs = partial(queries.cost_per_hard_success, run_id=run_id)
    outcomes = partial(queries.states_before_failure, run_id=run_id)
    return TraceOutcomes(
        run_id=run_id,
        joined=await ledger.ask(joined),
        costs=await ledger.ask(costs),
        outcomes=await ledger.ask(outcomes),
    )
