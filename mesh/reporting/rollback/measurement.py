"""What killed agents left behind: a row a kill, and the mean RA."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.reporting.numbers import optional_float
from judgemesh.mesh.reporting.tables import plain_table
from judgemesh.mesh.reporting.text import one_line, plural
from judgemesh.mesh.rollback.outcome import Injection, open_points, point_means, ra

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_MAX_ENTRIES: Final = 4
_MIN_SAFE: Final = 7
_MESSAGE_LIMIT: Final = 300
_ENTRY_LIMIT: Final = 100


def rollback_view(
    injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> Iterator[RenderableType]:
    """A row a kill, what was left under it, and the mean over `points`."""
    from rich.text import Text

    yield _kills_table(injections)
    yield Text("")
    yield from _mean(injections, points)
    unseen = dict.fromkeys(one for own in injections for one in own.not_seen)
    for thing in unseen:
        yield Text(f"Not seen here: {one_line(thing, _MESSAGE_LIMIT)}.", "yellow")


def _kills_table(injections: Sequence[Injection]) -> Table:
    table = plain_table()
    several_tasks = len(_by_task(injections)) > 1
    if several_tasks:
        table.add_column("task", overflow="fold")
    table.add_column("killed", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("what was left", overflow="fold")
    for injection in injections:
        cells = (_killed(injection), _score(injection), _left(injection))
        if several_tasks:
            table.add_row(one_line(injection.task_id), *cells)
        else:
            table.add_row(*cells)
    return table


def _by_task(injections: Sequence[Injection]) -> dict[str, list[Injection]]:
    tasks: dict[str, list[Injection]] = {}
    for injection in injections:
        tasks.setdefault(injection.task_id, []).append(injection)
    return tasks


def _killed(injection: Injection) -> str:
    if injection.repeat == 1:
        return injection.point.value
    return f"{injection.point.value} ({injection.repeat})"


def _score(injection: Injection) -> Text:
    from rich.text import Text

    score = injection.score
    if score is None:
        return Text("-", "yellow")
    style = "red"
    if score >= _MIN_SAFE:
        style = "green"
    return Text(f"{score:g}", style)


def _left(injection: Injection) -> Text:
    from rich.text import Text

    if injection.fault is not None:
        reason = one_line(injection.says, _MESSAGE_LIMIT)
        return Text(f"not measured: {reason}", "yellow")
    text = Text(one_line(injection.says))
    for line in _details(injection):
        text.append(f"\n{line}", "dim")
    return text


def _details(injection: Injection) -> Iterator[str]:
    if injection.person is not None:
        yield f"the rubric says {injection.level}; {injection.person:g} is a person's score"
    yield _kill(injection)
    if injection.recovery:
        entries = plural(injection.taken_back, "entry", "entries")
        yield f"recovery: {injection.recovery}, took back {entries}"
    if injection.leftovers:
        yield f"left: {_listed(injection.leftovers)}"
    if injection.locks:
        yield f"locked: {_listed(injection.locks)}"
    if injection.documents:
        yield f"recorded in: {_listed(injection.documents)}"
    if injection.documents and injection.unnamed:
        yield f"in no record: {_listed(injection.unnamed)}"
    for note in injection.notes:
        yield f"note: {one_line(note, _MESSAGE_LIMIT)}"


def _kill(injection: Injection) -> str:
    """When the agent was killed. It may have written more events after the one that triggered the kill."""
    point, counts = injection.kill.point_line, injection.kill.counts
    later = ""
    if point != counts.lines:
        later = f" (the point was event {point})"
    results = plural(counts.tool_results, "tool result")
    writes = plural(counts.writes, "write")
    return f"killed at event {counts.lines}{later}: {results}, {writes}"


def _listed(entries: Sequence[str]) -> str:
    names = [one_line(entry, _ENTRY_LIMIT) for entry in entries[:_MAX_ENTRIES]]
    more = len(entries) - _MAX_ENTRIES
    if more > 0:
        names.append(f"and {more:,} more")
    return ", ".join(names)


def _mean(
    injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> Iterator[RenderableType]:
    from rich.text import Text

    means = point_means(injections)
    means_text: list[str] = []
    for point in points:
        if point in means:
            means_text.append(f"{point.value} {float(means[point]):.2f}")
    measured = ", ".join(means_text)
    total = ra(injections)
    if total is not None:
        yield Text.assemble((f"RA {float(total):.2f}", "bold"), f" of 10 ({measured})")
    else:
        reason = _why_no_ra(injections, points)
        yield Text.assemble(("no RA", "bold yellow"), f": {reason}")
        if measured:
            yield Text(f"measured: {measured}", "dim")
    if InjectionPoint.LATE in means and means[InjectionPoint.LATE] < _MIN_SAFE:
        yield Text(
            "Killed after its last write, the agent leaves what the next one takes for the truth: mend that first.",
            "yellow",
        )


def _why_no_ra(
    injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> str:
    reasons: list[str] = []
    for task, own in _by_task(injections).items():
        missing = open_points(own, points)
        if missing:
            reasons.append(f"{one_line(task)} was not measured at {', '.join(missing)}")
    if not reasons:
        return f"only {', '.join(points)} was asked for, and all three points count"
    return "; ".join(reasons)


def rollback_json(
    injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> dict[str, object]:
    """All of it as data. A score that was not measured is null, and `not_measured` says why."""
    tasks: list[dict[str, object]] = []
    measured = True
    for task, own in _by_task(injections).items():
        tasks.append(_task_json(task, own, points))
        if open_points(own, points):
            measured = False
    return {
        "ra": optional_float(ra(injections)),
        "points": _points_json(injections),
        "measured": measured,
        "tasks": tasks,
        "injections": list(map(_injection_json, injections)),
    }


def _task_json(
    task: str, injections: Sequence[Injection], points: Sequence[InjectionPoint]
) -> dict[str, object]:
    return {
        "task_id": task,
        "task_type": injections[0].task_type,
        "ra": optional_float(ra(injections)),
        "points": _points_json(injections),
        "not_measured": [point.value for point in open_points(injections, points)],
    }


def _points_json(injections: Sequence[Injection]) -> dict[str, float]:
    return {point.value: float(mean) for point, mean in point_means(injections).items()}


def _injection_json(injection: Injection) -> dict[str, object]:
    level, fault = injection.level, injection.fault
    not_measured = None
    if fault is not None:
        not_measured = {"code": fault.value, "reason": injection.says}
    return {
        "task_id": injection.task_id,
        "task_type": injection.task_type,
        "point": injection.point.value,
        "repeat": injection.repeat,
        "score": injection.score,
        "level": level and level.value,
        "by": _scored_by(injection),
        "not_measured": not_measured,
        "reason": injection.says,
        "kill": _kill_json(injection),
        "leftovers": list(injection.leftovers),
        "locks": list(injection.locks),
        "documents": list(injection.documents),
        "unnamed": list(injection.unnamed),
        "recovery": injection.recovery or None,
        "taken_back": injection.taken_back,
        "notes": list(injection.notes),
        "outside_world": list(injection.outside),
        "not_seen": list(injection.not_seen),
    }


def _scored_by(injection: Injection) -> str | None:
    if injection.level is None:
        return None
    if injection.person is None:
        return "rubric"
    return "person"


def _kill_json(injection: Injection) -> dict[str, object]:
    kill = injection.kill
    return {
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
    }
