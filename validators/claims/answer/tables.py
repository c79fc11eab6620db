"""The rows of a table as statements: each cell is said of the first cell of its row, under the head of its column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from judgemesh.validators.claims.answer.keyed import Keyed

_RULE_SIGNS: Final = "|:+=-"
_PAIR: Final = 2


class Cell(NamedTuple):
    """A cell that states something: a sentence, or a value under its key. `start` is the offset of its line."""

    start: int
    text: str = ""
    keyed: Keyed | None = None


class _Row(NamedTuple):
    start: int
    cells: list[str]


def cells_of(
    lines: Sequence[tuple[int, str]],
    about: str,
    is_sentence: Callable[[str], bool],
    is_generic: Callable[[str], bool],
) -> Iterator[Cell]:
    """What the cells of a table state.

    Args:
        lines: the lines of the table with their offsets.
        about: the heading above it.
        is_sentence: whether a cell is a statement by itself.
        is_generic: whether a head says nothing (`Value`).
    """
    rows = [_Row(start, _split(line)) for start, line in lines if not _is_rule(line)]
    rows = [row for row in rows if any(row.cells)]
    if not rows:
        return
    head, *body = rows
    for row in rows:
        yield from (
            Cell(row.start, text=cell) for cell in row.cells if is_sentence(cell)
        )
    keyed = (
        _pairs(rows, about, is_generic)
        if _is_pair_table(head, body, is_generic)
        else _columns(head, body, about)
    )
    for cell in keyed:
        if cell.keyed is not None and not is_sentence(cell.keyed.value):
            yield cell


def _is_rule(line: str) -> bool:
    """Whether a line only draws: `| --- | :-: |`."""
    return "--" in line and not "".join(line.split()).strip(_RULE_SIGNS)


def _pairs(
    rows: Sequence[_Row], about: str, is_generic: Callable[[str], bool]
) -> Iterator[Cell]:
    """A property and its value in each row."""
    for row in rows:
        if len(row.cells) == _PAIR and not is_generic(row.cells[0]):
            key, value = row.cells
            if value:
                yield Cell(row.start, keyed=Keyed(key, value, about))


def _columns(head: _Row, body: Sequence[_Row], about: str) -> Iterator[Cell]:
    """A thing in each row, and a property of it in each further column."""
    for row in body:
        subject = row.cells[0] or about
        for key, value in zip(head.cells[1:], row.cells[1:], strict=False):
            if value:
                yield Cell(row.start, keyed=Keyed(key, value, subject))


def _is_pair_table(
    head: _Row, body: Sequence[_Row], is_generic: Callable[[str], bool]
) -> bool:
    """Whether a table of two columns lists properties with their values, and not things with one property."""
    if len(head.cells) != _PAIR:
        return False
    if not body or any(character.isdigit() for character in head.cells[1]):
        return True
    return any(map(is_generic, head.cells))


def _split(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
