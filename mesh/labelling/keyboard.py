"""One key at a time: from a terminal without Enter, from a pipe or a file character by character.

While it is open, signals are keys too (`interrupt`, `suspend`, `redraw`). A key is read
only after everything that the key before it caused is done, so an interrupt never cuts
off a decision that is being written. docs/decisions/0009-keys-of-a-labelling-session.md compares it with libraries.
"""

from __future__ import annotations

import codecs
import os
import select
import signal
from contextlib import suppress
from typing import Any, Final, Self, TextIO

_KEYS_OF_SIGNALS: Final = {
    "SIGINT": "interrupt",
    "SIGTERM": "interrupt",
    "SIGHUP": "interrupt",
    "SIGTSTP": "suspend",
    "SIGWINCH": "redraw",
    "SIGCONT": "redraw",
}
_NAMED: Final = {
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x04": "eof",
    "\f": "redraw",
}
_SEQUENCES: Final = {
    "A": "up",
    "B": "down",
    "C": "right",
    "D": "left",
    "H": "home",
    "F": "end",
    "1~": "home",
    "4~": "end",
    "5~": "pageup",
    "6~": "pagedown",
    "7~": "home",
    "8~": "end",
}
_SEQUENCE_TIMEOUT_S: Final = 0.05
"""How long the rest of an escape sequence may take; Esc alone has none."""


class Keyboard:
    """Reads keys from a stream, as names: `y`, `enter`, `pagedown`, `eof`, `interrupt`, `suspend`, `redraw`.

    is_used: whether a key was pressed.
    """

    def __init__(self, stream: TextIO) -> None:
        self._descriptor = stream.fileno()
        self._terminal = stream.isatty()
        self._decoder = codecs.getincrementaldecoder(stream.encoding or "utf-8")(
            "replace"
        )
        self._typed: list[str] = []
        self.is_used = False
        self._mode: list[Any] | None = None
        self._signals: dict[int, Any] = {}
        self._wake: tuple[int, int] | None = None
        self._wake_before = -1

    def __enter__(self) -> Self:
        """Listen to signals, and read the terminal without waiting for Enter."""
        self._wake = os.pipe()
        for end in self._wake:
            os.set_blocking(end, False)
        with suppress(ValueError):  # signals are the main thread's
            self._wake_before = signal.set_wakeup_fd(
                self._wake[1], warn_on_full_buffer=False
            )
            for name in _KEYS_OF_SIGNALS:
                if (number := getattr(signal, name, None)) is not None:
                    self._signals[number] = signal.signal(number, _nothing)
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the terminal and the signal handlers."""
        self.give_back()
        for number, before in self._signals.items():
            signal.signal(number, before)
        if self._wake is not None:
            if self._signals:
                signal.set_wakeup_fd(self._wake_before)
            for end in self._wake:
                os.close(end)

    def take(self) -> None:
        """Read single keys, without echo. Ctrl-C and Ctrl-Z stay signals."""
        if self._terminal:
            import termios
            import tty

            self._mode = termios.tcgetattr(self._descriptor)
            tty.setcbreak(self._descriptor, termios.TCSADRAIN)

    def give_back(self) -> None:
        """Restore the terminal."""
        if self._mode is not None:
            import termios

            with suppress(termios.error):  # it may be gone
                termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._mode)
            self._mode = None

    def suspend(self) -> None:
        """Stop this process, as Ctrl-Z does; returns when it continues."""
        self.give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.take()

    def read(self) -> str:
        """The next key; waits for it."""
        while True:
            key = self._signalled()
            if key is None and self._typed:
                key = self._key()
            if key is None:
                key = self._fill(None)
            if key is not None:
                return key

    def _signalled(self) -> str | None:
        """The key of a signal that arrived; an interrupt takes precedence."""
        if self._wake is None:
            return None
        try:
            numbers = os.read(self._wake[0], 512)
        except BlockingIOError:
            return None
        keys = {_KEYS_OF_SIGNALS.get(_name_of(number), "redraw") for number in numbers}
        for key in ("interrupt", "suspend", "redraw"):
            if key in keys:
                return key
        return None

    def _fill(self, timeout_s: float | None) -> str | None:
        """Wait for characters or a signal. `eof` at the end of the input."""
        watched = [self._descriptor, *([self._wake[0]] if self._wake else [])]
        ready, _, _ = select.select(watched, [], [], timeout_s)
        if self._descriptor not in ready:
            return None
        try:
            raw = os.read(self._descriptor, 4096)
        except OSError:  # the terminal is gone
            return "eof"
        self.is_used = self.is_used or bool(raw)
        self._typed.extend(self._decoder.decode(raw, final=not raw))
        return None if raw or self._typed else "eof"

    def _key(self) -> str:
        character = self._typed.pop(0)
        if character == "\x1b":
            return self._escape()
        return _NAMED.get(character, character)

    def _escape(self) -> str:
        """Esc alone, or the key of a sequence; `escape sequence` if that is unknown."""
        if not self._typed:
            self._fill(_SEQUENCE_TIMEOUT_S)
        if not self._typed or self._typed[0] not in "[O":
            return "escape"
        self._typed.pop(0)
        sequence = ""
        while self._typed:
            sequence += self._typed.pop(0)
            if "@" <= sequence[-1] <= "~":
                break
            if not self._typed:
                self._fill(_SEQUENCE_TIMEOUT_S)
        return _SEQUENCES.get(sequence, "escape sequence")


def _name_of(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _nothing(_number: int, _frame: object) -> None:
    """A handler that only lets the signal wake the reader."""
