"""The rows of `eval_state_result`: one for each object of state that the contract or the run concerned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from judgemesh.contracts.codes import FailureCode, by_precedence
from judgemesh.contracts.results import AgentResult
from judgemesh.validators._shared.changes import Actual, Change
from judgemesh.validators._shared.globs import pointer
from judgemesh.validators._shared.values import ABSENT, UNKNOWN, Missing, Path, show
from judgemesh.validators.documents import Check, Examined
from judgemesh.validators.state.expectations import Comparison, Met, Outcome

_MAX_OBJECTS: Final = 50
_MAX_SUMMARY: Final = 10
_OBJECT_SEGMENTS: Final = 2
_FULL: Final = 10.0
# Article 002 section 11. What nothing could measure gives up its weight.
_TARGET_WEIGHT: Final = 0.40
_USABILITY_WEIGHT: Final = 0.30
_FORMAT_WEIGHT: Final = 0.20
_BOUNDARY_WEIGHT: Final = 0.10


@dataclass(slots=True)
class _Object:
    """What is known about one object: a document, or the first two segments of its paths (`/orders/17`)."""

    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    changes: list[Change] = field(default_factory=list[Change])
    strays: list[Change] = field(default_factory=list[Change])
    documents: list[Examined] = field(default_factory=list[Examined])

    @property
    def checks(self) -> list[Check]:
        """What was asked of the object as a document."""
        return [check for document in self.documents for check in document.checks]


def state_objects(
    comparison: Comparison,
    actual: Actual,
    result: AgentResult,
    codes: tuple[FailureCode, ...],
    documents: Sequence[Examined] = (),
) -> list[dict[str, object]]:
    """Up to 50 rows with the columns of article 002 section 12, the troubled ones first. Scores are 0..10.

    Args:
        comparison: expectations and side effects.
        actual: all changes of the run.
        result: the agent result, for its ids.
        codes: the codes of the expectations' failure, for the objects whose expectations failed.
        documents: the documents that the contract names, and what they are like; each is an object.
    """
    lengths = {item.path: len(item.path) for item in documents}

    def home(path: Path) -> Path:
        return path[
            : next(
                (size for at, size in lengths.items() if path[:size] == at),
                _OBJECT_SEGMENTS,
            )
        ]

    objects: dict[Path, _Object] = {}
    for document in documents:
        objects.setdefault(document.path, _Object()).documents.append(document)
    for outcome in comparison.outcomes:
        objects.setdefault(home(outcome.expectation.path), _Object()).outcomes.append(
            outcome
        )
    for stray in (*comparison.side_effects, *comparison.forbidden):
        objects.setdefault(home(stray.path), _Object()).strays.append(stray)
    for change in actual.changes:
        concerned = objects.get(home(change.path))
        if concerned is not None:
            concerned.changes.append(change)
    ordered = sorted(
        objects.items(), key=lambda item: not (item[1].strays or _unmet(item[1]))
    )
    return [_row(path, item, result, codes) for path, item in ordered[:_MAX_OBJECTS]]


def _unmet(item: _Object) -> bool:
    """Whether something expected of the object did not come true, or is not known to."""
    return any(outcome.met is not Met.MET for outcome in item.outcomes) or any(
        check.met is False for check in item.checks
    )


def _row(
    path: Path, item: _Object, result: AgentResult, codes: tuple[FailureCode, ...]
) -> dict[str, object]:
    whole = next(
        (change for change in item.changes if change.path == path[: len(change.path)]),
        None,
    )
    target, boundary = _target_score(item), _boundary_score(item)
    usability = _share(
        [check for document in item.documents for check in document.usable]
    )
    form = _share([check for document in item.documents for check in document.formed])
    unmet = any(outcome.met is not Met.MET for outcome in item.outcomes)
    failed = (
        *(codes if unmet else ()),
        *(check.code for check in item.checks if check.met is False),
        *((FailureCode.UNAUTHORIZED_ACTION,) if item.strays else ()),
    )
    return {
        "trace_id": result.trace_id or result.result_id,
        "state_object_id": pointer(path) or "/",
        "state_object_type": path[0] if path else None,
        "state_object_path": pointer(path) or "/",
        **_presence(item, whole),
        **_as_document(item),
        "expected_state_match": None if not item.outcomes else not unmet,
        "side_effect_detected": bool(item.strays),
        "target_state_match_score": target,
        "content_usability_score": usability,
        "format_quality_score": form,
        "boundary_control_score": boundary,
        "state_change_score": _weighted(
            {
                _TARGET_WEIGHT: target,
                _USABILITY_WEIGHT: usability,
                _FORMAT_WEIGHT: form,
                _BOUNDARY_WEIGHT: boundary,
            }
        ),
        "failure_reason_codes": [code.value for code in by_precedence(failed)],
        "diff_summary": _summary(item),
    }


def _presence(item: _Object, whole: Change | None) -> dict[str, object]:
    """What happened to the object as a whole; None where no change shows it."""
    if whole is None:
        touched = bool(item.changes) or None
        return {
            "state_action": "modify" if touched else None,
            "exists_after_run": touched,
            "readable_after_run": touched,
            "non_empty_after_run": touched,
        }
    action = (
        "create"
        if whole.before is ABSENT
        else "delete"
        if whole.after is ABSENT
        else "modify"
    )
    exists = whole.after is not ABSENT
    empty = whole.after in ("", None, {}, [])
    non_empty = None if whole.after is UNKNOWN else exists and not empty
    return {
        "state_action": action,
        "exists_after_run": exists,
        "readable_after_run": exists,
        "non_empty_after_run": non_empty,
    }


def _as_document(item: _Object) -> dict[str, object]:
    """What the looked-at document says more surely than the changes do."""
    seen = {
        check.part: check.met
        for document in item.documents
        for check in document.usable
    }
    known: dict[str, object] = {}
    if seen.get("there") is False:
        known = dict.fromkeys(
            ("exists_after_run", "readable_after_run", "non_empty_after_run"), False
        )
    elif isinstance(seen.get("opens"), bool):
        known = {"exists_after_run": True, "readable_after_run": seen["opens"]}
        if "content" in seen:
            known["non_empty_after_run"] = seen["content"]
    return known


def _share(checks: Sequence[Check]) -> float | None:
    """The share of the checks that hold, among those that somebody could make."""
    known = [check.met for check in checks if check.met is not None]
    return round(_FULL * sum(known) / len(known), 6) if known else None


def _target_score(item: _Object) -> float | None:
    if not item.outcomes:
        return None
    total = sum(outcome.expectation.spec.weight for outcome in item.outcomes)
    met = sum(
        outcome.expectation.spec.weight
        for outcome in item.outcomes
        if outcome.met is Met.MET
    )
    return round(_FULL * met / total, 6)


def _boundary_score(item: _Object) -> float | None:
    """The share of the object's changes that somebody asked for."""
    if not item.changes:
        return None
    asked = max(len(item.changes) - len({stray.path for stray in item.strays}), 0)
    return round(_FULL * asked / len(item.changes), 6)


def _weighted(scores: Mapping[float, float | None]) -> float | None:
    known = {weight: score for weight, score in scores.items() if score is not None}
    return (
        round(sum(weight * score for weight, score in known.items()) / sum(known), 6)
        if known
        else None
    )


def _summary(item: _Object) -> list[dict[str, object]]:
    """The first open expectations and changes; values, cut to one line, only where something is wrong."""
    strays = {stray.path for stray in item.strays}
    rows: list[dict[str, object]] = [
        {"path": pointer(outcome.expectation.path), "expected": outcome.words()}
        for outcome in item.outcomes
        if outcome.met is not Met.MET
    ]
    rows += [
        dict[str, object](path=pointer(document.path), document=check.why)
        for document in item.documents
        for check in document.checks
        if check.met is False
    ]
    troubled = bool(rows or strays)
    for change in (
        *item.changes,
        *(stray for stray in item.strays if stray not in item.changes),
    ):
        if len(rows) >= _MAX_SUMMARY:
            break
        row: dict[str, object] = {
            "path": pointer(change.path),
            "side_effect": change.path in strays,
        }
        rows.append(
            row | {"before": _shown(change.before), "after": _shown(change.after)}
            if troubled
            else row
        )
    return rows[:_MAX_SUMMARY]


def _shown(value: object) -> str | None:
    return None if isinstance(value, Missing) else show(value)
