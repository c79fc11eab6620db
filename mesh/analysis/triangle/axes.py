"""The axes of the Triangle summed over records: scores, intervals, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from judgemesh.mesh.analysis.triangle.records import (
    CRITERIA,
    AxisRecord,
)
from judgemesh.mesh.metrics.intervals import Interval, anchored, clustered, wilson
from judgemesh.mesh.metrics.triangle import (
    TOP,
    Axis,
    InjectionPoint,
    tool_selection,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredAxis:
    """One axis: its exact score from 0 to 10, or why there is none.

    ci: 95 % interval of the score. other_ci: the narrower one of tool selection.
    units: decisions, plans or kills that the score rests on.
    left_out: results that were looked at and could not be decided.
    partial: plans whose contract measures only some of the four criteria.
    bounds: the score if everything left out were worth 0, and if it were worth 10.
    """

    axis: Axis
    score: Fraction | None
    why_not: str = ""
    ci: Interval | None = None
    other_ci: Interval | None = None
    units: int = 0
    tasks: int = 0
    correct: int = 0
    left_out: int = 0
    partial: int = 0
    bounds: tuple[Fraction, Fraction] | None = None
    points: Mapping[InjectionPoint, Fraction] = field(
        default_factory=dict[InjectionPoint, Fraction]
    )


def measure(
    records: Sequence[AxisRecord],
    *,
    rollback: Fraction | None = None,
    seed: int = 0,
    where: str = "",
    spread: bool = True,
) -> dict[Axis, MeasuredAxis]:
    """The three axes over some records.

    Args:
        records: the runs of tasks.
        rollback: a rollback score from elsewhere, in place of the records'.
        seed: of the bootstrap over tasks.
        where: `file` or `run`, for the message why an axis was not measured.
        spread: whether to compute intervals.
    """
    return {
        Axis.TOOL_SELECTION: _selection(records, where, spread=spread),
        Axis.PLAN_QUALITY: _plans(records, where, seed=seed, spread=spread),
        Axis.ROLLBACK: _recovery(records, seed=seed, spread=spread)
        if rollback is None
        else MeasuredAxis(axis=Axis.ROLLBACK, score=rollback),
    }


_NO_VERDICT: Final = {
    ("file", Axis.TOOL_SELECTION): "no record has `tsa`",
    ("file", Axis.PLAN_QUALITY): "no record has `pq`",
    (
        "run",
        Axis.TOOL_SELECTION,
    ): "no result has a verdict on tool selection: add a `tools` section to its contract",
    (
        "run",
        Axis.PLAN_QUALITY,
    ): "no result has a verdict on planning quality: add a `plan` section to its contract",
}


def _selection(
    records: Sequence[AxisRecord], where: str, *, spread: bool
) -> MeasuredAxis:
    """Correct choices over all choices. Choices of one task depend on each other, so the
    wider interval is the one reported."""
    axis = Axis.TOOL_SELECTION
    left_out = sum(axis in record.undetermined for record in records)
    decided = [record for record in records if record.decisions]
    if not decided:
        why_not = _why_not(records, axis, where)
        return MeasuredAxis(axis=axis, score=None, why_not=why_not, left_out=left_out)
    correct = sum(record.correct for record in decided)
    decisions = sum(record.decisions for record in decided)
    intervals = _selection_intervals(decided) if spread else []
    return MeasuredAxis(
        axis=axis,
        score=tool_selection(correct, decisions),
        ci=intervals[0] if intervals else None,
        other_ci=intervals[1] if len(intervals) > 1 else None,
        units=decisions,
        tasks=len({record.task_id for record in decided}),
        correct=correct,
        left_out=left_out,
    )


def _selection_intervals(decided: Sequence[AxisRecord]) -> list[Interval]:
    """The Wilson interval and, for several tasks, the clustered one; the wider first."""
    choices: list[float] = []
    tasks: list[str] = []
    for record in decided:
        choices += [1.0] * record.correct + [0.0] * (record.decisions - record.correct)
        tasks += [record.task_id] * record.decisions
    intervals = [wilson(int(sum(choices)), len(choices))]
    if len(set(tasks)) > 1:
        intervals.append(clustered(choices, tasks))
    scores = [_tens(interval) for interval in intervals]
    return sorted(scores, key=lambda interval: -interval.half_width)


def _plans(
    records: Sequence[AxisRecord], where: str, *, seed: int, spread: bool
) -> MeasuredAxis:
    """The mean over tasks of the mean over their runs, of plans without an open criterion."""
    axis = Axis.PLAN_QUALITY
    lowest: list[tuple[str, Fraction]] = []
    highest: list[tuple[str, Fraction]] = []
    exact: list[tuple[str, Fraction]] = []
    partial = 0
    for record in records:
        if record.pq is None:
            continue
        low, high = record.pq
        lowest.append((record.task_id, low))
        highest.append((record.task_id, high))
        if low == high:
            exact.append((record.task_id, low))
        partial += 0 < record.criteria < len(CRITERIA)
    left_out = len(lowest) - len(exact)
    bounds = None
    if left_out:
        bounds = _mean(_task_means(lowest)), _mean(_task_means(highest))
    if not exact:
        why = _why_not(records, axis, where)
        return MeasuredAxis(
            axis=axis, score=None, why_not=why, left_out=left_out, bounds=bounds
        )
    means = _task_means(exact)
    ci = None
    if spread and len(means) > 1:
        ci = anchored([float(mean) for mean in means], seed=seed, low=0.0, high=TOP)
    return MeasuredAxis(
        axis=axis,
        score=_mean(means),
        ci=ci,
        units=len(exact),
        tasks=len(means),
        left_out=left_out,
        partial=partial,
        bounds=bounds,
    )


def _recovery(
    records: Sequence[AxisRecord], *, seed: int = 0, spread: bool = False
) -> MeasuredAxis:
    """The mean over the three points of the mean at each; all three are needed."""
    axis = Axis.ROLLBACK
    points, units = _point_means(records)
    if not points:
        why = "no agent was killed to see what it leaves behind: give --ra"
        return MeasuredAxis(axis=axis, score=None, why_not=why)
    missing = [point.value for point in InjectionPoint if point not in points]
    if missing:
        why = f"no agent was killed at: {', '.join(missing)}; all three points count"
        return MeasuredAxis(
            axis=axis, score=None, why_not=why, units=units, points=points
        )
    means = _recovery_by_task(records)
    ci = None
    if spread and len(means) > 1:
        ci = anchored(means, seed=seed, low=0.0, high=TOP)
    return MeasuredAxis(
        axis=axis,
        score=_mean(list(points.values())),
        ci=ci,
        units=units,
        tasks=len({record.task_id for record in records if record.ra}),
        points=points,
    )


def _point_means(
    records: Sequence[AxisRecord],
) -> tuple[dict[InjectionPoint, Fraction], int]:
    """The mean at each point that was measured, and the number of kills."""
    points: dict[InjectionPoint, Fraction] = {}
    units = 0
    for point in InjectionPoint:
        scores = [record.ra[point] for record in records if point in record.ra]
        units += len(scores)
        if scores:
            points[point] = _mean(scores)
    return points, units


def _recovery_by_task(records: Sequence[AxisRecord]) -> list[float]:
    """The rollback score of each task that was killed at all three points."""
    tasks: dict[str, list[AxisRecord]] = {}
    for record in records:
        tasks.setdefault(record.task_id, []).append(record)
    scores: list[float] = []
    for members in tasks.values():
        points, _ = _point_means(members)
        if len(points) == len(InjectionPoint):
            scores.append(float(_mean(list(points.values()))))
    return scores


def _why_not(records: Sequence[AxisRecord], axis: Axis, where: str) -> str:
    """Why nothing was measured: no validator looked, or none could decide."""
    reasons: list[str] = []
    for record in records:
        if axis in record.undetermined:
            reasons.append(record.undetermined[axis])
    if reasons:
        count = f"{len(reasons)} of {len(records)} results"
        return f"{count} were looked at and none could be decided: {reasons[0]}"
    has_plan = any(record.pq is not None for record in records)
    if where == "file" and axis is Axis.PLAN_QUALITY and has_plan:
        return "every plan has a criterion that nobody answered"
    return _NO_VERDICT.get((where, axis), "not measured")


def _task_means(values: Iterable[tuple[str, Fraction]]) -> list[Fraction]:
    """The mean of each task, in the order of the tasks."""
    by_task: dict[str, list[Fraction]] = {}
    for task, value in values:
        by_task.setdefault(task, []).append(value)
    return [_mean(task_values) for task_values in by_task.values()]


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _tens(share: Interval) -> Interval:
    """An interval of a share as one of a score from 0 to 10."""
    low, high = max(0.0, share.low) * TOP, min(1.0, share.high) * TOP
    return Interval(low, high, share.method, share.level)
