"""What came of the injections: a score each or the reason why there is none, their mean, rows for `judgemesh triangle`.

Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Final

from judgemesh.mesh.metrics.triangle import ROLLBACK_POINTS, Point, Rollback, rollback
from judgemesh.mesh.rollback.following import Counts


class NotMeasured(StrEnum):
    """Why an injection says nothing about the agent."""

    NOT_STARTED = "not_started"
    ENDED_BEFORE = "ended_before"
    TIMED_OUT = "timed_out"
    TOO_LATE = "too_late"
    NOT_KILLED = "not_killed"
    FLOODED = "flooded"
    STATE_UNREADABLE = "state_unreadable"
    RECOVERY_NOT_STARTED = "recovery_not_started"
    LOCKS_UNREADABLE = "locks_unreadable"
    NOTHING_WRITTEN = "nothing_written"
    NOT_RESET = "not_reset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """The proof of a kill: how the process ended, at which line the point was, at which line it was really over.

    gated: the agent waits for leave after each event, so it stood still when it was killed.
    survivors: processes of the agent outside its group, which were killed one by one.
    """

    returncode: int | None = None
    point_line: int = 0
    point_text: str = ""
    counts: Counts = field(default_factory=Counts)
    gated: bool = False
    after_s: float = 0.0
    survivors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Injection:
    """One kill and what came of it. `level` is None where it was not measured; then `fault` and `says` tell why.

    leftovers: `added|changed|removed where`. taken_back: how many entries the recovery took back.
    """

    task_id: str
    task_type: str
    point: Point
    repeat: int
    level: Rollback | None = None
    person: float | None = None
    fault: NotMeasured | None = None
    says: str = ""
    kill: Kill = field(default_factory=Kill)
    leftovers: tuple[str, ...] = ()
    locks: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    taken_back: int = 0
    recovery: str = ""
    notes: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """0..10, or None where it was not measured."""
        if self.level is None:
            return None
        return (
            float(ROLLBACK_POINTS[self.level]) if self.person is None else self.person
        )


_EVERY: Final = tuple(Point)


def point_means(injections: Sequence[Injection]) -> dict[Point, Fraction]:
    """The mean of what was measured at each point; a point without any is left out."""
    found: dict[Point, Fraction] = {}
    for point in _EVERY:
        scores = [
            one.score
            for one in injections
            if one.point is point and one.score is not None
        ]
        if scores:
            found[point] = rollback(scores)
    return found


def ra(injections: Sequence[Injection]) -> Fraction | None:
    """The mean over the three points of the mean at each; None unless every task has all three."""
    tasks = dict.fromkeys(one.task_id for one in injections)
    if not tasks or any(
        open_points([one for one in injections if one.task_id == task], _EVERY)
        for task in tasks
    ):
        return None
    means = point_means(injections)
    return sum(means.values(), Fraction(0)) / len(means)


def open_points(
    injections: Sequence[Injection], wanted: Sequence[Point]
) -> list[Point]:
    """The points that no repeat measured."""
    there = point_means(injections)
    return [point for point in wanted if point not in there]


def axis_rows(
    injections: Sequence[Injection], wanted: Sequence[Point]
) -> list[dict[str, object]]:
    """Rows for `judgemesh triangle --ra`, one a measured injection; a task with an open point has none.

    A mean over the rest of its points would look like a measurement.
    """
    rows: list[dict[str, object]] = []
    for task in dict.fromkeys(one.task_id for one in injections):
        own = [one for one in injections if one.task_id == task]
        if not open_points(own, wanted):
            rows += [_axis_row(one) for one in own if one.level is not None]
    return rows


def _axis_row(one: Injection) -> dict[str, object]:
    level = None if one.level is None else one.level.value
    score = (
        {"by": "rubric", one.point.value: level}
        if one.person is None
        else {"by": "person", one.point.value: one.person}
    )
    return {"task_id": one.task_id, "task_type": one.task_type, "ra": score}
