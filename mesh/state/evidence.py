"""From a result's state evidence to the changes that the run made. Reads the JSON files that a result points to."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.result_parts.changes import StateChange, StateEvidence
from judgemesh.contracts.results import AgentResult
from judgemesh.mesh.inputs.files.limits import NAMED_BY_RESULT
from judgemesh.mesh.inputs.files.reading import check_values, read_below
from judgemesh.mesh.state.diff import diff
from judgemesh.mesh.state.json_document import parse_document, state_in

_Side = Literal["before", "after"]
_HINT: Final = (
    "give `diff`, or both `before` and `after`, or both `before_path` and `after_path`"
)


def changes_of(result: AgentResult, base_dir: Path) -> tuple[StateChange, ...] | None:
    """The changes of state, or None when the result has no state evidence.

    A ready diff is taken as it is; documents (in the result or in files relative to `base_dir`) are compared.

    Raises:
        InputError: half of the documents is missing, or a file cannot be read or is no JSON. One line that says where.
    """
    evidence = result.state
    if evidence is None:
        return None
    if evidence.diff is not None:
        return tuple(evidence.diff)
    has_before, has_after = _has(evidence, "before"), _has(evidence, "after")
    if not has_before and not has_after:
        return None
    if not has_before or not has_after:
        missing = "after" if has_before else "before"
        raise InputError(
            f"the state evidence has no `{missing}`",
            where=f"result {result.result_id!r}",
            hint=_HINT,
        )
    before = _document(evidence, "before", base_dir, result.result_id)
    after = _document(evidence, "after", base_dir, result.result_id)
    return diff(before, after)


def with_documents(result: AgentResult, base_dir: Path) -> AgentResult:
    """The result with the documents before and after in it, where it only names their files.

    Raises:
        InputError: a file cannot be read, or is no JSON.
    """
    evidence = result.state
    if evidence is None or evidence.diff is not None:
        return result
    update: dict[str, object] = {}
    sides: tuple[_Side, ...] = ("before", "after")
    for side in sides:
        if _path(evidence, side) is not None:
            update[side] = _document(evidence, side, base_dir, result.result_id)
            update[f"{side}_path"] = None
    if not update:
        return result
    return result.model_copy(update={"state": evidence.model_copy(update=update)})


def _path(evidence: StateEvidence, side: _Side) -> str | None:
    return evidence.before_path if side == "before" else evidence.after_path


def _has(evidence: StateEvidence, side: _Side) -> bool:
    return _path(evidence, side) is not None or side in evidence.model_fields_set


def _document(
    evidence: StateEvidence, side: _Side, base_dir: Path, result_id: str
) -> object:
    path = _path(evidence, side)
    if path is None:
        document: object = getattr(evidence, side)
        return document
    where = f"result {result_id!r}: {side}_path {path!r}"
    try:
        data = read_below(base_dir, path, NAMED_BY_RESULT)
        check_values(data, path, NAMED_BY_RESULT)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be read: {reason}", where=where) from None
    return state_in(parse_document(data, where))
