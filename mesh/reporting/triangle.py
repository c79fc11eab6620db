"""The Triangle for people and for machines: T and its label, the axes, what to mend first, and what makes it unsure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.analysis.triangle import Axes, MeasuredAxis, Triangle, composite
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.triangle import (
    LABELS,
    TOP,
    Axis,
    Point,
    TScore,
    label,
    t_score,
    warnings,
)
from judgemesh.mesh.reporting.tables import grid, plain_table
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

WORDS: Final[Mapping[Axis, str]] = {
    Axis.TOOL_SELECTION: "tool selection",
    Axis.PLAN_QUALITY: "plan quality",
    Axis.ROLLBACK: "rollback",
}
_SAFE_LATE: Final = 7
_STYLES: Final = ("bold green", "bold green", "bold yellow", "bold yellow", "bold red")
_HUNDRED: Final = 100


def why_no_composite(triangle: Triangle) -> str | None:
    """Why there is no composite."""
    missing: list[str] = []
    for axis, measured in triangle.axes.items():
        if measured.score is None:
            missing.append(f"{WORDS[axis]}: {measured.why_not}")
    return "; ".join(missing) or None


def notes(triangle: Triangle) -> list[str]:
    """What to know before acting on the numbers."""
    selection = triangle.axes[Axis.TOOL_SELECTION]
    lines: list[str] = []
    if selection.score is not None:
        lines += warnings(selection.units, triangle.task_types)
    for axis, measured in triangle.axes.items():
        if measured.left_out and measured.score is not None:
            results = plural(measured.left_out, "result")
            lines.append(
                f"{WORDS[axis]}: {results} could not be decided and do not count"
            )
    partial = triangle.axes[Axis.PLAN_QUALITY].partial
    if partial:
        plans = plural(partial, "plan")
        lines.append(f"the contracts of {plans} measure fewer than the four criteria")
    late = triangle.axes[Axis.ROLLBACK].points.get(Point.LATE)
    if late is not None and late < _SAFE_LATE:
        lines.append(
            f"killed after its last write the agent scores {float(late):.2f}, below "
            f"{_SAFE_LATE}: where agents write, mend that first"
        )
    return lines


def raised(axes: Axes, weights: Mapping[Axis, Decimal], axis: Axis) -> float | None:
    """T if that axis alone were one point better, at most 10."""
    scores = {
        one: measured.score
        for one, measured in axes.items()
        if measured.score is not None
    }
    if len(scores) < len(Axis):
        return None
    found = t_score({**scores, axis: min(Fraction(TOP), scores[axis] + 1)}, weights)
    return None if found is None else found.value


def needed(
    axes: Axes, weights: Mapping[Axis, Decimal], axis: Axis
) -> tuple[Fraction, str] | None:
    """What that axis alone would have to be for the next band, and its label; None where it cannot reach it.

    Solved from T = sum(w) / sum(w/axis) for one axis.
    """
    found = composite(axes, weights)
    above = (
        [] if found is None else [bound for bound, _ in LABELS if bound > found.value]
    )
    others = [one for one in Axis if one is not axis]
    if not above or any(not axes[one].score for one in others):
        return None
    target = Fraction(min(above))
    rest = sum(
        (Fraction(weights[one]) / (axes[one].score or 1) for one in others), Fraction(0)
    )
    room = sum(map(Fraction, weights.values()), Fraction(0)) / target - rest
    if room <= 0 or (wanted := Fraction(weights[axis]) / room) > TOP:
        return None
    return wanted, label(target)


def triangle_view(found: Triangle) -> Iterator[RenderableType]:
    """The composite first, or why there is none; then what it is made of."""
    from rich.text import Text

    t = found.composite()
    weighed = ", ".join(
        f"{WORDS[axis]} {found.weights[axis].normalize():f}" for axis in Axis
    )
    if t is None:
        yield Text.assemble(
            ("no T", "bold yellow"), f"  {one_line(why_no_composite(found) or '')}"
        )
    else:
        style = next(
            style
            for style, (_, name) in zip(_STYLES, LABELS, strict=True)
            if name == t.label
        )
        yield Text.assemble((f"T {_two(t.value)}", "bold"), "  ", (t.label, style))
    yield Text(
        f"weights  {found.preset + ': ' if found.preset else ''}{weighed}", "dim"
    )
    yield Text("")
    yield _axes_table(found)
    if t is not None:
        yield Text("")
        yield grid([("mend first", _mend(found, t))])
    if found.types:
        yield Text("")
        yield _types_table(found)
    warning_lines = notes(found)
    if warning_lines:
        yield Text("")
        yield Text(
            "\n".join(f"warning: {one_line(note)}" for note in warning_lines), "yellow"
        )


def _axes_table(found: Triangle) -> Table:
    table = plain_table()
    table.add_column("axis", no_wrap=True)
    for name in ("score", "95% CI", "T if 1 more"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("rests on")
    for axis, one in found.axes.items():
        more = raised(found.axes, found.weights, axis)
        table.add_row(
            WORDS[axis],
            "-" if one.score is None else _two(float(one.score)),
            "-" if one.ci is None else f"{one.ci.low:.2f} to {one.ci.high:.2f}",
            "-" if more is None else _two(more),
            _rests_on(axis, one),
        )
    return table


def _rests_on(axis: Axis, one: MeasuredAxis) -> str:
    if one.score is None:
        held = f" (would lie in {_span(one.bounds)})" if one.bounds else ""
        return f"not measured: {one_line(one.why_not)}{held}"
    if axis is Axis.TOOL_SELECTION:
        return f"{one.correct:,} of {plural(one.units, 'decision')}, {plural(one.tasks, 'task')}"
    if axis is Axis.PLAN_QUALITY:
        open_ones = (
            f"; {_span(one.bounds)} with the {one.left_out:,} left out"
            if one.bounds
            else ""
        )
        return f"{plural(one.units, 'plan')}, {plural(one.tasks, 'task')}{open_ones}"
    if not one.points:
        return "the number given"
    return ", ".join(
        f"{point} {_two(float(score))}" for point, score in one.points.items()
    )


def _span(bounds: tuple[Fraction, Fraction]) -> str:
    return f"{float(bounds[0]):.2f} to {float(bounds[1]):.2f}"


def _mend(found: Triangle, t: TScore) -> str:
    axis = t.fix_first
    score, more = found.axes[axis].score, raised(found.axes, found.weights, axis)
    if score is None or more is None:
        return WORDS[axis]
    better = min(Fraction(TOP), score + 1)
    line = f"{WORDS[axis]}: at {_two(float(better))} instead of {_two(float(score))}, T becomes {_two(more)}"
    if t.value == 0:
        line += " (an axis at 0 makes T 0, whatever the others are)"
    reach = needed(found.axes, found.weights, axis)
    return f"{line}; at {_up(reach[0])} it is {reach[1]}" if reach else line


def _types_table(found: Triangle) -> Table:
    table = plain_table()
    table.add_column("task type", overflow="fold")
    for name in ("decisions", *(WORDS[axis] for axis in Axis), "T"):
        table.add_column(name, justify="right", no_wrap=True)
    for kind, axes in found.types.items():
        t = composite(axes, found.weights)
        scores = [axes[axis].score for axis in Axis]
        table.add_row(
            one_line(kind),
            f"{axes[Axis.TOOL_SELECTION].units:,}",
            *("-" if score is None else _two(float(score)) for score in scores),
            "-" if t is None else _two(t.value),
        )
    return table


def _two(value: float) -> str:
    return f"{value:.2f}"


def _up(value: Fraction) -> str:
    """Two digits, rounded up, so that what is shown is enough."""
    return f"{math.ceil(value * _HUNDRED) / _HUNDRED:.2f}"


def triangle_json(found: Triangle) -> dict[str, Any]:
    """Everything the view shows, and the digits it rounds."""
    t = found.composite()
    return {
        "source": found.source,
        "t": None if t is None else t.value,
        "label": None if t is None else t.label,
        "why_no_t": why_no_composite(found),
        "preset": found.preset or None,
        "weights": {axis.value: float(found.weights[axis]) for axis in Axis},
        "axes": {axis.value: _axis_json(found, axis) for axis in Axis},
        "fix_first": None if t is None else t.fix_first.value,
        "task_types": {
            kind: {
                **{axis.value: _number(axes[axis].score) for axis in Axis},
                "decisions": axes[Axis.TOOL_SELECTION].units,
                "t": None
                if (one := composite(axes, found.weights)) is None
                else one.value,
            }
            for kind, axes in found.types.items()
        },
        "warnings": notes(found),
    }


def _axis_json(found: Triangle, axis: Axis) -> dict[str, Any]:
    one = found.axes[axis]
    reach = needed(found.axes, found.weights, axis)
    row: dict[str, Any] = {
        "score": _number(one.score),
        "why_not": one.why_not or None,
        "ci": _interval(one.ci),
        "tasks": one.tasks,
        "left_out": one.left_out,
        "bounds": None if one.bounds is None else [float(end) for end in one.bounds],
        "t_if_one_more": raised(found.axes, found.weights, axis),
        "next_band": None
        if reach is None
        else {"label": reach[1], "needs": float(reach[0])},
    }
    if axis is Axis.TOOL_SELECTION:
        row |= {
            "decisions": one.units,
            "correct": one.correct,
            "other_ci": _interval(one.other_ci),
        }
    elif axis is Axis.PLAN_QUALITY:
        row["plans"] = one.units
    else:
        row |= {
            "injections": one.units,
            "points": {str(point): float(score) for point, score in one.points.items()},
        }
    return row


def _number(score: Fraction | None) -> float | None:
    return None if score is None else float(score)


def _interval(interval: Interval | None) -> dict[str, Any] | None:
    if interval is None:
        return None
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
    }
