"""A trace that stands in a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.errors import ResultError
from judgemesh.contracts.result_parts.trace import Trace
from judgemesh.mesh.inputs.files.limits import NAMED_BY_RESULT
from judgemesh.mesh.inputs.files.reading import check_values, read_below
from judgemesh.mesh.inputs.files.unpacking import GZIP, gunzip
from judgemesh.mesh.inputs.strict_json import from_json

_ZIP: Final = b"PK\x03\x04"


def read_trace(base_dir: Path, reference: str) -> Trace:
    """A trace file: one JSON object (`steps`, `events`) or list of steps, JSONL with one step a line, or a transcript.

    Raises:
        ResultError: the file is missing, too large, or not of that form.
    """
    from pydantic import ValidationError

    where = f"trace {reference[:80]!r}"
    raw = _content(base_dir, reference, where)
    if raw.startswith(_ZIP):
        return _packed_trace(raw, reference, where)
    is_lines = reference.removesuffix(".gz").endswith(".jsonl")
    try:
        trace = Trace.model_validate(_parsed(raw, lines=is_lines))
        if trace.unread is None or trace.export is None:
            return trace
        return _transcript(raw, reference) or trace
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        message = f"not a trace: {place}: {fault['msg']}"
        raise ResultError(message, where=where) from None
    except ValueError as error:
        raise ResultError(f"not valid JSON: {error}", where=where) from None


def _content(base_dir: Path, reference: str, where: str) -> bytes:
    """The content of the file, unpacked if it is gzip."""
    try:
        raw = read_below(base_dir, reference, NAMED_BY_RESULT)
        if raw.startswith(GZIP):
            raw = gunzip(raw, reference, NAMED_BY_RESULT)
        return check_values(raw, reference, NAMED_BY_RESULT)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ResultError(f"cannot be read: {reason}", where=where) from None


def _transcript(raw: bytes, reference: str) -> Trace | None:
    from judgemesh.mesh.grading.case.span_exports import trace_of_content

    return trace_of_content(Path(reference), raw)


def _packed_trace(raw: bytes, reference: str, where: str) -> Trace:
    """The trace of an archive: a log of Inspect.

    Raises:
        ResultError: it is no such log.
    """
    trace = _transcript(raw, reference)
    if trace is None:
        raise ResultError("is an archive of no known form", where=where)
    return trace


def _parsed(raw: bytes, *, lines: bool) -> Any:
    """One JSON value, or the values of all lines that are not blank."""
    if not lines:
        return from_json(raw, unique_keys=False)
    texts = [line for line in raw.splitlines() if line.strip()]
    return [from_json(text, unique_keys=False) for text in texts]
