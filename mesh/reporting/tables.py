"""The building blocks of every view: a table in one style, a grid of names and values, warnings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.reporting.text import one_line

UNWRAPPED: Final = 1_000_000
"""Columns of output that no terminal shows: nothing is wrapped or cut to fit."""
_GAP: Final = 2
_MIN_NAME: Final = 10
_MAX_NAME: Final = 40

if TYPE_CHECKING:
    from rich.console import JustifyMethod, RenderableType
    from rich.table import Table
    from rich.text import Text


def plain_table(*, title: str | None = None) -> Table:
    """A table in the one style used everywhere: no boxes, a rule under the head, and no figure cut."""
    from rich import box

    from judgemesh.mesh.reporting.fitting import FittingTable

    return FittingTable(
        title=title,
        title_style="bold",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        header_style="bold",
        pad_edge=False,
        show_edge=False,
    )


def fill_terminal(table: Table, width: int) -> None:
    """Columns with a ratio take what a terminal of this width has left; elsewhere a table is as wide as its text."""
    table.expand = width < UNWRAPPED


def add_columns(
    table: Table, *names: str, justify: JustifyMethod = "right", no_wrap: bool = True
) -> None:
    """Columns of one kind, by default of numbers."""
    for name in names:
        table.add_column(name, justify=justify, no_wrap=no_wrap)


def name_table(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int,
    title: str | None = None,
) -> Table:
    """A table of names and numbers that fits `width`: names are cut, numbers never."""
    table = plain_table(title=title)
    table.collapse_padding = True
    table.add_column(heads[0], no_wrap=True)
    add_columns(table, *heads[1:])
    others = 0
    for number, head in enumerate(heads[1:], start=1):
        others += _GAP + max(len(head), *(len(row[number]) for row in rows))
    room = min(max(width - others, _MIN_NAME), _MAX_NAME)
    for name, *numbers in rows:
        table.add_row(one_line(name, room), *numbers)
    return table


def grid(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values, the values in one column."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, value)
    return table


def hanging(label: Text, text: Text) -> Table:
    """A label and a text whose further lines stand below its first one, never below the label."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(label, text)
    return table


def warnings_block(notes: Sequence[str]) -> Iterator[RenderableType]:
    """A blank line and one warning a line; nothing where there are no notes."""
    from rich.text import Text

    if notes:
        yield Text("")
        for note in notes:
            label = Text("warning:", "yellow", end="")
            yield hanging(label, Text(one_line(note), "yellow"))
