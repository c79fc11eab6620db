"""Faults of threads: the operating system gives no further one."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

from judgemesh.mesh.testing.faults.fault import Moments

KINDS: Final = ("exhausted",)


@contextmanager
def faulty_threads(moments: Moments) -> Generator[None]:
    """The n-th thread is not started, with the error that Python raises where the system has no more."""
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if moments.next():
            raise RuntimeError("can't start new thread")
        start(thread)

    with patch.object(threading.Thread, "start", refuse):
        yield
