"""Reading: pages in input order, filters, what is graded, a run in numbers; while another one writes."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import anyio
import pytest

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, OutcomeClass, Report
from judgemesh.contracts.verdicts import Abstain, Reason
from judgemesh.mesh.ledger.records import LedgerGrade
from judgemesh.mesh.ledger.reports import ReportFilter
from judgemesh.mesh.ledger.store import Ledger

pytestmark = pytest.mark.anyio

MakeReport = Callable[..., Report]
_GATES = (Gate.PASS, Gate.FAIL, Gate.UNDECIDED)


async def _fill(
    ledger: Ledger, make_report: MakeReport, now: datetime, count: int
) -> None:
    """Results of all gates in turn, written in an order that is not that of the input."""
    async with anyio.create_task_group() as group:
        for index in reversed(range(count)):
            report = make_report(
                f"r{index * 7 % count:03}", _GATES[index % 3], score=float(index % 10)
            )

            async def write(index: int = index, report: Report = report) -> None:
                await ledger.write_report(
                    "run",
                    report,
                    result_digest=f"d{index}",
                    input_index=index,
                    created_at=now,
                )

            group.start_soon(write)


@pytest.mark.parametrize("page_size", [1, 7, 20, 21, 1000])
async def test_reports_come_in_input_order_whatever_the_page(
    ledger: Ledger, make_report: MakeReport, now: datetime, page_size: int
) -> None:
    await _fill(ledger, make_report, now, 20)

    found = [
        report.result_id async for report in ledger.reports("run", page_size=page_size)
    ]

    assert found == [f"r{index * 7 % 20:03}" for index in range(20)]


async def test_results_that_share_a_place_are_all_read(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    for name in ("c", "a", "b"):
        await ledger.write_report(
            "run", make_report(name), result_digest="d", input_index=0, created_at=now
        )

    assert [
        report.result_id async for report in ledger.reports("run", page_size=1)
    ] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (ReportFilter(), 9),
        (ReportFilter(gate=Gate.FAIL), 3),
        (ReportFilter(code=FailureCode.MISSING_REQUIRED_FIELD), 3),
        (ReportFilter(code=FailureCode.WRONG_FACT), 0),
        (ReportFilter(has_error=True), 3),
        (ReportFilter(has_error=False, gate=Gate.PASS), 3),
        (ReportFilter(task_id="task of r001"), 1),
        (ReportFilter(result_ids=("r001", "r002", "absent")), 2),
        (ReportFilter(result_ids=()), 0),
        (ReportFilter(outcome_class=OutcomeClass.COMPLETE), 0),
    ],
)
async def test_a_filter_restricts(
    ledger: Ledger,
    make_report: MakeReport,
    now: datetime,
    where: ReportFilter,
    expected: int,
) -> None:
    await _fill(ledger, make_report, now, 9)

    assert (
        len(
            [report async for report in ledger.reports("run", where=where, page_size=2)]
        )
        == expected
    )


async def test_runs_do_not_see_each_other(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    other = (await ledger.runs())[0]
    await ledger.begin_run(replace(other, run_id="other", run_key="other"))
    await ledger.write_report(
        "run", make_report("r"), result_digest="d", input_index=0, created_at=now
    )
    await ledger.write_report(
        "other",
        make_report("r", Gate.FAIL),
        result_digest="e",
        input_index=0,
        created_at=now,
    )

    assert [row async for row in ledger.graded("run")] == [
        LedgerGrade("r", "d", Gate.PASS, has_error=False)
    ]
    assert [row async for row in ledger.graded("other")] == [
        LedgerGrade("r", "e", Gate.FAIL, has_error=False)
    ]
    assert (await ledger.summary("other")).failed == 1
    assert [row async for row in ledger.graded("absent")] == []


async def test_graded_tells_digest_gate_and_error(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    await _fill(ledger, make_report, now, 9)

    found = [row async for row in ledger.graded("run")]

    assert [row.result_id for row in found] == sorted(row.result_id for row in found)
    assert {row.result_id: row.result_digest for row in found} == {
        f"r{i * 7 % 9:03}": f"d{i}" for i in range(9)
    }
    assert {row.gate for row in found if row.has_error} == {Gate.UNDECIDED}
    ids = [row.result_id for row in found]
    assert await ledger.graded_among("run", [*ids[:3], "absent"]) == {
        row.result_id: row for row in found[:3]
    }
    assert await ledger.graded_among("run", []) == {}
    assert (
        len(
            await ledger.graded_among(
                "run", [*ids, *(f"absent{n}" for n in range(2000))]
            )
        )
        == 9
    )


async def test_a_run_in_numbers(
    ledger: Ledger,
    make_report: MakeReport,
    make_attempt: Callable[..., JudgeAttempt],
    now: datetime,
) -> None:
    await _fill(ledger, make_report, now, 9)
    vacuous = make_report("vacuous", Gate.PASS, score=None)
    abstain = replace(
        vacuous.verdicts[0], verdict=Abstain(reason=Reason.VACUOUS_EXPECTATION)
    )
    vacuous = replace(
        vacuous,
        verdicts=(abstain,),
        gate=Gate.UNDECIDED,
        outcome_class=OutcomeClass.COMPLETE,
    )
    await ledger.write_report(
        "run", vacuous, result_digest="d", input_index=9, created_at=now
    )
    for attempt in (
        make_attempt("0.1"),
        make_attempt("0.2"),
        make_attempt(None),
        make_attempt("0.7", cache_hit=True),
    ):
        await ledger.write_attempt("run", "r000", attempt)

    summary = await ledger.summary("run")

    assert (summary.attempted, summary.passed, summary.failed, summary.undecided) == (
        10,
        3,
        3,
        4,
    )
    assert summary.average_outcome_score == (0 + 3 + 6) / 3
    assert summary.failure_codes == {FailureCode.MISSING_REQUIRED_FIELD: 3}
    assert summary.outcome_classes == {OutcomeClass.COMPLETE: 1}
    assert summary.evaluator_cost == (Money(make_attempt("0.3").cost.amount),)  # type: ignore[union-attr]
    assert summary.evaluator_cost_unknown == 1
    assert summary.cost_avoided == (make_attempt("0.7").cost,)
    assert (summary.judge_calls, summary.cache_hits) == (3, 1)
    assert (summary.error_results, summary.vacuous) == (3, 1)


async def test_a_run_of_nothing_in_numbers(ledger: Ledger) -> None:
    summary = await ledger.summary("run")

    assert (
        summary.attempted,
        summary.average_outcome_score,
        summary.evaluator_cost,
    ) == (0, None, ())


async def test_another_ledger_reads_while_this_one_writes(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    seen: list[int] = []

    async def read() -> None:
        async with await Ledger.open(ledger.url, read_only=True) as reader:
            while not seen or seen[-1] < 300:
                counted = 0
                async for report in reader.reports("run", page_size=50):
                    assert len(report.verdicts) == 3
                    counted += 1
                seen.append(counted)

    async def write(index: int) -> None:
        report = make_report(f"r{index}", verdicts=2)
        await ledger.write_report(
            "run", report, result_digest="d", input_index=index, created_at=now
        )

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(read)
            for index in range(300):
                group.start_soon(write, index)

    assert seen == sorted(seen)
    assert seen[-1] == 300


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
async def test_a_row_of_another_world_is_a_clear_error(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    await ledger.write_report(
        "run", make_report("r1"), result_digest="d", input_index=0, created_at=now
    )
    connection = sqlite3.connect(ledger.url)
    connection.execute(
        "UPDATE eval_task_result SET primary_failure_reason_code = 'TOO_LATE'"
    )
    connection.commit()
    connection.close()

    with pytest.raises(
        LedgerError,
        match="cannot be read, run:r1: 'TOO_LATE' is not a valid FailureCode",
    ):
        _ = [report async for report in ledger.reports("run")]
