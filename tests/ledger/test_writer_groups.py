"""Which writes share a transaction, and which wait for nobody."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import wait
from contextlib import contextmanager

import pytest
from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import StaticPool

from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger import writer
from judgemesh.mesh.ledger.batch import WriteBatch
from judgemesh.mesh.ledger.waking import Outbox
from judgemesh.mesh.ledger.writer import Writer
from judgemesh.mesh.testing.faults import Fault, injected

LONG_S = 600.0
"""Longer than any test may take: a group that waits for it never ends in time."""


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> Generator[tuple[Writer, list[int]]]:
    """A writer whose groups would gather for minutes, and one entry for each of its commits."""
    monkeypatch.setattr(writer, "_GATHER_S", LONG_S)
    engine = create_engine(
        "sqlite://",
        poolclass=StaticPool,
        connect_args={"check_same_thread": False},
    )
    with _writing(engine) as opened:
        yield opened


@contextmanager
def _writing(engine: Engine) -> Generator[tuple[Writer, list[int]]]:
    made: list[int] = []

    def count(_connection: Connection) -> None:
        made.append(1)

    event.listen(engine, "commit", count)
    opened = Writer(engine, "test")
    try:
        yield opened, made
    finally:
        opened.close()
        engine.dispose()


def _nothing() -> WriteBatch:
    return WriteBatch()


def test_reports_of_a_stream_share_a_commit(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, made = commits
    with opened.gathering(8):
        futures = [opened.write(_nothing, can_wait=True) for _ in range(8)]
        assert not wait(futures, timeout=LONG_S).not_done
    assert made == [1]


@pytest.mark.parametrize("left_first", [True, False])
def test_the_last_reports_of_a_stream_wait_for_no_others(
    commits: tuple[Writer, list[int]], *, left_first: bool
) -> None:
    opened, made = commits
    with opened.gathering(8) as left:
        if left_first:
            left(2)
        futures = [opened.write(_nothing, can_wait=True) for _ in range(2)]
        if not left_first:
            left(2)
        assert not wait(futures, timeout=LONG_S).not_done
        assert made == [1]
        left(1)
        last = opened.write(_nothing, can_wait=True)
        assert not wait([last], timeout=LONG_S).not_done
    assert made == [1, 1]


@pytest.mark.parametrize("waiting", [0, 3])
def test_a_write_that_somebody_waits_for_ends_the_group(
    commits: tuple[Writer, list[int]], waiting: int
) -> None:
    opened, made = commits
    with opened.gathering(8):
        futures = [opened.write(_nothing, can_wait=True) for _ in range(waiting)]
        futures.append(opened.write(_nothing))
        assert not wait(futures, timeout=LONG_S).not_done
    assert made == [1]


def test_a_call_ends_the_group(commits: tuple[Writer, list[int]]) -> None:
    opened, _ = commits
    with opened.gathering(8):
        written = opened.write(_nothing, can_wait=True)
        assert opened.call(lambda _: written.done()).result() is True


def test_without_a_stream_a_lone_report_waits_for_nobody(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, made = commits
    with opened.gathering(8):
        pass
    opened.write(_nothing, can_wait=True).result()
    with opened.gathering(0):
        opened.write(_nothing, can_wait=True).result()
    assert made == [1, 1]


@pytest.mark.anyio
async def test_what_follows_a_write_makes_no_group_complete(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, made = commits
    outbox = Outbox(opened)
    waiters: list[asyncio.Future[None]] = []
    with opened.gathering(4):
        for _ in range(4):
            waiters.append(outbox.write(_nothing, can_wait=True))
            waiters.append(outbox.write(_nothing, can_wait=True, results=0))
            await asyncio.sleep(0)
            outbox.send()
        await asyncio.gather(*waiters)
    assert made == [1]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("leads", "can_wait", "shared"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
async def test_what_follows_an_attempt_in_its_turn_is_written_with_it(
    commits: tuple[Writer, list[int]], *, leads: bool, can_wait: bool, shared: bool
) -> None:
    opened, made = commits
    outbox, built = Outbox(opened), list[str]()

    def batch(name: str) -> Callable[[], WriteBatch]:
        def build() -> WriteBatch:
            built.append(name)
            return WriteBatch()

        return build

    attempt = outbox.write(batch("attempt"), can_wait=False, leads=leads)
    entry = outbox.write(batch("entry"), can_wait=can_wait, results=0)
    assert (attempt is entry) is shared
    other = outbox.write(batch("other"), can_wait=False)
    await asyncio.gather(attempt, entry, other)
    assert built == ["attempt", "entry", "other"]
    assert made == [1]


@pytest.mark.anyio
async def test_a_write_that_follows_nothing_is_written(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, made = commits
    await Outbox(opened).write(_nothing, can_wait=True, results=0)
    assert made == [1]


def test_closing_ends_the_group(commits: tuple[Writer, list[int]]) -> None:
    opened, made = commits
    with opened.gathering(8):
        written = opened.write(_nothing, can_wait=True)
        opened.close()
    assert written.done()
    assert made == [1]


@pytest.mark.anyio
async def test_writes_of_one_turn_of_the_loop_share_a_commit(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, made = commits
    outbox = Outbox(opened)
    waiters = [outbox.write(_nothing, can_wait=False) for _ in range(5)]
    await asyncio.gather(*waiters)
    assert made == [1]


@pytest.mark.anyio
async def test_what_is_written_stays_in_order_with_other_jobs(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, _ = commits
    outbox = Outbox(opened)
    built: list[str] = []

    def build() -> WriteBatch:
        built.append("write")
        return WriteBatch()

    waiter = outbox.write(build, can_wait=True)
    waiter.cancel()  # the write stays
    outbox.send()
    assert await outbox.call(opened.call(lambda _: list(built))) == ["write"]


@pytest.mark.anyio
async def test_a_write_after_the_end_fails_for_the_one_who_waits(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, _ = commits
    outbox = Outbox(opened)
    waiter = outbox.write(_nothing, can_wait=False)
    opened.close()
    with pytest.raises(LedgerError, match="closed"):
        await waiter


def test_a_clock_that_stands_still_ends_the_group(
    commits: tuple[Writer, list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, made = commits
    monkeypatch.setattr(writer, "_GATHER_S", 0.01)
    with (
        injected(Fault.parse("clock:still@1+")),
        opened.gathering(8),
    ):
        opened.write(_nothing, can_wait=True).result(LONG_S)
    assert made == [1]


def test_a_connection_is_kept_until_something_fails(
    commits: tuple[Writer, list[int]],
) -> None:
    opened, _ = commits
    taken: list[int] = []
    returned: list[int] = []
    engine = opened._engine
    event.listen(engine, "checkout", lambda *_: taken.append(1))
    event.listen(engine, "checkin", lambda *_: returned.append(1))
    for _ in range(3):
        opened.write(_nothing).result(LONG_S)
    opened.call(lambda _: None).result(LONG_S)
    assert (len(taken), len(returned)) == (1, 0)
    with injected(Fault.parse("commit:disk_full@1")), pytest.raises(LedgerError):
        opened.write(_nothing).result(LONG_S)
    assert (len(taken), len(returned)) == (1, 1)
    opened.write(_nothing).result(LONG_S)
    assert len(taken) == 2
    opened.close()
    assert len(returned) == 2
