"""A transcript before it is read: the JSON values of a file, or a value from memory."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.inputs.files.limits import TABLE
from judgemesh.mesh.inputs.files.reading import check_values, read_stream
from judgemesh.mesh.tracing.readers.source import FileHead, TraceFile
from judgemesh.mesh.tracing.spans.json_values import JsonObject, is_list, is_object

_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no JSON."""

    number: int


@dataclass
class Document:
    """One transcript. A zip archive has `source` and no values.

    name: its name in messages.
    source: the file that it comes from; None for a value from memory.
    given: the JSON values, where there is no file.
    """

    name: str
    source: TraceFile | None = None
    given: list[Any] = field(default_factory=list[Any])

    @property
    def head(self) -> FileHead | None:
        """The beginning of the file; None for a value from memory."""
        return None if self.source is None else self.source.head

    @property
    def is_archive(self) -> bool:
        """Whether it is a zip archive."""
        return self.head is not None and self.head.is_zip

    @cached_property
    def values(self) -> list[Any]:
        """The JSON values: one of a JSON file, one a line of JSON Lines. `BadLine` where a line is no JSON.

        Raises:
            InputError: the file cannot be read, or holds no JSON.
        """
        if self.source is None:
            return self.given
        if self.is_archive:
            return []
        with self.source.opened() as stream:
            data = read_stream(stream, self.name, TABLE)
            return values_of(check_values(data, self.name, TABLE), self.name)

    @cached_property
    def whole(self) -> Any:
        """The one value; None where there are several."""
        return self.values[0] if len(self.values) == 1 else None

    @cached_property
    def items(self) -> list[Any]:
        """The elements of the one list, or the values of the lines, or the one value."""
        return self.whole if is_list(self.whole) else self.values

    @cached_property
    def objects(self) -> list[JsonObject]:
        """The items that are objects."""
        return [item for item in self.items if is_object(item)]

    @cached_property
    def first(self) -> JsonObject:
        """The first item that is an object; empty where there is none."""
        return self.objects[0] if self.objects else {}


def values_of(data: bytes, name: str) -> list[Any]:
    """The JSON values of a file's bytes, which may be UTF-8 or UTF-16 with a mark.

    Raises:
        InputError: it is no text, or none of it is JSON.
    """
    try:
        text = data.decode("utf-16" if data[:2] in _UTF16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"is no text in UTF-8 (byte {error.start})"
        raise InputError(problem, where=name) from None
    if not text.strip():
        raise InputError("is empty", where=name)
    try:
        return [parse(text)]
    except (ValueError, RecursionError):
        return _lines(text, name)


def _lines(text: str, name: str) -> list[Any]:
    values: list[Any] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            values.append(parse(line))
        except (ValueError, RecursionError):
            values.append(BadLine(number))
    if all(isinstance(value, BadLine) for value in values):
        raise InputError("is neither JSON nor JSON Lines", where=name)
    return values


def parse(text: str) -> Any:
    """A JSON value. NaN, infinities and numbers beyond a float become text, because JSON cannot hold them.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deep.
    """
    return json.loads(text, parse_constant=str, parse_float=_number)


def _number(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text
