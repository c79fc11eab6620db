"""The building blocks of every view: a table in one style, a grid of names and values, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from judgemesh.mesh.reporting.text import one_line

if TYPE_CHECKING:
    from rich.console import JustifyMethod, RenderableType
    from rich.table import Table


def plain_table(*, title: str | None = None) -> Table:
    """A table in the one style used everywhere: no boxes, a rule under the head."""
    from rich import box
    from rich.table import Table

    return Table(
        title=title,
        title_style="bold",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        header_style="bold",
        pad_edge=False,
        show_edge=False,
    )


def add_columns(
    table: Table, *names: str, justify: JustifyMethod = "right", no_wrap: bool = True
) -> None:
    """Columns of one kind, by default of numbers."""
    for name in names:
        table.add_column(name, justify=justify, no_wrap=no_wrap)


def add_more(table: Table, more: int) -> None:
    """A last row that says how many rows are not shown; none where all are."""
    if more > 0:
        table.add_row(f"and {more:,} more", style="dim")


def grid(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values, the values in one column."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table


def warnings_block(notes: Sequence[str]) -> Iterator[RenderableType]:
    """A blank line and one warning a line; nothing where there are no notes."""
    from rich.text import Text

    if notes:
        lines = [f"warning: {one_line(note)}" for note in notes]
        yield Text("")
        yield Text("\n".join(lines), "yellow")
