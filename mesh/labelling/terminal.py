"""Screens written to a terminal in place, or to any other stream one after the other.

Characters that the stream cannot encode are replaced.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TextIO

from judgemesh.mesh.labelling.screen import Size
from judgemesh.mesh.reporting.signs import can_show, in_ascii_signs

if TYPE_CHECKING:
    from judgemesh.mesh.labelling.screen import Line, Screen

_STYLES: Final = {
    "title": "1",
    "dim": "2",
    "question": "1;36",
    "good": "32",
    "bad": "31",
}
_COLOURLESS: Final = {"title": "1", "question": "1", "bad": "1"}
_ENTER: Final = "\x1b[?1049h\x1b[?7l\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?7h\x1b[?1049l"


class ScreenWriter:
    """Writes screens. With `NO_COLOR` only bold is used, with `TERM=dumb` plain text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = stream.encoding or "utf-8"
        self._terminal = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._styles = _COLOURLESS if os.environ.get("NO_COLOR") else _STYLES
        self._drawn: object = None
        self._on = False

    def size(self) -> Size:
        """The size of the terminal now; 80 by 24 if there is none."""
        try:
            size = self._terminal_size()
        except (OSError, ValueError):
            size = shutil.get_terminal_size()
        return Size(size.columns or 80, size.lines or 24)

    def _terminal_size(self) -> os.terminal_size:
        if self._terminal:
            return os.get_terminal_size(self._stream.fileno())
        return shutil.get_terminal_size()

    def draw(self, screen: Screen, view: object) -> None:
        """Show a screen.

        `view` identifies the result and page: without a terminal, only the foot of a
        screen is repeated while it stays the same.
        """
        if self._terminal:
            self._enter()
            drawn = "\r\n".join(f"\x1b[2K{self._styled(line)}" for line in screen.lines)
            self._write(f"\x1b[H{drawn}\x1b[J")
            return
        lines = screen.lines if view != self._drawn else screen.lines[-screen.foot :]
        self._drawn = view
        self._write("\n".join(line.text for line in _without_gaps(lines)) + "\n")

    def leave(self) -> None:
        """Restore the terminal and its former content."""
        if self._on:
            self._on = False
            self._write(_LEAVE)

    def _enter(self) -> None:
        if not self._on:
            self._on = True
            self._write(_ENTER)

    def _styled(self, line: Line) -> str:
        style = self._styles.get(line.style)
        return f"\x1b[{style}m{line.text}\x1b[0m" if style and line.text else line.text

    def _write(self, text: str) -> None:
        if not can_show(text, self._encoding):
            text = in_ascii_signs(text)
        self._stream.write(
            text.encode(self._encoding, "replace").decode(self._encoding)
        )
        self._stream.flush()


def _without_gaps(lines: Sequence[Line]) -> list[Line]:
    """Without the empty lines that only fill a screen."""
    dense: list[Line] = []
    for line in lines:
        if line.text or (dense and dense[-1].text):
            dense.append(line)
    return dense
