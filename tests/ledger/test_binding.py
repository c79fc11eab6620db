"""Rows become the values that SQLAlchemy stores, without the columns that no row fills."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Engine, Integer, MetaData, Table, insert, text
from sqlalchemy.exc import IntegrityError

from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.schema import fields
from judgemesh.mesh.ledger.schema.columns import Row
from judgemesh.mesh.ledger.statements.binding import bind_rows
from judgemesh.mesh.ledger.statements.inserts import insert_rows


def table_of_every_kind(name: str) -> Table:
    """A new one for each example: what was left out of its statements before depends on it."""
    return Table(
        name,
        MetaData(),
        Column("number", Integer, primary_key=True, autoincrement=False),
        *fields.text("words", "more_words"),
        *fields.flag("yes", "no"),
        *fields.number("score", "other_score"),
        *fields.count("count"),
        *fields.money("cost"),
        *fields.time("began_at"),
        *fields.json("details"),
        *fields.names("served"),
        fields.created_at(),
    )


TEXTS = st.none() | st.sampled_from(
    ("", "plain", "ümlaut", "\0", "\ud800 lone", "日本")
)
ZONES = st.sampled_from((UTC, timezone(timedelta(hours=2))))
SECONDS = st.integers(0, 4 * 10**9)
MOMENTS = st.none() | st.builds(datetime.fromtimestamp, SECONDS, ZONES)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "words": TEXTS,
    "more_words": TEXTS,
    "yes": st.none() | st.booleans(),
    "no": st.none() | st.booleans(),
    "score": st.none() | st.floats(allow_nan=False) | st.integers(-9, 9),
    "other_score": st.none() | st.just(Decimal("0.5")),
    "count": st.none() | st.integers(-(2**40), 2**40),
    "cost": st.none() | st.decimals(0, 100, places=6),
    "began_at": MOMENTS,
    "details": st.none() | st.sampled_from(({}, [], {"a": "\ud800"}, [1, None], "x")),
    "served": st.lists(st.sampled_from(("one", "two\nlines", "\udc80"))),
    "created_at": MOMENTS,
}
ROWS = st.lists(st.fixed_dictionaries(VALUES), min_size=1, max_size=5)


def numbered(groups: Sequence[Sequence[Row]]) -> list[list[Row]]:
    return [
        [{"number": 10 * group + place, **row} for place, row in enumerate(rows)]
        for group, rows in enumerate(groups)
    ]


def stored(engine: Engine, table: Table) -> list[tuple[Any, ...]]:
    """As the driver gives it."""
    query = text(f"SELECT * FROM {table.name} ORDER BY number")  # noqa: S608 (our own)
    with engine.begin() as connection:
        return [tuple(row) for row in connection.execute(query)]


@given(groups=st.lists(ROWS, min_size=1, max_size=4))
def test_what_is_stored_is_what_sqlalchemy_stores(groups: list[list[Row]]) -> None:
    quick, slow = table_of_every_kind("quick"), table_of_every_kind("slow")
    engine = writing_engine(parse_address(":memory:"), 1.0)
    try:
        for table in (quick, slow):
            table.metadata.create_all(engine)
        with engine.begin() as connection:
            for rows in numbered(groups):
                insert_rows(connection, quick, rows)
                connection.execute(insert(slow), rows)
        assert stored(engine, quick) == stored(engine, slow)
    finally:
        engine.dispose()


@pytest.fixture
def engine() -> Engine:
    return writing_engine(parse_address(":memory:"), 1.0)


def row(**filled: object) -> Row:
    nulls = dict.fromkeys(VALUES)
    return {"number": 1, **nulls, "served": [], **filled}


def test_a_column_comes_when_a_row_fills_it_and_stays(engine: Engine) -> None:
    table = table_of_every_kind("t")

    def names(*rows: Row) -> tuple[str, ...]:
        return bind_rows(table, engine.dialect, rows).names

    assert names(row()) == ("number", "served", "created_at")
    assert names(row(), row(yes=False)) == ("number", "yes", "served", "created_at")
    assert names(row(words=""), row(count=0)) == (
        "number",
        "words",
        "yes",
        "count",
        "served",
        "created_at",
    )
    assert "count" in names(row())


def test_bound_rows_of_different_columns_are_told_apart_by_them(engine: Engine) -> None:
    table = table_of_every_kind("t")
    few = bind_rows(table, engine.dialect, [row()])
    more = bind_rows(table, engine.dialect, [row(words="a"), row(number=2, words="b")])
    assert few.column("number") == [1]
    assert more.column("words") == ["a", "b"]
    assert more.among("number", {2}).column("words") == ["b"]
    assert list(few.rows()) == [[1, "", None]]


def test_a_null_that_the_table_forbids_is_refused(engine: Engine) -> None:
    table = Table(
        "t",
        MetaData(),
        fields.text_key("key"),
        *fields.required_text("word"),
        *fields.text("other"),
    )
    table.metadata.create_all(engine)
    rows = [{"key": "a", "word": None, "other": None}]
    with engine.begin() as connection, pytest.raises(IntegrityError, match="word"):
        insert_rows(connection, table, rows)


def test_a_row_of_nulls_alone_is_a_row(engine: Engine) -> None:
    table = Table("t", MetaData(), *fields.text("one", "two"))
    table.metadata.create_all(engine)
    with engine.begin() as connection:
        insert_rows(connection, table, [{"one": None, "two": None}] * 3)
        assert connection.execute(table.select()).all() == [(None, None)] * 3


def test_a_name_that_is_no_column_is_refused(engine: Engine) -> None:
    table = table_of_every_kind("t")
    with pytest.raises(KeyError, match="t has no column 'speed'"):
        bind_rows(table, engine.dialect, [row(speed=1)])


@pytest.mark.parametrize("lacks", ["words", "served"])
def test_a_row_that_lacks_a_column_is_refused(engine: Engine, lacks: str) -> None:
    table = table_of_every_kind("t")
    short = row()
    del short[lacks]
    with pytest.raises(KeyError, match=lacks):
        bind_rows(table, engine.dialect, [row(), short])
