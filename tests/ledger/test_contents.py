"""What a result holds is kept with its verdicts, cut where it is too large, and never costs the verdicts."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import inspect, text

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import Report
from judgemesh.mesh.ledger.contents import LIMIT_BYTES, content_row
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.schema.migrations import MIGRATIONS, migrate
from judgemesh.mesh.ledger.store import Ledger

from .older import make_older

pytestmark = pytest.mark.anyio
NOW = datetime(2026, 4, 28, 10, 0, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5)
    ),
    max_leaves=20,
)


async def _write(
    ledger: Ledger, report: Report, content: Callable[[], Mapping[str, object]] | None
) -> None:
    await ledger.write_report(
        "run",
        report,
        result_digest="sha256:x",
        input_index=0,
        created_at=NOW,
        content=content,
    )


def _body(row: Mapping[str, Any] | None) -> dict[str, Any]:
    assert row is not None
    return dict(json.loads(zlib.decompress(row["body"])))


async def test_what_was_kept_comes_back(
    ledger: Ledger, make_report: Callable[..., Report]
) -> None:
    content = {"result": {"output": {"final_answer": "über \0 \x1b[31m"}}, "n": 2**70}
    await _write(ledger, make_report("a"), lambda: content)

    stored = await ledger.content("run", "a")

    assert stored is not None
    assert stored.content == content
    assert stored.cut_at_bytes is None


async def test_nothing_is_kept_where_nothing_is_given(
    ledger: Ledger, make_report: Callable[..., Report]
) -> None:
    await _write(ledger, make_report("a"), None)

    assert await ledger.content("run", "a") is None
    assert await ledger.content("run", "never graded") is None


async def test_a_result_that_is_graded_again_replaces_what_was_kept(
    ledger: Ledger, make_report: Callable[..., Report]
) -> None:
    await _write(ledger, make_report("a"), lambda: {"result": {"n": 1}})
    await _write(ledger, make_report("a"), lambda: {"result": {"n": 2}})

    stored = await ledger.content("run", "a")
    assert stored is not None
    assert stored.content == {"result": {"n": 2}}
    await _write(ledger, make_report("a"), None)
    assert await ledger.content("run", "a") is None


async def test_content_that_cannot_be_kept_costs_no_verdict(
    ledger: Ledger, make_report: Callable[..., Report]
) -> None:
    def breaks() -> Mapping[str, object]:
        raise RuntimeError("no content")

    report = make_report("a")
    await _write(ledger, report, breaks)

    assert [stored.result_id async for stored in ledger.reports("run")] == ["a"]
    assert await ledger.content("run", "a") is None


async def test_a_damaged_content_is_one_clear_line(
    tmp_path: Path, run_record: Any, make_report: Callable[..., Report]
) -> None:
    path = tmp_path / "ledger.db"
    async with await Ledger.open(str(path)) as ledger:
        await ledger.begin_run(run_record)
        await _write(ledger, make_report("a"), lambda: {"result": {}})
    engine = writing_engine(parse_address(str(path)), 5)
    with engine.begin() as connection:
        connection.execute(text("UPDATE eval_result_content SET body = x'00'"))
    engine.dispose()
    async with await Ledger.open(str(path), read_only=True) as ledger:
        with pytest.raises(LedgerError, match="content of result 'a' is damaged"):
            await ledger.content("run", "a")


def test_a_long_text_is_cut_with_a_marker_and_short_ones_stay() -> None:
    content = {"result": {"id": "a", "answer": "x" * (2 * LIMIT_BYTES)}}
    row = content_row("a", lambda: content)

    kept = _body(row)["result"]
    assert row is not None
    assert row["cut_at_bytes"] is not None
    assert row["full_bytes"] > 2 * LIMIT_BYTES
    assert kept["id"] == "a"
    assert kept["answer"].endswith(f"… [cut at {row['cut_at_bytes']} bytes]")
    assert len(kept["answer"].encode()) < row["cut_at_bytes"] + 100


@given(content=st.dictionaries(st.text(), JSON), limit=st.integers(600, 5_000))
def test_what_is_kept_is_json_within_the_limit(
    content: dict[str, Any], limit: int
) -> None:
    row = content_row("a", lambda: content, limit_bytes=limit)

    if row is None:
        assert len(json.dumps(content)) > limit
        return
    assert len(zlib.decompress(row["body"])) <= limit
    if row["cut_at_bytes"] is None:
        assert _body(row) == content


@given(
    text=st.text(min_size=300, max_size=600),
    items=st.integers(min_value=2, max_value=40),
)
def test_a_text_is_cut_between_characters(text: str, items: int) -> None:
    row = content_row("a", lambda: {"texts": [text] * items}, limit_bytes=2_000)

    if row is not None and row["cut_at_bytes"] is not None:
        for kept in _body(row)["texts"]:
            assert "\ufffd" not in kept or "\ufffd" in text


def test_an_older_ledger_gets_the_table(tmp_path: Path) -> None:
    engine = writing_engine(parse_address(str(tmp_path / "ledger.db")), 5)
    with engine.begin() as connection:
        migrate(connection)
        make_older(connection, 6)
        assert migrate(connection) == MIGRATIONS[-1].version
        columns = inspect(connection).get_columns("eval_result_content")
        key = inspect(connection).get_foreign_keys("eval_result_content")

    assert [column["name"] for column in columns] == [
        "eval_id",
        "body",
        "full_bytes",
        "cut_at_bytes",
    ]
    assert key[0].get("options") == {"ondelete": "CASCADE"}
