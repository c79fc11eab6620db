"""Faults in the process of the command: injected at a moment of a seam, or by a limit of the system or of SQLite."""

from __future__ import annotations

import resource
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from reliability.campaign.case import Case

from judgemesh.mesh.testing.faults import SEAMS, Fault

_SIGNALS: Final = ("interrupt", "terminate", "kill")
_KILLED: Final = frozenset({-signal.SIGKILL})
_INTERNAL: Final = frozenset({70})
_CODES: Final = {
    "kill": _KILLED,
    "kill_after": _KILLED,
    "memory": _INTERNAL,
    "cancel": _INTERNAL,
    "exhausted": _INTERNAL,
}
"""Kinds that end a process, or are faults of the process itself -> exit codes that are honest for them."""
_MANY: Final = {
    "statement": 5,
    "commit": 4,
    "await": 8,
    "open": 5,
    "connect": 3,
    "thread": 6,
    "process": 2,
    "clock": 3,
}
"""Seam -> moments at which each kind is tried, at most."""
_ONCE: Final = (*_SIGNALS, "slow")
"""Kinds that do not last: signals, and what would take a minute."""
_LASTING: Final = ("statement", "commit", "clock", "connect")
_ON_SERVER: Final = 2
Moments = Mapping[str, int]
"""Seam -> how many moments a run without a fault has."""


def process_cases(moments: Moments, server_moments: Moments) -> Iterator[Case]:
    """All cases; the moments are spread over those of a run without a fault."""
    for seam, count in _MANY.items():
        for kind in SEAMS[seam].kinds:
            for at in _spread(moments[seam], count):
                yield _injected(seam, kind, at)
            if seam in _LASTING and kind not in _ONCE:
                for at in _spread(moments[seam], 3)[:2]:
                    yield _injected(seam, kind, at, lasting=True)
    for seam in ("statement", "commit"):
        for kind in SEAMS[seam].kinds:
            for at in _spread(server_moments.get(seam, 0), _ON_SERVER):
                yield _injected(seam, kind, at, on_server=True)
    yield from _limits()


def _spread(total: int, count: int) -> list[int]:
    """`count` moments, up to three quarters of those of a run: how many writes share a commit differs each time."""
    total = max(total * 3 // 4, min(total, 1))
    if total <= count:
        return list(range(1, total + 1))
    return sorted(
        {1 + round(step * (total - 1) / (count - 1)) for step in range(count)}
    )


def _injected(
    seam: str, kind: str, at: int, *, lasting: bool = False, on_server: bool = False
) -> Case:
    fault = Fault(seam=seam, kind=kind, at=at, lasting=lasting)
    return Case(
        seam=seam,
        kind=kind,
        moment=str(fault).partition("@")[2],
        fault=fault,
        codes=_CODES.get(kind, frozenset()),
        on_server=on_server,
    )


# --- limits ---

_SIZES_KIB: Final = (1, 40, 200, 300, 330, 360, 400)
_DESCRIPTORS: Final = (6, 8, 10, 12, 14, 16, 20)
_PAGES: Final = (1, 60, 90, 100, 110, 120)
_HEAPS_KIB: Final = (300, 600, 900, 1200)


def _limits() -> Iterator[Case]:
    for kib in _SIZES_KIB:
        limit = partial(_limited, resource.RLIMIT_FSIZE, kib * 1024)
        yield _under(limit, "files", "limited in size", f"{kib} KiB")
    for count in _DESCRIPTORS:
        limit = partial(_limited, resource.RLIMIT_NOFILE, count)
        yield _under(limit, "descriptors", "limited", str(count))
    for pages in _PAGES:
        limit = partial(_on_connect, f"PRAGMA max_page_count={pages}")
        yield _under(limit, "ledger", "limited to pages", str(pages))
    for kib in _HEAPS_KIB:
        limit = partial(_on_connect, f"PRAGMA hard_heap_limit={kib * 1024}")
        yield _under(limit, "ledger", "SQLite's memory limited", f"{kib} KiB")


def _under(limit: Callable[[], None], seam: str, kind: str, moment: str) -> Case:
    return Case(
        seam=seam,
        kind=kind,
        moment=moment,
        limit=limit,
        strikes=False,
        codes=_INTERNAL,
    )


def _limited(what: int, value: int) -> None:
    """A soft limit: the process may take it back when the command has ended."""
    resource.setrlimit(what, (value, resource.getrlimit(what)[1]))


def _on_connect(pragma: str) -> None:
    """SQLite itself says that its disk is full, or runs out of memory."""
    from sqlalchemy import event
    from sqlalchemy.pool import Pool

    def connected(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute(pragma)

    event.listen(Pool, "connect", connected)
