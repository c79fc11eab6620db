"""What killed agents left behind, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.metrics.triangle import Point
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line, plural
from judgemesh.mesh.rollback.outcome import Injection, open_points, point_means, ra

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

_LISTED: Final = 4
_SAFE: Final = 7
_WIDTH: Final = 300


def rollback_view(
    injections: Sequence[Injection], wanted: Sequence[Point]
) -> Iterator[RenderableType]:
    """A row a kill, what was left under it, and the mean."""
    from rich.text import Text

    table = plain_table()
    many = len({one.task_id for one in injections}) > 1
    if many:
        table.add_column("task", overflow="fold")
    table.add_column("killed", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("what was left", overflow="fold")
    for one in injections:
        name = (
            one.point.value if one.repeat == 1 else f"{one.point.value} ({one.repeat})"
        )
        row: list[str | Text] = [one_line(one.task_id)] if many else []
        table.add_row(*row, name, _score(one), _told(one))
    yield table
    yield Text("")
    yield from _sum(injections, wanted)


def _score(one: Injection) -> Text:
    from rich.text import Text

    if one.score is None:
        return Text("-", "yellow")
    return Text(f"{one.score:g}", "green" if one.score >= _SAFE else "red")


def _told(one: Injection) -> Text:
    from rich.text import Text

    if one.fault is not None:
        return Text(f"not measured: {one_line(one.says, _WIDTH)}", "yellow")
    text = Text(one_line(one.says))
    for line in _details(one):
        text.append(f"\n{line}", "dim")
    return text


def _details(one: Injection) -> Iterator[str]:
    kill = one.kill
    if one.person is not None:
        yield f"the rubric says {one.level}; {one.person:g} is a person's score"
    yield (
        f"killed at event {kill.counts.lines}{_behind(one)}: {plural(kill.counts.tool_results, 'tool result')}, "
        f"{plural(kill.counts.writes, 'write')}"
    )
    if one.recovery:
        yield f"recovery: {one.recovery}, took back {plural(one.taken_back, 'entry', 'entries')}"
    for name, entries in (
        ("left", one.leftovers),
        ("locked", one.locks),
        ("recorded in", one.documents),
    ):
        if entries:
            yield f"{name}: {_listed(entries)}"
    if one.documents and one.unnamed:
        yield f"in no record: {_listed(one.unnamed)}"
    for note in one.notes:
        yield f"note: {one_line(note, _WIDTH)}"


def _behind(one: Injection) -> str:
    point = one.kill.point_line
    return "" if point == one.kill.counts.lines else f" (the point was event {point})"


def _listed(entries: Sequence[str]) -> str:
    more = f", and {len(entries) - _LISTED:,} more" if len(entries) > _LISTED else ""
    return ", ".join(one_line(entry, 100) for entry in entries[:_LISTED]) + more


def _sum(
    injections: Sequence[Injection], wanted: Sequence[Point]
) -> Iterator[RenderableType]:
    from rich.text import Text

    means = point_means(injections)
    at = ", ".join(
        f"{point.value} {float(means[point]):.2f}" for point in wanted if point in means
    )
    total = ra(injections)
    if total is not None:
        yield Text.assemble((f"RA {float(total):.2f}", "bold"), f" of 10 ({at})")
    else:
        yield Text.assemble(
            ("no RA", "bold yellow"), f": {_why_no_ra(injections, wanted)}"
        )
        if at:
            yield Text(f"measured: {at}", "dim")
    if Point.LATE in means and means[Point.LATE] < _SAFE:
        yield Text(
            "Killed after its last write, the agent leaves what the next one takes for the truth: mend that first.",
            "yellow",
        )


def _why_no_ra(injections: Sequence[Injection], wanted: Sequence[Point]) -> str:
    lacking = {
        task: points
        for task in dict.fromkeys(one.task_id for one in injections)
        if (
            points := open_points(
                [one for one in injections if one.task_id == task], wanted
            )
        )
    }
    if not lacking:
        return f"only {', '.join(wanted)} was asked for, and all three points count"
    return "; ".join(
        f"{one_line(task)} was not measured at {', '.join(points)}"
        for task, points in lacking.items()
    )


def rollback_json(
    injections: Sequence[Injection], wanted: Sequence[Point]
) -> dict[str, object]:
    """All of it as data. A score that was not measured is null, and `not_measured` says why."""
    tasks = {
        task: [one for one in injections if one.task_id == task]
        for task in dict.fromkeys(one.task_id for one in injections)
    }
    return {
        "ra": _number(ra(injections)),
        "points": _points(injections),
        "measured": not any(open_points(own, wanted) for own in tasks.values()),
        "tasks": [
            {
                "task_id": task,
                "task_type": own[0].task_type,
                "ra": _number(ra(own)),
                "points": _points(own),
                "not_measured": [point.value for point in open_points(own, wanted)],
            }
            for task, own in tasks.items()
        ],
        "injections": [_injection(one) for one in injections],
    }


def _points(injections: Sequence[Injection]) -> dict[str, float]:
    return {point.value: float(mean) for point, mean in point_means(injections).items()}


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def _injection(one: Injection) -> dict[str, object]:
    kill = one.kill
    return {
        "task_id": one.task_id,
        "task_type": one.task_type,
        "point": one.point.value,
        "repeat": one.repeat,
        "score": one.score,
        "level": None if one.level is None else one.level.value,
        "by": None
        if one.level is None
        else "rubric"
        if one.person is None
        else "person",
        "not_measured": None
        if one.fault is None
        else {"code": one.fault.value, "reason": one.says},
        "reason": one.says,
        "kill": {
            "returncode": kill.returncode,
            "point_line": kill.point_line,
            "point_text": kill.point_text,
            "lines": kill.counts.lines,
            "tool_results": kill.counts.tool_results,
            "writes": kill.counts.writes,
            "steps": kill.counts.steps,
            "gated": kill.gated,
            "after_s": kill.after_s,
            "outside_group": list(kill.survivors),
        },
        "leftovers": list(one.leftovers),
        "locks": list(one.locks),
        "documents": list(one.documents),
        "unnamed": list(one.unnamed),
        "recovery": one.recovery or None,
        "taken_back": one.taken_back,
        "notes": list(one.notes),
    }
