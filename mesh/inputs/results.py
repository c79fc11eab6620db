"""JSONL -> agent results, one line at a time, in bounded memory. A line that cannot be used is a `Rejected` with its
line number and what is wrong; it never stops the stream and never becomes a grade."""

from __future__ import annotations

import gzip
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
from judgemesh.mesh.inputs.problems import problems_of, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_LINE_BYTES: Final = 8 * 2**20
_BOM: Final = b"\xef\xbb\xbf"
_CHUNK: Final = 2**16
_LINE_BITS: Final = 40
_MOST_PROBLEMS: Final = 3


@dataclass(frozen=True, slots=True)
class Accepted:
    """A usable result and where it came from. `digest` identifies its bytes."""

    result: AgentResult
    digest: str
    line: int
    base_dir: Path


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that cannot be used: `problem` is `file:line: what is wrong`. `raw` is its beginning."""

    problem: str
    line: int
    raw: bytes


class Seen:
    """Which result ids came by, and where, in about 100 bytes an id."""

    def __init__(self) -> None:
        self._where: dict[int, int] = {}
        self._names: list[str] = []

    def first(self, result_id: str, name: str, line: int) -> tuple[str, int] | None:
        """Where the id was seen before; None for the first time."""
        if not self._names or self._names[-1] != name:
            self._names.append(name)
        here = (len(self._names) - 1) << _LINE_BITS | line
        first = self._where.setdefault(id_hash(result_id), here)
        return (
            None
            if first is here
            else (self._names[first >> _LINE_BITS], first & ((1 << _LINE_BITS) - 1))
        )


def id_hash(result_id: str) -> int:
    """64 bits that stand for a result id where a hundred thousand must be remembered."""
    return int.from_bytes(hashlib.blake2b(result_id.encode(), digest_size=8).digest())


def read_results(
    path: Path | None, *, max_line_bytes: int = MAX_LINE_BYTES, seen: Seen | None = None
) -> Iterator[Accepted | Rejected]:
    """Every line of a JSONL file (or `.gz` of one; None is standard input), as a result or a rejection.

    Duplicate `result_id`s: the first stands, later ones are rejected. `seen` carries the ids over several files.

    Raises:
        ResultError: the file cannot be opened or read at all.
    """
    name = "<stdin>" if path is None else str(path)
    base_dir = Path() if path is None else path.parent
    seen = Seen() if seen is None else seen
    with _opened(path, name) as stream:
        for number, raw, whole in _lines(stream, max_line_bytes, name):
            if not raw.strip():
                continue
            if not whole:
                advice = "move big parts to files (`trace.ref`, `state.after_path`)"
                problem = f"{name}:{number}: longer than {max_line_bytes / 2**20:g} MiB; {advice}"
                yield Rejected(problem, number, raw[:1000])
                continue
            try:
                result = parse_result(raw)
            except ResultError as error:
                yield Rejected(f"{name}:{number}: {error}", number, raw)
                continue
            if (first := seen.first(result.result_id, name, number)) is not None:
                place = (
                    f"line {first[1]}" if first[0] == name else f"{first[0]}:{first[1]}"
                )
                yield Rejected(
                    f"{name}:{number}: result_id {result.result_id!r} was already on {place}",
                    number,
                    raw,
                )
                continue
            yield Accepted(
                result, "sha256:" + hashlib.sha256(raw).hexdigest(), number, base_dir
            )


def parse_result(raw: bytes) -> AgentResult:
    """One line as a result.

    Raises:
        ResultError: not JSON as it should be, or not an agent result; the message says what and where.
    """
    import jiter

    try:
        data: Any = jiter.from_json(raw, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise ResultError(f"not valid JSON: {_in_words(str(error))}") from None
    return to_result(data)


def to_result(data: AgentResult | Mapping[str, Any]) -> AgentResult:
    """A result from plain data; one that already is a result is given back.

    Raises:
        ResultError: what is wrong, the first few faults in one line.
    """
    if isinstance(data, AgentResult):
        return data
    if not isinstance(data, dict):
        raise ResultError(
            f"expected an object with `result_id` and `task_id`, got {shown(data)}"
        )
    try:
        return AgentResult.model_validate(data)
    except ValidationError as error:
        problems = [str(problem) for problem in problems_of(error, AgentResult)]
    more = (
        f"; and {len(problems) - _MOST_PROBLEMS} more"
        if len(problems) > _MOST_PROBLEMS
        else ""
    )
    identity = data.get("result_id")
    whose = (
        f" (result_id {identity[:80]!r})"
        if isinstance(identity, str) and identity
        else ""
    )
    raise ResultError("; ".join(problems[:_MOST_PROBLEMS]) + more + whose)


def _in_words(message: str) -> str:
    """The parser's message; its line number would be confused with the file's."""
    text, _, column = message.partition(" at line 1 column ")
    return f"{text} (character {column})" if column else text


@contextmanager
def _opened(path: Path | None, name: str) -> Generator[BinaryIO]:
    if path is None:
        yield sys.stdin.buffer
        return
    try:
        stream = path.open("rb")
    except OSError as error:
        raise ResultError(
            f"cannot be read: {error.strerror or error}", where=name
        ) from None
    with stream:
        yield (
            cast("BinaryIO", gzip.GzipFile(fileobj=stream))
            if path.suffix == ".gz"
            else stream
        )


def _lines(
    stream: BinaryIO, limit: int, name: str
) -> Iterator[tuple[int, bytes, bool]]:
    """Line number, bytes, and whether that is the whole line; the rest of too long a line is read past, not kept."""
    number = 0
    try:
        while line := stream.readline(limit + 1):
            number += 1
            whole = len(line) <= limit or line.endswith(b"\n")
            tail = line
            while not whole and tail and not tail.endswith(b"\n"):
                tail = stream.readline(_CHUNK)
            yield (
                number,
                (line.removeprefix(_BOM) if number == 1 else line).rstrip(b"\r\n"),
                whole,
            )
    except (OSError, EOFError) as error:
        raise ResultError(
            f"cannot be read past line {number}: {error}", where=name
        ) from None
