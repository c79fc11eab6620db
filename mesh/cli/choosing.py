"""What several commands choose by their flags: a run of a ledger, names with numbers."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from judgemesh.mesh.ledger.records import RunRecord
    from judgemesh.mesh.ledger.store import Ledger


def pairs_of(text: str, flag: str) -> dict[str, str]:
    """`a=1,b=2` as names and values.

    Raises:
        ConfigError: it is something else, or names one thing twice.
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not name or not equals or not value:
            raise ConfigError(
                f"expected name=number, got {part!r:.60}",
                where=flag,
                hint="as in a=0.6,b=0.4",
            )
        if name in found:
            raise ConfigError(f"{name!r} stands twice", where=flag)
        found[name] = value
    return found


@asynccontextmanager
async def chosen_run(
    url: str, name: str | None
) -> AsyncGenerator[tuple[Ledger, RunRecord]]:
    """An open ledger and a run of it: the one named, else the latest.

    Raises:
        ConfigError: there is no such run.
        LedgerError: there is no ledger, or it cannot be read.
    """
    from judgemesh.mesh.cli.looking import find_run
    from judgemesh.mesh.ledger.store import Ledger

    async with await Ledger.open(url, read_only=True) as ledger:
        runs = await ledger.runs()
        latest = await ledger.latest_run()
        if latest is None:
            raise ConfigError(
                "holds no run yet", where=ledger.url, hint="`judgemesh grade` makes one"
            )
        yield ledger, latest if name is None else find_run(runs, name)
