"""The rows of `eval_state_result` (article 002 section 12): one for each object of state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from judgemesh.contracts.codes import FailureCode, by_precedence
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.state.changes import Actual, LeafChange
from judgemesh.validators._shared.state.documents import Examined
from judgemesh.validators._shared.state.globs import pointer
from judgemesh.validators._shared.values import ABSENT, UNKNOWN, Missing, Path, show
from judgemesh.validators.state.comparison import StateComparison
from judgemesh.validators.state.hollow import Hollow
from judgemesh.validators.state.object_scores import scores_of
from judgemesh.validators.state.objects import StateObject, state_objects
from judgemesh.validators.state.outcomes import Met

_MAX_OBJECTS: Final = 50
_MAX_SUMMARY: Final = 10

_Row = dict[str, object]


def state_object_rows(
    comparison: StateComparison,
    actual: Actual,
    result: AgentResult,
    codes: Sequence[FailureCode],
    documents: Sequence[Examined],
    hollow: Sequence[Hollow] = (),
) -> list[_Row]:
    """Up to 50 rows, the troubled objects first. Scores are 0..10.

    Args:
        comparison: expectations and side effects.
        actual: all changes of the run.
        result: the agent result, for its ids.
        codes: the codes of the expectations' failure, for the objects whose expectations failed.
        documents: the documents that the contract names, examined; each is an object.
        hollow: what was created or changed without content.
    """
    objects = state_objects(comparison, actual, documents, hollow)
    paths = sorted(objects, key=lambda path: not objects[path].is_troubled)
    return [_row(path, objects[path], result, codes) for path in paths[:_MAX_OBJECTS]]


def _row(
    path: Path,
    state_object: StateObject,
    result: AgentResult,
    codes: Sequence[FailureCode],
) -> _Row:
    scores = scores_of(state_object)
    unmet = state_object.has_unmet_outcome
    failed = list(codes) if unmet else []
    failed += (check.code for check in state_object.failed_checks)
    if state_object.hollow:
        failed.append(FailureCode.EMPTY_OR_INVALID_OUTPUT)
    if state_object.strays:
        failed.append(FailureCode.UNAUTHORIZED_ACTION)
    return {
        "trace_id": result.trace_id or result.result_id,
        "state_object_id": pointer(path) or "/",
        "state_object_type": path[0] if path else None,
        "state_object_path": pointer(path) or "/",
        **_presence(_change_of_whole(path, state_object), state_object),
        **_content_presence(state_object),
        **_document_presence(state_object),
        "expected_state_match": not unmet if state_object.outcomes else None,
        "side_effect_detected": bool(state_object.strays),
        "target_state_match_score": scores.target,
        "content_usability_score": scores.usability,
        "format_quality_score": scores.format,
        "boundary_control_score": scores.boundary,
        "state_change_score": scores.state_change,
        "failure_reason_codes": [code.value for code in by_precedence(failed)],
        "diff_summary": _summary(state_object),
    }


def _change_of_whole(path: Path, state_object: StateObject) -> LeafChange | None:
    """The change of the object as a whole, or of one that contains it."""
    for change in state_object.changes:
        if change.path == path[: len(change.path)]:
            return change
    return None


def _presence(whole: LeafChange | None, state_object: StateObject) -> _Row:
    """What happened to the object as a whole; None where no change shows it."""
    if whole is None:
        touched = bool(state_object.changes) or None
        return {
            "state_action": "modify" if touched else None,
            "exists_after_run": touched,
            "readable_after_run": touched,
            "non_empty_after_run": touched,
        }
    exists = whole.after is not ABSENT
    action = "modify"
    if whole.before is ABSENT:
        action = "create"
    elif not exists:
        action = "delete"
    non_empty = None
    if whole.after is not UNKNOWN:
        non_empty = exists and whole.after not in ("", None, {}, [])
    return {
        "state_action": action,
        "exists_after_run": exists,
        "readable_after_run": exists,
        "non_empty_after_run": non_empty,
    }


def _content_presence(state_object: StateObject) -> _Row:
    """What the content says where it is hollow: readable or not, and that there is none."""
    if not state_object.hollow:
        return {}
    readable = not any(hollow.is_unreadable for hollow in state_object.hollow)
    return {"readable_after_run": readable, "non_empty_after_run": False}


def _document_presence(state_object: StateObject) -> _Row:
    """What the examined document says; more certain than what the changes say."""
    met: dict[str, bool | None] = {}
    for document in state_object.documents:
        for check in document.usable:
            met[check.part] = check.met
    if met.get("there") is False:
        return {
            "exists_after_run": False,
            "readable_after_run": False,
            "non_empty_after_run": False,
        }
    opens = met.get("opens")
    if opens is None:
        return {}
    presence: _Row = {"exists_after_run": True, "readable_after_run": opens}
    if "content" in met:
        presence["non_empty_after_run"] = met["content"]
    return presence


def _summary(state_object: StateObject) -> list[_Row]:
    """The first unmet expectations, failed checks and changes; values only where something is wrong."""
    rows = list(_problems(state_object))
    stray_paths = {stray.path for stray in state_object.strays}
    troubled = bool(rows or stray_paths)
    other_strays = (
        stray for stray in state_object.strays if stray not in state_object.changes
    )
    for change in chain(state_object.changes, other_strays):
        if len(rows) >= _MAX_SUMMARY:
            break
        is_stray = change.path in stray_paths
        row: _Row = {"path": pointer(change.path), "side_effect": is_stray}
        if troubled:
            row["before"] = _shown(change.before)
            row["after"] = _shown(change.after)
        rows.append(row)
    return rows[:_MAX_SUMMARY]


def _problems(state_object: StateObject) -> Iterator[_Row]:
    for hollow in state_object.hollow:
        yield {"path": pointer(hollow.path), "content": hollow.why}
    for outcome in state_object.outcomes:
        if outcome.met is not Met.MET:
            path = pointer(outcome.expectation.path)
            yield {"path": path, "expected": outcome.describe()}
    for document in state_object.documents:
        for check in document.checks:
            if check.met is False:
                yield {"path": pointer(document.path), "document": check.why}


def _shown(value: object) -> str | None:
    return None if isinstance(value, Missing) else show(value)
