"""Tables of summary rows: counts and sums that a viewer shows of a ledger of any size without reading its results.

Everything here is derived from the other tables. `ledger.summaries` fills these tables in the transaction that writes
the results; a migration makes them anew. Keys are text without nulls, in the order of their bytes on both databases.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, Column, ForeignKey, Index, Table

from judgemesh.mesh.ledger.schema import fields
from judgemesh.mesh.ledger.schema.columns import TextColumn
from judgemesh.mesh.ledger.schema.tables import METADATA

_BYTEWISE: Final = TextColumn().with_variant(TextColumn(collation="C"), "postgresql")
"""PostgreSQL sorts text by the language of the database; only this order makes "begins with" a range of an index."""


def _key(name: str) -> Column[str]:
    return Column(name, _BYTEWISE, primary_key=True)


def _ordered(*names: str) -> list[Column[str]]:
    return [Column(name, _BYTEWISE, nullable=False) for name in names]


def _of_result() -> Column[str]:
    return Column(
        "eval_id",
        TextColumn,
        ForeignKey("eval_task_result.eval_id", ondelete="CASCADE"),
        primary_key=True,
    )


result_summary: Final = Table(
    "result_summary",
    METADATA,
    _of_result(),
    *_ordered("run_id", "result_id", "task_key", "day", "gate"),
    Column("contradicted", Boolean, nullable=False),
    *fields.required_flag("has_error"),
    *fields.number("outcome_score"),
    *fields.money("agent_cost"),
    *_ordered("agent_currency"),
    Index("ix_result_summary_gate", "run_id", "gate", "result_id"),
    Index("ix_result_summary_task", "run_id", "task_key", "gate", "result_id"),
)
"""A result: the gate of `v_results` when it was written. `contradicted`: the verdicts did not support the stated gate.

task_key: the first 300 characters of the task id, so that an index can hold it beside the result id.
"""

code_summary: Final = Table(
    "code_summary",
    METADATA,
    _of_result(),
    _key("code"),
    *_ordered("run_id", "result_id", "day", "gate"),
    Column("is_primary", Boolean, nullable=False),
    Index("ix_code_summary_gate", "run_id", "code", "gate", "result_id"),
)
"""A failure code of a result."""

day_summary: Final = Table(
    "day_summary",
    METADATA,
    *map(_key, ("run_id", "day", "agent_currency")),
    *fields.count("results", "passed", "failed", "undecided", "contradicted", "errors"),
    *fields.number("score_sum"),
    *fields.count("scored"),
    *fields.money("agent_cost"),
    *fields.count("agent_cost_unknown"),
)
"""The results of a run and day whose agent was paid in one currency. `score_sum` is over `scored` passed results."""

code_day_summary: Final = Table(
    "code_day_summary",
    METADATA,
    *map(_key, ("run_id", "day", "code")),
    *fields.count("results", "as_primary"),
)
"""How many failed results of a run and day have a code."""

check_summary: Final = Table(
    "check_summary",
    METADATA,
    *map(_key, ("run_id", "validator_name", "check_name")),
    *fields.count("verdicts", "passed", "failed", "abstained", "errors", "skipped"),
)
"""The verdicts of a check in a run, by kind."""

evaluator_cost_summary: Final = Table(
    "evaluator_cost_summary",
    METADATA,
    *map(_key, ("run_id", "day", "model", "validator_name", "currency")),
    *fields.count("attempts", "cache_hits", "errors"),
    *fields.money("cost"),
    *fields.count("cost_unknown"),
)
"""The judge calls of a run and day, by model, validator and currency."""

state_cost_summary: Final = Table(
    "state_cost_summary",
    METADATA,
    *map(_key, ("day", "agent_id", "skill_id", "state_type", "currency")),
    *fields.count("steps", "traces", "tokens", "latency_ms"),
    *fields.money("llm_cost", "tool_cost", "compute_cost", "cost"),
    *fields.count("cost_unknown"),
)
"""The steps of the agents' own traces of a day, by agent, skill, state and currency."""

SUMMARY_TABLES: Final[tuple[Table, ...]] = (
    result_summary,
    code_summary,
    day_summary,
    code_day_summary,
    check_summary,
    evaluator_cost_summary,
    state_cost_summary,
)
