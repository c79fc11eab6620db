"""From a result and its contract to the case that validators see.

The difference of state is worked out, and a trace that stands in a file of its own is read. A reference that cannot be
followed is a problem of the evidence, not of the agent. Long runs of blanks and of one sign are shortened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import InputError, ResultError
from judgemesh.contracts.results import AgentResult, Trace
from judgemesh.contracts.validator import Case
from judgemesh.mesh.grading.case.long_runs import without_long_runs
from judgemesh.mesh.inputs.files.limits import NAMED_BY_RESULT
from judgemesh.mesh.inputs.files.reading import check_values, read_below
from judgemesh.mesh.inputs.files.unpacking import GZIP, gunzip
from judgemesh.mesh.inputs.strict_json import from_json
from judgemesh.mesh.state.evidence import changes_of, with_documents

LONG_CHARS: Final = 16_000
"""A result with more text than this is checked in threads: 4 KB take milliseconds, 40 KB may take a second."""
_ZIP: Final = b"PK\x03\x04"


def prepare(
    result: AgentResult, contract: EvalContract, *, base_dir: Path, judge: bool
) -> Case:
    """The case of a result. Reads files only where the result refers to one, below `base_dir`."""
    problems: dict[str, str] = {}
    changes = None
    if contract.state is not None:
        try:
            result = with_documents(result, base_dir)
            changes = changes_of(result, base_dir)
        except InputError as error:
            problems["state"] = str(error)
    trace = result.trace
    if trace is not None and trace.ref is not None and not trace.steps:
        try:
            trace = read_trace(base_dir, trace.ref)
            result = result.model_copy(update={"trace": trace})
        except InputError as error:
            problems["trace"] = str(error)
    if trace is not None and trace.export is not None:
        # Readers of foreign formats are imported where a result brings one: most bring none.
        from judgemesh.mesh.grading.case.span_exports import trace_of_values

        trace = trace_of_values("the trace", [trace.export]) or trace
        result = result.model_copy(update={"trace": trace})
    if trace is not None and trace.unread is not None:
        problems["trace"] = f"the trace could not be read: {trace.unread}"
    readable, chars = without_long_runs(result)
    return Case(
        result=readable,
        contract=contract,
        changes=changes,
        judge=judge,
        long=chars > LONG_CHARS,
        problems=problems,
    )


def refers_to_files(result: AgentResult) -> bool:
    """Whether preparing the case reads files."""
    return bool(referenced_files(result))


def referenced_files(result: AgentResult) -> list[str]:
    """The files that the result refers to, as it names them: snapshots of the state, the trace."""
    state, trace = result.state, result.trace
    files: list[str] = []
    if state is not None:
        files += (path for path in (state.before_path, state.after_path) if path)
    if trace is not None and trace.ref:
        files.append(trace.ref)
    return files


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
