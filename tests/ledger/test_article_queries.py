"""The questions of the evaluation article, asked in plain SQL of a ledger that the library wrote."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime

import pytest

from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.report import Gate, Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Abstain, Fail, Skipped, Verdict
from judgemesh.mesh.ledger.store import Ledger

# Plain SQL without the library is asked of the file.
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("place", ["sqlite"], indirect=True),
]

MakeReport = Callable[..., Report]


@contextmanager
def plain(ledger: Ledger) -> Generator[sqlite3.Connection]:
    connection = sqlite3.connect(ledger.url)
    try:
        with connection:
            yield connection
    finally:
        connection.close()


@pytest.fixture
async def graded(ledger: Ledger, make_report: MakeReport, now: datetime) -> Ledger:
    for index, (gate, score) in enumerate(
        [
            (Gate.PASS, 9.0),
            (Gate.PASS, 6.0),
            (Gate.FAIL, 3.0),
            (Gate.FAIL, 2.0),
            (Gate.UNDECIDED, 9.5),
        ]
    ):
        report = make_report(f"r{index}", gate, score=score)
        await ledger.write_report(
            "run", report, result_digest="d", input_index=index, created_at=now
        )
    return ledger


async def test_task_success_rate_and_average_outcome_score(graded: Ledger) -> None:
    with plain(graded) as connection:
        rate = connection.execute(
            "SELECT AVG(hard_success) FROM eval_task_result"
        ).fetchone()
        strict = connection.execute(
            "SELECT COUNT(*) FROM eval_task_result WHERE hard_success = TRUE"
        ).fetchone()
        score = connection.execute(
            "SELECT AVG(outcome_score) FROM eval_task_result WHERE hard_success"
        ).fetchone()

    assert (rate, strict, score) == ((0.4,), (2,), (7.5,))


async def test_why_did_it_fail(graded: Ledger) -> None:
    by_code = """
        SELECT primary_failure_reason_code, COUNT(*) FROM eval_task_result
        WHERE primary_failure_reason_code IS NOT NULL GROUP BY primary_failure_reason_code"""
    each = """
        SELECT code.value, COUNT(*) FROM eval_task_result, json_each(failure_reason_codes) AS code GROUP BY 1"""
    where = """
        SELECT eval_id, validator_name, diagnostic_message FROM eval_validator_result
        WHERE NOT passed AND kind = 'fail' ORDER BY eval_id"""
    with plain(graded) as connection:
        assert connection.execute(by_code).fetchall() == [("MISSING_REQUIRED_FIELD", 2)]
        assert connection.execute(each).fetchall() == [("MISSING_REQUIRED_FIELD", 2)]
        assert connection.execute(where).fetchall() == [
            ("run:r2", "last", "no rung found it"),
            ("run:r3", "last", "no rung found it"),
        ]


async def test_passed_is_true_for_a_pass_only(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    report = make_report("r", Gate.FAIL)
    others: list[Verdict] = [
        Abstain(),
        Skipped(reason="not_selected"),
        Fail(codes=(FailureCode.WRONG_FACT,)),
    ]
    rows = tuple(replace(report.verdicts[0], verdict=verdict) for verdict in others)
    report = replace(report, verdicts=(*report.verdicts, *rows))
    await ledger.write_report(
        "run", report, result_digest="d", input_index=0, created_at=now
    )

    with plain(ledger) as connection:
        found = connection.execute(
            "SELECT kind, passed, score FROM eval_validator_result ORDER BY position"
        ).fetchall()

    assert found == [
        ("pass", 1, 1.0),
        ("fail", 0, 0.0),
        ("abstain", 0, None),
        ("skipped", 0, None),
        ("fail", 0, 0.0),
    ]


async def test_state_results_come_from_the_details_of_verdicts(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    objects: list[object] = [
        {
            "state_object_id": "orders/17",
            "state_object_type": "order",
            "state_object_path": "/orders/17",
            "state_action": "modify",
            "exists_after_run": True,
            "expected_state_match": False,
            "side_effect_detected": True,
            "target_state_match_score": 0.5,
            "failure_reason_codes": ["PARTIAL_STATE_CHANGE"],
            "diff_summary": {"modified": ["/status"]},
            "unheard_of": 1,
        },
        {
            "state_object_path": "/a",
            "exists_after_run": "yes",
            "state_change_score": 10**400,
            "state_action": 3,
        },
        "no object at all",
    ]
    verdict = Fail(
        codes=(FailureCode.PARTIAL_STATE_CHANGE,), details={"state_objects": objects}
    )
    row = ValidatorVerdict(
        validator_name="state",
        validator_version="1",
        validator_type="deterministic",
        verdict=verdict,
        gating=True,
    )
    for result_id, trace_id in (("r1", None), ("r2", "trace")):
        report = replace(make_report(result_id), verdicts=(row,), trace_id=trace_id)
        await ledger.write_report(
            "run", report, result_digest="d", input_index=0, created_at=now
        )

    columns = """eval_id, trace_id, state_object_id, state_action, exists_after_run, side_effect_detected,
        target_state_match_score, state_change_score, failure_reason_codes, diff_summary"""
    with plain(ledger) as connection:
        found = connection.execute(
            f"SELECT {columns} FROM eval_state_result ORDER BY 1, position"  # noqa: S608
        ).fetchall()

    summary = json.dumps({"modified": ["/status"]}, separators=(",", ":"))
    codes = '["PARTIAL_STATE_CHANGE"]'
    assert found == [
        ("run:r1", "r1", "orders/17", "modify", 1, 1, 0.5, None, codes, summary),
        ("run:r1", "r1", "/a", None, None, None, None, None, None, None),
        ("run:r2", "trace", "orders/17", "modify", 1, 1, 0.5, None, codes, summary),
        ("run:r2", "trace", "/a", None, None, None, None, None, None, None),
    ]


async def test_the_bill_of_an_execution(ledger: Ledger) -> None:
    """Rows of the trace tables by the article's columns alone; what is not given has a default or is null."""
    with plain(ledger) as connection:
        connection.execute(
            """INSERT INTO trace_run (trace_id, task_id, total_input_tokens, total_cached_input_tokens, total_cost,
               currency) VALUES ('t', 'task', 142000, 84000, 3.82, 'RMB')"""
        )
        connection.executemany(
            "INSERT INTO trace_step (trace_id, step_id, state_type, state_cost) VALUES ('t', ?, ?, ?)",
            [(1, "RETRIEVE", 1.0), (2, "VALIDATE", 0.74), (3, "RETRIEVE", 0.28)],
        )
        connection.execute(
            """INSERT INTO trace_tool_event (trace_id, step_id, response_tokens_raw, tokens_sent_to_next_llm)
               VALUES ('t', 1, 1000, 250)"""
        )
        connection.execute(
            "INSERT INTO trace_price_snapshot (trace_id, model_name, price_input_per_million) VALUES ('t', 'm', 10)"
        )
        connection.execute(
            "INSERT INTO trace_context_breakdown (trace_id, step_id, user_instruction_tokens) VALUES ('t', 1, 300)"
        )
        by_state = """SELECT state_type, SUM(state_cost) FROM trace_step WHERE trace_id = 't'
            GROUP BY state_type ORDER BY 2 DESC"""
        assert connection.execute(by_state).fetchall() == [
            ("RETRIEVE", 1.28),
            ("VALIDATE", 0.74),
        ]
        total = "SELECT SUM(total_cost), currency, created_at IS NOT NULL FROM trace_run GROUP BY currency"
        assert connection.execute(total).fetchall() == [(3.82, "RMB", 1)]
        ratio = """SELECT 1.0 * tokens_sent_to_next_llm / response_tokens_raw, 142000 / user_instruction_tokens
            FROM trace_tool_event JOIN trace_context_breakdown USING (trace_id, step_id)"""
        assert connection.execute(ratio).fetchall() == [(0.25, 473)]
