"""Whatever cannot be opened says so in one line."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from judgemesh.contracts.errors import LedgerError
from judgemesh.contracts.report import Report
from judgemesh.mesh.ledger.engines import parse_address, writing_engine
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.store import Ledger

from ..postgresql import Server

pytestmark = pytest.mark.anyio


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is no database, " * 100)


def _other_program(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (title TEXT)")
    connection.close()


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE schema_migration (version INTEGER, name TEXT)")
        connection.execute(
            "INSERT INTO schema_migration VALUES (999, 'from the future')"
        )
    connection.close()


def _older(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE schema_migration (version INTEGER, name TEXT)")
        connection.execute("INSERT INTO schema_migration VALUES (3, 'unreleased')")
        connection.execute("CREATE TABLE eval_run (run_id TEXT)")
    connection.close()


def _not_ours(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE schema_migration (revision TEXT)")
    connection.close()


def _folder(path: Path) -> None:
    path.mkdir()


def _nothing(path: Path) -> None:
    assert not path.exists()


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    ("prepare", "says"),
    [
        (_garbage, "is not an SQLite database; choose another file"),
        (
            _other_program,
            "is a database of another program (it has a table 'songs'); choose another file",
        ),
        (_newer, "has schema version 999, this judgemesh knows versions up to"),
        (
            _older,
            (
                "has schema version 3, from before the first release, which cannot be migrated; "
                "name a new ledger and grade again"
            ),
        ),
        (_not_ours, "no such column: version"),
        (_folder, "is a folder; give a file"),
    ],
)
async def test_a_file_that_is_no_ledger(
    tmp_path: Path, prepare: Callable[[Path], None], says: str, read_only: bool
) -> None:
    path = tmp_path / "ledger.db"
    prepare(path)
    before = path.read_bytes() if path.is_file() else None

    with pytest.raises(LedgerError) as caught:
        await Ledger.open(str(path), read_only=read_only)

    line = str(caught.value)
    assert line.startswith(f"ledger {path}")
    assert says in line
    assert "\n" not in line
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("read_only", [False, True])
async def test_a_server_with_an_older_ledger(
    postgresql_server: Server, read_only: bool
) -> None:
    import psycopg

    address = postgresql_server.database()
    with psycopg.connect(address) as connection:
        connection.execute("CREATE TABLE schema_migration (version INTEGER, name TEXT)")
        connection.execute("INSERT INTO schema_migration VALUES (3, 'unreleased')")

    with pytest.raises(LedgerError) as caught:
        await Ledger.open(address, read_only=read_only)

    assert str(caught.value) == (
        f"ledger {parse_address(address).name} has schema version 3, from before the first release, "
        "which cannot be migrated; name a new ledger and grade again"
    )
    with psycopg.connect(address) as connection:
        tables = connection.execute(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
        ).fetchall()
    assert tables == [("schema_migration",)]


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "address is empty"),
        ("   ", "address is empty"),
        ("mysql://localhost/x", "'mysql' is not supported"),
        ("http://localhost/ledger", "'http' is not supported"),
        ("sqlite:///ledger.db?mode=ro", "sqlite:///path and nothing more"),
        ("sqlite://ledger.db", "sqlite:///path and nothing more"),
        ("postgresql://me:secret@127.0.0.1:notaport/x", "not a valid URL"),
        ("://", "not a valid URL"),
    ],
)
async def test_an_address_that_is_none(url: str, says: str) -> None:
    with pytest.raises(LedgerError) as caught:
        await Ledger.open(url)

    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_a_password_is_not_shown() -> None:
    assert "secret" not in parse_address("postgresql://me:secret@127.0.0.1/x").name


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(
        LedgerError, match=r"ledger .*ledger\.db: (NotADirectoryError|FileExistsError)"
    ):
        await Ledger.open(str(tmp_path / "file" / "ledger.db"))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
async def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    await (await Ledger.open(str(path))).aclose()
    path.chmod(0o444)

    with pytest.raises(LedgerError, match="cannot be written; check the permissions"):
        await Ledger.open(str(path))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
async def test_a_ledger_in_a_folder_that_may_not_be_written_can_be_read(
    tmp_path: Path, run_record: RunRecord
) -> None:
    folder = tmp_path / "published"
    async with await Ledger.open(str(folder / "ledger.db")) as ledger:
        await ledger.begin_run(run_record)
    folder.chmod(0o555)
    try:
        async with await Ledger.open(
            str(folder / "ledger.db"), read_only=True
        ) as ledger:
            assert [run.run_id for run in await ledger.runs()] == ["run"]
    finally:
        folder.chmod(0o755)


async def test_a_missing_file_is_not_made_for_reading(tmp_path: Path) -> None:
    path = tmp_path / "absent" / "ledger.db"

    with pytest.raises(LedgerError, match="does not exist"):
        await Ledger.open(str(path), read_only=True)

    assert not path.parent.exists()


async def test_an_empty_file_becomes_a_ledger_by_writing_only(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    path.touch()

    with pytest.raises(LedgerError, match="is empty"):
        await Ledger.open(str(path), read_only=True)
    async with await Ledger.open(str(path)) as ledger:
        assert await ledger.runs() == []


async def test_memory_has_nothing_to_read() -> None:
    with pytest.raises(LedgerError, match="in memory and empty"):
        await Ledger.open(":memory:", read_only=True)


@pytest.mark.parametrize("url", [":memory:", "sqlite://", "sqlite:///:memory:"])
async def test_memory_by_any_name(url: str, run_record: RunRecord) -> None:
    async with await Ledger.open(url) as ledger:
        await ledger.begin_run(run_record)
        assert await ledger.latest_run() is not None


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}", "sqlite+pysqlite:///{}"])
async def test_a_file_by_any_name_with_its_folder(tmp_path: Path, form: str) -> None:
    path = (
        tmp_path / "new folder" / "100% a?b.db"
        if form == "{}"
        else tmp_path / "new folder" / "ledger.db"
    )
    await (await Ledger.open(form.format(path))).aclose()

    assert path.is_file()
    await (await Ledger.open(form.format(path), read_only=True)).aclose()


async def test_a_locked_file_says_so_and_is_usable_afterwards(
    tmp_path: Path,
    run_record: RunRecord,
    make_report: Callable[..., Report],
    now: datetime,
) -> None:
    path = tmp_path / "ledger.db"
    async with await Ledger.open(str(path), busy_timeout_s=0.05) as ledger:
        await ledger.begin_run(run_record)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerError, match="is locked by another process"):
            await Ledger.open(str(path), busy_timeout_s=0.05)
        with pytest.raises(LedgerError, match="is locked by another process"):
            await ledger.write_report(
                "run",
                make_report("r"),
                result_digest="d",
                input_index=0,
                created_at=now,
            )
        other.execute("ROLLBACK")
        other.close()

        await ledger.write_report(
            "run", make_report("r"), result_digest="d", input_index=0, created_at=now
        )
        assert (await ledger.summary("run")).attempted == 1


async def test_many_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger.db")
    opened: list[Ledger] = []

    async def open_one() -> None:
        opened.append(await Ledger.open(path))

    async with anyio.create_task_group() as group:
        for _ in range(8):
            group.start_soon(open_one)

    assert len(opened) == 8
    for ledger in opened:
        assert await ledger.runs() == []
        await ledger.aclose()


async def test_reading_only_does_not_write(
    tmp_path: Path,
    run_record: RunRecord,
    make_report: Callable[..., Report],
    now: datetime,
) -> None:
    path = str(tmp_path / "ledger.db")
    async with await Ledger.open(path) as writing:
        await writing.begin_run(run_record)
    async with await Ledger.open(path, read_only=True) as reading:
        assert [run.run_id for run in await reading.runs()] == ["run"]
        with pytest.raises(LedgerError, match="open for reading only"):
            await reading.write_report(
                "run",
                make_report("r"),
                result_digest="d",
                input_index=0,
                created_at=now,
            )


async def test_closed_is_closed(tmp_path: Path, run_record: RunRecord) -> None:
    ledger = await Ledger.open(str(tmp_path / "ledger.db"))
    await ledger.aclose()
    await ledger.aclose()

    with pytest.raises(LedgerError, match="is closed"):
        await ledger.begin_run(run_record)
    with pytest.raises(LedgerError, match="is closed"):
        await ledger.runs()
    assert not Path(f"{ledger.url}-wal").exists()


@pytest.mark.anyio
async def test_a_ledger_whose_opening_is_given_up_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    opening = asyncio.create_task(Ledger.open(str(path)))
    while not path.exists():  # noqa: ASYNC110 (a file has no event)
        await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await to_thread.run_sync(_until_closed, path)


def _until_closed(path: Path) -> None:
    """Wait until no descriptor of this process is one of the ledger's files."""
    deadline = time.monotonic() + 60
    while any(str(path) in target for target in _open_files()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _open_files() -> list[str]:
    found: list[str] = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.append(str(descriptor.readlink()))
    return found


async def test_the_log_of_a_writer_is_copied_seldom(tmp_path: Path) -> None:
    engine = writing_engine(parse_address(str(tmp_path / "ledger.db")), 1.0)
    with engine.begin() as connection:
        pages = connection.exec_driver_sql("PRAGMA wal_autocheckpoint").scalar_one()
    engine.dispose()
    assert pages == 4000
