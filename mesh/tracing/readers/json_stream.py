"""Values out of a JSON document of any size, one at a time.

`walk` enters the containers that a `StreamPlan` names and yields every value below
them whole. Memory depends on the largest value only. A value is parsed by the standard
library's scanner: it is written in C, and it reports where the value ends, which jiter
and orjson do not. Invalid JSON becomes a `StreamFault`; reading continues at the next
line of a file of lines, else behind the closing bracket of the value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO, Final, TypeAlias

from judgemesh.mesh.tracing.readers.json_window import (
    JsonSyntaxError,
    JsonWindow,
    shown,
)

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """Which containers to enter.

    keys: the plans for the values of an object. each: the plan for the elements of an
    array.
    """

    keys: Mapping[str, StreamPlan] = field(default_factory=dict[str, "StreamPlan"])
    each: StreamPlan | None = None


WHOLE_VALUE: Final = StreamPlan()
"""Nothing to enter: the value is given whole."""


@dataclass(frozen=True, slots=True)
class StreamValue:
    """One value and where it is. `path[0]` is the number of its document, from 0."""

    path: Path
    value: object
    line: int


@dataclass(frozen=True, slots=True)
class StreamFault:
    """A part that is no JSON, or too long.

    final: whether the rest of the file was not read.
    """

    path: Path
    problem: str
    line: int
    final: bool = False


_StreamOutput: TypeAlias = StreamValue | StreamFault


def walk(stream: BinaryIO, plan: StreamPlan, *, lines: bool) -> Iterator[_StreamOutput]:
    """Every value below the containers of `plan`, of every document, in their order.

    lines: one document a line, so that a broken one ends with its line.
    """
    window = JsonWindow(stream)
    number = 0
    while window.peek():
        start = window.line
        try:
            yield from _values(window, plan, (number,), lines=lines)
        except JsonSyntaxError as error:
            line = start if lines else window.line
            yield StreamFault((number,), str(error), line, final=not lines)
            if not lines:
                return
            # That a line lacks its closing bracket shows at the start of the next line,
            # which is not skipped.
            if window.line == start and not window.skip_line():
                return
        number += 1


def _values(
    window: JsonWindow, plan: StreamPlan, path: Path, *, lines: bool
) -> Iterator[_StreamOutput]:
    opening = window.peek()
    if opening == "{" and plan.keys:
        yield from _object_values(window, plan.keys, path, lines=lines)
    elif opening == "[" and plan.each is not None:
        yield from _array_values(window, plan.each, path, lines=lines)
    else:
        yield _whole_value(window, path, opening, lines=lines)


def _whole_value(
    window: JsonWindow, path: Path, opening: str, *, lines: bool
) -> _StreamOutput:
    line = window.line
    try:
        return StreamValue(path, window.take_value(), line)
    except JsonSyntaxError as error:
        if lines or opening not in {"{", "["}:
            raise
        if not window.skip_value():
            raise JsonSyntaxError("the file ends in the middle of a value") from error
        return StreamFault(path, str(error), line)


def _object_values(
    window: JsonWindow, keys: Mapping[str, StreamPlan], path: Path, *, lines: bool
) -> Iterator[_StreamOutput]:
    window.take("{")
    if window.peek() == "}":
        window.take("}")
        return
    separator = ","
    while separator == ",":
        if window.peek() != '"':
            raise JsonSyntaxError(
                f"expected a name in quotes, found {shown(window.peek())}"
            )
        name = str(window.take_value())
        window.take(":")
        plan = keys.get(name, WHOLE_VALUE)
        yield from _values(window, plan, (*path, name), lines=lines)
        separator = window.take(",}")


def _array_values(
    window: JsonWindow, each: StreamPlan, path: Path, *, lines: bool
) -> Iterator[_StreamOutput]:
    window.take("[")
    if window.peek() == "]":
        window.take("]")
        return
    index = 0
    separator = ","
    while separator == ",":
        yield from _values(window, each, (*path, index), lines=lines)
        index += 1
        separator = window.take(",]")
