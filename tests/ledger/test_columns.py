"""Money is exact, moments are UTC, and no text or JSON can make a write fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import make_url

from judgemesh.contracts.attempts import JudgeAttempt
from judgemesh.contracts.money import Money
from judgemesh.contracts.report import Report
from judgemesh.contracts.verdicts import Pass
from judgemesh.mesh.ledger.encoding import (
    dumps,
    dumps_without_nul,
    loads,
    storable,
)
from judgemesh.mesh.ledger.schema.columns import MoneyColumn, UtcColumn, utc_text
from judgemesh.mesh.ledger.store import Ledger

_SQLITE = make_url("sqlite://").get_dialect()()
_POSTGRESQL = make_url("postgresql+psycopg://").get_dialect()()


@given(
    st.datetimes(
        min_value=datetime(2, 1, 1),  # noqa: DTZ001 (the zones are drawn)
        max_value=datetime(9998, 12, 31),  # noqa: DTZ001
        timezones=st.sampled_from(
            [
                UTC,
                timezone(timedelta(hours=-9, minutes=-30)),
                ZoneInfo("Europe/Rome"),
            ]
        ),
    )
)
def test_the_text_of_a_moment_is_that_of_sqlalchemy(moment: datetime) -> None:
    convert = UtcColumn().dialect_impl(_SQLITE).bind_processor(_SQLITE)

    assert convert is not None
    assert utc_text(moment) == convert(moment)


def test_the_text_of_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        utc_text(datetime(2026, 4, 28))  # noqa: DTZ001


@given(st.integers(-(10**15) + 1, 10**15 - 1), st.integers(-10, 20))
def test_fifteen_digits_of_money_survive_a_float(digits: int, places: int) -> None:
    amount, column = Decimal(digits).scaleb(-places), MoneyColumn()

    assert (
        column.process_result_value(column.process_bind_param(amount, _SQLITE), _SQLITE)
        == amount
    )


def test_money_too_large_for_a_float_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        MoneyColumn().process_bind_param(Decimal("1e400"), _SQLITE)


def test_money_is_untouched_on_its_way_to_numeric() -> None:
    amount = Decimal("0.1234567890123456789")

    assert MoneyColumn().process_bind_param(amount, _POSTGRESQL) is amount


def test_moments_are_stored_as_utc_and_come_back_aware() -> None:
    local = datetime(2026, 4, 28, 12, 0, tzinfo=timezone(timedelta(hours=2)))
    stored = UtcColumn().process_bind_param(local, _SQLITE)

    assert stored == datetime(2026, 4, 28, 10, 0)  # noqa: DTZ001 (what the database holds)
    assert UtcColumn().process_result_value(stored, _SQLITE) == local


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        UtcColumn().process_bind_param(datetime(2026, 4, 28), _SQLITE)  # noqa: DTZ001 (the fault under test)


def _nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ({"a": float("nan"), "b": float("inf")}, {"a": None, "b": None}),
        ({1: "key is a number"}, {"1": "key is a number"}),
        ({"a": "lone \ud800 surrogate"}, {"a": "lone \ufffd surrogate"}),
        ({"a": 2**80}, {"a": 2**80}),
        ({"a": float("nan"), "b": 2**80}, {"a": None, "b": 2**80}),
        ({"a": {"b", "c"}}, {"a": ["b", "c"]}),
        ({"a": ("b",), "c": MappingProxyType({"d": 1})}, {"a": ["b"], "c": {"d": 1}}),
        ({"a": Decimal("1.5"), "b": b"x"}, {"a": "1.5", "b": "b'x'"}),
        ({"a": datetime(2026, 1, 1, tzinfo=UTC)}, {"a": "2026-01-01T00:00:00+00:00"}),
    ],
)
def test_any_value_becomes_json(value: object, stored: object) -> None:
    assert loads(dumps(value)) == stored


def test_a_value_nested_without_end_is_cut() -> None:
    text = dumps({"a": _nested(5_000)})

    assert "nested too deeply" in text
    json.loads(text)


def test_postgresql_gets_no_nul_and_keeps_the_text_that_looks_like_one() -> None:
    assert loads(dumps_without_nul({"a": "x\0y", "b": "\\u0000"})) == {
        "a": "x\ufffdy",
        "b": "\\u0000",
    }
    assert storable("x\0y", nul=False) == "x\ufffdy"
    assert storable("x\0y", nul=True) == "x\0y"


@pytest.mark.anyio
async def test_hostile_text_is_stored_with_its_verdict(
    ledger: Ledger, make_report: Callable[..., Report], now: datetime
) -> None:
    report = make_report("r1")
    hostile = Pass(
        check="\ud800",
        diagnostic="nul \0 and \udfff",
        details={"deep": _nested(300), "set": {1}},
    )
    report = replace(
        report,
        verdicts=(replace(report.verdicts[0], verdict=hostile),),
        explanation="\udc00!",
    )
    await ledger.write_report(
        "run", report, result_digest="d", input_index=0, created_at=now
    )

    (back,) = [one async for one in ledger.reports("run")]

    assert back.explanation == "\ufffd!"
    assert back.verdicts[0].verdict.check == "\ufffd"
    # A server's text has no NUL.
    assert back.verdicts[0].verdict.diagnostic in (
        "nul \0 and \ufffd",
        "nul \ufffd and \ufffd",
    )
    assert back.verdicts[0].verdict.details["set"] == [1]


@pytest.mark.anyio
async def test_currencies_are_summed_apart_and_exactly(
    ledger: Ledger, make_attempt: Callable[..., JudgeAttempt], now: datetime
) -> None:
    for number in range(30):
        attempt = make_attempt("0.1")
        other = replace(attempt, cost=Money(Decimal("0.2"), "EUR"))
        await ledger.write_attempt("run", f"r{number}", attempt)
        await ledger.write_attempt("run", f"r{number}", other)

    summary = await ledger.summary("run")

    assert summary.evaluator_cost == (
        Money(Decimal(6), "EUR"),
        Money(Decimal(3), "USD"),
    )
