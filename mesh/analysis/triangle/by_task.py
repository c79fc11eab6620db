"""T of each task, and what single tasks mean for the whole: the interval, the worst task, the grave kills."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

from judgemesh.mesh.analysis.triangle.axes import MeasuredAxis, measure
from judgemesh.mesh.analysis.triangle.records import AxisRecord
from judgemesh.mesh.metrics.intervals import Interval, anchored
from judgemesh.mesh.metrics.triangle import TOP, Axis, InjectionPoint, t_score

Axes = Mapping[Axis, MeasuredAxis]
MIN_SAFE_LATE: Final = 7
"""Below this at the late point an agent leaves what the next one takes for the truth."""
_DRAWS: Final = 1_000
_TAIL: Final = 0.025


def axes_by_task(
    records: Sequence[AxisRecord], rollback: Fraction | None, where: str
) -> dict[str, Axes]:
    """The axes of each task over its runs, in the order of the tasks."""
    return {
        task: measure(members, rollback=rollback, where=where, spread=False)
        for task, members in _by_task(records).items()
    }


def _by_task(records: Sequence[AxisRecord]) -> dict[str, list[AxisRecord]]:
    tasks: dict[str, list[AxisRecord]] = {}
    for record in records:
        tasks.setdefault(record.task_id, []).append(record)
    return tasks


def mean_interval(values: Sequence[float], *, seed: int) -> Interval | None:
    """95 % interval of the mean of T over tasks; None for one task."""
    if len(values) < 2:
        return None
    return anchored(values, seed=seed, low=0.0, high=float(TOP))


def pooled_interval(
    records: Sequence[AxisRecord],
    rollback: Fraction | None,
    weights: Mapping[Axis, Decimal],
    *,
    seed: int,
) -> Interval | None:
    """95 % interval of T of pooled axes: tasks are drawn with replacement; None if too few draws have all axes."""
    tasks = list(_by_task(records).values())
    if len(tasks) < 2:
        return None
    draw = random.Random(seed)  # noqa: S311 (a bootstrap, no secret)
    values: list[float] = []
    for _ in range(_DRAWS):
        drawn: list[AxisRecord] = []
        for _task in tasks:
            drawn += draw.choice(tasks)
        axes = measure(drawn, rollback=rollback, spread=False)
        scores = {
            axis: one.score for axis, one in axes.items() if one.score is not None
        }
        t = t_score(scores, weights)
        if t is not None:
            values.append(t.value)
    if len(values) < _DRAWS // 2:
        return None
    values.sort()
    tail = int(_TAIL * len(values))
    return Interval(values[tail], values[-1 - tail], "bootstrap by task")


def grave_kills(records: Sequence[AxisRecord]) -> tuple[list[str], list[str]]:
    """Late kills below 7, and kills at any point that score 0, each as task and score."""
    late: list[str] = []
    zero: list[str] = []
    for record in records:
        score = record.ra.get(InjectionPoint.LATE)
        if score is not None and score < MIN_SAFE_LATE:
            late.append(f"{record.task_id} {float(score):.2f}")
        for point, value in record.ra.items():
            if value == 0:
                zero.append(f"{record.task_id} {point}")
    return late, zero
