"""Rows on their way to the driver: few statements, and each value converted as its column says."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, event, select

from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.schema.tables import METADATA, eval_run, judge_cache
from judgemesh.mesh.ledger.statements.inserts import insert_rows

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def engine() -> Engine:
    made = writing_engine(parse_address(":memory:"), 1.0)
    METADATA.create_all(made)
    return made


def entry(number: int, response: str) -> Row:
    created_at = NOW + timedelta(seconds=number)
    return {"cache_key": f"k{number}", "response": response, "created_at": created_at}


@pytest.mark.parametrize("count", [1, 2, 3, 63, 64, 65, 777])
def test_many_rows_take_few_statements(engine: Engine, count: int) -> None:
    sent: list[str] = []

    def note(_connection: Connection, _cursor: object, sql: str, *_: object) -> None:
        sent.append(sql)

    rows = [entry(number, f"answer \ud800 {number}") for number in range(count)]
    with engine.begin() as connection:
        event.listen(engine, "before_cursor_execute", note)
        insert_rows(connection, judge_cache, rows)
        event.remove(engine, "before_cursor_execute", note)
        stored = connection.execute(select(judge_cache)).mappings().all()
    assert len(sent) <= count // 64 + 6
    wanted = [entry(number, f"answer \ufffd {number}") for number in range(count)]
    assert sorted(map(dict, stored), key=lambda row: row["created_at"]) == wanted


def test_the_later_one_of_two_entries_of_a_statement_stays(engine: Engine) -> None:
    with engine.begin() as connection:
        insert_rows(connection, judge_cache, [entry(1, "first"), entry(1, "second")])
        assert connection.scalars(select(judge_cache.c.response)).all() == ["second"]


def test_equal_values_of_other_types_keep_their_types(engine: Engine) -> None:
    values: list[object] = [1, 1.0, True, "1", None]
    rows: list[Row] = [
        {
            "run_id": str(place),
            "run_key": str(place),
            "created_at": NOW,
            "config": value,
        }
        for place, value in enumerate(values)
    ]
    with engine.begin() as connection:
        insert_rows(connection, eval_run, rows)
        query = select(eval_run.c.config).order_by(eval_run.c.run_id)
        stored = connection.scalars(query).all()
    assert list(map(repr, stored)) == list(map(repr, values))


def test_a_row_that_lacks_a_column_is_refused(engine: Engine) -> None:
    short = entry(2, "answer")
    del short["response"]
    with engine.begin() as connection, pytest.raises(KeyError, match="response"):
        insert_rows(connection, judge_cache, [entry(1, "answer"), short])
