"""Keep the summary rows in step with what is written, inside the transaction that writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Final

from sqlalchemy import Connection, text

from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.summary_queries import (
    COUNTER_OF_TRACES,
    COUNTERS_OF_RESULTS,
    NAME_CHARS,
    OF_RESULTS,
    Counter,
    Rows,
)
from judgemesh.mesh.ledger.schema.summary_tables import evaluator_cost_summary
from judgemesh.mesh.ledger.statements.among import change_among, rows_among
from judgemesh.mesh.ledger.statements.inserts import insert_rows

_IDS_AT_ONCE: Final = 512
_POSTGRESQL_LOCK: Final = 0x6A75_6473
"""Key of the advisory lock of writers that count: what one of them subtracts, no other replaces at that moment."""
_FOUND: Final = "SELECT eval_id FROM eval_task_result WHERE eval_id {which}"


def lock(connection: Connection) -> None:
    """Let writers that count take turns until this transaction ends; SQLite has one writer anyway."""
    if connection.dialect.name == "postgresql":
        key = {"key": _POSTGRESQL_LOCK}
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), key)


def subtract_results(connection: Connection, eval_ids: Sequence[str]) -> list[str]:
    """Take results that are about to be deleted out of the counters; their own rows go with them.

    Returns those of the results that the ledger holds.
    """
    held: list[str] = []
    for ids in _chunks(eval_ids):
        known = [eval_id for (eval_id,) in rows_among(connection, _FOUND, ids)]
        if known:
            _count(connection, known, "-")
            held += known
    return held


def add_results(connection: Connection, eval_ids: Sequence[str]) -> None:
    """Make the rows of results that were written, and count them."""
    for ids in _chunks(eval_ids):
        for rows in OF_RESULTS:
            change_among(connection, _making(rows), ids)
        _count(connection, ids)


def _count(connection: Connection, eval_ids: Sequence[str], sign: str = "") -> None:
    for counter in COUNTERS_OF_RESULTS:
        change_among(connection, _adding(counter, "eval_id", sign), eval_ids)


def count_traces(
    connection: Connection, trace_ids: Sequence[str], sign: str = ""
) -> None:
    """Count the steps of traces; with the sign `-` subtract those that are about to be deleted."""
    query = _adding(COUNTER_OF_TRACES, "trace_id", sign)
    for ids in _chunks(trace_ids):
        change_among(connection, query, ids)


@cache
def _making(rows: Rows) -> str:
    return rows.insert("eval_id {which}")


@cache
def _adding(counter: Counter, column: str, sign: str) -> str:
    return counter.add(f"{column} {{which}}", sign)


def add_calls(connection: Connection, calls: Iterable[Row]) -> None:
    """Count judge calls as `v_evaluator_cost` does."""
    counts: dict[tuple[object, ...], Row] = {}
    for call in calls:
        moment: datetime = call["created_at"]
        day = (moment if moment.tzinfo is UTC else moment.astimezone(UTC)).date()
        names = call["model_requested"], call["validator_name"], call["currency"]
        key = (call["run_id"], day, *names)
        count = counts.get(key)
        if count is None:
            count = counts[key] = {**_call_key(call["run_id"], day, *names), **_NONE}
        count["attempts"] += 1
        count["cache_hits"] += call["cache_hit"]
        count["errors"] += call["error_type"] is not None
        if call["cost"] is None:
            count["cost_unknown"] += 1
        else:
            count["cost"] += call["cost"]
    if counts:
        insert_rows(connection, evaluator_cost_summary, list(counts.values()))


_NONE: Final[dict[str, int | Decimal]] = {
    "attempts": 0,
    "cache_hits": 0,
    "errors": 0,
    "cost": Decimal(0),
    "cost_unknown": 0,
}


def _call_key(
    run_id: str, day: date, model: str, validator_name: str, currency: str | None
) -> Row:
    """Of the counts of a day. Names that are cut may be those of other counts, which the database adds."""
    return {
        "run_id": run_id,
        "day": day.isoformat(),
        "model": model[:NAME_CHARS],
        "validator_name": validator_name[:NAME_CHARS],
        "currency": (currency or "")[:NAME_CHARS],
    }


def _chunks(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _IDS_AT_ONCE):
        yield ids[start : start + _IDS_AT_ONCE]
