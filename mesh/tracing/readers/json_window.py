"""A window of decoded JSON text that moves over a stream of bytes."""

from __future__ import annotations

import codecs
import json
import re
from typing import BinaryIO, Final

CHUNK_BYTES: Final = 2**20
MAX_VALUE_CHARS: Final = 64 * 2**20
"""The longest single value that is held in memory; a longer one is skipped."""

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_BRACKET_OR_QUOTE: Final = re.compile(r'["{}\[\]]')
_QUOTE_OR_ESCAPE: Final = re.compile(r'["\\]')
_OPENING: Final = '"{['
_NEAR_END_CHARS: Final = 16
"""A fault so close to the end of the window may be a token that is cut off."""
_DECODER: Final = json.JSONDecoder()
_BOM: Final = "\ufeff"


class JsonSyntaxError(Exception):
    """What is wrong at the current position."""


class JsonWindow:
    """The text around the current position."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._text = ""
        self._position = 0
        self._is_last = False
        self._line = 1
        self._counted = 0
        self._read_on()
        if self._text.startswith(_BOM):
            self._position = 1

    @property
    def line(self) -> int:
        """The number of the current line, from 1."""
        self._count_lines()
        return self._line

    def _count_lines(self) -> None:
        self._line += self._text.count("\n", self._counted, self._position)
        self._counted = max(self._position, self._counted)

    def _read_on(self) -> bool:
        """Drop what lies behind and read on; False at the end of the stream.

        As much is read as is held, so that the work for a long value stays linear.
        """
        if self._is_last:
            return False
        self._count_lines()
        rest = self._text[self._position :]
        # A raw stream may give less than asked for: only an empty answer is the end.
        data = self._stream.read(max(CHUNK_BYTES, len(rest)))
        self._is_last = not data
        self._text = rest + self._decoder.decode(data, final=self._is_last)
        self._position = self._counted = 0
        return True

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            match = _SPACE.match(self._text, self._position)
            if match is not None:
                self._position = match.end()
            if self._position < len(self._text):
                return self._text[self._position]
            if not self._read_on():
                return ""

    def take(self, expected: str) -> str:
        """Step over one character, which has to be among `expected`; returns it."""
        char = self.peek()
        if not char or char not in expected:
            raise JsonSyntaxError(
                f"expected {' or '.join(expected)}, found {shown(char)}"
            )
        self._position += 1
        return char

    def take_value(self) -> object:
        """The next value, whole; the position moves behind it."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._position)
            except json.JSONDecodeError as error:
                if not self._may_be_cut_off(error):
                    raise JsonSyntaxError(f"not valid JSON: {error.msg}") from None
            except RecursionError:
                raise JsonSyntaxError("not readable: nested too deeply") from None
            except ValueError as error:
                reason = str(error).partition(";")[0]
                raise JsonSyntaxError(f"not readable: {reason}") from None
            else:
                if self._is_complete(end):
                    self._position = end
                    return value
            if len(self._text) - self._position > MAX_VALUE_CHARS:
                raise JsonSyntaxError(f"longer than {MAX_VALUE_CHARS >> 20} MiB")
            if not self._read_on():
                raise JsonSyntaxError("the file ends in the middle of a value")

    def _is_complete(self, end: int) -> bool:
        """Whether the value does not go on behind the window: `1` may become `1.5e3`."""
        if self._is_last or self._text[self._position] in _OPENING:
            return True
        return end + _NEAR_END_CHARS <= len(self._text)

    def _may_be_cut_off(self, error: json.JSONDecodeError) -> bool:
        """Whether the fault may be only that the window ends here."""
        if error.msg.startswith("Unterminated string"):
            return True
        near = 0 if self._is_last else _NEAR_END_CHARS
        return error.pos >= len(self._text) - near

    def skip_value(self) -> bool:
        """Step over a value by its brackets and quotes; False when the file ends first."""
        depth = 0
        in_string = False
        while True:
            pattern = _QUOTE_OR_ESCAPE if in_string else _BRACKET_OR_QUOTE
            match = pattern.search(self._text, self._position)
            if match is None:
                self._position = len(self._text)
                if not self._read_on():
                    return False
                continue
            self._position = match.end()
            char = match.group()
            if char == "\\":
                self._skip_escaped()
            elif char == '"':
                in_string = not in_string
            else:
                depth += 1 if char in "{[" else -1
            if depth <= 0 and not in_string:
                return depth == 0

    def _skip_escaped(self) -> None:
        if self._position == len(self._text):
            self._read_on()
        self._position += 1

    def skip_line(self) -> bool:
        """Go to the start of the next line; False at the end of the file."""
        while (end := self._text.find("\n", self._position)) < 0:
            self._position = len(self._text)
            if not self._read_on():
                return False
        self._position = end + 1
        return True


def shown(char: str) -> str:
    """A character in a message; empty: the end of the file."""
    return repr(char) if char else "the end of the file"
