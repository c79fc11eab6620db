"""Which results of which files a batch grades: files, filters, a limit, and what the ledger already holds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from judgemesh.contracts.errors import ConfigError
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.config import MeshConfig
from judgemesh.mesh.inputs.files.opening import open_file
from judgemesh.mesh.inputs.results import (
    MAX_LINE_BYTES,
    Accepted,
    Rejected,
    Seen,
    read_results,
)

if TYPE_CHECKING:
    from judgemesh.mesh.ledger.records import LedgerGrade

_CHUNK_BYTES = 2**20
_TURN_LINES = 64
"""After so many lines that are skipped, the event loop gets a turn."""
_CHUNK_RESULTS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """Which results of which files are graded. The rest is the `MeshConfig`.

    results: files of results; None is standard input.
    filters: globs on `result_id` or `task_id`, or `key=glob` on a field of the result
        or its metadata; a result has to match all of them.
    resume: grade only what the run in the ledger does not hold yet.
    retry_errors: which results with a broken measurement are graded again: None for those with an evaluator error, True
        also for those that a source was out of reach for, False for none.
    preflight: try sources and judges before the first result.
    rejects: where lines that cannot be read are kept; None for a file beside the ledger.
    """

    results: tuple[Path | None, ...]
    limit: int | None = None
    filters: tuple[str, ...] = ()
    resume: bool = True
    retry_errors: bool | None = None
    preflight: bool = True
    rejects: Path | None = None
    max_line_bytes: int = MAX_LINE_BYTES


def check_files(options: BatchOptions) -> None:
    """Refuse a batch without files, or with one that does not exist.

    Raises:
        ConfigError: it names the file.
    """
    if not options.results:
        raise ConfigError("no results to grade")
    for path in options.results:
        if path is not None and not path.is_file():
            raise ConfigError(
                "no such file",
                where=str(path),
                hint="expected a JSONL file of agent results, or - for standard input",
            )


def batch_config(config: MeshConfig, options: BatchOptions) -> MeshConfig:
    """The configuration with a run name that the same inputs give again.

    A name in the configuration stays; without `resume` every call is a new run.
    """
    if not options.resume:
        return config.model_copy(update={"run_name": None})
    if config.run_name is not None:
        return config
    results = ["-" if path is None else str(path.resolve()) for path in options.results]
    identity = {
        "results": results,
        "limit": options.limit,
        "filters": sorted(options.filters),
    }
    run_name = json.dumps(identity, sort_keys=True)
    return config.model_copy(update={"run_name": run_name})


Selected = tuple[int, Accepted]
"""A result, and its position among all readable ones."""
Reject = Callable[[Rejected, Path | None], None]
"""Is called with each line that cannot be used, and its file."""


async def selected_results(
    options: BatchOptions, reject: Reject
) -> AsyncIterator[list[Selected]]:
    """The readable results that filters and limit leave, at most 64 at a time.

    The event loop gets a turn also where a filter leaves nothing: a signal ends the reading of a long file.
    """
    chunk: list[Selected] = []
    for each in _selected_or_pause(options, reject):
        if each is None:
            await asyncio.sleep(0)
            continue
        chunk.append(each)
        if len(chunk) == _CHUNK_RESULTS:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _selected_or_pause(
    options: BatchOptions, reject: Reject
) -> Iterator[Selected | None]:
    """The selected results, and None after every few lines that are skipped."""
    seen = Seen()
    index = -1
    selected = skipped = 0
    for path in options.results:
        limit = options.max_line_bytes
        for line in read_results(path, max_line_bytes=limit, seen=seen):
            if isinstance(line, Accepted):
                index += 1
                if _matches(line.result, options.filters):
                    if selected == options.limit:
                        return
                    selected += 1
                    yield index, line
                    continue
            else:
                reject(line, path)
            skipped += 1
            if skipped % _TURN_LINES == 0:
                yield None


def _matches(result: AgentResult, filters: tuple[str, ...]) -> bool:
    """Whether a result matches every filter."""
    return all(_matches_filter(result, text) for text in filters)


def _matches_filter(result: AgentResult, text: str) -> bool:
    key, equals, pattern = text.partition("=")
    if not equals:
        ids = (result.result_id, result.task_id)
        return any(fnmatchcase(identifier, text) for identifier in ids)
    if key in type(result).model_fields:
        value = getattr(result, key)
    else:
        value = result.metadata.get(key)
    return fnmatchcase("" if value is None else str(value), pattern)


def must_grade(
    graded: LedgerGrade | None, accepted: Accepted, options: BatchOptions
) -> bool:
    """Whether a result is graded (again): it is not in the ledger, it has changed, or its measurement was broken."""
    if graded is None or graded.result_digest != accepted.digest:
        return True
    if options.retry_errors is False:
        return False
    return graded.has_error or (graded.unreached and options.retry_errors is True)


def line_count(options: BatchOptions) -> int | None:
    """How many lines there are to read; None when only reading can tell."""
    if options.filters:
        return None
    total = 0
    for path in options.results:
        if path is None or path.suffix == ".gz":
            return None
        total += _lines(path)
    return total if options.limit is None else min(total, options.limit)


def _lines(path: Path) -> int:
    """Lines of a file, at the speed of the disk."""
    count, last = 0, b"\n"
    with open_file(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            count += chunk.count(b"\n")
            last = chunk[-1:]
    return count + (last != b"\n")
