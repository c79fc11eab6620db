"""SQL sources only read, and a query ends at its deadline."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from judgemesh.contracts.needs import Records
from judgemesh.mesh.sources.protocols import SourceInaccessible
from judgemesh.mesh.sources.records import SqlRecords

from ..postgresql import Server

pytestmark = pytest.mark.anyio

NEED = Records(source={"type": "sql"}, result_id="r", task_id="t", trace_id=None)
ENDLESS = "WITH RECURSIVE a(kind) AS (SELECT 1 UNION ALL SELECT kind FROM a) SELECT sum(kind) AS kind FROM a"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "orders.db") as database:
        database.execute("CREATE TABLE orders (kind TEXT, target TEXT)")
        database.execute("INSERT INTO orders VALUES ('book', 'r')")
    return tmp_path


def source(folder: Path, query: str, **options: object) -> SqlRecords:
    return SqlRecords({"url": "sqlite:///orders.db", "query": query, **options}, folder)


@pytest.mark.parametrize(
    "query",
    [
        "VACUUM INTO 'copy.db'",
        "ATTACH 'copy.db' AS copy",
        "PRAGMA query_only = OFF",
        "PRAGMA journal_mode = WAL",
        "PRAGMA user_version = 7",
        "PRAGMA wal_checkpoint(TRUNCATE)",
        "PRAGMA writable_schema = ON",
        "INSERT INTO orders VALUES ('x', 'y')",
        "INSERT INTO orders VALUES ('x', 'y') RETURNING kind",
        "DELETE FROM orders RETURNING kind",
        "UPDATE orders SET kind = 'x' RETURNING kind",
        "DROP TABLE orders",
        "CREATE TABLE more (x)",
        "CREATE TEMP TABLE more (x)",
        "REINDEX",
        "ANALYZE",
        "SELECT load_extension('x')",
        "SELECT 1; DROP TABLE orders",
        "BEGIN IMMEDIATE",
        "DETACH main",
    ],
)
async def test_a_query_that_writes_is_refused(folder: Path, query: str) -> None:
    before = (folder / "orders.db").read_bytes()
    with pytest.raises(SourceInaccessible):
        await source(folder, query).records(NEED)
    assert (folder / "orders.db").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["orders.db"]


async def test_an_endless_query_ends_at_its_deadline(folder: Path) -> None:
    with pytest.raises(SourceInaccessible, match="did not end within"):
        await source(folder, ENDLESS, timeout_s=0.5).records(NEED)


async def test_rows_are_read(folder: Path) -> None:
    records = await source(folder, "SELECT kind, target FROM orders").records(NEED)
    assert len(records) <= 1
    assert await source(folder, "SELECT kind FROM orders").check(NEED) == ()


@pytest.fixture
def server_url(postgresql_server: Server) -> str:
    import sqlalchemy

    url = postgresql_server.database()
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE orders (kind text, target text)")
        connection.exec_driver_sql("INSERT INTO orders VALUES ('book', 'r')")
        connection.exec_driver_sql("CREATE SEQUENCE numbers")
        connection.exec_driver_sql(
            "CREATE FUNCTION put() RETURNS text LANGUAGE sql AS "
            "$$ INSERT INTO orders VALUES ('x', 'y') RETURNING kind $$"
        )
    engine.dispose()
    return url


@pytest.mark.parametrize(
    "query",
    [
        "SELECT put() AS kind",
        "SELECT nextval('numbers') AS kind",
        "COPY orders TO '/tmp/judgemesh-copied'",
        "COPY orders TO PROGRAM 'touch /tmp/judgemesh-copied'",
        "SELECT 1 AS kind; COMMIT; INSERT INTO orders VALUES ('x', 'y')",
        "COMMIT",
        "SET TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', false) AS kind, put()",
        "INSERT INTO orders VALUES ('x', 'y') RETURNING kind",
        "WITH new AS (INSERT INTO orders VALUES ('x', 'y') RETURNING kind) SELECT kind FROM new",
        "CREATE TABLE more (x int)",
        "SELECT kind FROM orders FOR UPDATE",
        "DO $$ BEGIN PERFORM put(); END $$",
        "LOCK TABLE orders",
        "VACUUM orders",
    ],
)
async def test_a_query_of_a_server_that_writes_is_refused(
    server_url: str, tmp_path: Path, query: str
) -> None:
    options: dict[str, object] = {"url": server_url, "query": query}
    with pytest.raises(SourceInaccessible):
        await SqlRecords(options, tmp_path).records(NEED)
    rows = {"url": server_url, "query": "SELECT kind, 'r' AS result_id FROM orders"}
    assert len(await SqlRecords(rows, tmp_path).records(NEED)) == 1


async def test_a_locked_table_and_an_endless_query_of_a_server_end(
    server_url: str, tmp_path: Path
) -> None:
    import sqlalchemy

    engine = sqlalchemy.create_engine(server_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("LOCK TABLE orders IN ACCESS EXCLUSIVE MODE")
        for query in ("SELECT kind FROM orders", "SELECT pg_sleep(600) AS kind"):
            options = {"url": server_url, "query": query, "timeout_s": 1}
            with pytest.raises(SourceInaccessible):
                await SqlRecords(options, tmp_path).records(NEED)
    engine.dispose()
