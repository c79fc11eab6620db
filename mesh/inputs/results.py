"""JSONL files of agent results, read one line at a time in bounded memory.

A line that cannot be used becomes a `Rejected` with its line number and what is wrong; it never stops the stream and
never becomes a grade.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import AsyncGenerator, Generator, Iterable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO, cast

from judgemesh.contracts.errors import ResultError
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.files.limits import (
    RESULT_LINE,
    is_small,
    parsed_bytes,
    too_many_values,
)
from judgemesh.mesh.inputs.files.lines import (
    LineSplitter,
    RawLine,
    arriving_chunks,
    chunks,
)
from judgemesh.mesh.inputs.files.not_lines import why_not_lines
from judgemesh.mesh.inputs.files.reading import opened_unpacked, unreadable
from judgemesh.mesh.inputs.files.unpacking import UNPACK_FAULTS, why_damaged
from judgemesh.mesh.inputs.given import tidied_data, to_result, validated
from judgemesh.mesh.inputs.intake import notes_of
from judgemesh.mesh.inputs.seen import Seen
from judgemesh.mesh.inputs.strict_json import from_json

MAX_LINE_BYTES: Final = RESULT_LINE.max_bytes
_MAX_KEPT_BYTES: Final = 2**20
"""A line whose value takes more memory is parsed again when it is asked for again."""
_MAX_RAW_BYTES: Final = 1000
_STDIN: Final = "<stdin>"
_FIRST_ID: Final = re.compile(rb'\s*\{\s*"result_id"\s*:\s*"([ !#-\[\]-~]{1,200})"')
"""The beginning of a line whose first key is its id, of plain characters."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A usable result and where it came from. `digest` identifies its bytes.

    `notes` say which keys of the line were read from another place than the specified one.
    """

    result: AgentResult
    digest: str
    line: int
    base_dir: Path
    file: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that cannot be used: `problem` is `file:line: what is wrong`. `raw` is the line, or its beginning."""

    problem: str
    line: int
    raw: bytes


@dataclass(slots=True)
class Line:
    """One line of a file of results, which is parsed and validated when it is asked for; a short one once.

    path: of its file; None for standard input. whole: whether `raw` is all of it.
    """

    path: Path | None
    number: int
    raw: bytes
    whole: bool
    max_bytes: int
    _data: Any = field(default=None, repr=False, compare=False)
    _read: Accepted | Rejected | None = field(default=None, repr=False, compare=False)

    def __reduce__(self) -> tuple[type[Line], tuple[object, ...]]:
        """Pickled as it was read: parsing is faster than sending what was parsed."""
        return Line, (
            *(self.path, self.number, self.raw),
            *(self.whole, self.max_bytes),
        )

    @property
    def file(self) -> str:
        """The name of the file, for people."""
        return _STDIN if self.path is None else str(self.path)

    @property
    def base_dir(self) -> Path:
        """The folder that paths in the result start from."""
        return Path() if self.path is None else self.path.parent

    @property
    def where(self) -> str:
        """`file:line`."""
        return f"{self.file}:{self.number}"

    @property
    def digest(self) -> str:
        """The identity of the line's bytes."""
        return "sha256:" + hashlib.sha256(self.raw).hexdigest()

    @property
    def parsed_bytes(self) -> int:
        """About how much memory the value of the line takes."""
        return parsed_bytes(self.raw)

    @property
    def _is_kept(self) -> bool:
        return is_small(self.raw, _MAX_KEPT_BYTES)

    def glance(self) -> str | None:
        """What the line says its `result_id` is, not validated; None for a line that is known to be of no use.

        A line that begins with its id is not parsed: who grades it does that, and refuses a key that comes twice.
        """
        first = _FIRST_ID.match(self.raw)
        if first is not None and self.whole:
            return first[1].decode()
        try:
            data = self._parsed()
            if isinstance(data, dict):
                own_id = cast("dict[str, Any]", data).get("result_id")
                if own_id and isinstance(own_id, str):
                    return own_id
            result_id = tidied_data(data)[0].get("result_id")
        except ResultError:
            return None
        return result_id if isinstance(result_id, str) else None

    def notes(self) -> tuple[str, ...]:
        """Which keys are read from another place than the specified one."""
        try:
            data = self._parsed()
            if isinstance(data, dict):
                return notes_of(cast("dict[str, Any]", data))
        except ResultError:
            return ()
        return ()

    def read(self) -> Accepted | Rejected:
        """The line as a result, or what is wrong with it."""
        if self._read is not None:
            return self._read
        read = self._validated()
        self._data = None
        if self._is_kept:
            self._read = read
        return read

    def rejected(self, problem: str) -> Rejected:
        """The line as one that cannot be used."""
        raw = self.raw if self.whole else self.raw[:_MAX_RAW_BYTES]
        return Rejected(f"{self.where}: {problem}", self.number, raw)

    def _validated(self) -> Accepted | Rejected:
        try:
            fields, notes = tidied_data(self._parsed())
            result = validated(fields)
        except ResultError as error:
            return self.rejected(str(error))
        return Accepted(
            result, self.digest, self.number, self.base_dir, self.file, notes
        )

    def _parsed(self) -> Any:
        if not self.whole:
            raise ResultError(
                f"longer than {self.max_bytes / 2**20:g} MiB; "
                "move big parts to files (`trace.ref`, `state.after_path`)"
            )
        if too_many_values(self.raw, RESULT_LINE):
            raise ResultError(
                f"holds more than {RESULT_LINE.max_values:,} values; "
                "move big parts to files (`trace.ref`, `state.after_path`)"
            )
        if self._data is not None:
            return self._data
        data = _parsed(self.raw)
        if self._is_kept:
            self._data = data
        return data


def read_results(
    path: Path | None, *, max_line_bytes: int = MAX_LINE_BYTES, seen: Seen | None = None
) -> Iterator[Accepted | Rejected]:
    """Every line of a JSONL file (or gzip of one; None is standard input), as a result or a rejection.

    Of several lines with one `result_id` the first stands, later ones are rejected. `seen` carries the ids over
    several files.

    Raises:
        ResultError: the file cannot be opened or read at all.
    """
    seen = Seen() if seen is None else seen
    for line in read_lines(path, max_line_bytes=max_line_bytes):
        read = line.read()
        if isinstance(read, Accepted):
            problem = seen.repeated(read.result.result_id, line.file, line.number)
            read = read if problem is None else line.rejected(problem)
        yield read


def read_lines(
    path: Path | None, *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[Line]:
    """Every line of a JSONL file (or gzip of one; None is standard input) that is not blank.

    Of a line longer than `max_line_bytes` only the beginning is kept.

    Raises:
        ResultError: the file cannot be opened or read at all.
    """
    splitter = LineSplitter(max_line_bytes)
    with _opened(path, splitter) as stream:
        for chunk in chunks(stream):
            yield from _to_lines(path, splitter.feed(chunk), max_line_bytes)
        yield from _to_lines(path, splitter.end(), max_line_bytes)


async def line_groups(
    path: Path | None, *, max_line_bytes: int = MAX_LINE_BYTES
) -> AsyncGenerator[list[Line]]:
    """As `read_lines`, those together that were read together. Other work goes on while standard input has nothing.

    Raises:
        ResultError: the file cannot be opened or read at all.
    """
    splitter = LineSplitter(max_line_bytes)
    with _opened(path, splitter) as stream:
        arriving = arriving_chunks(stream)
        async with aclosing(arriving):
            async for chunk in arriving:
                yield _to_lines(path, splitter.feed(chunk), max_line_bytes)
        yield _to_lines(path, splitter.end(), max_line_bytes)


def _to_lines(
    path: Path | None, found: Iterable[RawLine], max_bytes: int
) -> list[Line]:
    """Those that are not blank.

    Raises:
        ResultError: the first lines show that the stream is no lines of JSON.
    """
    lines = [
        Line(path, number, raw, whole, max_bytes)
        for number, raw, whole in found
        if raw.strip()
    ]
    if lines and lines[0].number == 1:
        reason = why_not_lines(*(line.raw for line in lines[:2]))
        if reason:
            raise ResultError(f"is {reason}", where=lines[0].file)
    return lines


def parse_result(raw: bytes) -> AgentResult:
    """One line as a result.

    Raises:
        ResultError: not JSON as it should be, or not an agent result; the message says what and where.
    """
    return to_result(_parsed(raw))


def _parsed(raw: bytes) -> Any:
    try:
        return from_json(raw)
    except ValueError as error:
        problem = _not_utf8(raw) or f"not valid JSON: {_in_words(str(error))}"
        raise ResultError(problem) from None


def _not_utf8(raw: bytes) -> str:
    """What to do about bytes that are no UTF-8; empty where they are."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return unreadable(error)
    return ""


def _in_words(message: str) -> str:
    """The parser's message; its line number would be confused with the file's."""
    text, _, column = message.partition(" at line 1 column ")
    return f"{text} (character {column})" if column else text


@contextmanager
def _opened(path: Path | None, splitter: LineSplitter) -> Generator[BinaryIO]:
    """The stream of a file. What opening or reading it raises names the file, and how far it was read."""
    if path is None:
        given: TextIO | None = (
            sys.stdin
        )  # None where the process was started without one
        if given is None:
            raise ResultError("is closed: pipe results into it", where=_STDIN)
        with _named_faults(_STDIN, splitter):
            yield given.buffer
        return
    try:
        with opened_unpacked(path) as stream, _named_faults(str(path), splitter):
            yield stream
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise ResultError(message, where=str(path)) from None


@contextmanager
def _named_faults(name: str, splitter: LineSplitter) -> Generator[None]:
    try:
        yield
    except UNPACK_FAULTS as error:
        where = f"cannot be read past line {splitter.number}"
        raise ResultError(f"{where}: {why_damaged(error)}", where=name) from None
    except OSError as error:
        where = f"cannot be read past line {splitter.number}"
        raise ResultError(f"{where}: {error.strerror or error}", where=name) from None
