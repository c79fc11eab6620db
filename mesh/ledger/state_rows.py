"""Pure: the rows of `eval_state_result` out of what state validators put into the details of their verdicts.

A verdict's `details["state_objects"]` is a list of objects with the column names of that table. Whatever a validator
wrote there beyond the names and types of the table is left out here; it still stands in the verdict's details.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from judgemesh.contracts.verdicts import Verdict

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


def state_rows(
    verdicts: Sequence[Verdict], *, trace_id: str
) -> list[dict[str, object]]:
    """One row for each state object, in the order of the verdicts, without the key of the result."""
    return [
        {
            "position": position,
            "trace_id": trace_id,
            "state_object_id": _identity(given, position),
            **{
                name: given[name] if isinstance(given.get(name), str) else None
                for name in _TEXT
            },
            **{
                name: given[name] if isinstance(given.get(name), bool) else None
                for name in _FLAGS
            },
            **{name: _score(given.get(name)) for name in _SCORES},
            **{name: given.get(name) for name in _JSON},
        }
        for position, given in enumerate(_objects(verdicts))
    ]


def _objects(verdicts: Sequence[Verdict]) -> Iterator[Mapping[str, object]]:
    for verdict in verdicts:
        listed = verdict.details.get("state_objects")
        if not isinstance(listed, list | tuple):
            continue
        for given in cast("Sequence[object]", listed):
            if isinstance(given, Mapping):
                yield cast("Mapping[str, object]", given)


def _identity(given: Mapping[str, object], position: int) -> str:
    named = given.get("state_object_id") or given.get("state_object_path")
    return str(named) if named else f"object-{position}"


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        score = float(value)
    except OverflowError:
        return None
    return score if math.isfinite(score) else None
