"""Writing: whole results, groups that share a commit, faults that stay with the one they belong to."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime, timedelta
from decimal import Decimal

import anyio
import pytest
from sqlalchemy import text

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.usage import PriceSnapshot, Usage
from judgemesh.contracts.verdicts import Fail
from judgemesh.mesh.ledger.attempt_rows import attempt_rows, price_row
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.schema.columns import PRICES
from judgemesh.mesh.ledger.store import Ledger
from judgemesh.mesh.testing.faults import Fault, injected

pytestmark = pytest.mark.anyio

MakeReport = Callable[..., Report]
MakeAttempt = Callable[..., JudgeAttempt]


async def rows(ledger: Ledger, sql: str) -> list[tuple[object, ...]]:
    def plain(value: object) -> object:
        return (
            float(value) if isinstance(value, Decimal) else value
        )  # money is NUMERIC on a server, REAL in a file

    return await ledger.ask(
        lambda connection: [
            tuple(plain(value) for value in row)
            for row in connection.execute(text(sql))
        ]
    )


async def test_many_tasks_write_at_once(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    async def write(index: int) -> None:
        report = make_report(f"r{index:04}", verdicts=3)
        await ledger.write_report(
            "run", report, result_digest="d", input_index=index, created_at=now
        )

    async with anyio.create_task_group() as group:
        for index in range(600):
            group.start_soon(write, index)

    reports = [report async for report in ledger.reports("run")]
    assert [report.result_id for report in reports] == [
        f"r{index:04}" for index in range(600)
    ]
    assert {len(report.verdicts) for report in reports} == {4}


async def test_a_bad_result_of_a_group_fails_alone(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    failed: dict[str, str] = {}

    async def write(index: int, report: Report, run_id: str) -> None:
        try:
            await ledger.write_report(
                run_id, report, result_digest="d", input_index=index, created_at=now
            )
        except LedgerError as error:
            failed[report.result_id] = str(error)

    async with anyio.create_task_group() as group:
        for index in range(40):
            group.start_soon(write, index, make_report(f"good{index}"), "run")
            if index == 10:
                group.start_soon(
                    write,
                    100,
                    replace(make_report("dear"), agent_cost=Money(Decimal("1e400"))),
                    "run",
                )
            if index == 20:
                group.start_soon(
                    write, 101, replace(make_report("many"), judge_calls=2**70), "run"
                )
            if index == 30:
                group.start_soon(write, 102, make_report("orphan"), "no such run")

    assert {"many", "orphan"} <= set(failed) <= {"dear", "many", "orphan"}
    assert "too large" in failed.get("dear", "a server's NUMERIC is never too large")
    assert "foreign key" in failed["orphan"].lower()
    assert not [
        line
        for line in failed.values()
        if "\n" in line or not line.startswith(f"ledger {ledger.url}")
    ]
    assert (await ledger.summary("run")).attempted == 43 - len(failed)


async def test_the_same_result_twice_in_one_group_keeps_the_later(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    async def write(gate: Gate) -> None:
        await ledger.write_report(
            "run",
            make_report("r", gate),
            result_digest="d",
            input_index=0,
            created_at=now,
        )

    async with anyio.create_task_group() as group:
        for gate in (Gate.PASS, Gate.UNDECIDED, Gate.FAIL):
            group.start_soon(write, gate)

    assert [report.gate async for report in ledger.reports("run")] == [Gate.FAIL]


async def test_a_new_grade_takes_the_old_rows_away(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    state = Fail(
        codes=make_report("r", Gate.FAIL).failure_reason_codes,
        details={"state_objects": [{"state_object_id": "a"}, {"state_object_id": "b"}]},
    )
    first = make_report("r", Gate.FAIL, verdicts=5)
    first = replace(
        first, verdicts=(*first.verdicts, replace(first.verdicts[0], verdict=state))
    )
    await ledger.write_report(
        "run", first, result_digest="d1", input_index=0, created_at=now
    )
    assert await rows(ledger, "SELECT count(*) FROM eval_state_result") == [(2,)]

    await ledger.write_report(
        "run", make_report("r"), result_digest="d2", input_index=0, created_at=now
    )

    assert await rows(
        ledger, "SELECT count(*), max(result_digest) FROM eval_task_result"
    ) == [(1, "d2")]
    assert await rows(ledger, "SELECT count(*) FROM eval_validator_result") == [(2,)]
    assert await rows(ledger, "SELECT count(*) FROM eval_state_result") == [(0,)]
    assert await rows(ledger, "SELECT count(*) FROM eval_failure_code") == [(0,)]


async def test_a_cancelled_caller_does_not_take_the_spend_back(
    ledger: Ledger, make_attempt: MakeAttempt
) -> None:
    for number in range(20):
        with anyio.CancelScope() as scope:
            scope.cancel()
            await ledger.write_attempt("run", f"r{number}", make_attempt())
    await ledger.write_attempt("run", "last", make_attempt())

    assert (await ledger.summary("run")).judge_calls == 21


async def test_an_error_after_the_caller_was_cancelled_is_not_printed(
    ledger: Ledger, make_attempt: MakeAttempt
) -> None:
    printed: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: printed.append(str(context)))
    with injected(Fault.parse("commit:disk_full@1+")) as moments:
        for _ in range(5):
            with anyio.CancelScope() as scope:
                scope.cancel()
                await ledger.write_attempt("run", "r", make_attempt())
        with pytest.raises(LedgerError):
            await ledger.write_attempt("run", "last", make_attempt())
    gc.collect()
    await asyncio.sleep(0)

    assert moments.struck
    assert printed == []


async def test_closing_writes_what_is_queued(
    place: str, run_record: RunRecord, make_attempt: MakeAttempt
) -> None:
    ledger = await Ledger.open(place)
    await ledger.begin_run(run_record)
    for number in range(50):
        with anyio.CancelScope() as scope:
            scope.cancel()
            await ledger.write_attempt("run", f"r{number}", make_attempt())
    await ledger.aclose()

    async with await Ledger.open(place, read_only=True) as again:
        assert await rows(again, "SELECT count(*) FROM judge_call") == [(50,)]


async def test_an_attempt_becomes_its_row(
    ledger: Ledger, make_attempt: MakeAttempt
) -> None:
    await ledger.write_attempt("run", "r1", make_attempt("0.00123"))
    await ledger.write_attempt("run", "r1", make_attempt(None, attempt=2))
    await ledger.write_attempt(
        "run", "r1", make_attempt("0.5", attempt=3, cache_hit=True)
    )

    columns = "eval_id, attempt, cost, cost_status, currency, cost_avoided, cache_hit, vote, input_tokens_cache_write"
    assert await rows(ledger, f"SELECT {columns} FROM judge_call ORDER BY attempt") == [  # noqa: S608 (columns above)
        ("run:r1", 1, 0.00123, "known", "USD", None, 0, "yes", 5),
        ("run:r1", 2, None, "COST_UNKNOWN", None, None, 0, "yes", 5),
        ("run:r1", 3, 0.0, "known", "USD", 0.5, 1, "yes", 5),
    ]
    assert await rows(ledger, "SELECT count(*) FROM eval_task_result") == [(0,)]
    prices = "SELECT count(*), max(price_input_per_million) FROM price_snapshot"
    assert await rows(ledger, prices) == [(1, 2.5)]
    joined = (
        "SELECT count(*) FROM judge_call JOIN price_snapshot USING (price_snapshot_id)"
    )
    assert await rows(ledger, joined) == [(3,)]


def test_equal_prices_are_one_snapshot_with_every_field_of_the_price(
    now: datetime,
) -> None:
    price = PriceSnapshot("m", Decimal("2.50"), Decimal(10), price_version="v")
    same = PriceSnapshot("m", Decimal("2.5"), Decimal("10.0"), price_version="v")
    dearer = replace(price, price_cached_input_per_million=Decimal(0))

    first, second, third = (
        price_row(one, created_at=now) for one in (price, same, dearer)
    )
    assert (
        first["price_snapshot_id"]
        == second["price_snapshot_id"]
        != third["price_snapshot_id"]
    )
    assert str(first["price_snapshot_id"]).startswith("sha256:")
    stored = [field.name for field in fields(PriceSnapshot) if field.name in first]
    assert set(stored) >= {"model_name", "currency", "price_version", *PRICES}
    assert {name: first[name] for name in stored} == {
        name: getattr(price, name) for name in stored
    }


def test_silence_about_usage_is_not_zero_usage(make_attempt: MakeAttempt) -> None:
    names = (
        "input_tokens_uncached",
        "input_tokens_cached",
        "input_tokens_cache_write",
        "output_tokens",
        "reasoning_tokens",
        "usage_raw",
    )
    silent, _ = attempt_rows("run", "r", replace(make_attempt(), usage=None))
    zero, _ = attempt_rows("run", "r", replace(make_attempt(), usage=Usage()))

    assert [silent[name] for name in names] == [None] * 6
    assert [zero[name] for name in names] == [0, 0, 0, 0, 0, {}]


async def test_the_cache_keeps_the_last_answer(ledger: Ledger, now: datetime) -> None:
    assert await ledger.cache_get("k") is None
    await ledger.cache_put("k", '{"vote": "yes"}', created_at=now)
    await ledger.cache_put("k", '{"vote": "no"}', created_at=now)

    assert await ledger.cache_get("k") == '{"vote": "no"}'
    assert await ledger.cache_get("K") is None


async def test_a_run_of_the_same_key_is_continued(
    ledger: Ledger, run_record: RunRecord
) -> None:
    await ledger.finish_run(
        "run",
        finished_at=run_record.created_at,
        status="finished",
        summary={"attempted": 3},
    )
    later = run_record.created_at + timedelta(days=1)

    found = await ledger.begin_run(
        replace(run_record, run_id="another", created_at=later, config={})
    )

    assert (found.run_id, found.status, found.summary) == (
        "run",
        "finished",
        {"attempted": 3},
    )
    assert found.config == {"timeout_s": 60}
    now_running = await ledger.latest_run()
    assert now_running is not None
    assert (now_running.status, now_running.finished_at) == ("running", None)
    assert (now_running.created_at, now_running.last_started_at) == (
        run_record.created_at,
        later,
    )


async def test_the_latest_run_is_the_one_begun_or_continued_last(
    ledger: Ledger, run_record: RunRecord
) -> None:
    day = timedelta(days=1)
    second = replace(
        run_record,
        run_id="second",
        run_key="other",
        created_at=run_record.created_at + day,
    )
    await ledger.begin_run(second)
    assert [run.run_id for run in await ledger.runs()] == ["run", "second"]
    newest = await ledger.latest_run()
    assert newest is not None
    assert newest.run_id == "second"

    await ledger.begin_run(
        replace(run_record, created_at=run_record.created_at + 2 * day)
    )

    newest = await ledger.latest_run()
    assert newest is not None
    assert newest.run_id == "run"


async def test_a_run_id_is_taken_once(ledger: Ledger, run_record: RunRecord) -> None:
    with pytest.raises(LedgerError, match=r"UNIQUE|unique"):
        await ledger.begin_run(replace(run_record, run_key="another key"))


async def test_an_unknown_run_cannot_finish(ledger: Ledger, now: datetime) -> None:
    with pytest.raises(LedgerError, match="has no run 'absent'"):
        await ledger.finish_run(
            "absent", finished_at=now, status="finished", summary={}
        )


@pytest.mark.parametrize("run_id", ["", "a:b"])
async def test_a_run_id_cannot_be_mistaken_for_an_eval_id(
    ledger: Ledger, run_record: RunRecord, run_id: str
) -> None:
    with pytest.raises(ValueError, match="no colon"):
        await ledger.begin_run(replace(run_record, run_id=run_id, run_key="x"))
