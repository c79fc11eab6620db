"""Execution-record sources: JSON Lines, CSV, SQL, and the registry that opens them."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.needs import Records, RecordsFound, Unanswered
from judgemesh.contracts.result_parts.actions import ExecutionRecord
from judgemesh.mesh.sources.options import describe
from judgemesh.mesh.sources.record_sources import RecordSources, record_source_types
from judgemesh.validators._shared.values import flag
from judgemesh.validators.execution.confirmation.harness_consent import on_record
from judgemesh.validators.execution.standings import record_standing

pytestmark = pytest.mark.anyio

JSONL = '{"result_id": "r1", "kind": "ticket", "target": 17, "parameters": {"p": 1}}\n\n{"result_id": "r2", "kind": "mail"}\n'
CSV = (
    "result_id,kind,target,amount,at\nr1,pay,ACME,5,2026-01-01T10:00:00Z\nr2,pay,B,6,\n"
)


def need(source: dict[str, Any], **ids: str) -> Records:
    """A need for the records of result r1."""
    return Records(
        source=source,
        result_id=ids.get("result_id", "r1"),
        task_id=ids.get("task_id", "t1"),
        trace_id=ids.get("trace_id"),
    )


async def found(
    folder: Path, source: dict[str, Any], **ids: str
) -> tuple[ExecutionRecord, ...]:
    """The records, which must be there to be read."""
    with RecordSources(folder) as sources:
        answer = await sources.answer(need(source, **ids))
    assert isinstance(answer, RecordsFound), answer
    return answer.records


async def refused(folder: Path, source: dict[str, Any], **ids: str) -> Unanswered:
    """The answer of a source that cannot be read."""
    with RecordSources(folder) as sources:
        answer = await sources.answer(need(source, **ids))
    assert isinstance(answer, Unanswered), answer
    assert "\n" not in answer.message
    return answer


async def test_jsonl(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(JSONL)
    (record,) = await found(tmp_path, {"type": "jsonl", "path": "t.jsonl"})
    assert (record.kind, record.target, record.parameters) == ("ticket", "17", {"p": 1})
    assert (
        await found(tmp_path, {"type": "jsonl", "path": "t.jsonl"}, result_id="r9")
        == ()
    )


async def test_csv(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("\ufeff" + CSV)
    (record,) = await found(tmp_path, {"type": "csv", "path": "t.csv"})
    assert (record.kind, record.target, record.parameters) == (
        "pay",
        "ACME",
        {"amount": "5"},
    )
    assert record.at is not None
    (second,) = await found(tmp_path, {"type": "csv", "path": "t.csv"}, result_id="r2")
    assert second.at is None


@pytest.mark.parametrize(
    ("header", "row", "options", "parameters"),
    [
        ("kind,parameters.a,b", "x,1,2", {}, {"a": "1"}),
        ("kind,a,b", "x,1,", {}, {"a": "1"}),
        ("kind,parameters,b", 'x,"{""a"": 1}",2', {}, {"a": 1}),
        (
            "run,action,a",
            "r1,x,1",
            {"match": {"run": "result_id"}, "columns": {"kind": "action"}},
            {"a": "1"},
        ),
        ("task_id,kind,a", "t1,x,1", {}, {"a": "1"}),
    ],
)
async def test_columns(
    tmp_path: Path,
    header: str,
    row: str,
    options: dict[str, Any],
    parameters: dict[str, object],
) -> None:
    (tmp_path / "t.csv").write_text(f"{header}\n{row}\n")
    (record,) = await found(tmp_path, {"type": "csv", "path": "t.csv", **options})
    assert (record.kind, record.parameters) == ("x", parameters)


async def test_the_first_id_that_is_a_column_matches(tmp_path: Path) -> None:
    rows = [
        {"task_id": "t1", "trace_id": "a", "kind": "x"},
        {"task_id": "t1", "trace_id": "b", "kind": "y"},
        {"kind": "z"},
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    source = {"type": "jsonl", "path": "t.jsonl"}
    assert [record.kind for record in await found(tmp_path, source, trace_id="b")] == [
        "y"
    ]
    assert [record.kind for record in await found(tmp_path, source)] == ["x", "y"]
    both = {**source, "match": {"task_id": "task_id", "trace_id": "trace_id"}}
    assert [record.kind for record in await found(tmp_path, both, trace_id="a")] == [
        "x"
    ]


async def test_a_file_without_rows_is_an_empty_source(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text("\n")
    (tmp_path / "t.csv").write_text("\n")
    assert await found(tmp_path, {"type": "jsonl", "path": "t.jsonl"}) == ()
    assert await found(tmp_path, {"type": "csv", "path": "t.csv"}) == ()


async def test_a_file_is_read_again_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text('{"kind": "x"}')
    with RecordSources(tmp_path) as sources:
        for kind in ("x", "y"):
            file.write_text(json.dumps({"kind": kind}))
            os.utime(file, ns=(0, ord(kind)))
            answer = await sources.answer(need({"path": "t.jsonl", "type": "jsonl"}))
            assert isinstance(answer, RecordsFound)
            assert [record.kind for record in answer.records] == [kind]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("missing.jsonl", None, "cannot be read"),
        ("t.jsonl", b'{"kind": "x"}\n{broken\n', "t.jsonl:2: no JSON"),
        ("t.jsonl", b"[1]\n", "t.jsonl:1: expected an object, got list"),
        ("t.jsonl", b'{"kind": "x", "kind": "y"}', "t.jsonl:1: no JSON"),
        ("t.jsonl", b'{"kind": "x", "n": NaN}', "t.jsonl:1: no JSON"),
        ("t.jsonl", b"[" * 50_000, "t.jsonl:1: no JSON"),
        ("t.jsonl", b"\xff\xfe", "no UTF-8 text"),
        ("t.jsonl", b'{"target": "x"}', "t.jsonl:1: no 'kind'"),
        ("t.jsonl", b'{"kind": "x", "at": "yesterday"}', "t.jsonl:1: at:"),
        (
            "t.jsonl",
            b'{"kind": "x", "parameters": [1]}',
            "t.jsonl:1: parameters: expected an object",
        ),
        ("t.jsonl", b'{"kind": {"a": 1}}', "t.jsonl:1: kind:"),
        ("t.csv", b"kind,a\nx,1,2\n", "t.csv:2: 3 cells under 2 columns"),
        ("t.jsonl", b"", "is empty"),
        ("t.csv", b"", "is empty"),
        ("t.csv", b"<!DOCTYPE html>\n<title>502</title>\n", "no column 'kind'"),
        ("t.csv", b"result_id,target\n", "no column 'kind'"),
        ("t.csv", b"kind,sttaus\nx,failed\n", "column 'sttaus' is nearly 'status'"),
        ("t.jsonl", b'{"kind": "x", "targett": "H-7"}', "is nearly 'target'"),
        ("t.csv", b"kind,kind\nx,1\n", "t.csv:1: column 'kind' occurs twice"),
        ("t.csv", b'kind,a\nx,"1\n', "no CSV"),
        (
            "t.csv",
            b"kind,parameters\nx,{broken\n",
            "t.csv:2: parameters: expected a JSON object",
        ),
        ("t.csv", b"kind,a\nx," + b"9" * 200_000 + b"\n", "no CSV"),
    ],
)
async def test_a_file_that_cannot_be_read_is_never_an_empty_answer(
    tmp_path: Path, name: str, data: bytes | None, message: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    answer = await refused(tmp_path, {"type": name.rpartition(".")[2], "path": name})
    assert answer.inaccessible
    assert message in answer.message


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"type": "jsonI"}, "did you mean 'jsonl'?"),
        ({"type": "carrier pigeon"}, "there are: csv, http, jsonl"),
        ({"type": "jsonl"}, "`path` is missing"),
        ({"type": "jsonl", "path": "x", "colums": {}}, "unknown option 'colums'"),
        ({"type": "jsonl", "path": "x", "match": {"a": "run"}}, "'run' is no id"),
        ({"type": "jsonl", "path": "x", "match": [1]}, "expected a mapping"),
        (
            {"type": "jsonl", "path": "x", "columns": {"kind": 1}},
            "mapping of text to text",
        ),
        (
            {"type": "csv", "path": "x", "columns": {"colour": "a"}},
            "'colour' is no field",
        ),
        ({"type": "sql", "url": "sqlite:///x.db"}, "`query` is missing"),
        (
            {"type": "sql", "query": "SELECT 1", "url": "nonsense"},
            "no database address",
        ),
        (
            {"type": "sql", "url": "sqlite:///x.db", "query": "SELECT :user_id"},
            ":user_id is no id",
        ),
    ],
)
async def test_bad_options_say_how_to_mend_them(
    tmp_path: Path, source: dict[str, Any], message: str
) -> None:
    answer = await refused(tmp_path, source)
    assert answer.error_type == "not_configured"
    assert not answer.inaccessible
    assert message in answer.message


async def test_a_match_column_must_exist(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"kind": "x", "trace_id": "a"}')
    source = {"type": "jsonl", "path": "t.jsonl"}
    assert (
        "no column 'run'"
        in (await refused(tmp_path, {**source, "match": {"run": "result_id"}})).message
    )
    assert (
        "the result has no trace_id"
        in (
            await refused(tmp_path, {**source, "match": {"trace_id": "trace_id"}})
        ).message
    )
    assert "the result has no trace_id" in (await refused(tmp_path, source)).message


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A SQLite database with a log of executions."""
    file = tmp_path / "log.db"
    with sqlite3.connect(file) as connection:
        connection.execute(
            "CREATE TABLE log (run_id TEXT, kind TEXT, target TEXT, amount REAL, parameters TEXT)"
        )
        connection.execute(
            "INSERT INTO log VALUES ('r1', 'pay', 'ACME', 5.5, NULL), ('r2', 'pay', 'B', 6, '{\"n\": 1}')"
        )
    connection.close()
    return file


SQL = {"type": "sql", "url": "sqlite:///log.db"}


@pytest.mark.usefixtures("database")
async def test_sql(tmp_path: Path) -> None:
    bound = {
        **SQL,
        "query": "SELECT kind, target, amount FROM log WHERE run_id = :result_id",
    }
    (record,) = await found(tmp_path, bound)
    assert (record.kind, record.target, record.parameters) == (
        "pay",
        "ACME",
        {"amount": 5.5},
    )
    assert await found(tmp_path, bound, result_id="r1' OR '1'='1") == ()
    unbound = {**SQL, "query": "SELECT * FROM log", "match": {"run_id": "result_id"}}
    (other,) = await found(tmp_path, unbound, result_id="r2")
    assert other.parameters == {"n": 1}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({**SQL, "query": "SELECT kind FROM elsewhere"}, "no such table"),
        ({**SQL, "query": "DELETE FROM log"}, "may only read"),
        ({**SQL, "query": "SELEKT"}, "syntax error"),
        ({**SQL, "url": "sqlite:///missing.db", "query": "SELECT 1"}, "does not exist"),
        (
            {**SQL, "query": "SELECT target FROM log WHERE run_id = :result_id"},
            "no 'kind' column",
        ),
        (
            {**SQL, "query": "SELECT kind FROM log WHERE run_id = :trace_id"},
            "the result has no trace_id",
        ),
        (
            {**SQL, "url": "oracle+cx_nothing://u:pw@h/d", "query": "SELECT 1"},
            "the query failed",
        ),
    ],
)
async def test_bad_sql_is_no_empty_answer(
    database: Path, source: dict[str, Any], message: str
) -> None:
    answer = await refused(database.parent, source)
    assert answer.inaccessible
    assert message in answer.message
    assert "pw" not in answer.message
    with sqlite3.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM log").fetchone() == (2,)
    connection.close()
    assert not (database.parent / "missing.db").exists()


async def test_one_source_serves_equal_options() -> None:
    assert record_source_types() == ("csv", "http", "jsonl", "result", "sql")
    assert (
        describe({"type": "sql", "url": "postgresql://me:secret@host/db"})
        == "sql postgresql://me:***@host/db"
    )
    assert describe({"type": "other"}) == "other"


FLAGS: list[tuple[str, object]] = [
    ("confirmed_by", "the client"),
    ("approved_by", "head of ward"),
    ("confirmed", True),
    ("error", "no such file"),
    ("success", False),
    ("dry_run", True),
]


def _written(kind: str, folder: Path, key: str, value: object) -> dict[str, Any]:
    """A source of one row that holds the key, in a file of the kind."""
    cell = str(value).casefold() if isinstance(value, bool) else str(value)
    if kind == "csv":
        (folder / "r.csv").write_text(f"result_id,kind,target,{key}\nr1,pay,A,{cell}\n")
        return {"type": "csv", "path": "r.csv"}
    if kind == "jsonl":
        row = {"result_id": "r1", "kind": "pay", "target": "A", key: value}
        (folder / "r.jsonl").write_text(json.dumps(row) + "\n")
        return {"type": "jsonl", "path": "r.jsonl"}
    connection = sqlite3.connect(folder / "r.db")
    connection.execute(f"CREATE TABLE log (result_id, kind, target, {key})")
    connection.execute("INSERT INTO log VALUES (?, ?, ?, ?)", ("r1", "pay", "A", value))
    connection.commit()
    connection.close()
    return {"type": "sql", "url": "sqlite:///r.db", "query": "SELECT * FROM log"}


@pytest.mark.parametrize("kind", ["csv", "jsonl", "sql"])
@pytest.mark.parametrize(("key", "value"), FLAGS)
async def test_a_row_is_the_same_record_as_an_entry_of_a_result(
    tmp_path: Path, kind: str, key: str, value: object
) -> None:
    (record,) = await found(tmp_path, _written(kind, tmp_path, key, value))
    entry = ExecutionRecord.model_validate({"kind": "pay", "target": "A", key: value})
    assert on_record(record) is on_record(entry)
    assert record_standing(record, {}) is record_standing(entry, {})
    if isinstance(value, bool):
        assert flag((record.model_extra or {})[key]) is value


async def test_a_renamed_column_leaves_the_field_alone(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("kind,status,stage\npay,gold member,done\n")
    source = {"type": "csv", "path": "r.csv", "columns": {"status": "stage"}}
    (record,) = await found(tmp_path, source)
    assert record.status == "done"
    assert record.parameters == {"status": "gold member"}
