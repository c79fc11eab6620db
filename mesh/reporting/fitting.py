"""A table that cuts no figure: what a narrow terminal cannot hold side by side stands one below the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult

_ANY_WIDTH: Final = 1_000_000
_LEAST_TEXT: Final = 12
"""Characters that a wrapped text needs to be readable."""
_LEAST_NAME: Final = 30
"""Characters of a name, which is not wrapped, that are never cut: ids of runs and failure codes have fewer."""
_INDENT: Final = 2


class FittingTable(Table):
    """A table whose numbers are never cut. Texts are wrapped and long names cut first; then its rows become blocks."""

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> RenderResult:
        """The table as it is, with narrower texts, or row by row."""
        wide = options.update(max_width=_ANY_WIDTH)
        excess = super().__rich_measure__(console, wide).maximum - options.max_width
        if self.expand or excess <= 0 or self._shrink(console, wide, excess):
            yield from super().__rich_console__(console, options)
        else:
            yield from self._blocks()

    def _shrink(self, console: Console, wide: ConsoleOptions, excess: int) -> bool:
        """Narrow the texts, then the names, by that many characters; whether that was enough."""
        texts: list[tuple[Column, int]] = []
        names: list[tuple[Column, int]] = []
        for column in self.columns:
            size = _natural(console, wide, column)
            if column.no_wrap and column.justify != "right":
                names.append((column, size))
            elif not column.no_wrap:
                texts.append((column, size))
        # Rich takes from the texts by itself; where it also has to cut, it cuts numbers as well.
        excess -= sum(_slack(size, _LEAST_TEXT) for _, size in texts)
        if excess <= 0:
            return True
        if excess > sum(_slack(size, _LEAST_NAME) for _, size in names):
            return False
        for column, size in texts:
            column.width = min(size, _LEAST_TEXT)
        _cut(names, excess)
        return True

    def _blocks(self) -> RenderResult:
        """Each row as its first cell, and below it the others with the heads of their columns."""
        if self.title:
            yield Text(str(self.title), "bold")
        heads = [column.header for column in self.columns]
        for cells in zip(*(column.cells for column in self.columns), strict=True):
            yield cells[0]
            yield Padding(_block(heads[1:], cells[1:]), (0, 0, 0, _INDENT))


def _block(
    heads: Sequence[RenderableType], cells: Sequence[RenderableType]
) -> RenderableType:
    block = Table.grid(padding=(0, 2))
    block.add_column(style="dim", overflow="fold")
    block.add_column(overflow="fold")
    for head, cell in zip(heads, cells, strict=True):
        if str(cell):
            block.add_row(head, cell)
    return block


def _natural(console: Console, wide: ConsoleOptions, column: Column) -> int:
    """The width of a column that nothing limits."""
    cells = (column.header, *column.cells)
    return max(Measurement.get(console, wide, cell).maximum for cell in cells)


def _slack(size: int, least: int) -> int:
    return max(0, size - least)


def _cut(names: Sequence[tuple[Column, int]], excess: int) -> None:
    """Take that many characters from the widest columns."""
    widths = [size for _, size in names]
    for _ in range(excess):
        widths[widths.index(max(widths))] -= 1
    for (column, _), width in zip(names, widths, strict=True):
        column.width = width
