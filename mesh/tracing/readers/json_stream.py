"""Values out of a JSON document of any size, one at a time.

`walk` enters the containers that a `StreamPlan` names and yields every value below
them whole. Memory depends on the largest value only. A value is parsed by the standard
library's scanner: it is written in C, and it reports where the value ends, which jiter
and orjson do not. Invalid JSON becomes a `StreamFault`; reading continues at the next
line of a file of lines, else behind the closing bracket of the value.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final, TypeAlias

CHUNK_BYTES: Final = 2**20
MAX_VALUE_CHARS: Final = 64 * 2**20
"""Longest single value that is held in memory; a longer one is skipped and reported."""

Path: TypeAlias = tuple[str | int, ...]

_SPACE: Final = re.compile(r"[ \t\r\n]*")
_OUTSIDE: Final = re.compile(r'["{}\[\]]')
_INSIDE: Final = re.compile(r'["\\]')
_NEAR_THE_END: Final = 16
_CLOSED: Final = '"{['
_DECODER: Final = json.JSONDecoder()
_BOM: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """Which containers to go down into: `keys` of an object, `each` for the elements of an array."""

    keys: Mapping[str, StreamPlan] = field(default_factory=dict[str, "StreamPlan"])
    each: StreamPlan | None = None


WHOLE_VALUE: Final = StreamPlan()
"""Nothing to go down into: the value is given whole."""


@dataclass(frozen=True, slots=True)
class StreamValue:
    """One value and where it stands. `path[0]` is the number of the document in the file, from 0."""

    path: Path
    value: object
    line: int


@dataclass(frozen=True, slots=True)
class StreamFault:
    """A place that is no JSON, or too long: what is wrong there. `final`: the rest of the file was not read."""

    path: Path
    problem: str
    line: int
    final: bool = False


class _SyntaxFault(Exception):
    """What is wrong at the present place."""


class _Text:
    """A window of decoded text that moves over the stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.text = ""
        self.at = 0
        self.ended = False
        self._lines = 1
        self._counted = 0
        self.more()
        if self.text.startswith(_BOM):
            self.at = 1

    @property
    def line(self) -> int:
        """The number of the present line, from 1."""
        self._count()
        return self._lines

    def more(self) -> bool:
        """Forget what lies behind and read on; as much again as is held, so that long values stay linear."""
        if self.ended:
            return False
        self._count()
        rest = self.text[self.at :]
        # A raw stream may give less than asked for; only an empty answer is the end.
        data = self._stream.read(max(CHUNK_BYTES, len(rest)))
        self.ended = not data
        self.text = rest + self._decoder.decode(data, final=self.ended)
        self.at = self._counted = 0
        return True

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            self.at = _end(_SPACE, self.text, self.at)
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def take(self, expected: str) -> None:
        """Step over one character, which has to be among `expected`."""
        found = self.peek()
        if not found or found not in expected:
            raise _SyntaxFault(
                f"expected {' or '.join(expected)}, found {_shown(found)}"
            )
        self.at += 1

    def value(self) -> object:
        """The next value, whole; the place moves behind it."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self.text, self.at)
            except json.JSONDecodeError as fault:
                if not self._cut_off(fault):
                    raise _SyntaxFault(f"not valid JSON: {fault.msg}") from None
            except (RecursionError, ValueError) as fault:
                reason = (
                    "nested too deeply"
                    if isinstance(fault, RecursionError)
                    else str(fault).partition(";")[0]
                )
                raise _SyntaxFault(f"not readable: {reason}") from None
            else:
                # What has no closing character may go on behind the window: `1` may become `1.5e3`.
                if (
                    self.ended
                    or self.text[self.at] in _CLOSED
                    or end + _NEAR_THE_END <= len(self.text)
                ):
                    self.at = end
                    return value
            if len(self.text) - self.at > MAX_VALUE_CHARS:
                raise _SyntaxFault(f"longer than {MAX_VALUE_CHARS >> 20} MiB")
            if not self.more():
                raise _SyntaxFault("the file ends in the middle of a value")

    def _cut_off(self, fault: json.JSONDecodeError) -> bool:
        """Whether the fault may be only that the window ends here."""
        near = 0 if self.ended else _NEAR_THE_END
        return (
            fault.msg.startswith("Unterminated string")
            or fault.pos >= len(self.text) - near
        )

    def skip_value(self) -> bool:
        """Step over a value by its brackets and quotes alone; False when the file ends before it does."""
        depth, in_string = 0, False
        while True:
            found = (_INSIDE if in_string else _OUTSIDE).search(self.text, self.at)
            if found is None:
                self.at = len(self.text)
                if not self.more():
                    return False
                continue
            char, self.at = found.group(), found.end()
            if char == "\\":
                if self.at == len(self.text):
                    self.more()
                self.at += 1
            elif char == '"':
                in_string = not in_string
            else:
                depth += 1 if char in "{[" else -1
            if depth <= 0 and not in_string:
                return depth == 0

    def skip_line(self) -> bool:
        """Go to the beginning of the next line; False at the end of the file."""
        while (end := self.text.find("\n", self.at)) < 0:
            self.at = len(self.text)
            if not self.more():
                return False
        self.at = end + 1
        return True

    def _count(self) -> None:
        self._lines += self.text.count("\n", self._counted, self.at)
        self._counted = max(self.at, self._counted)


def walk(
    stream: BinaryIO, plan: StreamPlan, *, lines: bool
) -> Iterator[StreamValue | StreamFault]:
    """Every value below the containers of `plan`, in the order of the file, of every document in it.

    lines: one document a line, so that a broken one ends with its line.
    """
    text = _Text(stream)
    number = 0
    while text.peek():
        began = text.line
        try:
            yield from _value(text, plan, (number,), lines=lines)
        except _SyntaxFault as fault:
            yield StreamFault(
                (number,), str(fault), began if lines else text.line, final=not lines
            )
            # A line that lacks its closing bracket is noticed at the beginning of the next one, which is good.
            if not lines or (text.line == began and not text.skip_line()):
                return
        number += 1


def _value(
    text: _Text, plan: StreamPlan, path: Path, *, lines: bool
) -> Iterator[StreamValue | StreamFault]:
    opening = text.peek()
    if opening == "{" and plan.keys:
        yield from _object(text, plan.keys, path, lines=lines)
    elif opening == "[" and plan.each is not None:
        yield from _array(text, plan.each, path, lines=lines)
    else:
        line = text.line
        try:
            value = text.value()
        except _SyntaxFault as fault:
            if lines or opening not in {"{", "["}:
                raise
            if not text.skip_value():
                raise _SyntaxFault("the file ends in the middle of a value") from fault
            yield StreamFault(path, str(fault), line)
        else:
            yield StreamValue(path, value, line)


def _object(
    text: _Text, keys: Mapping[str, StreamPlan], path: Path, *, lines: bool
) -> Iterator[StreamValue | StreamFault]:
    text.take("{")
    if text.peek() == "}":
        text.take("}")
        return
    while True:
        if text.peek() != '"':
            raise _SyntaxFault(
                f"expected a name in quotes, found {_shown(text.peek())}"
            )
        name = str(text.value())
        text.take(":")
        yield from _value(text, keys.get(name, WHOLE_VALUE), (*path, name), lines=lines)
        text.take(",}")
        if text.text[text.at - 1] == "}":
            return


def _array(
    text: _Text, each: StreamPlan, path: Path, *, lines: bool
) -> Iterator[StreamValue | StreamFault]:
    text.take("[")
    if text.peek() == "]":
        text.take("]")
        return
    index = 0
    while True:
        yield from _value(text, each, (*path, index), lines=lines)
        index += 1
        text.take(",]")
        if text.text[text.at - 1] == "]":
            return


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _shown(found: str) -> str:
    return repr(found) if found else "the end of the file"
