"""Traces in the ledger: one transaction a trace, through the ledger's own writer; read back as they were written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, Table, select

from judgemesh.contracts.tracing import RunTotals, Trace
from judgemesh.mesh.ledger.batch import Batch, LazyRows
from judgemesh.mesh.ledger.columns import Row
from judgemesh.mesh.ledger.trace_rows import (
    context_row,
    price_rows,
    run_row,
    step_row,
    tool_rows,
    trace_from,
)
from judgemesh.mesh.ledger.trace_schema import (
    trace_context_breakdown,
    trace_price_snapshot,
    trace_run,
    trace_step,
    trace_tool_event,
)


def batch_of_trace(
    trace: Trace, totals: RunTotals, main_cost_state: str | None, created_at: datetime
) -> Batch:
    """A trace, whole, in place of an older one of the same id."""
    steps = trace.steps
    rows: dict[Table, Iterable[Row]] = {
        trace_run: (run_row(trace, totals, main_cost_state, created_at),),
        trace_step: LazyRows(lambda: map(step_row, steps)),
        trace_context_breakdown: LazyRows(
            lambda: (row for step in steps if (row := context_row(step)) is not None)
        ),
        trace_tool_event: LazyRows(
            lambda: (row for step in steps for row in tool_rows(step, created_at))
        ),
        trace_price_snapshot: price_rows(trace, created_at),
    }
    return Batch(rows=rows, replaces_trace=trace.trace_id)


def trace_ids(connection: Connection, *, after: str, size: int) -> list[str]:
    """The ids of the next `size` traces, in their order."""
    query = (
        select(trace_run.c.trace_id)
        .where(trace_run.c.trace_id > after)
        .order_by(trace_run.c.trace_id)
        .limit(size)
    )
    return list(connection.execute(query).scalars())


def read_trace(connection: Connection, trace_id: str) -> Trace | None:
    """One trace; None when it is not there."""
    run = (
        connection.execute(select(trace_run).where(trace_run.c.trace_id == trace_id))
        .mappings()
        .first()
    )
    if run is None:
        return None

    def rows(table: Table, *order: str) -> Sequence[Row]:
        query = (
            select(table)
            .where(table.c.trace_id == trace_id)
            .order_by(*(table.c[name] for name in order))
        )
        return [dict(row) for row in connection.execute(query).mappings()]

    return trace_from(
        dict(run),
        rows(trace_step, "step_id"),
        rows(trace_context_breakdown, "step_id"),
        rows(trace_tool_event, "step_id", "position"),
        rows(trace_price_snapshot, "model_name"),
    )
