"""Faults of the clock: it jumps, or stands still, from the n-th reading on."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from types import MappingProxyType
from typing import Final
from unittest.mock import patch

from judgemesh.mesh.testing.faults.fault import Moments

_HOUR_S: Final = 3600.0
KINDS: Final = MappingProxyType({"back": -_HOUR_S, "forward": _HOUR_S, "still": 0.0})
"""Kind -> by how much the clock is wrong, in seconds."""
_CLOCKS: Final = ("time", "monotonic", "perf_counter")


@contextmanager
def faulty_clocks(moments: Moments) -> Generator[None]:
    """The clocks of the module `time` are wrong at the moments of the fault."""
    with ExitStack() as stack:
        for name in _CLOCKS:
            clock = _faulty(getattr(time, name), moments)
            stack.enter_context(patch.object(time, name, clock))
        yield


def _faulty(clock: Callable[[], float], moments: Moments) -> Callable[[], float]:
    stopped: list[float] = []

    def read() -> float:
        now = clock()
        if not moments.next():
            return now
        if moments.fault.kind == "still":
            stopped.append(now)
            return stopped[0]
        return now + KINDS[moments.fault.kind]

    return read
