"""Requests are noted before they are sent, and those that a killed process left become attempts of unknown cost."""

from __future__ import annotations

import os
import resource
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgemesh.contracts.attempts import JudgeAttempt, JudgeRequest
from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger import request_journal
from judgemesh.mesh.ledger.engines import parse_address
from judgemesh.mesh.ledger.records import RunRecord
from judgemesh.mesh.ledger.request_journal import RequestJournal, left_files
from judgemesh.mesh.ledger.store import Ledger

if TYPE_CHECKING:
    from ..postgresql import Server

pytestmark = pytest.mark.anyio

_START = datetime(2026, 3, 1, 8, 30, 0, 123456, UTC)
_CHILD = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_request_journal import attempt, request
from judgemesh.mesh.ledger.request_journal import RequestJournal
journal = RequestJournal(Path(sys.argv[1]), "run")
for number in range(3):
    journal.sent("r1", request(number))
journal.recorded("r1", attempt(1))
print("noted", flush=True)
time.sleep(600)
"""


def attempt(number: int) -> JudgeAttempt:
    """An attempt as it is known before it is sent."""
    return JudgeAttempt(
        validator_name="criteria",
        question_id="polite",
        model_requested="openai/gpt-4.1-mini",
        prompt_name="question@3",
        prompt_digest="sha256:1",
        message_digest="sha256:2",
        parameters={"temperature": 0},
        created_at=_START + timedelta(milliseconds=number),
        latency_ms=0.0,
        status="error",
        sample_index=number,
    )


def request(number: int) -> JudgeRequest:
    """What is known of that attempt before it is sent."""
    known = attempt(number)
    return JudgeRequest(**{name: getattr(known, name) for name in JudgeRequest._fields})


def _files(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}-requests-*"))


async def _open(place: str) -> Ledger:
    ledger = await Ledger.open(place)
    await ledger.begin_run(
        RunRecord(run_id="run", run_key="key", created_at=_START, config={}, evaluator_version="1")
    )  # fmt: skip
    return ledger


def _note_and_be_killed(path: Path) -> None:
    """A process notes three requests, crosses out the second one, and is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", _CHILD, str(path), str(Path(__file__).parent)],
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "noted\n"
        assert stat.S_IMODE(_files(path)[0].stat().st_mode) == 0o600
        assert left_files(path) == []  # its owner lives
        child.kill()
    assert child.returncode == -signal.SIGKILL


@pytest.fixture
def beside(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """What the names of files beside the ledger at `place` begin with."""
    monkeypatch.chdir(tmp_path)
    path = parse_address(place).beside
    assert path is not None
    assert path.is_relative_to(tmp_path)
    path.parent.mkdir(exist_ok=True)
    yield path
    assert _files(path) == []


async def test_requests_of_a_killed_process_become_attempts_of_unknown_cost(
    place: str, beside: Path
) -> None:
    async with await _open(place) as ledger:
        # The first one was committed, and the process was killed before it crossed it out.
        await ledger.write_attempt("run", "r1", replace(attempt(0), status="ok"))
    _note_and_be_killed(beside)

    async with await Ledger.open(place) as ledger:
        assert await ledger.request_journal("run") is not None
        attempts = await ledger.attempts("run", "r1")
        summary = await ledger.summary("run")

    assert [(each.sample_index, each.status, each.error_type) for each in attempts] == [
        (0, "ok", None),
        (1, "error", "in_flight"),
        (2, "error", "in_flight"),
    ]
    assert attempts[1].created_at == attempt(1).created_at
    assert attempts[1].parameters == {"temperature": 0}
    assert attempts[1].cost is None
    assert summary.judge_calls == 3
    assert summary.evaluator_cost_unknown == 3


async def test_a_line_that_was_cut_off_and_a_run_that_is_gone_are_left_out(
    place: str, beside: Path
) -> None:
    journal = RequestJournal(beside, "run")
    journal.sent("r1", request(0))
    journal.close()
    other = RequestJournal(beside, "purged")
    other.sent("r1", request(0))
    other.close()
    whole = [each.read_bytes() for each in _files(beside)]
    for each, content in zip(_files(beside), whole, strict=True):
        each.write_bytes(content + content[:40])

    async with await _open(place) as ledger:
        await ledger.request_journal("run")
        summary = await ledger.summary("run")

    assert summary.judge_calls == 1


async def test_a_ledger_on_a_server_is_used_from_a_folder_that_is_only_read(
    postgresql_server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def refused(_path: Path, _mode: int) -> bool:  # root may write everywhere
        return False

    monkeypatch.setattr(os, "access", refused)
    async with await _open(postgresql_server.database()) as ledger:
        assert await ledger.request_journal("run") is None
    assert not list(tmp_path.iterdir())


def test_the_ledger_of_another_database_has_other_files() -> None:
    addresses = {
        f"postgresql://{user}:{password}@host/{database}"
        for user in ("a", "b")
        for password in ("x", "y")
        for database in ("one", "two")
    }
    assert len({parse_address(each).beside for each in addresses}) == 4
    assert parse_address(":memory:").beside is None


def test_a_file_is_removed_where_every_request_is_on_record(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    journal = RequestJournal(path, "run")
    journal.sent("r1", request(0))
    journal.sent("r1", request(1))
    journal.recorded("r1", attempt(0))
    journal.recorded("r1", attempt(1))
    journal.recorded("r2", attempt(1))  # an answer from the cache was never sent
    journal.close()
    journal.close()
    assert _files(path) == []


def test_the_file_stays_small_and_has_every_open_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_journal, "_REWRITTEN_AT_BYTES", 4096)
    path = tmp_path / "ledger.db"
    journal = RequestJournal(path, "run")
    for number in range(2_000):
        journal.sent("r1", request(number))
        if number % 500:
            journal.recorded("r1", attempt(number))
    (file,) = _files(path)
    assert file.stat().st_size < 3 * 4096
    assert len(file.name) < 40  # hundreds of times it was written anew
    journal.close()
    (left,) = left_files(path)
    indices = {each.attempt.sample_index for each in left.requests}
    left.close(entered=False)
    assert {0, 500, 1_000, 1_500} <= indices


def test_a_request_that_cannot_be_noted_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    journal = RequestJournal(path, "run")
    journal.sent("r1", request(0))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    (file,) = _files(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (file.stat().st_size + 10, hard))
    try:
        with pytest.raises(LedgerError, match="no request is sent without a record"):
            journal.sent("r1", request(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)
    journal.close()
    (left,) = left_files(path)
    assert [each.attempt.sample_index for each in left.requests] == [0]
    left.close(entered=True)
