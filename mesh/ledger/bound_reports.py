"""Rows of a graded result that are converted for the ledger's database by another process than the one that writes.

Converting takes longer than inserting, and one process writes for all that grade.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Dialect

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.batch import WriteBatch, batch_of_report
from judgemesh.mesh.ledger.engines import dialect_of
from judgemesh.mesh.ledger.report_log import LogEntry
from judgemesh.mesh.ledger.report_rows import ReportRows
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import METADATA
from judgemesh.mesh.ledger.statements import BoundRows, bind_rows


class BoundReport(NamedTuple):
    """The rows of one graded result, by the names of their tables; see `ReportRows`."""

    eval_id: str
    log: LogEntry
    tables: tuple[tuple[str, BoundRows], ...]


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

    def bound(self, rows: ReportRows, content: Row | None) -> BoundReport | None:
        """The rows of a result and of its content; None where a column cannot hold a value."""
        batch = batch_of_report(rows, content)
        try:
            tables = tuple(
                (table.name, bind_rows(table, self.dialect, list(of_table)))
                for table, of_table in batch.rows.items()
                if of_table
            )
        except Exception:  # noqa: BLE001 (the process that writes these rows meets it too, and says what is wrong)
            return None
        return BoundReport(rows.eval_id, rows.log, tables)


def batch_of_bound(report: BoundReport) -> WriteBatch:
    """One graded result, whole."""
    return WriteBatch(
        bound={METADATA.tables[name]: rows for name, rows in report.tables},
        replaces=report.eval_id,
        log=report.log,
    )
