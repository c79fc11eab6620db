"""Untrusted text as lines that fit a terminal, with control sequences made visible."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from judgemesh.mesh.reporting.text import visible

_TAB: Final = 4


@lru_cache(maxsize=8)
def fold(text: str, width: int) -> tuple[str, ...]:
    """`text` made visible and broken into lines of at most `width` cells (2 or more), at spaces where there are any."""
    lines: list[str] = []
    for line in visible(text).expandtabs(_TAB).split("\n"):
        lines.extend(_ascii(line, width) if line.isascii() else _cells(line, width))
    return tuple(lines)


def cut(text: str, width: int, mark: str = "…") -> str:
    """One line of at most `width` cells; what did not fit is replaced by `mark`."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - cell_len(mark))).rstrip() + mark


def _ascii(line: str, width: int) -> list[str]:
    lines: list[str] = []
    start = 0
    while len(line) - start > width:
        space = line.rfind(" ", start, start + width + 1)
        broken = space > start and not line[start:space].isspace()
        end = space if broken else start + width
        lines.append(line[start:end].rstrip())
        start = end + 1 if broken else end
    lines.append(line[start:])
    return lines


def _cells(line: str, width: int) -> list[str]:
    """As `_ascii`, for characters that take no cell or two."""
    from rich.cells import get_character_cell_size

    lines: list[str] = []
    start, used, space, used_at_space = 0, 0, -1, 0
    for position, character in enumerate(line):
        size = get_character_cell_size(character)
        if used + size > width:
            if character == " ":
                lines.append(line[start:position])
                start, used, space = position + 1, 0, -1
                continue
            if space > start and not line[start:space].isspace():
                lines.append(line[start:space].rstrip())
                start, used = space + 1, used - used_at_space
            else:
                lines.append(line[start:position])
                start, used = position, 0
            space = -1
        used += size
        if character == " ":
            space, used_at_space = position, used
    lines.append(line[start:])
    return lines
