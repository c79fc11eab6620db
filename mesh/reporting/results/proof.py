"""What a verdict rests on: how much of the answer was read, which objects changed, and what nobody looked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from judgemesh.contracts.report import Report, ValidatorVerdict
from judgemesh.contracts.verdicts import Reason, Skipped
from judgemesh.mesh.reporting.text import one_line, plural

_PLAN: Final = "plan"
_MAX_OBJECTS: Final = 10


def coverage_of(report: Report) -> str:
    """Whether everything that the contract names was looked for."""
    unlooked: list[str] = []
    for row in report.verdicts:
        verdict = row.verdict
        if row.validator_type != _PLAN or not isinstance(verdict, Skipped):
            continue
        if verdict.reason == Reason.NOT_CONFIGURED:
            unlooked.append(one_line(verdict.check))
    if not unlooked:
        return "everything that the contract names was looked for"
    return f"nobody looked for {', '.join(unlooked)}"


def evidence_rows(graded: ValidatorVerdict) -> Iterator[tuple[str, str]]:
    """The rows of a verdict that its details give: sentences read, and objects of state with their scores."""
    details = graded.verdict.details
    reading = details.get("reading")
    if isinstance(reading, Mapping):
        yield from _reading(cast("Mapping[str, Any]", reading))
    objects = details.get("state_objects")
    if isinstance(objects, list):
        for entry in cast("list[Any]", objects)[:_MAX_OBJECTS]:
            if isinstance(entry, Mapping):
                yield "state object", _object(cast("Mapping[str, Any]", entry))


def _reading(reading: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if not reading.get("sentences"):
        return
    counts = f"{reading.get('read', 0)} of {plural(reading['sentences'], 'sentence')}"
    yield "read", f"{counts}, {plural(reading.get('claims', 0), 'claim')}"
    for why in reading.get("unread", ()):
        yield "not read", one_line(str(why))


def _object(row: Mapping[str, Any]) -> str:
    """`/orders/17: modify, state change score 8.0 of 10`."""
    name = row.get("state_object_path") or row.get("state_object_id") or "?"
    parts = [str(row.get("state_action") or "no change seen")]
    score = row.get("state_change_score")
    if isinstance(score, int | float):
        parts.append(f"state change score {score:.1f} of 10")
    return one_line(f"{name}: {', '.join(parts)}")
