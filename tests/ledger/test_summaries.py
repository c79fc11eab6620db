"""Summary rows equal what the views count, whatever was written, written again or migrated."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import anyio
import pytest
from sqlalchemy import Connection, text

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.tracing import Costs, CostStatus, StateType, Step, Trace
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.schema.migrations import migrate
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.tracing.bill.builder import bill_of

from .older import make_older

pytestmark = pytest.mark.anyio

MakeReport = Callable[..., Report]

_PAIRS = {
    "day_summary": (
        """SELECT run_id, CAST(day AS TEXT), COALESCE(agent_currency, ''), COUNT(*),
            SUM(CASE gate WHEN 'pass' THEN 1 ELSE 0 END), SUM(CASE gate WHEN 'fail' THEN 1 ELSE 0 END),
            SUM(CASE gate WHEN 'undecided' THEN 1 ELSE 0 END), SUM(CASE WHEN gate <> stated_gate THEN 1 ELSE 0 END),
            SUM(has_error), COALESCE(SUM(agent_cost), 0), SUM(CASE WHEN agent_cost IS NULL THEN 1 ELSE 0 END)
            FROM v_results GROUP BY run_id, day, COALESCE(agent_currency, '')""",
        """SELECT run_id, day, agent_currency, results, passed, failed, undecided, contradicted, errors, agent_cost,
           agent_cost_unknown FROM day_summary WHERE results <> 0""",
    ),
    "code_day_summary": (
        "SELECT run_id, CAST(day AS TEXT), code, results, as_primary FROM v_failures_by_day",
        "SELECT run_id, day, code, results, as_primary FROM code_day_summary WHERE results <> 0",
    ),
    "check_summary": (
        "SELECT run_id, validator_name, check_name, verdicts, passed, failed, abstained, errors, skipped FROM v_checks",
        """SELECT run_id, validator_name, check_name, verdicts, passed, failed, abstained, errors, skipped
           FROM check_summary WHERE verdicts <> 0""",
    ),
    "evaluator_cost_summary": (
        """SELECT run_id, CAST(day AS TEXT), model, validator_name, COALESCE(currency, ''), attempts, cache_hits, errors,
            COALESCE(cost, 0), cost_unknown FROM v_evaluator_cost""",
        """SELECT run_id, day, model, validator_name, currency, attempts, cache_hits, errors, cost, cost_unknown
           FROM evaluator_cost_summary""",
    ),
    "state_cost_summary": (
        """SELECT CAST(day AS TEXT), COALESCE(agent_id, ''), COALESCE(skill_id, ''), state_type, COALESCE(currency, ''), steps,
            traces, COALESCE(tokens, 0), COALESCE(cost, 0), cost_unknown FROM v_cost_by_state""",
        """SELECT day, agent_id, skill_id, state_type, currency, steps, traces, tokens, cost, cost_unknown
           FROM state_cost_summary WHERE steps <> 0""",
    ),
    "result_summary": (
        "SELECT eval_id, run_id, result_id, task_id, CAST(day AS TEXT), gate FROM v_results",
        "SELECT eval_id, run_id, result_id, task_key, day, gate FROM result_summary",
    ),
    "code_summary": (
        "SELECT eval_id, code FROM eval_failure_code",
        "SELECT eval_id, code FROM code_summary",
    ),
}
"""Of each summary table: the rows by a view or table of the source, and its own."""


def _rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    rows = [
        tuple(round(float(each), 9) if _is_number(each) else each for each in row)
        for row in connection.execute(text(query))
    ]
    return sorted(rows)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal)


def _check_against_views(connection: Connection) -> dict[str, int]:
    """Compare every table; how many rows each has."""
    sizes: dict[str, int] = {}
    for name, (source, summary) in _PAIRS.items():
        expected = _rows(connection, source)
        assert _rows(connection, summary) == expected, name
        sizes[name] = len(expected)
    return sizes


def _random_report(make_report: MakeReport, chance: random.Random) -> Report:
    gate = chance.choice(list(Gate))
    report = make_report(f"r{chance.randrange(12)}", gate, score=chance.uniform(0, 10))
    cost = None
    if chance.random() < 0.7:
        cost = Money(Decimal(chance.randrange(1, 9)) / 8, chance.choice(["USD", "EUR"]))
    report = replace(report, agent_cost=cost)
    if chance.random() < 0.2:
        # The verdicts say something else than the gate.
        return replace(report, gate=Gate.PASS)
    return report


def _trace(trace_id: str, chance: random.Random) -> Trace:
    steps: list[Step] = []
    for at in range(chance.randrange(1, 5)):
        known = chance.random() < 0.8
        money = Money(Decimal("0.25"))
        steps.append(
            Step(
                trace_id=trace_id,
                step_id=at,
                state_type=chance.choice([StateType.THINK, StateType.API_CALL]),
                costs=Costs(tool=money, state=money) if known else Costs(),
                cost_status=CostStatus.REPORTED if known else CostStatus.UNKNOWN,
            )
        )
    return Trace(trace_id=trace_id, steps=tuple(steps), agent_id="a")


async def _write_at_random(
    ledger: Ledger,
    make_report: MakeReport,
    make_attempt: Callable[..., JudgeAttempt],
    now: datetime,
) -> None:
    chance = random.Random(5)  # noqa: S311 (a sample, not a secret)
    await ledger.begin_run(RunRecord(run_id="other", run_key="other", created_at=now))

    async def record(attempt: JudgeAttempt) -> None:
        await ledger.write_attempt("run", "r", attempt)

    for _ in range(8):
        async with anyio.create_task_group() as group:
            # At once, so that several results, some of them the same, share a transaction.
            for _ in range(6):
                write = partial(
                    ledger.write_report,
                    chance.choice(["run", "other"]),
                    _random_report(make_report, chance),
                    result_digest="d",
                    input_index=0,
                    created_at=now + timedelta(days=chance.randrange(3)),
                )
                group.start_soon(write)
            for at in range(3):
                attempt = make_attempt(
                    chance.choice(["0.25", None]),
                    attempt=at,
                    cache_hit=chance.random() < 0.3,
                )
                group.start_soon(record, attempt)
            trace = _trace(f"t{chance.randrange(3)}", chance)
            keep = partial(ledger.write_trace, trace, bill_of(trace).totals)
            group.start_soon(partial(keep, created_at=now))


async def test_summaries_equal_the_views_after_any_writes(
    ledger: Ledger,
    make_report: MakeReport,
    make_attempt: Callable[..., JudgeAttempt],
    now: datetime,
) -> None:
    await _write_at_random(ledger, make_report, make_attempt, now)

    sizes = await ledger.ask(_check_against_views)
    assert all(sizes.values()), sizes


async def test_an_older_ledger_gets_summaries_of_what_it_holds(
    ledger: Ledger,
    place: str,
    make_report: MakeReport,
    make_attempt: Callable[..., JudgeAttempt],
    now: datetime,
) -> None:
    await _write_at_random(ledger, make_report, make_attempt, now)
    await ledger.aclose()
    engine = writing_engine(parse_address(place), 5)
    with engine.begin() as connection:
        make_older(connection, 7)
    with engine.begin() as connection:
        migrate(connection)
    with engine.begin() as connection:
        assert all(_check_against_views(connection).values())
    engine.dispose()


async def test_a_gate_that_was_changed_by_hand_stays_counted_as_it_was_written(
    ledger: Ledger, place: str, make_report: MakeReport, now: datetime
) -> None:
    report = make_report("r", Gate.FAIL)
    await ledger.write_report(
        "run", report, result_digest="d", input_index=0, created_at=now
    )
    engine = writing_engine(parse_address(place), 5)
    with engine.begin() as connection:
        connection.execute(text("UPDATE eval_task_result SET gate = 'pass'"))
    engine.dispose()
    # Written again it leaves the count of failures, where it was put, and not that of passes, where it never was.
    await ledger.write_report(
        "run",
        make_report("r", Gate.PASS),
        result_digest="d",
        input_index=0,
        created_at=now,
    )

    query = "SELECT passed, failed, undecided FROM day_summary"
    assert await ledger.ask(partial(_rows, query=query)) == [(1, 0, 0)]
