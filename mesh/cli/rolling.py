"""What `judgemesh rollback` does: read the spec, put back what an earlier measurement left, measure, show."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.cli.errors import EXIT_EVALUATOR, EXIT_FAILED, EXIT_OK, EXIT_USAGE

if TYPE_CHECKING:
    from judgemesh.mesh.metrics.triangle import Point
    from judgemesh.mesh.rollback.backup import Desk
    from judgemesh.mesh.rollback.injecting import Plan
    from judgemesh.mesh.rollback.outcome import Injection
    from judgemesh.mesh.rollback.reading import Loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolling:
    """What is measured, and what becomes of it."""

    spec: Path
    output: Path | None = None
    point: str | None = None
    repeat: int = 1
    keep: Path | None = None
    fail_under: float | None = None
    restore: bool = False
    as_json: bool = False


def roll(wanted: Rolling) -> int:
    """Measure and print; gives back the exit code.

    Raises:
        InputError: the spec or a flag cannot be used, or the world cannot be copied or put back.
    """
    if os.name != "posix":
        raise ConfigError(
            "kills process groups, which this system has not",
            hint="use Linux, macOS or WSL",
        )
    from judgemesh.mesh.metrics.triangle import Point
    from judgemesh.mesh.rollback.backup import Desk
    from judgemesh.mesh.rollback.injecting import Plan
    from judgemesh.mesh.rollback.reading import load, state_folder

    points = tuple(point for point in Point if wanted.point in (None, point.value))
    if wanted.fail_under is not None and len(points) < len(Point):
        raise ConfigError(
            "an RA needs all three points",
            where="--fail-under",
            hint="leave --point out",
        )
    desk = Desk(state_folder(wanted.spec), wanted.spec)
    if wanted.restore or desk.unfinished:
        _put_back(wanted, desk)
    if wanted.restore:
        return EXIT_OK
    tasks = load(wanted.spec)
    _check_places(wanted, tasks)
    plan = Plan(points=points, repeats=wanted.repeat, keep=wanted.keep)
    found = _measured(tasks, desk, plan)
    _write(wanted, found, points)
    return _shown(wanted, found, points, unfinished=desk.unfinished)


def _put_back(wanted: Rolling, desk: Desk) -> None:
    """The world that an earlier measurement left."""
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.rollback.injecting import restore

    with desk.held():
        back = restore(desk)
    for place in back:
        say(f"put back {place}, which a measurement that did not end had left")
    if wanted.restore and not back:
        say("nothing to put back")


def _measured(tasks: Sequence[Loaded], desk: Desk, plan: Plan) -> list[Injection]:
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.rollback.injecting import measure

    not_yet = (
        f"not put back yet: its copies lie in {desk.copies}; --restore tries again"
    )
    tell = _Teller(total=len(tasks) * len(plan.points) * plan.repeats)
    with _signals_as_interrupts(), desk.held():
        try:
            found = measure(tasks, desk, plan, tell)
        except KeyboardInterrupt:
            say(
                f"interrupted; the world is {not_yet if desk.unfinished else 'as it was'}"
            )
            raise
    if desk.unfinished:
        say(f"the world is {not_yet}")
    return found


def _shown(
    wanted: Rolling,
    found: Sequence[Injection],
    points: Sequence[Point],
    *,
    unfinished: bool,
) -> int:
    """Print what was found; gives back the exit code."""
    from judgemesh.mesh.cli.output import show, show_json
    from judgemesh.mesh.reporting.rollback import rollback_json, rollback_view
    from judgemesh.mesh.rollback.outcome import open_points, ra

    if wanted.as_json:
        show_json(rollback_json(found, points))
    else:
        show(*rollback_view(found, points))
    if unfinished:
        return EXIT_USAGE
    tasks = dict.fromkeys(one.task_id for one in found)
    if any(
        open_points([one for one in found if one.task_id == task], points)
        for task in tasks
    ):
        return EXIT_EVALUATOR
    score = ra(found)
    below = (
        score is not None
        and wanted.fail_under is not None
        and score < wanted.fail_under
    )
    return EXIT_FAILED if below else EXIT_OK


def _check_places(wanted: Rolling, tasks: Sequence[Loaded]) -> None:
    """What is written must lie outside what is put back."""
    for flag, path in (("--output", wanted.output), ("--keep", wanted.keep)):
        if path is None:
            continue
        for loaded in tasks:
            inside = next(
                (
                    place.path
                    for place in loaded.folders
                    if path.resolve().is_relative_to(place.path)
                ),
                None,
            )
            if inside is not None:
                raise ConfigError(
                    f"lies in the world {inside}, which is put back", where=flag
                )
    if wanted.output is not None and not wanted.output.resolve().parent.is_dir():
        raise ConfigError(
            f"there is no folder {wanted.output.resolve().parent}", where="--output"
        )


def _write(
    wanted: Rolling, found: Sequence[Injection], points: Sequence[Point]
) -> None:
    """The rows for `judgemesh triangle`, and beside kept evidence everything that was seen."""
    from judgemesh.mesh.cli.output import say
    from judgemesh.mesh.reporting.rollback import rollback_json
    from judgemesh.mesh.rollback.outcome import axis_rows

    try:
        if wanted.keep is not None:
            wanted.keep.mkdir(parents=True, exist_ok=True)
            text = json.dumps(
                rollback_json(found, points), ensure_ascii=False, indent=2
            )
            (wanted.keep / "rollback.json").write_text(text + "\n", encoding="utf-8")
        if wanted.output is not None:
            rows = axis_rows(found, points)
            wanted.output.write_text(
                "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
            )
            left_out = {one.task_id for one in found} - {row["task_id"] for row in rows}
            if left_out:
                say(
                    f"left out of {wanted.output}, as a point was not measured: {', '.join(sorted(left_out))}"
                )
    except OSError as fault:
        raise ConfigError(
            f"cannot be written: {fault.strerror or fault}",
            where=str(fault.filename or wanted.output),
        ) from None


@dataclass(slots=True)
class _Teller:
    """A line on stderr for each kill, for people at a terminal."""

    total: int
    done: int = 0

    def __call__(self, injection: Injection) -> None:
        from judgemesh.mesh.cli.output import say
        from judgemesh.mesh.cli.progress import shows_bar
        from judgemesh.mesh.reporting.text import one_line

        self.done += 1
        if shows_bar():
            score = (
                "not measured" if injection.score is None else f"{injection.score:g}"
            )
            say(
                f"[{self.done}/{self.total}] {one_line(injection.task_id, 60)}, {injection.point}: {score}"
            )
            sys.stderr.flush()


@contextmanager
def _signals_as_interrupts() -> Generator[None]:
    """SIGTERM and SIGHUP end a measurement as Ctrl-C does: the agent is killed, the world put back."""

    def interrupt(_number: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    before = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGTERM, signal.SIGHUP)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
