"""What a graded run cost its owner, as its own trace says."""

from __future__ import annotations

from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.money import Money
from judgemesh.contracts.result_parts import trace as given
from judgemesh.contracts.tracing import StateType, Step, Trace
from judgemesh.mesh.tracing.bill.builder import bill_of
from judgemesh.mesh.tracing.bill.cost import priced
from judgemesh.mesh.tracing.steps.events import event_of
from judgemesh.mesh.tracing.steps.from_events import trace_of
from judgemesh.mesh.tracing.steps.from_fields import step_of

_STATES: Final = frozenset(state.value for state in StateType)


def cost_of_trace(trace: given.Trace, trace_id: str) -> Money | None:
    """The cost of the agent's run that its trace shows; None when it does not.

    Only prices and costs that come with the trace count: today's price book does not
    say what was paid. A trace with a step of unknown cost, or with several currencies,
    has no single cost.
    """
    typed = _typed_trace(trace, trace_id)
    if typed is None:
        return None
    totals = bill_of(priced(typed)).totals
    if len(totals.cost) != 1 or totals.cost_unknown_steps:
        return None
    return totals.cost[0]


def _typed_trace(trace: given.Trace, trace_id: str) -> Trace | None:
    """The events of a result's trace as steps, or its steps that have a state.

    None for a trace that cannot be read: grading can do without, and `judgemesh trace
    bill` says what is wrong with it.
    """
    try:
        if trace.events:
            events = [{"trace_id": trace_id, **event} for event in trace.events]
            return trace_of(event_of(event) for event in events)
    except (InputError, ValueError):
        return None
    steps: list[Step] = []
    for step_id, step in enumerate(trace.steps, start=1):
        if step.state_type in _STATES:
            fields = {key: value for key, value in step if value is not None}
            steps.append(step_of(fields, trace_id=trace_id, step_id=step_id))
    return Trace(trace_id=trace_id, steps=tuple(steps)) if steps else None
