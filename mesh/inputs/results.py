"""JSONL files of agent results, read one line at a time in bounded memory.

A line that cannot be used becomes a `Rejected` with its line number and what is wrong; it never stops the stream and
never becomes a grade.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from pydantic import ValidationError

from judgemesh.contracts.errors import ResultError
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.files.reading import opened_unpacked
from judgemesh.mesh.inputs.files.unpacking import UNPACK_FAULTS, why_damaged
from judgemesh.mesh.inputs.intake import tidied
from judgemesh.mesh.inputs.problems import problems_of, shown
from judgemesh.mesh.inputs.strict_json import from_json

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LINE_BYTES: Final = 8 * 2**20
_BOM: Final = b"\xef\xbb\xbf"
_CHUNK_BYTES: Final = 2**16
_LINE_BITS: Final = 40
_LINE_MASK: Final = (1 << _LINE_BITS) - 1
_MAX_PROBLEMS: Final = 3
_MAX_RAW_BYTES: Final = 1000
_MAX_ID_CHARS: Final = 80


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


class Seen:
    """Which result ids have been read, and where, in about 100 bytes an id."""

    def __init__(self) -> None:
        self._positions: dict[int, int] = {}
        self._names: list[str] = []

    def first(self, result_id: str, name: str, line: int) -> tuple[str, int] | None:
        """File and line of the id's first occurrence; None when this is the first."""
        if not self._names or self._names[-1] != name:
            self._names.append(name)
        position = (len(self._names) - 1) << _LINE_BITS | line
        first = self._positions.setdefault(id_hash(result_id), position)
        if first is position:
            return None
        return self._names[first >> _LINE_BITS], first & _LINE_MASK


def id_hash(result_id: str) -> int:
    """64 bits that stand for a result id where a hundred thousand must be remembered."""
    return int.from_bytes(hashlib.blake2b(result_id.encode(), digest_size=8).digest())


def read_results(
    path: Path | None, *, max_line_bytes: int = MAX_LINE_BYTES, seen: Seen | None = None
) -> Iterator[Accepted | Rejected]:
    """Every line of a JSONL file (or gzip of one; None is standard input), as a result or a rejection.

    Of several lines with one `result_id` the first stands, later ones are rejected. `seen` carries the ids over
    several files.

    Raises:
        ResultError: the file cannot be opened or read at all.
    """
    name = "<stdin>" if path is None else str(path)
    base_dir = Path() if path is None else path.parent
    seen = Seen() if seen is None else seen
    with _opened(path, name) as stream:
        for line in _lines(stream, max_line_bytes, name):
            if not line.raw.strip():
                continue
            try:
                result, notes = _result(line, name, max_line_bytes, seen)
            except ResultError as error:
                raw = line.raw if line.whole else line.raw[:_MAX_RAW_BYTES]
                yield Rejected(f"{name}:{line.number}: {error}", line.number, raw)
                continue
            digest = "sha256:" + hashlib.sha256(line.raw).hexdigest()
            yield Accepted(result, digest, line.number, base_dir, name, notes)


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a file; `whole` says whether `raw` is all of it."""

    number: int
    raw: bytes
    whole: bool


def _result(
    line: _Line, name: str, max_line_bytes: int, seen: Seen
) -> tuple[AgentResult, tuple[str, ...]]:
    """The result of one line; raises ResultError for a line that is too long, faulty or a repetition."""
    if not line.whole:
        raise ResultError(
            f"longer than {max_line_bytes / 2**20:g} MiB; "
            "move big parts to files (`trace.ref`, `state.after_path`)"
        )
    result, notes = _read(_parsed(line.raw))
    first = seen.first(result.result_id, name, line.number)
    if first is not None:
        first_name, first_line = first
        where = f"{first_name}:{first_line}"
        if first_name == name:
            where = f"line {first_line}"
        raise ResultError(f"result_id {result.result_id!r} was already on {where}")
    return result, notes


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
        raise ResultError(f"not valid JSON: {_in_words(str(error))}") from None


def _in_words(message: str) -> str:
    """The parser's message; its line number would be confused with the file's."""
    text, _, column = message.partition(" at line 1 column ")
    return f"{text} (character {column})" if column else text


def to_result(data: AgentResult | Mapping[str, Any]) -> AgentResult:
    """A result from plain data; one that already is a result is returned as it is.

    Raises:
        ResultError: what is wrong, the first few faults in one line.
    """
    if isinstance(data, AgentResult):
        return data
    return _read(data)[0]


def _read(data: Any) -> tuple[AgentResult, tuple[str, ...]]:
    """A result from plain data, and notes about where it was read from."""
    if not isinstance(data, dict):
        raise ResultError(
            f"expected an object with `result_id` and `task_id`, got {shown(data)}"
        )
    line, notes = tidied(cast("Mapping[str, Any]", data))
    try:
        return AgentResult.model_validate(line), notes
    except ValidationError as error:
        problems = [str(problem) for problem in problems_of(error, AgentResult)]
    message = "; ".join(problems[:_MAX_PROBLEMS])
    if len(problems) > _MAX_PROBLEMS:
        message += f"; and {len(problems) - _MAX_PROBLEMS} more"
    result_id = line.get("result_id")
    if isinstance(result_id, str) and result_id:
        message += f" (result_id {result_id[:_MAX_ID_CHARS]!r})"
    raise ResultError(message)


@contextmanager
def _opened(path: Path | None, name: str) -> Generator[BinaryIO]:
    if path is None:
        yield sys.stdin.buffer
        return
    try:
        with opened_unpacked(path) as stream:
            yield stream
    except OSError as error:
        message = f"cannot be read: {error.strerror or error}"
        raise ResultError(message, where=name) from None


def _lines(stream: BinaryIO, max_bytes: int, name: str) -> Iterator[_Line]:
    """Every line; of one longer than `max_bytes` only the beginning is kept, and the rest is read past."""
    number = 0
    try:
        while raw := stream.readline(max_bytes + 1):
            number += 1
            whole = len(raw) <= max_bytes or raw.endswith(b"\n")
            tail = raw
            while not whole and tail and not tail.endswith(b"\n"):
                tail = stream.readline(_CHUNK_BYTES)
            if number == 1:
                raw = raw.removeprefix(_BOM)
            yield _Line(number, raw.rstrip(b"\r\n"), whole)
    except UNPACK_FAULTS as error:
        message = f"cannot be read past line {number}: {why_damaged(error)}"
        raise ResultError(message, where=name) from None
    except OSError as error:
        message = f"cannot be read past line {number}: {error.strerror or error}"
        raise ResultError(message, where=name) from None
