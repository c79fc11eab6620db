"""The Triangle of a source: T of its axes, what one better axis would change, and caveats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Final

from judgemesh.mesh.analysis.triangle.by_task import MIN_SAFE_LATE, Axes
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.triangle import (
    LABELS,
    TOP,
    Axis,
    TScore,
    label,
    t_score,
    warnings,
)

Weights = Mapping[Axis, Decimal]

AXIS_NAMES: Final[Mapping[Axis, str]] = {
    Axis.TOOL_SELECTION: "tool selection",
    Axis.PLAN_QUALITY: "plan quality",
    Axis.ROLLBACK: "rollback",
}
_MIN_TASKS: Final = 10
_BEST, _SECOND = LABELS[0][1], LABELS[1][1]
_MAX_NAMED: Final = 5


@dataclass(frozen=True, slots=True)
class NextBand:
    """The score that an axis alone would need for T to reach the next label."""

    needs: Fraction
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Triangle:
    """The axes of a source and their weights, as a whole and by task type.

    task_types: how many task types took a decision.
    tasks: the axes of each task.
    ci: 95 % interval of T, by task.
    late, zero: kills late in the run that score below 7, and kills that score 0, as task and score.
    """

    source: str
    preset: str
    weights: Weights
    axes: Axes
    types: Mapping[str, Axes]
    task_types: int
    tasks: Mapping[str, Axes] = field(default_factory=dict[str, Axes])
    ci: Interval | None = None
    late: Sequence[str] = ()
    zero: Sequence[str] = ()

    def t(self) -> TScore | None:
        """The composite; None while an axis was not measured.

        Where every task has all three axes, it is the mean of the tasks' own T, so that one weak axis of a task is not
        made up for by another task. Otherwise the axes are pooled, and `notes` says so.
        """
        pooled = composite(self.axes, self.weights)
        if pooled is None:
            return None
        value, fix_first = pooled.value, pooled.fix_first
        if self.is_mean:
            scores = self.task_scores()
            value = sum(scores.values()) / len(scores)
            fix_first = max(Axis, key=self._mean_raised)
        name = label(value)
        if self.zero and name == _BEST:
            name = _SECOND
        return TScore(value, name, fix_first)

    @property
    def is_mean(self) -> bool:
        """Whether T is the mean over tasks: there are several, and each has all three axes."""
        return 1 < len(self.tasks) == len(self.task_scores())

    def task_scores(self) -> dict[str, float]:
        """T of each task that has all three axes."""
        scores: dict[str, float] = {}
        for task, axes in self.tasks.items():
            t = composite(axes, self.weights)
            if t is not None:
                scores[task] = t.value
        return scores

    def worst_task(self) -> tuple[str, float] | None:
        """The task with the lowest T; None unless several have one."""
        scores = self.task_scores()
        if len(scores) < 2:
            return None
        return min(scores.items(), key=lambda row: (row[1], row[0]))

    def first(self) -> list[str]:
        """What is said before anything else: nothing matters more while it holds."""
        if not self.late:
            return []
        return [
            (
                f"killed after its last write the agent scores {_listed(self.late)}, below {MIN_SAFE_LATE}: "
                "where agents write, mend that first"
            )
        ]

    def why_no_t(self) -> str | None:
        """Why there is no composite."""
        reasons: list[str] = []
        for axis, measured in self.axes.items():
            if measured.score is None:
                reasons.append(f"{AXIS_NAMES[axis]}: {measured.why_not}")
        return "; ".join(reasons) or None

    def raised(self, axis: Axis) -> float | None:
        """T if that axis alone were one point better, at most 10."""
        score = self.axes[axis].score
        if score is None:
            return None
        if self.is_mean:
            return self._mean_raised(axis)
        better = min(Fraction(TOP), score + 1)
        t = t_score({**_scores(self.axes), axis: better}, self.weights)
        return None if t is None else t.value

    def _mean_raised(self, axis: Axis) -> float:
        """The mean over tasks of T if that axis were one point better in each."""
        values: list[float] = []
        for axes in self.tasks.values():
            scores = _scores(axes)
            scores[axis] = min(Fraction(TOP), scores[axis] + 1)
            t = t_score(scores, self.weights)
            values.append(0.0 if t is None else t.value)
        return sum(values) / len(values)

    def next_band(self, axis: Axis) -> NextBand | None:
        """What that axis alone would have to be for the next label; None where it cannot get there, and for a mean.

        Solved from T = sum(w) / sum(w/axis) for one axis.
        """
        t = self.t()
        if t is None or self.is_mean:
            return None
        bounds_above = [bound for bound, _ in LABELS if bound > t.value]
        others = _scores(self.axes)
        del others[axis]
        if not bounds_above or 0 in others.values():
            return None
        target = Fraction(min(bounds_above))
        room = sum(map(Fraction, self.weights.values()), Fraction(0)) / target
        for other, score in others.items():
            room -= Fraction(self.weights[other]) / score
        if room <= 0:
            return None
        needs = Fraction(self.weights[axis]) / room
        return None if needs > TOP else NextBand(needs, label(target))

    def notes(self) -> list[str]:
        """What to know before acting on it."""
        notes = [*self.first(), *self._task_notes()]
        tool_selection = self.axes[Axis.TOOL_SELECTION]
        if tool_selection.score is not None:
            notes += warnings(tool_selection.units, self.task_types)
        for axis, measured in self.axes.items():
            if measured.left_out and measured.score is not None:
                left_out = _plural(measured.left_out, "result")
                notes.append(
                    f"{AXIS_NAMES[axis]}: {left_out} could not be decided and do not count"
                )
        partial = self.axes[Axis.PLAN_QUALITY].partial
        if partial:
            plans = _plural(partial, "plan")
            notes.append(
                f"the contracts of {plans} measure fewer than the four criteria"
            )
        return notes

    def _task_notes(self) -> list[str]:
        """What single tasks say about T."""
        notes: list[str] = []
        if self.zero:
            notes.append(f"a kill scores 0 ({_listed(self.zero)}), so no T is {_BEST}")
        if self.t() is None:
            return notes
        if len(self.tasks) < 2:
            return [*notes, "one task: T holds for it alone and has no interval"]
        complete = len(self.task_scores())
        if not self.is_mean:
            counts: list[str] = []
            for axis in Axis:
                measured = sum(
                    axes[axis].score is not None for axes in self.tasks.values()
                )
                counts.append(f"{AXIS_NAMES[axis]} of {_plural(measured, 'task')}")
            without = "" if complete else ", so T has no interval"
            notes.append(
                f"T pools axes of different tasks: {', '.join(counts)}; {complete} of "
                f"{_plural(len(self.tasks), 'task')} have all three{without}"
            )
        if complete and len(self.tasks) < _MIN_TASKS:
            notes.append(
                f"{len(self.tasks)} tasks are few: the interval of T says little below {_MIN_TASKS}"
            )
        return notes


def composite(axes: Axes, weights: Weights) -> TScore | None:
    """T of measured axes; None while one was not measured."""
    return t_score(_scores(axes), weights)


def _scores(axes: Axes) -> dict[Axis, Fraction]:
    scores: dict[Axis, Fraction] = {}
    for axis, measured in axes.items():
        if measured.score is not None:
            scores[axis] = measured.score
    return scores


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MAX_NAMED
    text = ", ".join(names[:_MAX_NAMED])
    return f"{text} and {more} more" if more > 0 else text


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
