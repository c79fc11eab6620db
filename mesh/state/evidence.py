"""From a result's state evidence to the changes that the run made. Reads the JSON files that a result points to."""

from __future__ import annotations

from pathlib import Path
from typing import Final, cast

from judgemesh.contracts.errors import InputError
from judgemesh.contracts.results import AgentResult, StateChange, StateEvidence
from judgemesh.mesh.state.diff import diff

FORMAT_KEY: Final = "judgemesh_snapshot"
"""The key that tells a snapshot file, whose state stands under `state`, from a document that is the state itself."""
_HINT = (
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
    given = [_given(evidence, side) for side in ("before", "after")]
    if not any(given):
        return None
    if not all(given):
        missing = "before" if given[1] else "after"
        raise InputError(
            f"the state evidence has no `{missing}`",
            where=f"result {result.result_id!r}",
            hint=_HINT,
        )
    return diff(
        _document(evidence, "before", base_dir, result),
        _document(evidence, "after", base_dir, result),
    )


def with_documents(result: AgentResult, base_dir: Path) -> AgentResult:
    """The result with the documents before and after in it, where it only names their files.

    Raises:
        InputError: a file cannot be read, or is no JSON.
    """
    evidence = result.state
    if evidence is None or evidence.diff is not None:
        return result
    found: dict[str, object] = {}
    for side in ("before", "after"):
        if getattr(evidence, f"{side}_path") is not None:
            found |= {
                side: _document(evidence, side, base_dir, result),
                f"{side}_path": None,
            }
    return (
        result.model_copy(update={"state": evidence.model_copy(update=found)})
        if found
        else result
    )


def state_in(document: object) -> object:
    """The state that a document holds: what stands in a snapshot file, or the document itself."""
    if isinstance(document, dict) and FORMAT_KEY in document:
        return cast("dict[str, object]", document).get("state")
    return cast("object", document)


def _given(evidence: StateEvidence, side: str) -> bool:
    return (
        getattr(evidence, f"{side}_path") is not None
        or side in evidence.model_fields_set
    )


def _document(
    evidence: StateEvidence, side: str, base_dir: Path, result: AgentResult
) -> object:
    path: str | None = getattr(evidence, f"{side}_path")
    if path is None:
        return getattr(evidence, side)
    file = base_dir / path
    where = f"result {result.result_id!r}: {side}_path {str(file)!r}"
    try:
        data = file.read_bytes()
    except OSError as fault:
        raise InputError(
            f"cannot be read: {fault.strerror or fault}", where=where
        ) from fault
    except ValueError as fault:
        raise InputError(f"is no path: {fault}", where=where) from fault
    return state_in(parse_document(data, where))


def parse_document(data: bytes, where: str) -> object:
    """A JSON document, strictly: no duplicate keys, no NaN or infinity.

    Raises:
        InputError: it is none; names `where`, line and column.
    """
    import jiter

    try:
        document: object = jiter.from_json(
            data.removeprefix(b"\xef\xbb\xbf"),
            allow_inf_nan=False,
            catch_duplicate_keys=True,
        )
    except ValueError as fault:
        raise InputError(f"is no JSON document: {fault}", where=where) from fault
    return document
