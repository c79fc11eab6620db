"""A graded run joined with the traces of its results, out of the ledger."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.store import Ledger
    from judgemesh.mesh.reporting.trace_outcomes import Join


async def join_of(ledger: Ledger, run_id: str) -> Join:
    """What the run's hard successes cost by state, and the states before its failures."""
    from judgemesh.mesh.ledger import trace_queries
    from judgemesh.mesh.reporting.trace_outcomes import Join

    return Join(
        run_id=run_id,
        joined=await ledger.ask(partial(trace_queries.joined, run_id=run_id)),
        costs=await ledger.ask(
            partial(trace_queries.cost_per_hard_success, run_id=run_id)
        ),
        outcomes=await ledger.ask(
            partial(trace_queries.states_before_failure, run_id=run_id)
        ),
    )
