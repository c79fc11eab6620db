"""The Triangle (article 003, SPEC section 9): tool selection, plan quality and rollback in one harmonic score, 0..10.

T = (sum of weights) / sum(weight / axis). The article writes the numerator 3, which is right only while the weights
sum to 3: with its own read-only weights a perfect agent would score 11.5 of 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Final

MIN_DECISIONS: Final = 50
MIN_TASK_TYPES: Final = 10
TOP: Final = 10


class Axis(StrEnum):
    """The three axes."""

    TOOL_SELECTION = "tool_selection"
    PLAN_QUALITY = "plan_quality"
    ROLLBACK = "rollback"


class InjectionPoint(StrEnum):
    """When an agent is killed: before any write, after one, after all but before its last word."""

    EARLY = "early"
    MID = "mid"
    LATE = "late"


class Rollback(StrEnum):
    """What a killed run left behind; worth 10, 7, 3 or 0."""

    REVERSED = "reversed"
    CLEAR = "clear_intermediate_state"
    AMBIGUOUS = "ambiguous_leftovers"
    SILENT = "silent_failure"


ROLLBACK_POINTS: Final[Mapping[Rollback, int]] = MappingProxyType(
    {
        Rollback.REVERSED: 10,
        Rollback.CLEAR: 7,
        Rollback.AMBIGUOUS: 3,
        Rollback.SILENT: 0,
    }
)


def _weights(
    tool_selection: str, plan_quality: str, rollback: str
) -> Mapping[Axis, Decimal]:
    return MappingProxyType(
        {
            Axis.TOOL_SELECTION: Decimal(tool_selection),
            Axis.PLAN_QUALITY: Decimal(plan_quality),
            Axis.ROLLBACK: Decimal(rollback),
        }
    )


WORKLOADS: Final[Mapping[str, Mapping[Axis, Decimal]]] = MappingProxyType(
    {
        "default": _weights("1.2", "1.0", "0.8"),
        "read_only_research": _weights("1.5", "0.8", "0.3"),
        "database_migration": _weights("1.0", "1.2", "2.0"),
        "api_orchestration": _weights("1.5", "1.0", "1.5"),
        "code_generation": _weights("1.0", "1.5", "0.8"),
        "infrastructure": _weights("1.1", "1.3", "2.0"),
    }
)
LABELS: Final[tuple[tuple[Decimal, str], ...]] = (
    (Decimal(9), "Production-Ready"),
    (Decimal(7), "Supervised Production"),
    (Decimal(5), "Staging-Only"),
    (Decimal(3), "Prototype"),
    (Decimal(0), "Unsafe"),
)


@dataclass(frozen=True, slots=True)
class TScore:
    """The composite, its label, and the axis whose improvement by one point raises it most."""

    value: float
    label: str
    fix_first: Axis


def tool_selection(correct: int, decisions: int) -> Fraction:
    """Correct first picks over decisions, times 10.

    Raises:
        ValueError: there are no decisions, or more correct ones than decisions.
    """
    if decisions < 1 or not 0 <= correct <= decisions:
        raise ValueError(
            f"needs 0 <= correct <= decisions and at least one decision, got {correct} of {decisions}"
        )
    return Fraction(correct * TOP, decisions)


def rollback(injections: Sequence[Rollback | float]) -> Fraction:
    """The mean over the failure injections; a person may give any number 0..10, the automatic rubric 10, 7, 3 or 0."""
    points: list[Fraction] = []
    for injection in injections:
        if isinstance(injection, Rollback):
            points.append(Fraction(ROLLBACK_POINTS[injection]))
        else:
            points.append(_exact(injection))
    if not points or not all(0 <= value <= TOP for value in points):
        raise ValueError("needs at least one injection, each 0..10")
    return sum(points, Fraction(0)) / len(points)


def t_score(
    axes: Mapping[Axis, Fraction | Decimal | float],
    weights: Mapping[Axis, Decimal] = WORKLOADS["default"],
) -> TScore | None:
    """The weighted harmonic mean of the axes; None while an axis is not measured; 0 as soon as one axis is 0.

    Raises:
        ValueError: a weight is not above 0, or an axis is outside 0..10.
    """
    if any(weights.get(axis, Decimal(0)) <= 0 for axis in Axis):
        raise ValueError(
            "every weight must be above 0: each axis matters in every workload"
        )
    if any(axis not in axes for axis in Axis):
        return None
    exact = {axis: _exact(axes[axis]) for axis in Axis}
    if not all(0 <= value <= TOP for value in exact.values()):
        raise ValueError("an axis lies in 0..10")
    value = _harmonic(exact, weights)

    def gain_and_need(axis: Axis) -> tuple[Fraction, Fraction]:
        raised = min(Fraction(TOP), exact[axis] + 1)
        return _harmonic({**exact, axis: raised}, weights) - value, -exact[axis]

    return TScore(float(value), label(value), max(Axis, key=gain_and_need))


def _exact(value: Fraction | Decimal | float) -> Fraction:
    """A float as it is written: 0.1 is a tenth."""
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def label(value: Fraction | Decimal | float) -> str:
    """The band a score lies in, by lower bounds, so that every score has one."""
    return next(name for bound, name in LABELS if value >= bound)


def warnings(decisions: int, task_types: int) -> list[str]:
    """What makes a tool selection score too uncertain to act on."""
    messages: list[str] = []
    if decisions < MIN_DECISIONS:
        messages.append(
            f"only {decisions} decisions; below {MIN_DECISIONS} tool selection varies too much to act on"
        )
    if task_types < MIN_TASK_TYPES:
        messages.append(
            f"only {task_types} task type{'s' * (task_types != 1)}; the suite needs {MIN_TASK_TYPES}"
        )
    return messages


def _harmonic(
    axes: Mapping[Axis, Fraction], weights: Mapping[Axis, Decimal]
) -> Fraction:
    if any(value == 0 for value in axes.values()):
        return Fraction(0)
    total = weighted = Fraction(0)
    for axis in Axis:
        weight = Fraction(weights[axis])
        total += weight
        weighted += weight / axes[axis]
    return total / weighted
