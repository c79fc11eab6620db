"""How many questions of a run went on to the stronger judge, out of the ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from judgemesh.mesh.ledger.store import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationSummary:
    """Questions of a run with a stronger judge.

    questions: how many were asked. escalated: how many the first judge left open. audited: how many were drawn for both
    judges before any answer was known; those that the first judge left open are in `escalated` too.
    """

    questions: int
    escalated: int
    audited: int

    def to_json(self) -> dict[str, int]:
        """JSON-ready."""
        return asdict(self)

    def line(self) -> str:
        """For people: `54 of 120 questions went to the stronger judge (45.0%); 40 drawn for both judges`."""
        share = f" ({self.escalated / self.questions:.1%})" if self.questions else ""
        audited = f"; {self.audited:,} drawn for both judges" if self.audited else ""
        return f"{self.escalated:,} of {self.questions:,} questions went to the stronger judge{share}{audited}"


async def escalation_of_run(
    ledger: Ledger, run_id: str, judge_settings: object
) -> EscalationSummary | None:
    """The figures of a run; None for a run without a stronger judge.

    judge_settings: the settings of the run's judge, a mapping; anything else for none.

    Raises:
        LedgerError: the ledger cannot be read.
    """
    if not isinstance(judge_settings, Mapping) or "escalate" not in judge_settings:
        return None
    return await ledger.ask(partial(_counted, run_id=run_id))


def _counted(connection: Connection, run_id: str) -> EscalationSummary:
    from sqlalchemy import func, select

    from judgemesh.contracts.opinions import Role
    from judgemesh.mesh.ledger.schema.tables import judge_opinion

    columns = judge_opinion.c
    query = (
        select(columns.role, func.count(), func.count(columns.audit_share))
        .where(columns.run_id == run_id)
        .group_by(columns.role)
    )
    rows = {role: (count, drawn) for role, count, drawn in connection.execute(query)}
    questions, audited = rows.get(Role.FINAL.value, (0, 0))
    escalated, _ = rows.get(Role.FIRST.value, (0, 0))
    return EscalationSummary(questions=questions, escalated=escalated, audited=audited)
