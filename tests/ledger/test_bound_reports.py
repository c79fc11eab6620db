"""Rows that another process has converted are stored as those that the writer converts."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest
from sqlalchemy import select, text

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report
from judgemesh.mesh.ledger.batch import WriteBatch, batch_of_report
from judgemesh.mesh.ledger.bound_reports import Binder, BoundReports
from judgemesh.mesh.ledger.contents import content_row
from judgemesh.mesh.ledger.engines import parse_address
from judgemesh.mesh.ledger.report_rows import ReportRows, report_rows
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import METADATA
from judgemesh.mesh.ledger.store import Ledger

pytestmark = pytest.mark.anyio

MakeReport = Callable[..., Report]
TABLES = (
    "eval_task_result",
    "eval_validator_result",
    "eval_failure_code",
    "eval_result_content",
    "eval_state_result",
    "judge_opinion",
)


@pytest.fixture
def binder(place: str) -> Binder:
    made = Binder.of(parse_address(place).dialect_name)
    assert made is not None
    return made


def rows_of(report: Report, now: datetime) -> tuple[ReportRows, Row | None]:
    rows = report_rows("run", report, result_digest="d", input_index=1, created_at=now)
    return rows, content_row(rows.eval_id, lambda: {"answer": "\udc80 \0 done"})


def sent(bound: BoundReports | None, *places: int) -> WriteBatch:
    """As it comes from another process: what is written of the results at these places."""
    assert bound is not None
    received: BoundReports = pickle.loads(pickle.dumps(bound))  # noqa: S301 (made here)
    (batch,) = received.batches(places)
    return batch


async def written(ledger: Ledger) -> dict[str, Report]:
    return {report.result_id: report async for report in ledger.reports("run")}


async def stored(ledger: Ledger) -> list[list[tuple[object, ...]]]:
    tables = [METADATA.tables[name] for name in TABLES]
    return await ledger.ask(
        lambda connection: [
            [
                tuple(row)
                for row in connection.execute(select(table).order_by(text("1")))
            ]
            for table in tables
        ]
    )


async def test_bound_rows_are_stored_as_those_that_the_writer_converts(
    ledger: Ledger, binder: Binder, make_report: MakeReport, now: datetime
) -> None:
    report = replace(
        make_report("r \u00e9", Gate.FAIL, score=0.5, verdicts=3),
        explanation="NUL \0 and \udc80",
        agent_cost=Money(Decimal("0.10")),
    )
    rows, content = rows_of(report, now)

    await ledger.write_graded([batch_of_report(rows, content)])
    converted_here = await stored(ledger)
    await ledger.write_graded([sent(binder.bound([(rows, content)]), 0)])

    assert await stored(ledger) == converted_here
    assert [len(table) for table in converted_here[:4]] == [1, 4, 1, 1]


async def test_bound_rows_and_others_share_a_commit(
    ledger: Ledger, binder: Binder, make_report: MakeReport, now: datetime
) -> None:
    reports = [make_report(f"r{number}", verdicts=number) for number in range(6)]
    rows = [rows_of(report, now) for report in reports]
    batches = [batch_of_report(*of_one) for of_one in rows[:2]]
    batches.append(sent(binder.bound(rows[2:]), 0, 1, 2, 3))

    await ledger.write_graded(batches)

    assert await written(ledger) == {report.result_id: report for report in reports}


async def test_some_of_several_results_are_written(
    ledger: Ledger, binder: Binder, make_report: MakeReport, now: datetime
) -> None:
    reports = [
        make_report(f"r{number}", Gate.PASS if number else Gate.FAIL, verdicts=number)
        for number in range(5)
    ]
    bound = binder.bound([rows_of(report, now) for report in reports])

    await ledger.write_graded([sent(bound, 1, 3)])

    found = (await written(ledger)).values()
    assert [report.verdicts for report in found] == [
        reports[1].verdicts,
        reports[3].verdicts,
    ]
    assert bound is not None
    assert bound.batches([]) == []


async def test_of_a_result_that_is_written_twice_in_a_group_the_later_one_stands(
    ledger: Ledger, binder: Binder, make_report: MakeReport, now: datetime
) -> None:
    older = [make_report(f"r{number}", Gate.FAIL) for number in range(3)]
    newer = make_report("r1", Gate.PASS, score=0.5)
    bound = binder.bound([rows_of(report, now) for report in older])

    await ledger.write_graded(
        [sent(bound, 0, 1, 2), batch_of_report(*rows_of(newer, now))]
    )

    assert await written(ledger) == {"r0": older[0], "r1": newer, "r2": older[2]}


async def test_a_result_that_the_database_refuses_keeps_no_other_out(
    ledger: Ledger, binder: Binder, make_report: MakeReport, now: datetime
) -> None:
    reports = [make_report(f"r{number}") for number in range(4)]
    rows = [rows_of(report, now) for report in reports]
    rows[2][0].task["gate"] = None

    with pytest.raises(LedgerError):
        await ledger.write_graded([sent(binder.bound(rows), 0, 1, 2, 3)])

    assert set(await written(ledger)) == {"r0", "r1", "r3"}


async def test_rows_that_no_column_holds_are_left_to_the_writer(
    ledger: Ledger, binder: Binder, make_report: MakeReport, now: datetime
) -> None:
    rows, content = rows_of(make_report("bad"), now.replace(tzinfo=None))
    good, of_good = rows_of(make_report("good"), now)

    assert binder.bound([(good, of_good), (rows, content)]) is None
    with pytest.raises(LedgerError, match="time zone"):
        await ledger.write_graded(
            [batch_of_report(rows, content), batch_of_report(good, of_good)]
        )
    assert [report.result_id async for report in ledger.reports("run")] == ["good"]


async def test_a_closed_ledger_says_so(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    rows, content = rows_of(make_report("late"), now)
    await ledger.aclose()

    with pytest.raises(LedgerError, match="closed"):
        await ledger.write_graded([batch_of_report(rows, content)])
