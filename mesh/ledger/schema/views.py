"""SQL views for dashboards: plain tables of failures and costs for programs that only speak SQL.

A view stores nothing and rests on the tables alone. The views are made anew whenever a ledger is made or migrated, so
that their text is written once and not in the migrations. The SQL is the same on SQLite and PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection, text

_RESULTS: Final = """
SELECT stated.eval_id, stated.run_id, stated.result_id, stated.task_id, stated.agent_id, stated.skill_id,
       stated.eval_contract_version, stated.created_at, DATE(stated.created_at) AS day,
       CASE
         WHEN stated.gate = 'pass' AND EXISTS (
                SELECT 1 FROM eval_validator_result AS own
                WHERE own.eval_id = stated.eval_id AND own.gating AND own.kind = 'pass'
              ) AND NOT EXISTS (
                SELECT 1 FROM eval_validator_result AS own
                WHERE own.eval_id = stated.eval_id AND own.gating AND own.kind <> 'pass'
                  AND NOT (own.kind = 'skipped' AND COALESCE(own.reason, '') = 'gate_already_decided')
              ) THEN 'pass'
         WHEN stated.gate = 'fail' AND (
                EXISTS (
                  SELECT 1 FROM eval_validator_result AS own
                  WHERE own.eval_id = stated.eval_id AND own.gating AND own.kind = 'fail'
                ) OR EXISTS (
                  SELECT 1 FROM eval_failure_code AS low
                  WHERE low.eval_id = stated.eval_id AND SUBSTR(low.code, 1, 4) = 'LOW_'
                )
              ) THEN 'fail'
         ELSE 'undecided'
       END AS gate,
       stated.gate AS stated_gate, stated.primary_failure_reason_code, stated.outcome_score,
       CASE WHEN stated.has_error THEN 1 ELSE 0 END AS has_error,
       stated.agent_cost, stated.agent_currency, stated.agent_latency_ms
FROM eval_task_result AS stated
"""

_GATE_COUNTS: Final = """
       COUNT(*) AS results,
       SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN gate = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN gate = 'undecided' THEN 1 ELSE 0 END) AS undecided,
       AVG(CASE WHEN gate = 'pass' THEN 1.0 ELSE 0.0 END) AS success_rate,
       AVG(CASE WHEN gate = 'fail' THEN 0.0 ELSE 1.0 END) AS success_rate_if_undecided_passed
"""

_FAILURES: Final = """
SELECT result.run_id, result.day, result.created_at, result.result_id, result.task_id, result.agent_id,
       result.skill_id, result.gate, found.code,
       CASE WHEN found.code = result.primary_failure_reason_code THEN 1 ELSE 0 END AS is_primary
FROM v_results AS result
JOIN eval_failure_code AS found ON found.eval_id = result.eval_id
WHERE result.gate = 'fail'
"""

_CHECKS: Final = """
SELECT task.run_id, own.validator_name, own.check_name, COUNT(*) AS verdicts,
       SUM(CASE WHEN own.kind = 'pass' THEN 1 ELSE 0 END) AS passed,
       SUM(CASE WHEN own.kind = 'fail' THEN 1 ELSE 0 END) AS failed,
       SUM(CASE WHEN own.kind = 'abstain' THEN 1 ELSE 0 END) AS abstained,
       SUM(CASE WHEN own.kind = 'error' THEN 1 ELSE 0 END) AS errors,
       SUM(CASE WHEN own.kind = 'skipped' THEN 1 ELSE 0 END) AS skipped,
       SUM(CASE WHEN own.gating THEN 1 ELSE 0 END) AS gating
FROM eval_validator_result AS own
JOIN eval_task_result AS task ON task.eval_id = own.eval_id
GROUP BY task.run_id, own.validator_name, own.check_name
"""

_AGENT_COST: Final = """
SELECT run_id,
       MIN(agent_currency) AS currency, COUNT(DISTINCT agent_currency) AS currencies,
       COUNT(*) AS results, SUM(CASE WHEN agent_cost IS NULL THEN 1 ELSE 0 END) AS cost_unknown,
       SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END) AS passed,
       CASE WHEN COUNT(DISTINCT agent_currency) = 1 THEN SUM(agent_cost) END AS cost,
       CASE WHEN COUNT(DISTINCT agent_currency) = 1 AND COUNT(agent_cost) = COUNT(*)
            THEN SUM(agent_cost) / NULLIF(SUM(CASE WHEN gate = 'pass' THEN 1 ELSE 0 END), 0)
       END AS cost_per_success
FROM v_results
GROUP BY run_id
"""

_COST_BY_STATE: Final = """
SELECT DATE(COALESCE(run.start_time, run.created_at)) AS day, run.agent_id, run.skill_id, step.state_type,
       step.currency, COUNT(*) AS steps, COUNT(DISTINCT step.trace_id) AS traces,
       SUM(step.total_tokens) AS tokens, SUM(step.latency_ms) AS latency_ms,
       SUM(step.llm_cost) AS llm_cost, SUM(step.tool_cost) AS tool_cost, SUM(step.compute_cost) AS compute_cost,
       SUM(step.state_cost) AS cost,
       SUM(CASE WHEN step.state_cost IS NULL AND COALESCE(step.cost_status, '') <> 'none' THEN 1 ELSE 0 END)
         AS cost_unknown
FROM trace_step AS step
JOIN trace_run AS run ON run.trace_id = step.trace_id
GROUP BY DATE(COALESCE(run.start_time, run.created_at)), run.agent_id, run.skill_id, step.state_type, step.currency
"""

_EVALUATOR_COST: Final = """
SELECT run_id, DATE(created_at) AS day, model_requested AS model, validator_name, currency,
       COUNT(*) AS attempts,
       SUM(CASE WHEN cache_hit THEN 1 ELSE 0 END) AS cache_hits,
       SUM(CASE WHEN error_type IS NULL THEN 0 ELSE 1 END) AS errors,
       SUM(cost) AS cost, SUM(CASE WHEN cost IS NULL THEN 1 ELSE 0 END) AS cost_unknown
FROM judge_call
GROUP BY run_id, DATE(created_at), model_requested, validator_name, currency
"""

VIEWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "v_results": _RESULTS,
        "v_runs": f"SELECT run_id, MIN(day) AS first_day, {_GATE_COUNTS} FROM v_results GROUP BY run_id",  # noqa: S608 (text of our own)
        "v_gate_by_day": f"SELECT run_id, day, {_GATE_COUNTS} FROM v_results GROUP BY run_id, day",  # noqa: S608 (text of our own)
        "v_failures": _FAILURES,
        "v_failures_by_day": """
SELECT run_id, day, code, COUNT(*) AS results, SUM(is_primary) AS as_primary
FROM v_failures
GROUP BY run_id, day, code
""",
        "v_checks": _CHECKS,
        "v_agent_cost": _AGENT_COST,
        "v_cost_by_state": _COST_BY_STATE,
        "v_evaluator_cost": _EVALUATOR_COST,
    }
)
"""The query of each view, in an order in which a view stands after those that it reads."""


CREATE_VIEWS: Final = tuple(
    f"CREATE VIEW {name} AS {query}" for name, query in VIEWS.items()
)


def make_views(connection: Connection) -> None:
    """Make every view, in place of an older one of its name.

    On PostgreSQL a view of one's own may rest on these: they are replaced and not dropped.
    """
    if connection.dialect.name == "postgresql":
        for name, query in VIEWS.items():
            connection.execute(text(f"CREATE OR REPLACE VIEW {name} AS {query}"))
        return
    for name in reversed(tuple(VIEWS)):
        connection.execute(text(f"DROP VIEW IF EXISTS {name}"))
    for statement in CREATE_VIEWS:
        connection.exec_driver_sql(statement)
