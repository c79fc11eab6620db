"""The fault injector strikes at the moment that it names, and nowhere else."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Engine, Integer, MetaData, Table, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError

from judgemesh.mesh.judging.gateways.simulated import Behaviour
from judgemesh.mesh.ledger.statements.inserts import insert_rows
from judgemesh.mesh.testing.fake_provider import FakeProvider
from judgemesh.mesh.testing.faults import (
    SEAMS,
    Fault,
    FaultyServer,
    Open,
    WireFault,
    injected,
    left_open,
)
from judgemesh.mesh.testing.faults.wire import FORWARDED

FAULTS = st.builds(
    Fault,
    seam=st.sampled_from(sorted(SEAMS)),
    kind=st.sampled_from(["memory", "io_error", "kill_after"]),
    at=st.integers(0, 10_000),
    lasting=st.booleans(),
)


@given(FAULTS)
def test_a_fault_is_read_as_it_is_written(fault: Fault) -> None:
    assert Fault.parse(str(fault)) == fault


@pytest.mark.parametrize(
    "given", ["", "commit", "commit:locked", "commit:locked@", "commit:locked@-1", ":x@1", "a:@1", "a:b@²"]
)  # fmt: skip
def test_what_is_no_fault_is_refused_with_an_example(given: str) -> None:
    with pytest.raises(ValueError, match="seam:kind@n"):
        Fault.parse(given)


@pytest.mark.parametrize(
    ("given", "named"), [("clocks:back@1", "no seam"), ("clock:fast@1", "no kind")]
)
def test_unknown_seams_and_kinds_are_named(given: str, named: str) -> None:
    with pytest.raises(ValueError, match=named), injected(Fault.parse(given)):
        pass


def _engine(tmp_path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}")
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE t (n INTEGER)"))
    return engine


def _insert(engine: Engine, number: int) -> None:
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": number})


def _rows(engine: Engine) -> list[int]:
    with engine.begin() as connection:
        return list(connection.execute(text("SELECT n FROM t ORDER BY n")).scalars())


@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        ("statement:disk_full@2", [1, 3]),
        ("statement:locked@2+", [1]),
        ("commit:io_error@2", [1, 3]),
        ("commit:lost_after@2", [1, 2, 3]),
        ("commit:corrupt@0", [1, 2, 3]),
    ],
)
def test_the_driver_fails_at_the_named_moment_as_sqlite_does(
    tmp_path: Path, fault: str, kept: list[int]
) -> None:
    engine = _engine(tmp_path)
    failed: list[DBAPIError] = []
    with injected(Fault.parse(fault)) as moments:
        for number in (1, 2, 3):
            try:
                _insert(engine, number)
            except DBAPIError as caught:
                failed.append(caught)
    assert _rows(engine) == kept
    assert moments.count == 3
    assert len(failed) == moments.struck
    for error in failed:
        assert isinstance(error, OperationalError)
        assert isinstance(error.orig, sqlite3.OperationalError)
        assert error.orig.sqlite_errorcode
    engine.dispose()


def test_memory_runs_out_in_the_driver(tmp_path: Path) -> None:
    engine = _engine(tmp_path)
    with injected(Fault.parse("statement:memory@1")), pytest.raises(MemoryError):
        _insert(engine, 1)
    assert _rows(engine) == []
    engine.dispose()


def test_what_the_ledger_gives_the_driver_itself_is_a_moment(tmp_path: Path) -> None:
    engine = _engine(tmp_path)
    table = Table("t", MetaData(), Column("n", Integer))
    with (
        injected(Fault.parse("statement:disk_full@2")) as moments,
        engine.begin() as connection,
    ):
        insert_rows(connection, table, [{"n": 1}])
        with pytest.raises(OperationalError):
            insert_rows(connection, table, [{"n": 2}])
    assert (moments.count, moments.struck) == (2, 1)
    assert _rows(engine) == [1]
    engine.dispose()


async def _turns(count: int) -> int:
    done = 0
    for _ in range(count):
        await asyncio.sleep(0)
        done += 1
    return done


def test_await_points_of_every_task_are_moments() -> None:
    async def work() -> list[int]:
        return list(await asyncio.gather(_turns(3), _turns(4)))

    with injected(Fault.parse("await:cancel@0")) as moments:
        assert asyncio.run(work()) == [3, 4]
    assert moments.count >= 7


def test_the_first_task_is_cancelled_at_each_of_its_await_points() -> None:
    for moment in range(1, 6):
        with (
            injected(Fault.parse(f"await:cancel@{moment}")) as moments,
            pytest.raises(asyncio.CancelledError),
        ):
            asyncio.run(_turns(5))
        assert moments.struck == 1


def test_memory_runs_out_at_an_await_point() -> None:
    with injected(Fault.parse("await:memory@3")), pytest.raises(MemoryError):
        asyncio.run(_turns(5))


def test_files_below_the_working_folder_alone_are_moments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "outside").write_text("x")
    with injected(Fault.parse("open:io_error@2")) as moments:
        (tmp_path / "outside").read_text()
        Path("first").write_text("x")
        with pytest.raises(OSError, match="Input/output"):
            Path("second").write_text("x")
        Path("third").write_text("x")
    assert (moments.count, moments.struck) == (3, 1)


def test_threads_and_processes_are_refused() -> None:
    with injected(Fault.parse("thread:exhausted@1")), pytest.raises(RuntimeError):
        threading.Thread(target=print).start()
    with injected(Fault.parse("process:exhausted@1")), pytest.raises(OSError):  # noqa: PT011 (the number differs by system)
        subprocess.run([sys.executable, "-c", ""], check=False)


def test_clocks_jump_and_stand_still_and_go_on() -> None:
    with injected(Fault.parse("clock:back@2")):
        before, jumped, after = time.time(), time.time(), time.time()
    assert jumped < before - 3000 < after - 3000 < time.time()
    with injected(Fault.parse("clock:still@1+")):
        assert time.monotonic() == time.monotonic()


def test_what_is_left_open_is_named(tmp_path: Path) -> None:
    before = Open.now()
    assert left_open(before) == []
    with (tmp_path / "kept").open("w"):
        (line,) = left_open(before)
        assert str(tmp_path / "kept") in line
    with subprocess.Popen(["sleep", "60"]) as child:
        assert f"child process {child.pid}" in left_open(before)
        child.kill()
    assert left_open(before) == []


# --- the wire ---


async def _ask(url: str) -> Any:
    body = {"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Question: x? TRUTH:yes"}]}  # fmt: skip
    async with (
        aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=5)) as session,
        session.post(f"{url}/chat/completions", json=body, allow_redirects=False) as response,
    ):  # fmt: skip
        if response.status != 200:
            return response.status
        return json.loads(await response.read())


async def _once_it_listens(url: str) -> Any:
    """Ask a server that may listen on its port again only in a moment."""
    while True:
        try:
            return await _ask(url)
        except aiohttp.ClientConnectorError:
            await asyncio.sleep(0.01)


_QUICK = sorted(set(WireFault) - {WireFault.HANG, WireFault.ENDLESS})


@pytest.mark.anyio
@pytest.mark.parametrize("fault", _QUICK)
async def test_the_named_answer_is_spoilt_and_the_others_are_whole(
    fault: WireFault,
) -> None:
    async with (
        FakeProvider(Behaviour()) as provider,
        FaultyServer(provider.base_url) as server,
    ):
        whole = await _ask(server.url)
        server.spoil(fault, at=2)
        assert await _ask(server.url) == whole
        try:
            spoilt = await _ask(server.url)
        except (aiohttp.ClientError, ValueError, TimeoutError) as error:
            spoilt = error
        assert await _once_it_listens(server.url) == whole
        assert (server.requests, server.struck) == (3, 1)
        assert provider.bill().requests == 3 + (fault in FORWARDED)
    if fault is WireFault.SLOW:
        assert spoilt == whole
    elif fault is WireFault.NO_USAGE:
        assert whole.pop("usage")
        assert spoilt == whole
    else:
        assert spoilt != whole


@pytest.mark.anyio
async def test_every_later_answer_is_spoilt_where_the_fault_lasts() -> None:
    async with (
        FakeProvider(Behaviour()) as provider,
        FaultyServer(provider.base_url) as server,
    ):
        server.spoil(WireFault.STATUS_503, at=2, lasting=True)
        answers = [await _ask(server.url) for _ in range(4)]
        assert answers[1:] == [503, 503, 503]
        server.spoil(None)
        assert await _ask(server.url) == answers[0]
