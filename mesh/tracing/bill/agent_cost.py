"""What a graded run cost its owner: as the result says, else by its trace, where the trace itself knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.results import Trace as GivenTrace
from judgemesh.contracts.tracing import StateType, Step, Trace
from judgemesh.contracts.usage import Money
from judgemesh.mesh.tracing.bill.bill import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.steps.events import event_of
from judgemesh.mesh.tracing.steps.from_events import trace_of
from judgemesh.mesh.tracing.steps.from_fields import step_of

_STATES: Final = frozenset(state.value for state in StateType)


def agent_cost(result: AgentResult) -> Money | None:
    """The cost of the agent's run; None when nobody says.

    Only prices and costs that come with the trace count: today's price book says nothing about what was paid. A trace
    with a step of unknown cost, or with several currencies, has no one cost.
    """
    if result.cost is not None or result.trace is None:
        return result.cost
    trace = _trace(result.trace, result.trace_id or result.result_id)
    if trace is None:
        return None
    totals = bill_of(priced(trace)).totals
    return (
        totals.cost[0]
        if len(totals.cost) == 1 and not totals.cost_unknown_steps
        else None
    )


def _trace(given: GivenTrace, trace_id: str) -> Trace | None:
    """The typed trace of a result: its events, or those of its steps that have a state."""
    try:
        if given.events:
            return trace_of(
                event_of({"trace_id": trace_id, **event}) for event in given.events
            )
    except (InputError, ValueError):
        return None  # a trace that grading can do without; `judgemesh trace bill` says what is wrong with it
    steps = tuple(_steps(given, trace_id))
    return Trace(trace_id=trace_id, steps=steps) if steps else None


def _steps(given: GivenTrace, trace_id: str) -> Iterator[Step]:
    for number, step in enumerate(given.steps, start=1):
        if step.state_type in _STATES:
            fields: Mapping[str, Any] = {
                key: value for key, value in step if value is not None
            }
            yield step_of(fields, trace_id=trace_id, step_id=number)
