"""Remove the texts of results, and keep what is counted: gates, scores, codes, tokens and costs.

The log of reports stays a chain: an entry with the digest of the report without its texts is appended, in the
transaction that removes them, so `doctor --verify` holds before and after. A result is purged once; its explanation
says when.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Table,
    delete,
    func,
    or_,
    select,
    tuple_,
    union,
    update,
)

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import report_to_json
from judgemesh.mesh.ledger.leases import holder_of
from judgemesh.mesh.ledger.report_digest import report_digest
from judgemesh.mesh.ledger.report_log import PURGED_TEXT, LogEntry, append
from judgemesh.mesh.ledger.reports import reports_among
from judgemesh.mesh.ledger.schema.tables import (
    eval_result_content,
    eval_state_result,
    eval_task_result,
    eval_validator_result,
    human_label,
    judge_cache,
    judge_call,
    judge_opinion,
    source_lookup,
)
from judgemesh.mesh.ledger.schema.trace_tables import trace_part, trace_step

_TASK: Final = eval_task_result.c
_REMOVED: Final = "(purged)"
_TEXTS: Final[Mapping[Table, Mapping[str, Any]]] = MappingProxyType(
    {
        eval_validator_result: {
            "diagnostic_message": _REMOVED,
            "evidence_refs": [],
            "details": {},
        },
        eval_state_result: {
            "state_object_id": _REMOVED,
            "state_object_path": None,
            "diff_summary": None,
        },
        judge_opinion: {"question": _REMOVED, "criterion": _REMOVED, "reason": None},
        judge_call: {"reason": None, "error_message": None},
        source_lookup: {
            "query": None,
            "ref": None,
            "fields": None,
            "error_message": None,
        },
    }
)
"""The columns that can hold text of an agent, a source or a judge, and what they hold afterwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeFilter:
    """Which results; a condition that is None does not restrict. before: graded earlier than this."""

    before: datetime | None = None
    task_id: str | None = None
    run_id: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """As conditions on `eval_task_result`."""
        found: list[ColumnElement[bool]] = []
        if self.before is not None:
            found.append(_TASK.created_at < self.before)
        if self.task_id is not None:
            found.append(_TASK.task_id == self.task_id)
        if self.run_id is not None:
            found.append(_TASK.run_id == self.run_id)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What was removed, counted.

    contents: kept answers. calls: judge calls whose text was removed; their rows, tokens and costs stay. replies: of
    the cache of judges and sources.
    """

    results: int = 0
    contents: int = 0
    verdicts: int = 0
    calls: int = 0
    lookups: int = 0
    traces: int = 0
    notes: int = 0
    replies: int = 0

    def __add__(self, other: Purged) -> Purged:
        """The sum of each count."""
        return Purged(
            **{
                field.name: getattr(self, field.name) + getattr(other, field.name)
                for field in fields(Purged)
            }
        )

    def to_json(self) -> dict[str, int]:
        """All counts."""
        return {field.name: getattr(self, field.name) for field in fields(Purged)}


def matching(connection: Connection, where: PurgeFilter) -> int:
    """How many results match and are not purged yet."""
    query = select(func.count()).select_from(eval_task_result)
    query = query.where(*where.conditions(), _not_purged())
    return int(connection.execute(query).scalar_one())


def refuse_held_runs(connection: Connection, where: PurgeFilter, now: datetime) -> None:
    """See to it that no process grades into a run that the filter meets.

    Raises:
        LedgerError: one does.
    """
    query = select(_TASK.run_id).where(*where.conditions()).distinct()
    for run_id in connection.execute(query).scalars().all():
        pid = holder_of(connection, run_id, now)
        if pid is not None:
            raise LedgerError(
                f"run {run_id} is being graded by process {pid}; purge it when that ends"
            )


def purge_page(
    connection: Connection, where: PurgeFilter, now: datetime, size: int
) -> Purged:
    """Remove the texts of up to `size` results that match; no result is counted at the end."""
    query = (
        select(_TASK.eval_id, _TASK.run_id, _TASK.result_id, _TASK.trace_id)
        .where(*where.conditions(), _not_purged())
        .order_by(_TASK.eval_id)
        .limit(size)
    )
    rows = connection.execute(query).all()
    if not rows:
        return Purged()
    eval_ids = [row.eval_id for row in rows]
    replies = _uncache(connection, eval_ids)
    counts = {table: _clear(connection, table, eval_ids) for table in _TEXTS}
    contents = connection.execute(
        delete(eval_result_content).where(eval_result_content.c.eval_id.in_(eval_ids))
    ).rowcount
    traces = [row.trace_id for row in rows if row.trace_id is not None]
    label = human_label.c
    notes = connection.execute(
        update(human_label)
        .where(
            tuple_(label.run_id, label.result_id).in_(
                [(row.run_id, row.result_id) for row in rows]
            ),
            label.note.is_not(None),
        )
        .values(note=None)
    ).rowcount
    connection.execute(
        update(eval_task_result)
        .where(_TASK.eval_id.in_(eval_ids))
        .values(explanation=f"{PURGED_TEXT} {now:%Y-%m-%d}.")
    )
    runs = {row.eval_id: row.run_id for row in rows}
    append(connection, _entries(connection, runs, now))
    return Purged(
        results=len(rows),
        contents=contents,
        verdicts=counts[eval_validator_result],
        calls=counts[judge_call],
        lookups=counts[source_lookup],
        traces=_clear_traces(connection, traces),
        notes=notes,
        replies=replies,
    )


def purge_cache(connection: Connection, before: datetime) -> int:
    """Remove the cached replies of judges that are older; how many."""
    query = delete(judge_cache).where(judge_cache.c.created_at < before)
    return connection.execute(query).rowcount


def _uncache(connection: Connection, eval_ids: Sequence[str]) -> int:
    """Remove what the cache keeps of the judge calls and look-ups of results; how many.

    A key is a digest that names no result. An entry has the time of the call that made it, to the microsecond; another
    result's entry of the same moment is asked for again.
    """
    times = [
        select(table.c.created_at).where(table.c.eval_id.in_(eval_ids))
        for table in (judge_call, source_lookup)
    ]
    query = delete(judge_cache).where(judge_cache.c.created_at.in_(union(*times)))
    return connection.execute(query).rowcount


def _not_purged() -> ColumnElement[bool]:
    text = _TASK.explanation
    return or_(text.is_(None), ~text.startswith(PURGED_TEXT, autoescape=True))


def _clear(connection: Connection, table: Table, eval_ids: Sequence[str]) -> int:
    query = update(table).where(table.c.eval_id.in_(eval_ids))
    return connection.execute(query.values(**_TEXTS[table])).rowcount


def _clear_traces(connection: Connection, trace_ids: Sequence[str]) -> int:
    """What traces were put together from, and the fields of their steps; tokens and costs stay."""
    if not trace_ids:
        return 0
    ours = trace_step.c.trace_id.in_(trace_ids)
    count = select(func.count(trace_step.c.trace_id.distinct())).where(ours)
    found = int(connection.execute(count).scalar_one())
    connection.execute(update(trace_step).where(ours).values(state_fields=None))
    connection.execute(delete(trace_part).where(trace_part.c.trace_id.in_(trace_ids)))
    return found


def _entries(
    connection: Connection, runs: Mapping[str, str], now: datetime
) -> list[LogEntry]:
    """Entries of the log for the reports as they are now. A report that cannot be read gets none: it stays a fault."""
    entries: list[LogEntry] = []
    for eval_id, report in reports_among(connection, list(runs)).items():
        if not isinstance(report, LedgerError):
            digest = report_digest(report_to_json(report))
            entries.append(LogEntry(runs[eval_id], eval_id, digest, now))
    return entries
