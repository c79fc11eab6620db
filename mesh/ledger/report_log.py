"""The log of reports: for each run a chain of entries, one for every report that was written, none of which is changed.

An entry holds the digest of its report and of the entry before it. A report that was altered or deleted since, an entry
that is missing and an entry that was changed are found by `verify`. What the chain cannot show is that its last entries
are missing together with their reports: keep the head of a finished run where that matters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from judgemesh.mesh.ledger.encoding import storable
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import report_log
from judgemesh.mesh.ledger.statements.among import rows_among
from judgemesh.mesh.ledger.statements.inserts import insert_rows

START: Final = "0" * 64
"""What stands in the first entry of a chain for the entry before it."""
PURGED: Final = ""
"""In place of the digest of a report: the report was deleted on purpose."""
PURGED_TEXT: Final = "Its texts were purged on"
"""How the explanation of a report begins whose texts were removed on purpose; see `maintenance.purge`."""
_LOG: Final = report_log.c


class LogEntry(NamedTuple):
    """An entry without its place in the chain: which report of which run, and its digest."""

    run_id: str
    eval_id: str
    digest: str
    created_at: datetime


def entry_digest(previous: str, seq: int, eval_id: str, digest: str) -> str:
    """SHA-256, in hexadecimal, of an entry; `previous` is that of the entry before it. Lines cannot run together."""
    text = f"{previous}\n{seq}\n{digest}\n{storable(eval_id, nul=False)}"
    return hashlib.sha256(text.encode()).hexdigest()


def append(connection: Connection, entries: Sequence[LogEntry]) -> None:
    """Append entries to the chains of their runs, in the transaction that writes their reports."""
    by_run: dict[str, list[LogEntry]] = {}
    for entry in entries:
        by_run.setdefault(entry.run_id, []).append(entry)
    for run_id, of_run in sorted(by_run.items()):
        seq, previous = _head(connection, run_id)
        insert_rows(connection, report_log, list(_linked(of_run, seq, previous)))


_HEAD: Final = "SELECT seq, entry_digest FROM report_log WHERE run_id {which} ORDER BY seq DESC LIMIT 1"


def _head(connection: Connection, run_id: str) -> tuple[int, str]:
    """Number and digest of the last entry of a run."""
    for seq, digest in rows_among(connection, _HEAD, [run_id]):
        return seq, digest
    return 0, START


def _linked(entries: Iterable[LogEntry], seq: int, previous: str) -> Iterator[Row]:
    for entry in entries:
        seq += 1
        digest = entry_digest(previous, seq, entry.eval_id, entry.digest)
        yield {
            "run_id": entry.run_id,
            "seq": seq,
            "eval_id": entry.eval_id,
            "report_digest": entry.digest,
            "previous_digest": previous,
            "entry_digest": digest,
            "created_at": entry.created_at,
        }
        previous = digest


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEntry:
    """An entry as the ledger holds it; its fields are the columns of `report_log`."""

    seq: int
    eval_id: str
    report_digest: str
    previous_digest: str
    entry_digest: str


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some entries of a run in order, and the number of the last of them; None at the end."""

    entries: Sequence[StoredEntry]
    after: int | None


def log_page(connection: Connection, run_id: str, after: int, size: int) -> LogPage:
    """Up to `size` entries of a run whose number is above `after`."""
    query = (
        select(*(_LOG[field.name] for field in fields(StoredEntry)))
        .where(_LOG.run_id == run_id, _LOG.seq > after)
        .order_by(_LOG.seq)
        .limit(size)
    )
    rows = connection.execute(query).mappings()
    entries = [StoredEntry(**row) for row in rows]
    return LogPage(entries, entries[-1].seq if len(entries) == size else None)
