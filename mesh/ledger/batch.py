"""What belongs together in one transaction, and how several such batches become a few statements.

Rows of many results go into each table by one statement: that, and one commit for the group, is what makes the ledger
fast. The order of the tables is fixed, parents first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, islice
from typing import Final

from sqlalchemy import Connection, Insert, Table, delete
from sqlalchemy.dialects import postgresql, sqlite

from judgemesh.mesh.ledger.columns import Row
from judgemesh.mesh.ledger.report_rows import ReportRows
from judgemesh.mesh.ledger.schema import (
    eval_failure_code,
    eval_state_result,
    eval_task_result,
    eval_validator_result,
    judge_cache,
    judge_call,
    judge_opinion,
    price_snapshot,
    source_lookup,
)
from judgemesh.mesh.ledger.trace_schema import (
    trace_context_breakdown,
    trace_price_snapshot,
    trace_run,
    trace_step,
    trace_tool_event,
)

TRACE_TABLES: Final[tuple[Table, ...]] = (
    trace_run,
    trace_step,
    trace_context_breakdown,
    trace_tool_event,
    trace_price_snapshot,
)

_ORDER: Final[tuple[Table, ...]] = (
    price_snapshot,
    eval_task_result,
    eval_validator_result,
    eval_state_result,
    eval_failure_code,
    judge_opinion,
    judge_call,
    judge_cache,
    *TRACE_TABLES,
    source_lookup,
)

_DELETE_AT_ONCE: Final = 500
_ROWS_AT_ONCE: Final = 2_000


@dataclass(frozen=True, slots=True)
class LazyRows(Iterable[Row]):
    """Rows that are made while they are written, the same ones every time: a group that failed is written again."""

    make: Callable[[], Iterable[Row]]

    def __iter__(self) -> Iterator[Row]:
        """The rows, made anew."""
        return iter(self.make())


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows that are written together.

    replaces: the result whose older rows go away in the same transaction; `replaces_trace`: the same for a trace.
    """

    rows: Mapping[Table, Iterable[Row]] = field(
        default_factory=dict[Table, Iterable[Row]]
    )
    replaces: str | None = None
    replaces_trace: str | None = None


def batch_of_report(rows: ReportRows) -> Batch:
    """One graded result, whole."""
    return Batch(
        rows={
            eval_task_result: (rows.task,),
            eval_validator_result: rows.verdicts,
            eval_state_result: rows.states,
            eval_failure_code: rows.codes,
            judge_opinion: rows.opinions,
        },
        replaces=rows.eval_id,
    )


def batch_of_attempt(call: Row, price: Row | None) -> Batch:
    """One judge attempt and the prices it was billed by."""
    return Batch(
        rows={judge_call: (call,), price_snapshot: () if price is None else (price,)}
    )


def batch_of_cache_entry(key: str, response: str, created_at: datetime) -> Batch:
    """One answer kept for later."""
    return Batch(
        rows={
            judge_cache: (
                {"cache_key": key, "response": response, "created_at": created_at},
            )
        }
    )


def write(connection: Connection, batches: Sequence[Batch]) -> None:
    """Write all batches through the open transaction; of two that replace the same thing the later one wins."""
    last = {
        batch.replaces: at
        for at, batch in enumerate(batches)
        if batch.replaces is not None
    }
    kept = [
        batch
        for at, batch in enumerate(batches)
        if batch.replaces is None or last[batch.replaces] == at
    ]
    _delete_replaced(connection, list(last))
    traces = {
        batch.replaces_trace: batch
        for batch in kept
        if batch.replaces_trace is not None
    }
    kept = [
        batch
        for batch in kept
        if batch.replaces_trace is None or traces[batch.replaces_trace] is batch
    ]
    _delete_traces(connection, list(traces))
    for table in _ORDER:
        rows = chain.from_iterable(batch.rows.get(table, ()) for batch in kept)
        # Rows of a trace with very many steps are made, and copied for the driver, not all at once.
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            connection.execute(_insert(table, connection.dialect.name), some)


def _delete_replaced(connection: Connection, eval_ids: Sequence[str | None]) -> None:
    """Rows of the child tables go by their foreign keys (ON DELETE CASCADE)."""
    for start in range(0, len(eval_ids), _DELETE_AT_ONCE):
        some = eval_ids[start : start + _DELETE_AT_ONCE]
        connection.execute(
            delete(eval_task_result).where(eval_task_result.c.eval_id.in_(some))
        )


def _delete_traces(connection: Connection, trace_ids: Sequence[str | None]) -> None:
    for start in range(0, len(trace_ids), _DELETE_AT_ONCE):
        some = trace_ids[start : start + _DELETE_AT_ONCE]
        for table in TRACE_TABLES:
            connection.execute(delete(table).where(table.c.trace_id.in_(some)))


def _insert(table: Table, dialect: str) -> Insert:
    """Prices are content-addressed, so one row is enough; a cache entry may be written again."""
    insert = (
        postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    )
    if table is price_snapshot:
        return insert.on_conflict_do_nothing()
    if table is judge_cache:
        return insert.on_conflict_do_update(
            index_elements=[judge_cache.c.cache_key],
            set_={
                "response": insert.excluded.response,
                "created_at": insert.excluded.created_at,
            },
        )
    return insert
