"""The Triangle of a source: T of its axes, what one better axis would change, and caveats."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final

from judgemesh.mesh.analysis.triangle.axes import MeasuredAxis
from judgemesh.mesh.metrics.triangle import (
    LABELS,
    TOP,
    Axis,
    InjectionPoint,
    TScore,
    label,
    t_score,
    warnings,
)

Axes = Mapping[Axis, MeasuredAxis]
Weights = Mapping[Axis, Decimal]

AXIS_NAMES: Final[Mapping[Axis, str]] = {
    Axis.TOOL_SELECTION: "tool selection",
    Axis.PLAN_QUALITY: "plan quality",
    Axis.ROLLBACK: "rollback",
}
MIN_SAFE_LATE: Final = 7
"""Below this mean at the late point an agent leaves what the next one takes for the truth."""


@dataclass(frozen=True, slots=True)
class NextBand:
    """The score that an axis alone would need for T to reach the next label."""

    needs: Fraction
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Triangle:
    """The axes of a source and their weights, as a whole and by task type.

    task_types: how many task types took a decision.
    """

    source: str
    preset: str
    weights: Weights
    axes: Axes
    types: Mapping[str, Axes]
    task_types: int

    def t(self) -> TScore | None:
        """The composite; None while an axis was not measured."""
        return composite(self.axes, self.weights)

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
        better = min(Fraction(TOP), score + 1)
        t = t_score({**_scores(self.axes), axis: better}, self.weights)
        return None if t is None else t.value

    def next_band(self, axis: Axis) -> NextBand | None:
        """What that axis alone would have to be for the next label; None where it cannot get there.

        Solved from T = sum(w) / sum(w/axis) for one axis.
        """
        t = self.t()
        if t is None:
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
        notes: list[str] = []
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
        late = self.axes[Axis.ROLLBACK].points.get(InjectionPoint.LATE)
        if late is not None and late < MIN_SAFE_LATE:
            notes.append(
                f"killed after its last write the agent scores {float(late):.2f}, below {MIN_SAFE_LATE}: "
                "where agents write, mend that first"
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


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
