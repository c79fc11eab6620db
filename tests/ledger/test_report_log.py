"""The log of reports: what was changed after it was written is found, and nothing else is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.verdicts import Pass
from judgemesh.mesh.analysis.ledger_verification import (
    RunVerification,
    verify_ledger,
)
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.report_digest import report_digest
from judgemesh.mesh.ledger.report_log import START, entry_digest
from judgemesh.mesh.ledger.store import Ledger

pytestmark = pytest.mark.anyio

MakeReport = Callable[..., Report]

HOSTILE_DETAILS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "lone surrogate": "\ud800 at the start",
        "nul": "a\0b",
        "large float": 1e16,
        "larger float": -2.5e300,
        "small float": 1e-300,
        "whole float": 1.0,
        "large integer": 2**70 + 1,
        "digits in a text": "order 12345678901234567890",
        "exponent in a text": "1e999999",
        "not finite": float("inf"),
        "keys": {3: "three", "a": {"b": [True, None]}},
        "set": {"b", "a"},
    }
)
"""Values that a database, or JSON, spells in another way than they were given."""


async def write(ledger: Ledger, report: Report, index: int, now: datetime) -> None:
    await ledger.write_report(
        "run", report, result_digest="d", input_index=index, created_at=now
    )


async def verified(place: str) -> RunVerification:
    (run,) = await verify_ledger(place)
    return run


def change(place: str, *statements: str) -> None:
    """Change a ledger behind its back."""
    engine = writing_engine(parse_address(place), 1.0)
    try:
        with engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement))
    finally:
        engine.dispose()


async def filled(ledger: Ledger, make_report: MakeReport, now: datetime) -> None:
    """Four results, one of them graded twice."""
    for index in range(4):
        await write(ledger, make_report(f"r{index}", verdicts=2), index, now)
    await write(ledger, make_report("r1", gate=Gate.FAIL), 1, now)
    await ledger.aclose()


async def test_an_untouched_ledger_has_no_fault(
    ledger: Ledger, place: str, make_report: MakeReport, now: datetime
) -> None:
    await filled(ledger, make_report, now)
    found = await verified(place)
    assert (found.reports, found.entries, found.unlogged) == (4, 5, 0)
    assert found.faults == []


@pytest.mark.parametrize("name", HOSTILE_DETAILS)
async def test_a_value_that_a_database_spells_in_its_own_way_is_no_fault(
    ledger: Ledger, place: str, make_report: MakeReport, now: datetime, name: str
) -> None:
    value = HOSTILE_DETAILS[name]
    report = make_report("r")
    row = report.verdicts[0]
    verdict = Pass(check="first", diagnostic=str(value), details={name: value})
    report = replace(report, verdicts=(replace(row, verdict=verdict), *report.verdicts))
    await write(ledger, report, 0, now)
    await ledger.aclose()
    assert (await verified(place)).faults == []


@pytest.mark.parametrize(
    ("statement", "result_id", "says"),
    [
        ("UPDATE eval_task_result SET gate = 'pass' WHERE result_id = 'r1'", "r1", "altered"),
        ("UPDATE eval_task_result SET gate = 'fail' WHERE result_id = 'r2'", "r2", "verdicts do not carry"),
        ("UPDATE eval_task_result SET outcome_score = 9.5 WHERE result_id = 'r2'", "r2", "altered"),
        ("UPDATE eval_task_result SET evaluator_cost = 9 WHERE result_id = 'r0'", "r0", "altered"),
        ("UPDATE eval_task_result SET explanation = 'x' WHERE result_id = 'r0'", "r0", "altered"),
        ("UPDATE eval_validator_result SET kind = 'skipped', reason = 'x' WHERE eval_id = 'run:r3' AND position = 1", "r3", "altered"),
        ("UPDATE eval_validator_result SET diagnostic_message = 'fine' WHERE eval_id = 'run:r1'", "r1", "altered"),
        ("DELETE FROM eval_validator_result WHERE eval_id = 'run:r3' AND position = 1", "r3", "altered"),
        ("DELETE FROM eval_task_result WHERE result_id = 'r3'", "r3", "missing"),
        ("UPDATE eval_task_result SET gate = 'perhaps' WHERE result_id = 'r3'", "r3", "cannot be read"),
        ("UPDATE report_log SET report_digest = 'x' WHERE seq = 1", "r0", "entry 1 of the log was altered"),
        ("DELETE FROM report_log WHERE seq = 3", "r3", "the log lacks entries 3 to 3"),
        ("DELETE FROM report_log WHERE seq = 1", "r1", "the log lacks entries 1 to 1"),
    ],
)  # fmt: skip
async def test_what_was_changed_afterwards_is_found(
    ledger: Ledger,
    place: str,
    make_report: MakeReport,
    now: datetime,
    statement: str,
    result_id: str,
    says: str,
) -> None:
    await filled(ledger, make_report, now)
    change(place, statement)
    faults = (await verified(place)).faults
    assert any(
        fault.result_id == result_id and says in fault.what for fault in faults
    ), faults


async def test_results_from_before_the_log_are_counted_and_are_no_fault(
    ledger: Ledger, place: str, make_report: MakeReport, now: datetime
) -> None:
    await filled(ledger, make_report, now)
    change(place, "DELETE FROM report_log")
    found = await verified(place)
    assert (found.reports, found.entries, found.unlogged) == (4, 0, 4)
    assert (found.faults, found.head) == ([], START)


async def test_two_writers_of_a_run_make_one_chain(
    ledger: Ledger, place: str, make_report: MakeReport, now: datetime
) -> None:
    async with await Ledger.open(place) as other:
        for index in range(20):
            writer = other if index % 2 else ledger
            await write(writer, make_report(f"r{index}"), index, now)
    found = await verified(place)
    assert (found.entries, found.faults) == (20, [])


@given(
    st.text(min_size=1),
    st.text(min_size=1),
    st.integers(1, 10**6),
    st.sampled_from("ab"),
)
def test_an_entry_depends_on_all_that_it_holds(
    eval_id: str, other: str, seq: int, digest: str
) -> None:
    entry = entry_digest(START, seq, eval_id, digest)
    assert entry != entry_digest(START[1:] + "1", seq, eval_id, digest)
    assert entry != entry_digest(START, seq + 1, eval_id, digest)
    assert entry != entry_digest(START, seq, eval_id, digest + "x")
    if eval_id.isascii() and other.isascii() and "\0" not in eval_id + other:
        same = entry == entry_digest(START, seq, other, digest)
        assert same == (eval_id == other)


@given(
    st.dictionaries(st.text(), st.integers() | st.text() | st.booleans(), min_size=1)
)
def test_a_digest_does_not_depend_on_the_order_of_keys(data: dict[str, object]) -> None:
    backwards = dict(reversed(data.items()))
    assert report_digest(data) == report_digest(backwards)


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(
    -(2**63), 2**63
)


@given(st.dictionaries(st.sampled_from("abc"), NUMBERS | st.lists(NUMBERS), min_size=1))
def test_a_digest_is_the_same_before_and_after_a_database_had_the_report(
    data: dict[str, object],
) -> None:
    stored = json.loads(json.dumps({"digest": "sha256:12e4", **data}))
    assert report_digest({"digest": "sha256:12e4", **data}) == report_digest(stored)
    as_whole_numbers = {
        name: int(value) if isinstance(value, float) and abs(value) >= 1e16 else value
        for name, value in data.items()
    }
    assert report_digest(data) == report_digest(as_whole_numbers)
