"""Kill the agent at each point, look at what it left, put the world back."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.backup import Workspace, items_in, items_of, put_back
from judgemesh.mesh.rollback.killing import kill_marked
from judgemesh.mesh.rollback.measurement import TaskMeasurement
from judgemesh.mesh.rollback.outcome import Injection, NotMeasured
from judgemesh.mesh.rollback.reading import Loaded
from judgemesh.mesh.rollback.restoration import TaskWorld, make_world, undisturbed
from judgemesh.mesh.rollback.spec import Command


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionPlan:
    """What is to be measured. keep: a folder for what each injection wrote and left."""

    points: Sequence[InjectionPoint] = tuple(InjectionPoint)
    repeats: int = 1
    keep: Path | None = None


def restore(workspace: Workspace) -> list[Path]:
    """Restore the world of a measurement that did not end; return the restored paths. The workspace must be held.

    Raises:
        ConfigError: the journal cannot be read, or the world cannot be put back.
    """
    journal = workspace.journal()
    if journal is None:
        return []
    with undisturbed():
        kill_marked(str(journal.get("marker", "")) or "-", 0)
        items = items_in(journal)
        try:
            put_back(items)
        except (InputError, OSError, shutil.Error) as fault:
            hint = f"the copies lie in {workspace.copies}"
            raise ConfigError(
                f"the world cannot be put back: {fault}",
                where=str(workspace.folder),
                hint=hint,
            ) from None
        reset = journal.get("reset")
        try:
            if reset is not None:
                workspace.work.mkdir(parents=True, exist_ok=True)
                make_world(
                    Command.model_validate(reset), Path(journal["base"]), workspace.work
                )
        except InputError as fault:
            raise ConfigError(
                f"files and folders are put back; {fault}", where=str(workspace.folder)
            ) from None
        finally:
            workspace.clear()
    return [item.target for item in items]


def measure(
    tasks: Sequence[Loaded],
    workspace: Workspace,
    plan: InjectionPlan,
    tell: Callable[[Injection], None],
) -> list[Injection]:
    """Measure every task at every point, as often as planned, and restore the world. The workspace must be held.

    Raises:
        ConfigError: a world cannot be copied, read or put back.
        KeyboardInterrupt: after the world was put back.
    """
    found: list[Injection] = []
    for loaded in tasks:
        # Closing restores the world, whatever happens in between.
        with closing(_task(loaded, workspace, plan)) as injections:
            for injection in injections:
                found.append(injection)
                tell(injection)
        if workspace.unfinished:
            break  # the copies of this world are still needed
    return found


def _task(
    loaded: Loaded, workspace: Workspace, plan: InjectionPlan
) -> Generator[Injection]:
    marker = uuid.uuid4().hex
    items = items_of(loaded, workspace.copies)
    world = TaskWorld(loaded=loaded, workspace=workspace, items=items, marker=marker)
    measurement = TaskMeasurement(world=world, keep=plan.keep)
    world.copy()
    try:
        world.begin()
        broken = ""
        for repeat in range(1, plan.repeats + 1):
            for point in plan.points:
                if broken:
                    yield measurement.injection(
                        point, repeat, fault=NotMeasured.NOT_RESET, says=broken
                    )
                    continue
                world.renew()
                injection = measurement.inject(point, repeat)
                broken = world.reset()
                yield measurement.completed(injection)
    finally:
        world.end()
