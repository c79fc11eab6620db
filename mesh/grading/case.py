"""A result and its contract -> the case that validators see: the difference of state worked out, and a trace that
stands in a file of its own read in. A reference that cannot be followed is a problem of the evidence, not of the
agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import InputError, ResultError
from judgemesh.contracts.results import AgentResult, Trace
from judgemesh.contracts.validator import Case
from judgemesh.mesh.inputs.paths import within
from judgemesh.mesh.state.evidence import changes_of, with_documents

_MAX_BYTES: Final = 256 * 2**20


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
    if (
        result.trace is not None
        and result.trace.ref is not None
        and not result.trace.steps
    ):
        try:
            result = result.model_copy(
                update={"trace": read_trace(base_dir, result.trace.ref)}
            )
        except InputError as error:
            problems["trace"] = str(error)
    return Case(
        result=result,
        contract=contract,
        changes=changes,
        judge=judge,
        problems=problems,
    )


def refers_to_files(result: AgentResult) -> bool:
    """Whether preparing the case reads files."""
    state, trace = result.state, result.trace
    return bool(
        (state and (state.before_path or state.after_path)) or (trace and trace.ref)
    )


def read_trace(base_dir: Path, reference: str) -> Trace:
    """A trace file: one JSON object (`steps`, `events`) or list of steps, or JSONL with one step a line.

    Raises:
        ResultError: the file is missing, too large, or not of that form.
    """
    import jiter
    from pydantic import ValidationError

    path = within(base_dir, reference)
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ResultError(f"larger than {_MAX_BYTES // 2**20} MiB", where=str(path))
        raw = path.read_bytes()
    except OSError as error:
        raise ResultError(
            f"the trace cannot be read: {error.strerror or error}", where=str(path)
        ) from None
    try:
        data: Any
        if path.suffix == ".jsonl":
            data = [
                jiter.from_json(line, allow_inf_nan=False)
                for line in raw.splitlines()
                if line.strip()
            ]
        else:
            data = jiter.from_json(raw, allow_inf_nan=False)
        return Trace.model_validate({"steps": data} if isinstance(data, list) else data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ResultError(
            f"not a trace: {where}: {first['msg']}", where=str(path)
        ) from None
    except ValueError as error:
        raise ResultError(f"not valid JSON: {error}", where=str(path)) from None
