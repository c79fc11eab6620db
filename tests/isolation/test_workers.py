"""A job that does not end, takes too much memory or kills its process costs its deadline, and the next one is served."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from judgemesh.mesh.isolation.workers import WorkerPool, WorkFailed


@pytest.fixture
def pool() -> WorkerPool:
    return WorkerPool()


@pytest.mark.parametrize(
    ("job", "argument", "reason"),
    [
        (time.sleep, 600, "did not end within 0.5 s"),
        (os._exit, 0, "ended the process"),
        (bytearray, 8 * 2**30, "more memory"),
        (os.abort, None, "ended the process"),
    ],
)
def test_a_job_that_misbehaves_is_ended(
    pool: WorkerPool, job: Callable[..., object], argument: object, reason: str
) -> None:
    arguments = () if argument is None else (argument,)
    with pytest.raises(WorkFailed, match=reason):
        pool.call(job, *arguments, timeout_s=0.5)
    assert pool.call(len, b"abc", timeout_s=30) == 3
    pool.close()


def test_an_exception_of_a_job_is_raised_here(pool: WorkerPool) -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        pool.call(int, "x", timeout_s=30)
    first = pool.call(os.getpid, timeout_s=30)
    assert pool.call(os.getpid, timeout_s=30) == first != os.getpid()
    pool.close()


def test_what_a_job_prints_is_not_an_answer(pool: WorkerPool) -> None:
    pool.call(print, "rubbish", timeout_s=30)
    assert pool.call(abs, -1, timeout_s=30) == 1
    pool.close()


def test_a_worker_that_nobody_watches_ends_itself(
    pool: WorkerPool, tmp_path: Path
) -> None:
    """As after a kill -9 of the parent: nobody kills it, and its job never ends."""
    worker = pool._taken()
    worker.answer(os.getpid, (), 30)
    worker._jobs.send((time.sleep, (600,), 0.1))
    assert worker._process.wait(timeout=30) != 0
    worker.kill()
