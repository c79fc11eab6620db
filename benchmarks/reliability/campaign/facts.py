"""What a ledger holds, read through its own SQL, and what a report claims."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from sqlalchemy import create_engine, inspect, text


@dataclass(frozen=True, kw_only=True)
class Facts:
    """gates: of the run that was started last. attempts and cost: of every run in the ledger.

    unknown: attempts whose cost is unknown; `unpriced` of them have an answer. failed: attempts without an answer.
    faults: what SQLite finds wrong.
    """

    run_id: str = ""
    gates: dict[str, str] = field(default_factory=dict[str, str])
    attempts: int = 0
    cost: Decimal = Decimal(0)
    unknown: int = 0
    unpriced: int = 0
    failed: int = 0
    faults: tuple[str, ...] = ()


def facts_of(url: str) -> Facts:
    """Read a ledger; one without tables holds nothing."""
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            if not inspect(connection).has_table("judge_call"):
                return Facts()
            run_id = connection.execute(
                text(
                    "SELECT run_id FROM eval_run ORDER BY last_started_at DESC LIMIT 1"
                )
            ).scalar()
            gates = connection.execute(
                text(
                    "SELECT result_id, gate FROM eval_task_result WHERE run_id = :run"
                ),
                {"run": run_id},
            )
            calls = connection.execute(
                text("SELECT cost, status FROM judge_call WHERE NOT cache_hit")
            ).all()
            faults: list[Any] = []
            if engine.dialect.name == "sqlite":
                check = connection.exec_driver_sql("PRAGMA integrity_check").scalars()
                faults += [line for line in check if line != "ok"]
                faults += connection.exec_driver_sql("PRAGMA foreign_key_check").all()
            return Facts(
                run_id=run_id or "",
                gates={row.result_id: row.gate for row in gates},
                attempts=len(calls),
                cost=sum((_amount(row.cost) for row in calls), Decimal(0)),
                unknown=sum(row.cost is None for row in calls),
                unpriced=sum(row.cost is None and row.status == "ok" for row in calls),
                failed=sum(row.status != "ok" for row in calls),
                faults=tuple(str(each) for each in faults),
            )
    finally:
        engine.dispose()


def _amount(stored: object) -> Decimal:
    return Decimal(0) if stored is None else Decimal(str(stored))
