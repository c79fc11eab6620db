"""Pure: rows of `eval_state_result`, made from what state validators put into the details of their verdicts.

A verdict's `details["state_objects"]` is a list of objects with the column names of that table. Fields with another
name or type have no column; they are kept in the verdict's details only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from judgemesh.mesh.ledger.schema.columns import Row

_TEXT: Final = ("state_object_type", "state_object_path", "state_action")
_FLAGS: Final = (
    "exists_after_run",
    "readable_after_run",
    "non_empty_after_run",
    "expected_state_match",
    "side_effect_detected",
)
_SCORES: Final = (
    "target_state_match_score",
    "content_usability_score",
    "format_quality_score",
    "boundary_control_score",
    "state_change_score",
)
_JSON: Final = ("failure_reason_codes", "diff_summary")


def state_rows(details: Iterable[Mapping[str, object]], *, trace_id: str) -> list[Row]:
    """One row for each state object in the verdicts' `details`, in their order, without the key of the result."""
    return [
        {
            "position": position,
            "trace_id": trace_id,
            "state_object_id": _identity(state, position),
            **{name: _of_type(state.get(name), str) for name in _TEXT},
            **{name: _of_type(state.get(name), bool) for name in _FLAGS},
            **{name: _score(state.get(name)) for name in _SCORES},
            **{name: state.get(name) for name in _JSON},
        }
        for position, state in enumerate(_states(details))
    ]


def _states(
    details: Iterable[Mapping[str, object]],
) -> Iterator[Mapping[str, object]]:
    for facts in details:
        states = facts.get("state_objects")
        if not isinstance(states, list | tuple):
            continue
        for state in cast("Sequence[object]", states):
            if isinstance(state, Mapping):
                yield cast("Mapping[str, object]", state)


def _identity(state: Mapping[str, object], position: int) -> str:
    name = state.get("state_object_id") or state.get("state_object_path")
    return str(name or f"object-{position}")


def _of_type(value: object, kind: type) -> object:
    return value if isinstance(value, kind) else None


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        score = float(value)
    except OverflowError:
        return None
    return score if math.isfinite(score) else None
