"""What an agent left: differences of its world, locks, and files outside of the world."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.adoption import ORPHANS_UNSEEN
from judgemesh.mesh.rollback.backup import SQLITE_SIDES, sqlite_files
from judgemesh.mesh.rollback.leftovers import (
    Remains,
    differences,
    sort_out,
    written_outside,
)
from judgemesh.mesh.rollback.outcome import Kill, NotMeasured
from judgemesh.mesh.rollback.outside import FILES_UNSEEN, OutsideWatch
from judgemesh.mesh.rollback.process import Unmeasurable
from judgemesh.mesh.rollback.restoration import TaskWorld
from judgemesh.mesh.rollback.world import held_locks, look

_HELD: Final = 1
_SIDES: Final = ("", *SQLITE_SIDES)


def remains_of(world: TaskWorld, outside: Sequence[Path]) -> Remains:
    """What differs from the start, what is locked, and the files outside.

    Raises:
        Unmeasurable: locks or state cannot be read.
    """
    loaded = world.loaded
    try:
        held = [*held_locks(loaded), *_asked(world)]
    except InputError as fault:
        raise Unmeasurable(NotMeasured.LOCKS_UNREADABLE, str(fault)) from None
    try:
        different = differences(loaded, world.start, look(loaded))
        different += written_outside(outside)
        return sort_out(loaded, different, held)
    except InputError as fault:
        raise Unmeasurable(NotMeasured.STATE_UNREADABLE, str(fault)) from None


def _asked(world: TaskWorld) -> list[str]:
    """The spec's own command about locks: 0 for none, 1 while one is held."""
    check = world.task.locks.check
    if check is None:
        return []
    name = check.command[0]
    try:
        code = world.run(check, "locks-")
    except OSError as fault:
        raise InputError(
            f"locks.check cannot be started: {fault.strerror}: {name}"
        ) from None
    if code not in (0, _HELD):
        how = "took too long" if code is None else f"ended with {code}"
        raise InputError(
            f"locks.check {how}; 0 says that nothing is held, 1 that something is"
        )
    return [f"held, says {Path(name).name}"] if code == _HELD else []


def files_outside(world: TaskWorld, watch: OutsideWatch) -> list[Path]:
    """Files that the agent wrote outside the declared world, and left."""
    ignored = world.task.world.ignore_outside
    found: list[Path] = []
    for path in watch.files(_declared(world)) or ():
        if not any(fnmatchcase(str(path), glob) for glob in ignored):
            found.append(path)
    return found


def _declared(world: TaskWorld) -> list[Path]:
    """What the agent may write: the world, its events, and the folder of the measurement."""
    loaded = world.loaded
    declared = [part.path for part in loaded.folders]
    declared += [part.path for part in loaded.documents]
    declared += sqlite_files(loaded)
    for tables in loaded.sql:
        _, is_file, path = tables.url.partition("sqlite:///")
        if is_file:
            file = loaded.folder / path
            declared += [file.with_name(file.name + side) for side in _SIDES]
    if loaded.events is not None:
        declared.append(loaded.events)
    return [path.resolve() for path in (*declared, world.workspace.folder)]


def not_seen(world: TaskWorld, watch: OutsideWatch) -> tuple[str, ...]:
    """What the system did not show of the agent."""
    unseen: list[str] = []
    if world.family is None:
        unseen.append(ORPHANS_UNSEEN)
    if watch.why_not:
        unseen.append(f"{FILES_UNSEEN} ({watch.why_not})")
    return tuple(unseen)


def notes_of(point: InjectionPoint, kill: Kill, remains: Remains) -> tuple[str, ...]:
    """What a reader has to know to trust the score."""
    notes: list[str] = []
    counts = kill.counts
    if point is InjectionPoint.EARLY and counts.writes:
        notes.append("its first tool result was a write already")
    elif point is InjectionPoint.EARLY and remains.leftovers:
        notes.append("the world had changed before any write was reported")
    if point is InjectionPoint.MID and counts.all_written:
        notes.append("its first write was its last one")
    if not kill.gated:
        notes.append(
            "not held at the gate: it may have worked on for some milliseconds until the kill came"
        )
    if kill.survivors:
        notes.append(
            f"outside its process group, killed one by one: {', '.join(kill.survivors)}"
        )
    return tuple(notes)
