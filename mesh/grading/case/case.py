"""From a result and its contract to the case that validators see.

The difference of state is worked out, and a trace that stands in a file of its own is read. A reference that cannot be
followed is a problem of the evidence, not of the agent. Long runs of blanks and of one sign are shortened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.errors import InputError
from judgemesh.contracts.results import AgentResult, delivers_nothing
from judgemesh.contracts.validator import Case
from judgemesh.mesh.grading.case.long_runs import without_long_runs

LONG_CHARS: Final = 16_000
"""A result with more text than this is checked in threads: 4 KB take milliseconds, 40 KB may take a second."""


def prepare(
    result: AgentResult, contract: EvalContract, *, base_dir: Path, judge: bool
) -> Case:
    """The case of a result. Reads files only where the result refers to one, below `base_dir`."""
    problems: dict[str, str] = {}
    changes = None
    if contract.state is not None:
        from judgemesh.mesh.state.evidence import changes_of, with_documents

        try:
            result = with_documents(result, base_dir)
            changes = changes_of(result, base_dir)
        except InputError as error:
            problems["state"] = str(error)
    trace = result.trace
    if trace is not None and trace.ref is not None and not trace.steps:
        from judgemesh.mesh.grading.case.trace_files import read_trace

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
    if trace is not None and delivers_nothing(result):
        from judgemesh.mesh.grading.case.last_text import with_last_text

        result = with_last_text(result)
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
