"""The Triangle: T and its label, the axes, which one to improve first, and what makes T uncertain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from judgemesh.mesh.analysis.triangle.axes import MeasuredAxis
from judgemesh.mesh.analysis.triangle.by_task import Axes
from judgemesh.mesh.analysis.triangle.composite import (
    AXIS_NAMES,
    Triangle,
    composite,
)
from judgemesh.mesh.analysis.triangle.triangle import TriangleChange
from judgemesh.mesh.metrics.comparison import ComparisonVerdict
from judgemesh.mesh.metrics.triangle import LABELS, TOP, Axis, TScore
from judgemesh.mesh.reporting.numbers import (
    interval_json,
    interval_note,
    interval_or_dash,
    optional_float,
    or_dash,
)
from judgemesh.mesh.reporting.tables import (
    add_columns,
    grid,
    plain_table,
    warnings_block,
)
from judgemesh.mesh.reporting.text import one_line, plural

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_STYLES: Final = ("bold green", "bold green", "bold yellow", "bold yellow", "bold red")
_STYLE_OF_LABEL: Final = {
    name: style for (_, name), style in zip(LABELS, _STYLES, strict=True)
}
_HUNDRED: Final = 100
_TASK_LIMIT: Final = 40
_MAX_TASKS: Final = 10


def triangle_view(triangle: Triangle) -> Iterator[RenderableType]:
    """The composite first, or why there is none; then what it is made of."""
    from rich.text import Text

    t = triangle.t()
    for line in triangle.first():
        yield Text(line, "bold red")
    yield _headline(triangle, t)
    weights = ", ".join(
        f"{AXIS_NAMES[axis]} {triangle.weights[axis].normalize():f}" for axis in Axis
    )
    if triangle.preset:
        weights = f"{triangle.preset}: {weights}"
    yield Text(f"weights  {weights}", "dim")
    yield Text("")
    yield _axes_table(triangle)
    if t is not None:
        yield Text("")
        yield grid([("mend first", _improvement(triangle, t))])
    if triangle.types:
        yield Text("")
        yield _types_table(triangle)
    if len(triangle.task_scores()) > 1:
        yield Text("")
        yield _tasks_table(triangle)
    shown_first = triangle.first()
    yield from warnings_block(
        [note for note in triangle.notes() if note not in shown_first]
    )


def _tasks_table(triangle: Triangle) -> Table:
    """The tasks with the lowest T, the worst first."""
    table = plain_table()
    table.add_column("task", overflow="fold")
    add_columns(table, *(AXIS_NAMES[axis] for axis in Axis), "T")
    scores = sorted(triangle.task_scores().items(), key=lambda row: (row[1], row[0]))
    for task, value in scores[:_MAX_TASKS]:
        axes = triangle.tasks[task]
        cells = [or_dash(axes[axis].score, ".2f") for axis in Axis]
        table.add_row(one_line(task), *cells, f"{value:.2f}")
    if len(scores) > _MAX_TASKS:
        table.add_row(f"and {len(scores) - _MAX_TASKS:,} more")
    return table


def change_view(change: TriangleChange) -> Iterator[RenderableType]:
    """T before and after, and whether the difference is more than chance."""
    from rich.text import Text

    before, after = change.before.t(), change.after.t()
    yield Text("")
    levels = f"{or_dash(_value(before), '.2f')} to {or_dash(_value(after), '.2f')}"
    if change.before.is_mean != change.after.is_mean:
        bases = (
            _basis_of(side) or "one task" for side in (change.before, change.after)
        )
        levels += f" ({' and '.join(bases)}: not the same quantity)"
    if change.comparison is None:
        yield Text(f"T {levels}: not compared, {one_line(change.why_not)}", "yellow")
        return
    found = change.comparison
    tasks = plural(found.tasks, "shared task")
    line = f"T {levels}; on {tasks} {found.delta:+.2f}"
    yield Text.assemble(
        f"{line} (95% CI {found.ci.low:+.2f} to {found.ci.high:+.2f})  ",
        (found.change.value.replace("_", " "), "bold"),
    )
    if found.change is ComparisonVerdict.NO_EVIDENCE:
        yield Text(_seen(found.minimum_detectable), "dim")
    if found.only_a or found.only_b:
        yield Text(
            f"tasks of one side only: {found.only_a} before, {found.only_b} after",
            "dim",
        )


def _seen(size: float | None) -> str:
    if size is None:
        return "no change that is possible could be seen with 80% power: too few tasks"
    return f"a change of {size:.2f} or more could be seen with 80% power"


def change_json(change: TriangleChange) -> dict[str, Any]:
    """Both levels and the paired difference of T."""
    found = change.comparison
    data: dict[str, Any] = {
        "before": _value(change.before.t()),
        "after": _value(change.after.t()),
        "why_not": change.why_not or None,
    }
    if found is not None:
        data |= {
            "tasks": found.tasks,
            "delta": found.delta,
            "ci": interval_json(found.ci),
            "change": found.change.value,
            "minimum_detectable": found.minimum_detectable,
            "only_before": found.only_a,
            "only_after": found.only_b,
        }
    return data


def _headline(triangle: Triangle, t: TScore | None) -> Text:
    from rich.text import Text

    if t is None:
        reasons = one_line(triangle.why_no_t() or "")
        return Text.assemble(("no T", "bold yellow"), f"  {reasons}")
    style = _STYLE_OF_LABEL[t.label]
    basis = _basis_of(triangle)
    basis = f"  {basis}" if basis else ""
    worst = triangle.worst_task()
    if worst is not None:
        basis += f"  worst {one_line(worst[0], _TASK_LIMIT)} {worst[1]:.2f}"
    return Text.assemble(
        (f"T {t.value:.2f}", "bold"),
        interval_note(triangle.ci),
        "  ",
        (t.label, style),
        (basis, "dim"),
    )


def _basis_of(triangle: Triangle) -> str:
    """Which of its two meanings T has; empty for one task, where both are the same."""
    if len(triangle.tasks) < 2:
        return ""
    how = "mean of" if triangle.is_mean else "axes pooled over"
    return f"{how} {plural(len(triangle.tasks), 'task')}"


def _axes_table(triangle: Triangle) -> Table:
    table = plain_table()
    table.add_column("axis", no_wrap=True)
    add_columns(table, "score", "95% CI", "T if 1 more")
    table.add_column("rests on")
    for axis, measured in triangle.axes.items():
        table.add_row(
            AXIS_NAMES[axis],
            or_dash(measured.score, ".2f"),
            interval_or_dash(measured.ci, ".2f"),
            or_dash(triangle.raised(axis), ".2f"),
            _basis(axis, measured),
        )
    return table


def _basis(axis: Axis, measured: MeasuredAxis) -> str:
    """What the score of an axis is computed from, or why it has none."""
    bounds = ""
    if measured.bounds is not None:
        low, high = measured.bounds
        bounds = f"{float(low):.2f} to {float(high):.2f}"
    if measured.score is None:
        reason = f"not measured: {one_line(measured.why_not)}"
        if bounds:
            reason += f" (would lie in {bounds})"
        return reason
    tasks = plural(measured.tasks, "task")
    if axis is Axis.TOOL_SELECTION:
        decisions = plural(measured.units, "decision")
        return f"{measured.correct:,} of {decisions}, {tasks}"
    if axis is Axis.PLAN_QUALITY:
        basis = f"{plural(measured.units, 'plan')}, {tasks}"
        if bounds:
            basis += f"; {bounds} with the {measured.left_out:,} left out"
        return basis
    points = [f"{point} {float(score):.2f}" for point, score in measured.points.items()]
    return ", ".join(points) or "the number given"


def _improvement(triangle: Triangle, t: TScore) -> str:
    """The axis that raises T most, and what T becomes."""
    axis = t.fix_first
    name = AXIS_NAMES[axis]
    score = triangle.axes[axis].score
    raised = triangle.raised(axis)
    if score is None or raised is None:
        return name
    better = min(Fraction(TOP), score + 1)
    line = f"{name}: at {float(better):.2f} instead of {float(score):.2f}, T becomes {raised:.2f}"
    if t.value == 0:
        line += " (an axis at 0 makes T 0, whatever the others are)"
    band = triangle.next_band(axis)
    if band is not None:
        line += f"; at {_rounded_up(band.needs)} it is {band.label}"
    return line


def _rounded_up(value: Fraction) -> str:
    """Two digits, rounded up, so that the number shown is enough."""
    return f"{math.ceil(value * _HUNDRED) / _HUNDRED:.2f}"


def _types_table(triangle: Triangle) -> Table:
    table = plain_table()
    table.add_column("task type", overflow="fold")
    names = [AXIS_NAMES[axis] for axis in Axis]
    add_columns(table, "decisions", *names, "T")
    for task_type, axes in triangle.types.items():
        t = composite(axes, triangle.weights)
        scores = [or_dash(axes[axis].score, ".2f") for axis in Axis]
        decisions = f"{axes[Axis.TOOL_SELECTION].units:,}"
        total = or_dash(_value(t), ".2f")
        table.add_row(one_line(task_type), decisions, *scores, total)
    return table


def triangle_json(triangle: Triangle) -> dict[str, Any]:
    """Everything the view shows, and the digits it rounds."""
    t = triangle.t()
    types = triangle.types.items()
    worst = triangle.worst_task()
    return {
        "source": triangle.source,
        "t": _value(t),
        "label": t and t.label,
        "ci": interval_json(triangle.ci),
        "basis": "mean of tasks" if triangle.is_mean else "pooled axes",
        "said_first": triangle.first(),
        "worst_task": worst and {"task_id": worst[0], "t": worst[1]},
        "tasks": {
            task: _type_json(triangle, axes) for task, axes in triangle.tasks.items()
        },
        "why_no_t": triangle.why_no_t(),
        "preset": triangle.preset or None,
        "weights": {axis.value: float(triangle.weights[axis]) for axis in Axis},
        "axes": {axis.value: _axis_json(triangle, axis) for axis in Axis},
        "fix_first": t and t.fix_first.value,
        "task_types": {name: _type_json(triangle, axes) for name, axes in types},
        "warnings": triangle.notes(),
    }


def _value(t: TScore | None) -> float | None:
    if t is None:
        return None
    return t.value


def _type_json(triangle: Triangle, axes: Axes) -> dict[str, Any]:
    t = composite(axes, triangle.weights)
    return {
        **{axis.value: optional_float(axes[axis].score) for axis in Axis},
        "decisions": axes[Axis.TOOL_SELECTION].units,
        "t": _value(t),
    }


def _axis_json(triangle: Triangle, axis: Axis) -> dict[str, Any]:
    measured = triangle.axes[axis]
    bounds = measured.bounds
    band = triangle.next_band(axis)
    row: dict[str, Any] = {
        "score": optional_float(measured.score),
        "why_not": measured.why_not or None,
        "ci": interval_json(measured.ci),
        "tasks": measured.tasks,
        "left_out": measured.left_out,
        "bounds": bounds and list(map(float, bounds)),
        "t_if_one_more": triangle.raised(axis),
        "next_band": None,
    }
    if band is not None:
        row["next_band"] = {"label": band.label, "needs": float(band.needs)}
    if axis is Axis.TOOL_SELECTION:
        row["decisions"] = measured.units
        row["correct"] = measured.correct
        row["other_ci"] = interval_json(measured.other_ci)
    elif axis is Axis.PLAN_QUALITY:
        row["plans"] = measured.units
    else:
        row["injections"] = measured.units
        row["points"] = {
            str(point): float(score) for point, score in measured.points.items()
        }
    return row
