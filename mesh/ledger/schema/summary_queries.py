"""How the summary rows are made of the other tables: one SQL statement a table, the same on SQLite and PostgreSQL.

A counter holds the sum of what its statement finds. Results that go away are subtracted and new ones are added by the
same statement, with another sign.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, Table, text

from judgemesh.mesh.ledger.schema.summary_tables import (
    SUMMARY_TABLES,
    check_summary,
    code_day_summary,
    code_summary,
    day_summary,
    evaluator_cost_summary,
    result_summary,
    state_cost_summary,
)

EVERY: Final = "1 = 1"
"""The condition that restricts nothing."""

TASK_KEY_CHARS: Final = 300
NAME_CHARS: Final = 200
"""Names of any length are part of a key; an index of PostgreSQL holds less than 2,700 bytes a row."""


def _name(column: str, alias: str) -> str:
    return f"SUBSTR(COALESCE({column}, ''), 1, {NAME_CHARS}) AS {alias}"


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of their own for each result, deleted with it.

    query: selects them; `{which}` stands for a condition on `eval_id`.
    """

    table: Table
    query: str

    def insert(self, which: str) -> str:
        """The statement that makes the rows of the results that meet `which`."""
        names = ", ".join(self.table.columns.keys())
        return (
            f"INSERT INTO {self.table.name} ({names}) {self.query.format(which=which)}"
        )


@dataclass(frozen=True, slots=True)
class Counter:
    """Sums by key.

    query: selects keys and what is summed, grouped; `{which}` stands for a condition, `{sign}` for plus or minus.
    """

    table: Table
    query: str

    def add(self, which: str, sign: str = "") -> str:
        """The statement that adds, or with the sign `-` subtracts, what meets `which`."""
        keys = self.table.primary_key.columns.keys()
        names = self.table.columns.keys()
        sums = [
            f"{name} = {self.table.name}.{name} + excluded.{name}"
            for name in names
            if name not in keys
        ]
        counts = [name if name in keys else f"{sign}{name} AS {name}" for name in names]
        return (
            f"INSERT INTO {self.table.name} ({', '.join(names)})"  # noqa: S608 (text of our own)
            f" SELECT {', '.join(counts)} FROM ({self.query.format(which=which)}) AS found WHERE {EVERY}"
            f" ON CONFLICT ({', '.join(keys)}) DO UPDATE SET {', '.join(sums)}"
        )


_RESULTS: Final = f"""
SELECT eval_id, run_id, result_id, SUBSTR(task_id, 1, {TASK_KEY_CHARS}) AS task_key,
       COALESCE(CAST(day AS TEXT), '') AS day, gate, gate <> stated_gate AS contradicted, has_error = 1 AS has_error,
       outcome_score, agent_cost, COALESCE(agent_currency, '') AS agent_currency
FROM v_results
WHERE {{which}}
"""  # noqa: S608 (text of our own)

_CODES: Final = """
SELECT own.eval_id, found.code, own.run_id, own.result_id, own.day, own.gate,
       COALESCE(found.code = task.primary_failure_reason_code, 1 = 0) AS is_primary
FROM (SELECT * FROM result_summary WHERE {which}) AS own
JOIN eval_failure_code AS found ON found.eval_id = own.eval_id
JOIN eval_task_result AS task ON task.eval_id = own.eval_id
"""

_BY_DAY: Final = """
SELECT run_id, day, agent_currency, COUNT(*) AS results,
       SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN gate = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN gate = 'undecided' THEN 1 ELSE 0 END) AS undecided,
       SUM(CASE WHEN contradicted THEN 1 ELSE 0 END) AS contradicted,
       SUM(CASE WHEN has_error THEN 1 ELSE 0 END) AS errors,
       COALESCE(SUM(CASE WHEN gate = 'pass' THEN outcome_score END), 0) AS score_sum,
       SUM(CASE WHEN gate = 'pass' AND outcome_score IS NOT NULL THEN 1 ELSE 0 END) AS scored,
       COALESCE(SUM(agent_cost), 0) AS agent_cost,
       SUM(CASE WHEN agent_cost IS NULL THEN 1 ELSE 0 END) AS agent_cost_unknown
FROM result_summary
WHERE {which}
GROUP BY run_id, day, agent_currency
"""

_CODES_BY_DAY: Final = """
SELECT run_id, day, code, COUNT(*) AS results, SUM(CASE WHEN is_primary THEN 1 ELSE 0 END) AS as_primary
FROM code_summary
WHERE gate = 'fail' AND {which}
GROUP BY run_id, day, code
"""

_CHECKS: Final = f"""
SELECT own.run_id, {_name("validator_name", "validator_name")}, {_name("check_name", "check_name")},
       COUNT(*) AS verdicts,
       SUM(CASE WHEN kind = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN kind = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN kind = 'abstain' THEN 1 ELSE 0 END) AS abstained,
       SUM(CASE WHEN kind = 'error' THEN 1 ELSE 0 END) AS errors,
       SUM(CASE WHEN kind = 'skipped' THEN 1 ELSE 0 END) AS skipped
FROM (SELECT eval_id, run_id FROM result_summary WHERE {{which}}) AS own
JOIN eval_validator_result AS verdict ON verdict.eval_id = own.eval_id
GROUP BY 1, 2, 3
"""  # noqa: S608 (text of our own)

_EVALUATOR_COST: Final = f"""
SELECT run_id, COALESCE(CAST(day AS TEXT), '') AS day, {_name("model", "model")},
       {_name("validator_name", "validator_name")}, {_name("currency", "currency")},
       SUM(attempts) AS attempts, SUM(cache_hits) AS cache_hits, SUM(errors) AS errors,
       COALESCE(SUM(cost), 0) AS cost, SUM(cost_unknown) AS cost_unknown
FROM v_evaluator_cost
WHERE {{which}}
GROUP BY 1, 2, 3, 4, 5
"""  # noqa: S608 (text of our own)

_STATE_COST: Final = f"""
SELECT COALESCE(CAST(DATE(COALESCE(run.start_time, run.created_at)) AS TEXT), '') AS day,
       {_name("run.agent_id", "agent_id")}, {_name("run.skill_id", "skill_id")},
       {_name("step.state_type", "state_type")}, {_name("step.currency", "currency")},
       COUNT(*) AS steps, COUNT(DISTINCT step.trace_id) AS traces,
       COALESCE(SUM(step.total_tokens), 0) AS tokens, COALESCE(SUM(step.latency_ms), 0) AS latency_ms,
       COALESCE(SUM(step.llm_cost), 0) AS llm_cost, COALESCE(SUM(step.tool_cost), 0) AS tool_cost,
       COALESCE(SUM(step.compute_cost), 0) AS compute_cost, COALESCE(SUM(step.state_cost), 0) AS cost,
       SUM(CASE WHEN step.state_cost IS NULL AND COALESCE(step.cost_status, '') <> 'none' THEN 1 ELSE 0 END)
         AS cost_unknown
FROM (SELECT * FROM trace_run WHERE {{which}}) AS run
JOIN trace_step AS step ON step.trace_id = run.trace_id
GROUP BY 1, 2, 3, 4, 5
"""  # noqa: S608 (text of our own)

OF_RESULTS: Final = (Rows(result_summary, _RESULTS), Rows(code_summary, _CODES))
"""In the order in which one reads the other."""
COUNTERS_OF_RESULTS: Final = (
    Counter(day_summary, _BY_DAY),
    Counter(code_day_summary, _CODES_BY_DAY),
    Counter(check_summary, _CHECKS),
)
COUNTER_OF_CALLS: Final = Counter(evaluator_cost_summary, _EVALUATOR_COST)
COUNTER_OF_TRACES: Final = Counter(state_cost_summary, _STATE_COST)


def make_summaries(connection: Connection) -> None:
    """Make the summary tables anew, filled from what the ledger holds. Needs the views."""
    for table in reversed(SUMMARY_TABLES):
        table.drop(connection, checkfirst=True)
    for table in SUMMARY_TABLES:
        table.create(connection)
    for rows in OF_RESULTS:
        connection.execute(text(rows.insert(EVERY)))
    for counter in (*COUNTERS_OF_RESULTS, COUNTER_OF_CALLS, COUNTER_OF_TRACES):
        connection.execute(text(counter.add(EVERY)))
