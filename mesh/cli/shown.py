"""How `grade` and `report` print a run: for people, as rows with tabs, or as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

    from judgemesh.mesh.cli.listing import Listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """How to print. `quiet` prints nothing for people."""

    as_json: bool = False
    plain: bool = False
    quiet: bool = False


def show_run(
    summary: Iterable[RenderableType],
    data: dict[str, object],
    rows: Listed,
    shown: Shown,
) -> None:
    """Print a run: its summary and then its rows.

    Args:
        summary: for people.
        data: the summary as JSON; rows are added where an option asks for them.
        rows: those to list.
        shown: how. `plain` prints the rows alone, with tabs between their columns.
    """
    from judgemesh.mesh.cli.output import put, show, show_json, terminal_width
    from judgemesh.mesh.reporting.results.listing import plain_rows, row_json

    if shown.as_json:
        if rows.asked_for:
            data = {**data, "results": list(map(row_json, rows.rows))}
        show_json(data)
    elif shown.plain and not shown.quiet:
        put("".join(f"{line}\n" for line in plain_rows(rows.rows)))
    elif not shown.quiet:
        show(*_list_view(rows, terminal_width()), *summary)


def _list_view(rows: Listed, width: int) -> Iterator[RenderableType]:
    from rich.text import Text

    from judgemesh.mesh.reporting.results.listing import rows_view
    from judgemesh.mesh.reporting.text import plural

    yield from rows_view(rows.rows, width=width)
    if rows.more:
        more = plural(rows.more, "more result")
        yield Text(f"and {more} that failed or are undecided: --failed, --all", "dim")
    if rows.asked_for and not rows.rows:
        yield Text("no result is listed: none is of the kind that was asked for", "dim")
    if rows.rows or rows.asked_for:
        yield Text("")
