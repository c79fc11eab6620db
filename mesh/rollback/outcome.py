"""What came of the injections: a score each or the reason why there is none, their mean, rows for `judgemesh triangle`.

Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Final

from judgemesh.mesh.metrics.triangle import (
    ROLLBACK_POINTS,
    InjectionPoint,
    Rollback,
    rollback,
)
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
    outside: files outside the declared world that the agent wrote and left. not_seen: what this system does not show.
    """

    task_id: str
    task_type: str
    point: InjectionPoint
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
    outside: tuple[str, ...] = ()
    not_seen: tuple[str, ...] = ()

    @property
    def score(self) -> float | None:
        """0..10, or None where it was not measured."""
        if self.level is None:
            return None
        if self.person is not None:
            return self.person
        return float(ROLLBACK_POINTS[self.level])


_EVERY: Final = tuple(InjectionPoint)


def point_means(injections: Sequence[Injection]) -> dict[InjectionPoint, Fraction]:
    """The mean of what was measured at each point; a point without any is left out."""
    means: dict[InjectionPoint, Fraction] = {}
    for point in _EVERY:
        scores: list[float] = []
        for injection in injections:
            if injection.point is point and injection.score is not None:
                scores.append(injection.score)
        if scores:
            means[point] = rollback(scores)
    return means


def ra(injections: Sequence[Injection]) -> Fraction | None:
    """The mean over the three points of the mean at each; None unless every task has all three."""
    tasks = _by_task(injections)
    if not tasks or any(open_points(own, _EVERY) for own in tasks.values()):
        return None
    means = point_means(injections)
    return sum(means.values(), Fraction(0)) / len(means)


def open_points(
    injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> list[InjectionPoint]:
    """The points that no repeat measured."""
    measured = point_means(injections)
    return [point for point in points if point not in measured]


def axis_rows(
    injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> list[dict[str, object]]:
    """Rows for `judgemesh triangle --ra`, one a measured injection; a task with an open point has none.

    A mean over the rest of its points would look like a measurement.
    """
    rows: list[dict[str, object]] = []
    for own in _by_task(injections).values():
        if open_points(own, points):
            continue
        for injection in own:
            if injection.level is not None:
                rows.append(_axis_row(injection))
    return rows


def _by_task(injections: Sequence[Injection]) -> dict[str, list[Injection]]:
    tasks: dict[str, list[Injection]] = {}
    for injection in injections:
        tasks.setdefault(injection.task_id, []).append(injection)
    return tasks


def _axis_row(injection: Injection) -> dict[str, object]:
    point = injection.point.value
    score: dict[str, object] = {"by": "person", point: injection.person}
    if injection.person is None:
        score = {"by": "rubric", point: injection.level}
    return {"task_id": injection.task_id, "task_type": injection.task_type, "ra": score}
