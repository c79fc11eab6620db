"""A case of the campaign: a fault, where and when it happens, and what it may cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reliability.campaign.scenario import QUICK

from judgemesh.mesh.testing.faults import Fault


def nothing(_folder: Path) -> None:
    """Prepare nothing."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One case.

    fault: injected into the process of the command. wire: orders for the servers. prepare: changes the folder before
    the first run; it is written anew before the second. limit: called in the process of the first run.

    codes: exit codes that are honest besides those that follow from the results. strikes: whether the fault must be
    seen to happen.
    """

    seam: str
    kind: str
    moment: str = ""
    fault: Fault | None = None
    wire: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Any])
    prepare: Callable[[Path], object] = nothing
    limit: Callable[[], None] | None = None
    tasks: Sequence[str] = QUICK
    arguments: Sequence[str] = ()
    stdin: str = ""
    stdout: str = "stdout"
    on_server: bool = False
    codes: frozenset[int] = frozenset()
    strikes: bool = True
    contracts: str = ""

    @property
    def name(self) -> str:
        """The case in words."""
        at = f" at {self.moment}" if self.moment else ""
        where = " (PostgreSQL)" if self.on_server else ""
        return f"{self.seam} {self.kind}{at}{where}"
