"""No figure of a table is cut, however narrow the terminal is."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from judgemesh.mesh.reporting.tables import add_columns, plain_table

_WORD = st.text("abcdefgh_", min_size=1, max_size=40)
_NUMBER = st.integers(0, 10**12).map(lambda value: f"{value / 1000:,.3f}")
_ROW = st.tuples(_WORD, st.lists(_WORD, max_size=8).map(" ".join), _NUMBER, _NUMBER)


def _printed(rows: list[tuple[str, str, str, str]], width: int) -> str:
    table = plain_table(title="figures")
    table.add_column("name", no_wrap=True)
    table.add_column("why", overflow="fold")
    add_columns(table, "share", "95% CI")
    for row in rows:
        table.add_row(*row)
    console = Console(file=io.StringIO(), width=width, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


@given(st.lists(_ROW, min_size=1, max_size=5), st.integers(30, 140))
def test_every_figure_is_whole_and_fits(
    rows: list[tuple[str, str, str, str]], width: int
) -> None:
    printed = _printed(rows, width)
    assert all(len(line.rstrip()) <= width for line in printed.splitlines())
    words = printed.split()
    for name, _, share, interval in rows:
        assert words.count(share) >= 1
        assert words.count(interval) >= 1
        assert name[:20] in printed
    assert "figures" in words


def test_a_wide_terminal_shows_rows_and_a_narrow_one_blocks() -> None:
    rows = [("first", "it holds", "0.500", "0.123456789 to 0.987654321")]
    assert "first   it holds   0.500   0.123456789" in _printed(rows, 80)
    lines = [line.rstrip() for line in _printed(rows, 40).split("\n")]
    assert lines[1:6] == [
        "first",
        "  why     it holds",
        "  share   0.500",
        "  95% CI  0.123456789 to 0.987654321",
        "",
    ]
