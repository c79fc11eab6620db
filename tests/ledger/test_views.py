"""The views for dashboards: what they count, on SQLite and PostgreSQL, in new and in migrated ledgers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.codes import FailureCode
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.verdicts import Fail, Pass, Skipped, Verdict
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.schema.migrations import migrate
from judgemesh.mesh.ledger.schema.views import VIEWS
from judgemesh.mesh.ledger.store import Ledger

from .older import make_older

MakeReport = Callable[..., Report]


def _rows(connection: Connection, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(text(query))]


async def _ask(ledger: Ledger, query: str) -> list[tuple[Any, ...]]:
    return await ledger.ask(partial(_rows, query=query))


async def _keep(ledger: Ledger, now: datetime, reports: Sequence[Report]) -> None:
    for index, report in enumerate(reports):
        await ledger.write_report(
            "run", report, result_digest="d", input_index=index, created_at=now
        )


@pytest.mark.anyio
async def test_every_view_can_be_read_of_an_empty_ledger(ledger: Ledger) -> None:
    for name in VIEWS:
        query = f"SELECT * FROM {name}"  # noqa: S608 (a name of our own)
        assert await _ask(ledger, query) == []


@pytest.mark.anyio
async def test_failures_and_rates(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    gates = [Gate.PASS, Gate.FAIL, Gate.FAIL, Gate.UNDECIDED]
    await _keep(
        ledger, now, [make_report(f"r{at}", gate) for at, gate in enumerate(gates)]
    )

    counts = "results, passed, failed, undecided"
    for view in ("v_runs", "v_gate_by_day"):
        query = f"SELECT {counts} FROM {view}"  # noqa: S608 (a name of our own)
        assert await _ask(ledger, query) == [(4, 1, 2, 1)]
    bounds = "SELECT success_rate, success_rate_if_undecided_passed FROM v_runs"
    [rates] = await _ask(ledger, bounds)
    assert [float(rate) for rate in rates] == [0.25, 0.5]
    failures = "SELECT result_id, code, is_primary FROM v_failures ORDER BY result_id"
    code = FailureCode.MISSING_REQUIRED_FIELD.value
    assert await _ask(ledger, failures) == [("r1", code, 1), ("r2", code, 1)]
    by_day = "SELECT code, results, as_primary FROM v_failures_by_day"
    assert await _ask(ledger, by_day) == [(code, 2, 2)]
    [(day,)] = await _ask(ledger, "SELECT DISTINCT day FROM v_failures_by_day")
    assert str(day) == now.date().isoformat()
    checks = "SELECT SUM(passed), SUM(failed), SUM(errors), SUM(verdicts) FROM v_checks"
    [counts_of_verdicts] = await _ask(ledger, checks)
    assert [int(each) for each in counts_of_verdicts] == [5, 2, 1, 8]


_FAIL = Fail(check="x", codes=(FailureCode.WRONG_FACT,))
_DECIDED = Skipped(reason="gate_already_decided")
_OTHER = Skipped(reason="not_selected")
_LOW = (FailureCode.LOW_COMPLETENESS_SCORE,)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("stated", "verdicts", "codes", "believed"),
    [
        (Gate.PASS, [Pass()], (), "pass"),
        (Gate.PASS, [Pass(), _DECIDED], (), "pass"),
        (Gate.PASS, [Pass(), _OTHER], (), "undecided"),
        (Gate.PASS, [Pass(), _FAIL], (), "undecided"),
        (Gate.PASS, [], (), "undecided"),
        (Gate.FAIL, [_FAIL, _OTHER], (), "fail"),
        (Gate.FAIL, [Pass()], (), "undecided"),
        (Gate.FAIL, [Pass()], _LOW, "fail"),
        (Gate.UNDECIDED, [Pass()], (), "undecided"),
    ],
)
async def test_a_gate_that_the_verdicts_contradict_is_undecided(
    ledger: Ledger,
    make_report: MakeReport,
    now: datetime,
    stated: Gate,
    verdicts: Sequence[Verdict],
    codes: tuple[FailureCode, ...],
    believed: str,
) -> None:
    report = make_report("r", stated)
    rows = tuple(replace(report.verdicts[0], verdict=verdict) for verdict in verdicts)
    await _keep(
        ledger, now, [replace(report, verdicts=rows, failure_reason_codes=codes)]
    )

    found = await _ask(ledger, "SELECT gate, stated_gate FROM v_results")
    assert found == [(believed, stated.value)]


@pytest.mark.anyio
async def test_verdicts_that_do_not_gate_leave_the_gate(
    ledger: Ledger, make_report: MakeReport, now: datetime
) -> None:
    report = make_report("r", Gate.PASS)
    aside = replace(report.verdicts[0], verdict=_FAIL, gating=False)
    await _keep(ledger, now, [replace(report, verdicts=(*report.verdicts, aside))])

    assert await _ask(ledger, "SELECT gate FROM v_results") == [("pass",)]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("costs", "expected"),
    [
        (["0.2", "0.4"], ("USD", 0, 0.6, 0.6)),
        (["0.2", None], ("USD", 1, 0.2, None)),
        ([None, None], (None, 2, None, None)),
    ],
)
async def test_cost_per_success_needs_every_cost(
    ledger: Ledger,
    make_report: MakeReport,
    now: datetime,
    costs: Sequence[str | None],
    expected: tuple[str | None, int, float | None, float | None],
) -> None:
    reports: list[Report] = []
    for cost, gate in zip(costs, (Gate.PASS, Gate.FAIL), strict=True):
        money = None if cost is None else Money(Decimal(cost), "USD")
        reports.append(replace(make_report(gate.value, gate), agent_cost=money))
    await _keep(ledger, now, reports)

    [found] = await _ask(
        ledger,
        "SELECT currency, cost_unknown, cost, cost_per_success FROM v_agent_cost",
    )
    currency, unknown, *amounts = found
    assert (currency, unknown) == expected[:2]
    assert [None if each is None else float(each) for each in amounts] == [
        each if each is None else pytest.approx(each) for each in expected[2:]
    ]


@pytest.mark.anyio
async def test_cost_of_the_evaluation(
    ledger: Ledger, make_attempt: Callable[..., JudgeAttempt]
) -> None:
    for at, cost in enumerate(["0.1", "0.2", None]):
        await ledger.write_attempt("run", "r", make_attempt(cost, attempt=at + 1))

    found = await _ask(
        ledger,
        "SELECT SUM(attempts), SUM(cost), SUM(cost_unknown) FROM v_evaluator_cost",
    )
    assert [float(each) for each in found[0]] == pytest.approx([3, 0.3, 1])


def test_an_older_ledger_gets_the_views(tmp_path: Path) -> None:
    engine = writing_engine(parse_address(str(tmp_path / "ledger.db")), 5)
    with engine.begin() as connection:
        migrate(connection)
        make_older(connection, 5)
    with engine.begin() as connection:
        migrate(connection)

    assert set(inspect(engine).get_view_names()) == set(VIEWS)
    engine.dispose()
