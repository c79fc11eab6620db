"""One rollback measurement as a whole: restore, read the spec, kill at each point."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import ConfigError
from judgemesh.mesh.inputs.replaceable import check_replaceable
from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.adoption import adopting
from judgemesh.mesh.rollback.backup import Workspace
from judgemesh.mesh.rollback.injecting import InjectionPlan, measure, restore
from judgemesh.mesh.rollback.interrupts import signals_as_interrupts
from judgemesh.mesh.rollback.outcome import Injection, open_points
from judgemesh.mesh.rollback.reading import Loaded, load, state_folder

EVIDENCE_FILE: Final = "rollback.json"
"""What a folder of evidence has beside the evidence of each kill."""
AXIS_FILE: Final = "ra.jsonl"
"""The kind of a file of rows for the Triangle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackQuery:
    """What is measured, and where its files go.

    points: where the agent is killed. keep: folder for the evidence of each kill.
    """

    spec: Path
    points: Sequence[InjectionPoint] = tuple(InjectionPoint)
    repeats: int = 1
    output: Path | None = None
    keep: Path | None = None


@dataclass(frozen=True, slots=True)
class RollbackRun:
    """The kills of a measurement. unfinished: the world could not be put back."""

    injections: Sequence[Injection]
    points: Sequence[InjectionPoint]
    unfinished: bool

    @property
    def missing(self) -> bool:
        """Whether a point of a task was not measured."""
        by_task: dict[str, list[Injection]] = {}
        for injection in self.injections:
            by_task.setdefault(injection.task_id, []).append(injection)
        return any(open_points(kills, self.points) for kills in by_task.values())


Watch = Callable[[Injection, int, int], None]
"""Called after each kill with its number, and the number of all."""


def restore_world(spec: Path) -> list[Path]:
    """Put back what an earlier measurement left; the paths that were put back.

    Raises:
        ConfigError: it cannot be put back, or this system has no process groups.
    """
    if os.name != "posix":
        raise ConfigError(
            "kills process groups, which this system does not have",
            hint="use Linux, macOS or WSL",
        )
    workspace = Workspace(state_folder(spec), spec)
    if not workspace.unfinished:
        return []
    with workspace.held():
        return restore(workspace)


def run_rollback(
    query: RollbackQuery, watch: Watch, notify: Callable[[str], None]
) -> RollbackRun:
    """Kill the agents of a spec at each point, and put the world back each time.

    Args:
        query: what is measured.
        watch: is called after each kill.
        notify: takes a line about the world if the measurement did not end well.

    Raises:
        InputError: the spec or a path cannot be used, or the world cannot be copied or
            put back.
        KeyboardInterrupt: SIGINT, SIGTERM or SIGHUP; the world is put back first.
    """
    tasks = load(query.spec)
    _check_paths(query, tasks)
    workspace = Workspace(state_folder(query.spec), query.spec)
    plan = InjectionPlan(points=query.points, repeats=query.repeats, keep=query.keep)
    total = len(tasks) * len(query.points) * query.repeats
    injections: list[Injection] = []

    def count(injection: Injection) -> None:
        injections.append(injection)
        watch(injection, len(injections), total)

    copies = (
        f"not put back yet: its copies are in {workspace.copies}; --restore tries again"
    )
    with signals_as_interrupts(), workspace.held(), adopting():
        try:
            measured = measure(tasks, workspace, plan, count)
        except KeyboardInterrupt:
            notify(
                f"interrupted; the world is {copies if workspace.unfinished else 'as it was'}"
            )
            raise
    if workspace.unfinished:
        notify(f"the world is {copies}")
    return RollbackRun(measured, query.points, workspace.unfinished)


def _check_paths(query: RollbackQuery, tasks: Sequence[Loaded]) -> None:
    """Refuse to write into a world that is put back."""
    folders: list[Path] = []
    for task in tasks:
        folders += [folder.path for folder in task.folders]
    for flag, path in (("--output", query.output), ("--keep", query.keep)):
        for folder in folders:
            if path is not None and path.resolve().is_relative_to(folder):
                problem = f"lies in the world {folder}, which is put back"
                raise ConfigError(problem, where=flag)
    if query.output is not None:
        parent = query.output.resolve().parent
        if not parent.is_dir():
            raise ConfigError(f"there is no folder {parent}", where="--output")
        check_replaceable(query.output, AXIS_FILE)
    if query.keep is not None:
        _claim(query.keep)


def _claim(folder: Path) -> None:
    """Make the folder for evidence, or see to it that it is one: what it holds is replaced.

    Raises:
        ConfigError: it holds something else, or cannot be written.
    """
    evidence = folder / EVIDENCE_FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not evidence.exists() and any(folder.iterdir()):
            problem = f"holds files and no {EVIDENCE_FILE}, so that it is no folder of evidence"
            hint = "name a new or an empty folder"
            raise ConfigError(problem, where=f"--keep {folder}", hint=hint)
        check_replaceable(evidence, EVIDENCE_FILE)
        evidence.touch()
    except OSError as error:
        reason = error.strerror or error
        raise ConfigError(f"cannot be written: {reason}", where=str(folder)) from None
