"""The rows of a list of results: each from its whole report, so that a changed or damaged one never shows as passed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import Gate
from judgemesh.mesh.analysis.results.rows import CodeLabel, ResultRow, row_of
from judgemesh.mesh.ledger.reports import reports_among


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """A result of a list. result: None where the ledger's row is damaged; `reason` then says what is wrong with it."""

    result_id: str
    gate: Gate
    reason: str
    result: ResultRow | None = None

    @property
    def primary(self) -> CodeLabel | None:
        """The primary failure code."""
        return None if self.result is None else self.result.primary


def shown_rows(
    connection: Connection, ids: Sequence[tuple[str, str]]
) -> list[ShownRow]:
    """The rows of these results (eval id, result id), in this order."""
    reports = reports_among(connection, [eval_id for eval_id, _ in ids])
    rows: list[ShownRow] = []
    for eval_id, result_id in ids:
        report = reports.get(eval_id)
        if report is None:
            continue  # replaced since the list was read
        if isinstance(report, LedgerError):
            rows.append(
                ShownRow(
                    result_id=result_id,
                    gate=Gate.UNDECIDED,
                    reason=f"the ledger {report}",
                )
            )
            continue
        row = row_of(report)
        rows.append(
            ShownRow(result_id=result_id, gate=row.gate, reason=row.reason, result=row)
        )
    return rows
