"""Copy what one ledger holds into another. The same ledger merged twice changes nothing.

A run is copied whole or not at all. A run that both ledgers have must have the same log of reports; the log of the
target may go on further. Other rows are found by their key; those without a key, by all their columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import Connection, Select, Table, insert, select

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.leases import holder_of
from judgemesh.mesh.ledger.schema import tables, trace_tables
from judgemesh.mesh.ledger.schema.summary_queries import make_summaries

T = TypeVar("T")

_ROWS: Final = 500
_OF_RUNS: Final = (
    tables.eval_run,
    tables.eval_task_result,
    tables.judge_call,
    tables.source_lookup,
    tables.report_log,
)
"""Tables whose rows belong to a run, by `run_id`."""
_OF_RESULTS: Final = (
    tables.eval_validator_result,
    tables.eval_state_result,
    tables.eval_failure_code,
    tables.eval_result_content,
    tables.judge_opinion,
)
"""Tables whose rows belong to a result, by `eval_id`."""
_OF_TRACES: Final = (
    trace_tables.trace_run,
    trace_tables.trace_step,
    trace_tables.trace_context_breakdown,
    trace_tables.trace_tool_event,
    trace_tables.trace_price_snapshot,
    trace_tables.trace_part,
)
"""Tables whose rows belong to a trace, by `trace_id`."""
_SAME_BY_ALL: Final = (tables.human_label, tables.judge_calibration)
"""Tables without a key of their own: rows are the same if all their columns are."""
_LOCAL: Final = frozenset(
    {"judge_call_id", "source_lookup_id", "human_label_id", "judge_calibration_id"}
)
"""Numbers that each ledger gives itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What was added. present: runs that the target had already."""

    runs: int = 0
    results: int = 0
    calls: int = 0
    traces: int = 0
    labels: int = 0
    replies: int = 0
    present: int = 0

    def to_json(self) -> dict[str, int]:
        """All counts."""
        return {name: getattr(self, name) for name in self.__slots__}


def merge(source: Connection, target: Connection, now: datetime) -> Merged:
    """Copy what `source` holds into `target`, within the target's transaction. Memory grows with the number of traces.

    Raises:
        LedgerError: a run is being graded, or both ledgers have a run or a trace of one id with other contents.
    """
    runs = source.execute(select(tables.eval_run.c.run_id)).scalars().all()
    new = [run_id for run_id in runs if _is_new(source, target, run_id, now)]
    _merge_prices(source, target)
    counts = dict.fromkeys((*_OF_RUNS, *_OF_RESULTS), 0)
    taken = _run_keys(target)
    for run_id in new:
        for table in _OF_RUNS:
            rows = _rows(source, select(table).where(table.c.run_id == run_id))
            if table is tables.eval_run:
                rows = _with_own_key(rows, taken)
            counts[table] += _add(target, table, rows)
        eval_ids = select(tables.eval_task_result.c.eval_id).where(
            tables.eval_task_result.c.run_id == run_id
        )
        for table in _OF_RESULTS:
            query = select(table).where(table.c.eval_id.in_(eval_ids))
            counts[table] += _add(target, table, _rows(source, query))
    merged = Merged(
        runs=len(new),
        results=counts[tables.eval_task_result],
        calls=counts[tables.judge_call],
        traces=_merge_traces(source, target),
        labels=sum(_merge_by_all(source, target, table) for table in _SAME_BY_ALL),
        replies=_merge_replies(source, target),
        present=len(runs) - len(new),
    )
    if merged.runs or merged.traces:
        make_summaries(target)
    return merged


def _is_new(source: Connection, target: Connection, run_id: str, now: datetime) -> bool:
    """Whether a run is to be copied.

    Raises:
        LedgerError: it is being graded, or the target's differs.
    """
    pid = holder_of(source, run_id, now)
    if pid is not None:
        raise LedgerError(
            f"run {run_id} is being graded by process {pid}; merge when that ends"
        )
    run = tables.eval_run
    known = select(run.c.run_id).where(run.c.run_id == run_id)
    if target.execute(known).first() is None:
        return True
    theirs, ours = _log(source, run_id), _log(target, run_id)
    same = _result_digests(source, run_id), _result_digests(target, run_id)
    if ours[: len(theirs)] != theirs or (
        len(ours) == len(theirs) and same[0] != same[1]
    ):
        hint = "nothing was merged"
        if len(ours) < len(theirs) and theirs[: len(ours)] == ours:
            hint = "the other ledger's goes on further: merge in the other direction"
        raise LedgerError(
            f"run {run_id} is in both ledgers with different reports"
            f" ({len(theirs)} and {len(ours)} entries in its log); {hint}"
        )
    return False


def _log(connection: Connection, run_id: str) -> list[str]:
    log = tables.report_log.c
    query = select(log.entry_digest).where(log.run_id == run_id).order_by(log.seq)
    return list(connection.execute(query).scalars())


def _result_digests(connection: Connection, run_id: str) -> list[tuple[str, str]]:
    """Of results that were written before ledgers had a log, too."""
    task = tables.eval_task_result.c
    query = select(task.result_id, task.result_digest).where(task.run_id == run_id)
    return sorted((row[0], row[1]) for row in connection.execute(query))


def _run_keys(target: Connection) -> set[str]:
    return set(target.execute(select(tables.eval_run.c.run_key)).scalars())


def _with_own_key(
    rows: Iterable[dict[str, Any]], taken: set[str]
) -> Iterator[dict[str, Any]]:
    """Two runs of the same inputs: the target's is the one that the same command goes on with."""
    for row in rows:
        if row["run_key"] in taken:
            row["run_key"] = f"{row['run_key']} merged {row['run_id']}"
        yield row


def _merge_prices(source: Connection, target: Connection) -> None:
    """Judge calls refer to them; the id of a price holds its content."""
    table = tables.price_snapshot
    known = set(target.execute(select(table.c.price_snapshot_id)).scalars())
    _add(
        target,
        table,
        (
            row
            for row in _rows(source, select(table))
            if row["price_snapshot_id"] not in known
        ),
    )


def _merge_traces(source: Connection, target: Connection) -> int:
    key = trace_tables.trace_run.c.trace_id
    known = set(target.execute(select(key)).scalars())
    added = 0
    for trace_id in source.execute(select(key)).scalars().all():
        if trace_id in known:
            _compare_trace(source, target, trace_id)
            continue
        for table in _OF_TRACES:
            query = select(table).where(table.c.trace_id == trace_id)
            _add(target, table, _rows(source, query))
        added += 1
    return added


def _compare_trace(source: Connection, target: Connection, trace_id: str) -> None:
    table = trace_tables.trace_step
    query = select(table).where(table.c.trace_id == trace_id).order_by(table.c.step_id)
    if list(_rows(source, query)) != list(_rows(target, query)):
        raise LedgerError(
            f"trace {trace_id} is in both ledgers with different steps; nothing was merged"
        )


def _merge_by_all(source: Connection, target: Connection, table: Table) -> int:
    known = {_spelled(row) for row in _rows(target, select(table))}
    fresh = (row for row in _rows(source, select(table)) if _spelled(row) not in known)
    return _add(target, table, fresh)


def _spelled(row: dict[str, Any]) -> str:
    return repr(sorted(row.items()))


def _merge_replies(source: Connection, target: Connection) -> int:
    """Replies of judges; of two to one question the target's stays."""
    table, added = tables.judge_cache, 0
    for rows in _pages(_rows(source, select(table))):
        keys = [row["cache_key"] for row in rows]
        query = select(table.c.cache_key).where(table.c.cache_key.in_(keys))
        known = set(target.execute(query).scalars())
        fresh = [row for row in rows if row["cache_key"] not in known]
        added += _add(target, table, fresh)
    return added


def _rows(connection: Connection, query: Select[Any]) -> Iterator[dict[str, Any]]:
    """Rows without the numbers that each ledger gives itself."""
    for row in connection.execute(query).mappings():
        yield {name: value for name, value in row.items() if name not in _LOCAL}


def _add(target: Connection, table: Table, rows: Iterable[dict[str, Any]]) -> int:
    added = 0
    for page in _pages(rows):
        target.execute(insert(table), page)
        added += len(page)
    return added


def _pages(rows: Iterable[T]) -> Iterator[Sequence[T]]:
    going = iter(rows)
    while page := list(islice(going, _ROWS)):
        yield page
