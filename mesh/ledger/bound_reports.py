"""Rows of graded results that are converted for the ledger's database by another process than the one that writes.

Converting takes longer than inserting, and one process writes for all that grade.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from sqlalchemy import Dialect

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.batch import WriteBatch, batch_of_report
from judgemesh.mesh.ledger.engines import dialect_of
from judgemesh.mesh.ledger.report_log import LogEntry
from judgemesh.mesh.ledger.report_rows import ReportRows
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import METADATA
from judgemesh.mesh.ledger.statements.binding import BoundRows, bind_rows


class BoundReports(NamedTuple):
    """The rows of graded results, by the names of their tables; see `ReportRows`.

    eval_ids, log: one for each result.
    """

    eval_ids: tuple[str, ...]
    log: tuple[LogEntry, ...]
    tables: tuple[tuple[str, BoundRows], ...]

    def batches(self, places: Sequence[int]) -> list[WriteBatch]:
        """What the ledger writes of the results at these places."""
        batch = WriteBatch(
            bound={METADATA.tables[name]: rows for name, rows in self.tables},
            replaces=self.eval_ids,
            log=self.log,
        )
        if len(places) == len(self.eval_ids):
            return [batch]
        return [batch.only(places)] if places else []


@dataclass(frozen=True, slots=True)
class Binder:
    """Binds reports for databases of one dialect."""

    dialect: Dialect

    @classmethod
    def of(cls, dialect_name: str) -> Binder | None:
        """The binder for a dialect; None where its driver is not installed in this environment."""
        try:
            return cls(dialect_of(dialect_name))
        except LedgerError:
            return None

    def bound(
        self, reports: Sequence[tuple[ReportRows, Row | None]]
    ) -> BoundReports | None:
        """The rows of results and of their contents; None where a column cannot hold a value."""
        batches = [batch_of_report(rows, content) for rows, content in reports]
        tables = batches[0].rows if batches else ()
        found: list[tuple[str, BoundRows]] = []
        try:
            for table in tables:
                rows = list(chain.from_iterable(batch.rows[table] for batch in batches))
                if rows:
                    found.append((table.name, bind_rows(table, self.dialect, rows)))
        except Exception:  # noqa: BLE001 (the process that writes these rows meets it too, and says what is wrong)
            return None
        return BoundReports(
            tuple(rows.eval_id for rows, _ in reports),
            tuple(rows.log for rows, _ in reports),
            tuple(found),
        )
