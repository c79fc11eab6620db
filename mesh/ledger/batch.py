"""What belongs together in one transaction, and how several such batches become a few statements.

Rows of many results go into each table by one statement: that, and one commit for the group, is what makes the ledger
fast. The order of the tables is fixed, parents first.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Table, delete, select

from judgemesh.contracts.quick_init import quick_init
from judgemesh.mesh.ledger.faults import TraceChangedError
from judgemesh.mesh.ledger.report_log import LogEntry, append
from judgemesh.mesh.ledger.report_rows import ReportRows
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import (
    eval_failure_code,
    eval_result_content,
    eval_state_result,
    eval_task_result,
    eval_validator_result,
    judge_cache,
    judge_call,
    judge_opinion,
    price_snapshot,
    source_lookup,
)
from judgemesh.mesh.ledger.schema.trace_tables import (
    trace_context_breakdown,
    trace_part,
    trace_price_snapshot,
    trace_run,
    trace_step,
    trace_tool_event,
)
from judgemesh.mesh.ledger.statements.binding import BoundRows
from judgemesh.mesh.ledger.statements.inserts import insert_bound, insert_rows
from judgemesh.mesh.ledger.summaries import (
    add_calls,
    add_results,
    count_traces,
    lock,
    subtract_results,
)

T = TypeVar("T")

TRACE_TABLES: Final[tuple[Table, ...]] = (
    trace_run,
    trace_step,
    trace_context_breakdown,
    trace_tool_event,
    trace_price_snapshot,
    trace_part,
)

_ORDER: Final[tuple[Table, ...]] = (
    price_snapshot,
    eval_task_result,
    eval_validator_result,
    eval_state_result,
    eval_failure_code,
    eval_result_content,
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


@quick_init
@dataclass(frozen=True, slots=True)
class WriteBatch:
    """Rows that are written together.

    replaces: the results whose older rows go away in the same transaction, each of them once; `replaces_trace`: the
    same for a trace. expects_parts: the digests of the parts that the replaced trace has; None: any. log: entries of
    the log of reports, in the order of the results. bound: rows that another process has converted for the database,
    one of the first of their tables for each result.
    """

    rows: Mapping[Table, Iterable[Row]] = field(
        default_factory=dict[Table, Iterable[Row]]
    )
    replaces: tuple[str, ...] = ()
    replaces_trace: str | None = None
    expects_parts: frozenset[str] | None = None
    log: tuple[LogEntry, ...] = ()
    bound: Mapping[Table, BoundRows] = field(default_factory=dict[Table, BoundRows])

    def only(self, places: Sequence[int]) -> WriteBatch:
        """Of bound rows of several results, those of the results at these places."""
        ids = self.bound[eval_task_result].column("eval_id")
        kept = {ids[place] for place in places}
        return WriteBatch(
            bound={
                table: rows.among("eval_id", kept) for table, rows in self.bound.items()
            },
            replaces=tuple(self.replaces[place] for place in places),
            log=tuple(self.log[place] for place in places),
        )

    def one_by_one(self) -> Sequence[WriteBatch]:
        """A batch for each of its results, so that one that cannot be written keeps no other out."""
        count = len(self.replaces)
        return [self] if count < 2 else [self.only((place,)) for place in range(count)]


def batch_of_report(rows: ReportRows, content: Row | None = None) -> WriteBatch:
    """One graded result, whole, with what it holds."""
    return WriteBatch(
        rows={
            eval_task_result: (rows.task,),
            eval_validator_result: rows.verdicts,
            eval_state_result: rows.states,
            eval_failure_code: rows.codes,
            judge_opinion: rows.opinions,
            eval_result_content: () if content is None else (content,),
        },
        replaces=(rows.eval_id,),
        log=(rows.log,),
    )


def batch_of_attempt(call: Row, price: Row | None) -> WriteBatch:
    """One judge attempt and the prices it was billed by."""
    if price is None:
        return WriteBatch(rows={judge_call: (call,)})
    return WriteBatch(rows={judge_call: (call,), price_snapshot: (price,)})


def write(connection: Connection, batches: Sequence[WriteBatch]) -> None:
    """Write all batches through the open transaction; of two that replace the same thing the later one wins.

    Raises:
        TraceChangedError: a trace has not the parts that its batch expects.
    """
    results, traces, latest = _latest(batches)
    rows_of = _by_table(batch.rows for batch in latest)
    bound_of = _by_table(batch.bound for batch in latest if batch.bound)
    calls = list(chain.from_iterable(rows_of.get(judge_call, ())))
    if results or traces or calls:
        lock(connection)
    _check_parts(connection, traces)
    replaced = subtract_results(connection, list(results))
    count_traces(connection, list(traces), "-")
    _delete_results(connection, replaced)
    _delete_traces(connection, list(traces))
    for table in _ORDER:
        rows: Iterator[Row] = chain.from_iterable(rows_of.get(table, ()))
        if table is price_snapshot:
            rows = _distinct_prices(rows)
        # Rows of a trace with very many steps are made, and copied for the driver, not all at once.
        while chunk := list(islice(rows, _ROWS_AT_ONCE)):
            insert_rows(connection, table, chunk)
        for bound in _together(bound_of.get(table, ())):
            insert_bound(connection, table, bound)
    add_results(connection, list(results))
    count_traces(connection, list(traces))
    add_calls(connection, calls)
    append(connection, [entry for batch in batches for entry in batch.log])


def _by_table(each: Iterable[Mapping[Table, T]]) -> dict[Table, list[T]]:
    """What several batches have for each table, in the order of the batches."""
    found: dict[Table, list[T]] = {}
    for of_batch in each:
        for table, rows in of_batch.items():
            found.setdefault(table, []).append(rows)
    return found


def _together(each: Iterable[BoundRows]) -> Iterator[BoundRows]:
    """Bound rows of the same columns in one."""
    found: dict[tuple[str, ...], list[Any]] = {}
    for bound in each:
        found.setdefault(bound.names, []).extend(bound.values)
    for names, values in found.items():
        # Of a batch of several results a part is written: it may have no row of a table.
        if values:
            yield BoundRows(names, values)


def _distinct_prices(rows: Iterable[Row]) -> Iterator[Row]:
    """The first row of each price: the calls of a group are billed by the same few."""
    prices: dict[object, Row] = {}
    for row in rows:
        prices.setdefault(row["price_snapshot_id"], row)
    return iter(prices.values())


def _latest(
    batches: Sequence[WriteBatch],
) -> tuple[dict[str, WriteBatch], dict[str, WriteBatch], list[WriteBatch]]:
    """The last batch of each result and of each trace, and what no later batch replaces of all of them."""
    results: dict[str, WriteBatch] = {}
    traces: dict[str, WriteBatch] = {}
    for batch in batches:
        for eval_id in batch.replaces:
            results[eval_id] = batch
        if batch.replaces_trace is not None:
            traces[batch.replaces_trace] = batch
    latest: list[WriteBatch] = []
    for batch in batches:
        if batch.replaces_trace is not None:
            kept = batch if traces[batch.replaces_trace] is batch else None
        else:
            # Most batches replace nothing.
            kept = _kept(batch, results) if batch.replaces else batch
        if kept is not None:
            latest.append(kept)
    return results, traces, latest


def _kept(batch: WriteBatch, latest: Mapping[str, WriteBatch]) -> WriteBatch | None:
    """What no later batch replaces of a batch of results."""
    places = [
        place
        for place, eval_id in enumerate(batch.replaces)
        if latest[eval_id] is batch
    ]
    if len(places) == len(batch.replaces):
        return batch
    return batch.only(places) if places else None


def _check_parts(connection: Connection, traces: Mapping[str, WriteBatch]) -> None:
    """Make sure that the ledger holds the parts of each trace that its batch expects, and no others."""
    for trace_id, batch in traces.items():
        if batch.expects_parts is None:
            continue
        query = select(trace_part.c.digest).where(trace_part.c.trace_id == trace_id)
        if frozenset(connection.execute(query).scalars()) != batch.expects_parts:
            raise TraceChangedError(
                f"trace {trace_id!r} is being written by another process; run the same command again"
            )


def _delete_results(connection: Connection, eval_ids: Sequence[str]) -> None:
    """Rows of the child tables go by their foreign keys (ON DELETE CASCADE)."""
    for chunk in _chunks(eval_ids):
        query = delete(eval_task_result).where(eval_task_result.c.eval_id.in_(chunk))
        connection.execute(query)


def _delete_traces(connection: Connection, trace_ids: Sequence[str]) -> None:
    for chunk in _chunks(trace_ids):
        for table in TRACE_TABLES:
            connection.execute(delete(table).where(table.c.trace_id.in_(chunk)))


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _DELETE_AT_ONCE):
        yield ids[start : start + _DELETE_AT_ONCE]
