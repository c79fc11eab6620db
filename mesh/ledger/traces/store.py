"""Traces in the ledger: one transaction a trace, read back as they were written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from sqlalchemy import Connection, Table, select

from judgemesh.contracts.tracing import RunTotals, Step, Trace, TracePart
from judgemesh.mesh.ledger.batch import LazyRows, WriteBatch
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.trace_tables import (
    trace_context_breakdown,
    trace_part,
    trace_price_snapshot,
    trace_run,
    trace_step,
    trace_tool_event,
)
from judgemesh.mesh.ledger.traces.parts import part_rows
from judgemesh.mesh.ledger.traces.reading import TraceRows, trace_from_rows
from judgemesh.mesh.ledger.traces.rows import (
    context_row,
    price_rows,
    run_row,
    step_row,
    tool_rows,
)


def batch_of_trace(
    trace: Trace,
    totals: RunTotals,
    main_cost_state: str | None,
    created_at: datetime,
    parts: Sequence[TracePart] = (),
    expects_parts: frozenset[str] | None = None,
) -> WriteBatch:
    """A trace, whole, in place of an older one of the same id.

    parts: what it was put together from. expects_parts: the digests of the parts of the older one.
    """
    steps = trace.steps
    rows: dict[Table, Iterable[Row]] = {
        trace_run: (run_row(trace, totals, main_cost_state, created_at),),
        trace_step: LazyRows(lambda: map(step_row, steps)),
        trace_context_breakdown: LazyRows(lambda: _context_rows(steps)),
        trace_tool_event: LazyRows(lambda: _tool_rows(steps, created_at)),
        trace_price_snapshot: price_rows(trace, created_at),
        trace_part: part_rows(trace.trace_id, parts),
    }
    return WriteBatch(
        rows=rows, replaces_trace=trace.trace_id, expects_parts=expects_parts
    )


def _context_rows(steps: Sequence[Step]) -> Iterator[Row]:
    for step in steps:
        row = context_row(step)
        if row is not None:
            yield row


def _tool_rows(steps: Sequence[Step], created_at: datetime) -> Iterator[Row]:
    for step in steps:
        yield from tool_rows(step, created_at)


def trace_id_page(
    connection: Connection, after: str | None, size: int
) -> tuple[list[str], str | None]:
    """The ids of the next `size` traces in their order, and the id they end at; None at the end."""
    query = select(trace_run.c.trace_id)
    if after is not None:
        query = query.where(trace_run.c.trace_id > after)
    page = query.order_by(trace_run.c.trace_id).limit(size)
    ids = list(connection.execute(page).scalars())
    last = None
    if len(ids) == size:
        last = ids[-1]
    return ids, last


def read_trace(connection: Connection, trace_id: str) -> Trace | None:
    """One trace; None when there is none of that id."""
    runs = _rows_of(connection, trace_id, trace_run)
    if not runs:
        return None
    rows = TraceRows(
        run=runs[0],
        steps=_rows_of(connection, trace_id, trace_step, "step_id"),
        contexts=_rows_of(connection, trace_id, trace_context_breakdown, "step_id"),
        tools=_rows_of(connection, trace_id, trace_tool_event, "step_id", "position"),
        prices=_rows_of(connection, trace_id, trace_price_snapshot, "model_name"),
    )
    return trace_from_rows(rows)


def _rows_of(
    connection: Connection, trace_id: str, table: Table, *order: str
) -> list[Row]:
    query = select(table).where(table.c.trace_id == trace_id)
    for name in order:
        query = query.order_by(table.c[name])
    return [dict(row) for row in connection.execute(query).mappings()]
