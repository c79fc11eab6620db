"""Draws screens: in place on a terminal, one after the other anywhere else. What a stream cannot encode is replaced."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from judgemesh.mesh.labelling.screen import Line, Screen, Size

_STYLES: Final = {
    "title": "1",
    "dim": "2",
    "question": "1;36",
    "good": "32",
    "bad": "31",
}
_COLOURLESS: Final = {"title": "1", "question": "1", "bad": "1"}
_PLAIN: Final = str.maketrans({"─": "-", "…": "~", "·": "|"})
_ENTER: Final = "\x1b[?1049h\x1b[?7l\x1b[?25l"
_LEAVE: Final = "\x1b[?25h\x1b[?7h\x1b[?1049l"


class Stage:
    """One stream that screens are drawn on. `NO_COLOR` leaves bold, `TERM=dumb` nothing but text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encoding = stream.encoding or "utf-8"
        self._narrow = not _can(self._encoding, "─…·")
        self._terminal = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._styles = _COLOURLESS if os.environ.get("NO_COLOR") else _STYLES
        self._drawn: object = None
        self._on = False

    def size(self) -> Size:
        """Of the terminal, which may have changed; 80 by 24 where there is none."""
        from judgemesh.mesh.labelling.screen import Size

        try:
            found = (
                os.get_terminal_size(self._stream.fileno())
                if self._terminal
                else shutil.get_terminal_size()
            )
        except (OSError, ValueError):
            found = shutil.get_terminal_size()
        return Size(found.columns or 80, found.lines or 24)

    def draw(self, screen: Screen, what: object) -> None:
        """Show a screen. `what` says which result and view it is: off a terminal, only its end is repeated."""
        if self._terminal:
            self._enter()
            drawn = "\r\n".join(f"\x1b[2K{self._styled(line)}" for line in screen.lines)
            self._write(f"\x1b[H{drawn}\x1b[J")
            return
        lines = screen.lines if what != self._drawn else screen.lines[-screen.foot :]
        self._drawn = what
        self._write("\n".join(line.text for line in _without_gaps(lines)) + "\n")

    def leave(self) -> None:
        """The terminal as it was, with what stood on it."""
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
        if self._narrow:
            text = text.translate(_PLAIN)
        self._stream.write(
            text.encode(self._encoding, "replace").decode(self._encoding)
        )
        self._stream.flush()


def _can(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _without_gaps(lines: Sequence[Line]) -> list[Line]:
    """Without the empty lines that only fill a screen."""
    return [
        line
        for place, line in enumerate(lines)
        if line.text or (place and lines[place - 1].text)
    ]
