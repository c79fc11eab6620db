"""Requests to judges whose answers are not in the ledger yet, in a file beside it.

A request that is in flight when its process is killed may be billed, and no attempt is on record. Each request is
therefore noted before it is sent, and crossed out when its attempt is committed. A process that ends in order removes
its file. The next process that begins a run in the ledger enters what a killed one left, as attempts of unknown cost.

The file is `LEDGER-requests-NAME`; for a ledger on a server `.judgemesh/server-DIGEST-requests-NAME` in the working
folder. Its owner holds a lock of the operating system on it for as long as it lives.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from glob import escape
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final, Self
from uuid import uuid4

import orjson
from sqlalchemy import Connection, select

from judgemesh.contracts.attempts import JudgeAttempt, JudgeRequest
from judgemesh.contracts.errors import LedgerError
from judgemesh.mesh.ledger.attempt_rows import attempt_rows
from judgemesh.mesh.ledger.batch import batch_of_attempt, write
from judgemesh.mesh.ledger.encoding import dumps
from judgemesh.mesh.ledger.report_rows import eval_id_of
from judgemesh.mesh.ledger.schema.tables import eval_run, judge_call

IN_FLIGHT: Final = "in_flight"
"""The error type of an attempt whose process ended before its answer was on record."""
_MESSAGE: Final = "the process ended before the answer was on record"
_REWRITTEN_AT_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class LeftRequest:
    """A request that a killed process had sent, as the attempt of a result of a run."""

    run_id: str
    result_id: str
    attempt: JudgeAttempt


class RequestJournal:
    """The requests of one process for one run.

    Args:
        ledger: the file of the ledger, or what the names of files for a ledger on a server begin with.
        run_id: the run.
    """

    def __init__(self, ledger: Path, run_id: str) -> None:
        name = f"{ledger}-requests-{uuid4().hex[:12]}"
        self._names = (f"{name}-{number}" for number in count())
        self._path = Path(next(self._names))
        self._run_id = run_id
        self._open: dict[tuple[object, ...], bytes] = {}
        self._file: int | None = None
        self._size_bytes = 0
        self._most_bytes = _REWRITTEN_AT_BYTES

    def sent(self, result_id: str, request: JudgeRequest) -> None:
        """Note a request that is about to be sent.

        Raises:
            LedgerError: the file cannot be written; the request must not be sent.
        """
        noted = [self._run_id, result_id, request._asdict()]
        line = f"{dumps(noted)}\n".encode()
        try:
            if self._size_bytes > self._most_bytes:
                self._rewrite()
            self._append(line)
        except OSError as error:
            raise LedgerError(
                f"{self._path} cannot be written: {error.strerror}; no request is sent without a record of it"
            ) from error
        self._open[_key(result_id, request)] = line

    def recorded(self, result_id: str, attempt: JudgeAttempt) -> None:
        """Cross out a request whose attempt is committed."""
        self._open.pop(_key(result_id, attempt), None)

    def close(self) -> None:
        """Remove the file, unless it has a request that is not on record. Safe to call twice."""
        if self._file is None:
            return
        if not self._open:
            self._path.unlink(missing_ok=True)
        os.close(self._file)
        self._file = None

    def _append(self, line: bytes) -> None:
        if self._file is None:
            self._file = _created(self._path)
        written = os.write(self._file, line)
        self._size_bytes += written
        if written < len(line):
            self._size_bytes -= written
            os.ftruncate(self._file, self._size_bytes)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _rewrite(self) -> None:
        """Leave out what is crossed out. The new file replaces the old one only when it is whole."""
        old, old_path = self._file, self._path
        self._path = Path(next(self._names))
        self._file, self._size_bytes = None, 0
        for line in self._open.values():
            self._append(line)
        # Twice of what stays, so that many open requests are not written again with each new one.
        self._most_bytes = max(_REWRITTEN_AT_BYTES, 2 * self._size_bytes)
        old_path.unlink(missing_ok=True)
        if old is not None:
            os.close(old)


@dataclass(frozen=True, slots=True)
class LeftFile:
    """The file of a process that has ended, with its requests. It is this process's until it is closed."""

    path: Path
    requests: Sequence[LeftRequest]
    _stream: BinaryIO

    @classmethod
    def claim(cls, path: Path) -> Self | None:
        """The file at a path; None where its owner lives, or another process has claimed it."""
        from fcntl import LOCK_EX, LOCK_NB, flock

        try:
            stream = path.open("rb")
        except OSError:
            return None
        try:
            flock(stream, LOCK_EX | LOCK_NB)
        except OSError:
            stream.close()
            return None
        left = [_read(line) for line in stream]
        return cls(path, [each for each in left if each is not None], stream)

    def close(self, *, entered: bool) -> None:
        """Give the file back; remove it where its requests are on record."""
        if entered:
            self.path.unlink(missing_ok=True)
        self._stream.close()


def has_place(ledger: Path) -> bool:
    """Whether files may be made beside the ledger. That of a server may be used from a folder that is only read."""
    folder = ledger.parent
    return os.access(folder if folder.exists() else folder.parent, os.W_OK)


def left_files(ledger: Path) -> list[LeftFile]:
    """The files that processes which have ended left beside a ledger."""
    paths = sorted(ledger.parent.glob(f"{escape(ledger.name)}-requests-*"))
    claimed = [LeftFile.claim(path) for path in paths]
    return [each for each in claimed if each is not None]


def enter(connection: Connection, requests: Sequence[LeftRequest]) -> None:
    """Write the attempts of requests that are not on record, in a transaction; those of purged runs are left out."""
    runs = set(connection.scalars(select(eval_run.c.run_id)))
    batches = [
        batch_of_attempt(*attempt_rows(left.run_id, left.result_id, left.attempt))
        for left in requests
        if left.run_id in runs and not _is_on_record(connection, left)
    ]
    if batches:
        write(connection, batches)


def _is_on_record(connection: Connection, left: LeftRequest) -> bool:
    call, attempt = judge_call.c, left.attempt
    query = select(call.judge_call_id).where(
        call.run_id == left.run_id,
        call.eval_id == eval_id_of(left.run_id, left.result_id),
        call.validator_name == attempt.validator_name,
        call.question_id == attempt.question_id,
        call.sample_index == attempt.sample_index,
        call.attempt == attempt.attempt,
        call.created_at == attempt.created_at,
    )
    return connection.execute(query).first() is not None


def _created(path: Path) -> int:
    """A new file that is its owner's alone, and locked."""
    from fcntl import LOCK_EX, flock

    path.parent.mkdir(exist_ok=True)
    file = os.open(
        path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600
    )
    flock(file, LOCK_EX)
    return file


def _read(line: bytes) -> LeftRequest | None:
    """A line of the file; None for one that was cut off."""
    try:
        run_id, result_id, noted = orjson.loads(line)
        noted["created_at"] = datetime.fromisoformat(noted["created_at"])
        attempt = JudgeAttempt(
            **noted,
            latency_ms=0.0,
            status="error",
            error_type=IN_FLIGHT,
            error_message=_MESSAGE,
        )
    except (ValueError, TypeError, KeyError):
        return None
    return LeftRequest(run_id, result_id, attempt)


def _key(result_id: str, attempt: JudgeAttempt | JudgeRequest) -> tuple[object, ...]:
    """What tells attempts apart: a question is asked several times, and each time again after a fault."""
    return (
        result_id,
        attempt.validator_name,
        attempt.question_id,
        attempt.sample_index,
        attempt.attempt,
        attempt.created_at,
    )
