"""Findings of `judgemesh doctor`, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from judgemesh.mesh.analysis.doctor import DoctorCheck
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.table import Table


def checks_table(checks: Sequence[DoctorCheck]) -> Table:
    """One row a check."""
    from rich.text import Text

    table = plain_table()
    table.add_column("check", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("found", overflow="fold")
    for check in checks:
        status = Text("fault", "bold red")
        if check.ok:
            status = Text("ok", "green")
        table.add_row(check.name, status, one_line(check.found))
    return table
