"""The measurement of one task: copy its world, kill the agent again and again, and record what it left."""

from __future__ import annotations

import hashlib
import shutil
import signal
import threading
import time
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.adoption import ORPHANS_UNSEEN, Family, household
from judgemesh.mesh.rollback.backup import (
    SQLITE_SIDES,
    Workspace,
    WorldItem,
    copy_away,
    put_back,
    sqlite_files,
)
from judgemesh.mesh.rollback.killing import kill_marked
from judgemesh.mesh.rollback.leftovers import (
    Remains,
    differences,
    sort_out,
    written_outside,
)
from judgemesh.mesh.rollback.outcome import Injection, Kill, NotMeasured
from judgemesh.mesh.rollback.outside import FILES_UNSEEN, OutsideWatch
from judgemesh.mesh.rollback.process import Unmeasurable, run, start
from judgemesh.mesh.rollback.reading import Loaded
from judgemesh.mesh.rollback.rubric import Facts, judge
from judgemesh.mesh.rollback.spec import Command, Locks, RollbackTask
from judgemesh.mesh.rollback.world import held_locks, look
from judgemesh.mesh.state.trees import copy_tree, empty

_HELD: Final = 1
_MAX_NAMED: Final = 5
_SIDES: Final = ("", *SQLITE_SIDES)
_LONGEST_NAME: Final = 120
_KEPT: Final = (
    "events.jsonl",
    "stdout.txt",
    "stderr.txt",
    "recover-stdout.txt",
    "recover-stderr.txt",
)


@contextmanager
def undisturbed() -> Generator[None]:
    """Delay Ctrl-C until the world is restored."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {
        number: signal.signal(number, lambda got, _frame: waiting.append(got))
        for number in numbers
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if waiting:
        raise KeyboardInterrupt


@dataclass(slots=True, kw_only=True)
class TaskMeasurement:
    """One task's world, its copy, and what it was like at the start.

    intact: it was found as at the start after the last kill. touched: an agent was started. shows: whether a run that
    was let to its end changes it; None while nobody had to know. family: the processes below this one that are not the
    agent's. late: processes that still ran when the world had been put back. watch: of the agent at work.
    """

    loaded: Loaded
    workspace: Workspace
    items: Sequence[WorldItem]
    marker: str
    keep: Path | None
    start: Mapping[str, object] = field(default_factory=dict[str, object])
    intact: bool = False
    touched: bool = False
    shows: bool | None = None
    family: Family | None = field(default_factory=household)
    late: tuple[str, ...] = ()
    watch: OutsideWatch = field(default_factory=OutsideWatch)

    @property
    def task(self) -> RollbackTask:
        """What the spec says."""
        return self.loaded.task

    def copy(self) -> None:
        """Copy the world away, and write it into the journal.

        Raises:
            ConfigError: it cannot be copied whole.
        """
        try:
            if not self.workspace.unfinished:
                self.workspace.clear()  # of a measurement that was killed before its copy was whole
            self.workspace.folder.mkdir(parents=True, exist_ok=True)
            copy_away(self.items)
        except (InputError, OSError, shutil.Error) as fault:
            self.workspace.clear()
            raise ConfigError(
                f"{self.task.task_id}: the world cannot be copied away: {fault}"
            ) from None
        except BaseException:
            self.workspace.clear()
            raise
        reset = (
            None if self.task.reset is None else self.task.reset.model_dump(mode="json")
        )
        self.workspace.note(
            self.items, marker=self.marker, reset=reset, base=str(self.loaded.folder)
        )

    def begin(self) -> None:
        """What the world is like at the start; a `reset` command makes it first.

        Raises:
            ConfigError: it cannot be made, or read.
        """
        self.renew()
        try:
            if self.task.reset is not None:
                make_world(self.task.reset, self.loaded.folder, self.workspace.work)
            self.start = look(self.loaded)
        except InputError as fault:
            raise ConfigError(
                f"{self.task.task_id}: there is no start: {fault}"
            ) from None

    def renew(self) -> None:
        """An empty folder for the next injection."""
        shutil.rmtree(self.workspace.work, ignore_errors=True)
        self.workspace.work.mkdir(parents=True)

    def injection(self, point: InjectionPoint, repeat: int, **more: Any) -> Injection:
        """An injection of this task."""
        task = self.task
        return Injection(
            task_id=task.task_id,
            task_type=task.task_type or task.task_id,
            point=point,
            repeat=repeat,
            **more,
        )

    def inject(self, point: InjectionPoint, repeat: int) -> Injection:
        """Start the agent, kill it at the point, and judge what it left."""
        kill = Kill()
        self.intact, self.touched = False, True
        self.watch = OutsideWatch.open()
        try:
            kill = self._killed(point)
            injection = self._judged(point, repeat, kill)
        except Unmeasurable as fault:
            known = kill if fault.kill == Kill() else fault.kill
            injection = self.injection(
                point, repeat, fault=fault.fault, says=fault.says, kill=known
            )
        finally:
            self.watch.close()
        self._keep(injection)
        return replace(injection, not_seen=self._not_seen())

    def _not_seen(self) -> tuple[str, ...]:
        """What the system did not show of the agent."""
        unseen: list[str] = []
        if self.family is None:
            unseen.append(ORPHANS_UNSEEN)
        if self.watch.why_not:
            unseen.append(f"{FILES_UNSEEN} ({self.watch.why_not})")
        return tuple(unseen)

    def _written_outside(self) -> list[Path]:
        """Files that the agent wrote outside the declared world, and left."""
        ignored = self.task.world.ignore_outside
        found: list[Path] = []
        for path in self.watch.files(self._declared()) or ():
            if not any(fnmatchcase(str(path), glob) for glob in ignored):
                found.append(path)
        return found

    def _declared(self) -> list[Path]:
        """What the agent may write: the world, its events, and the folder of the measurement."""
        loaded = self.loaded
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
        return [path.resolve() for path in (*declared, self.workspace.folder)]

    def completed(self, injection: Injection) -> Injection:
        """The injection with what was found when the world had been put back."""
        if not self.late:
            return injection
        note = f"still running after the world was put back, killed then: {', '.join(self.late)}"
        return replace(injection, notes=(*injection.notes, note))

    def _killed(self, point: InjectionPoint) -> Kill:
        agent = self.task.agent
        running = start(
            agent,
            self.task.progress,
            base=self.loaded.folder,
            work=self.workspace.work,
            events=self.loaded.events,
            marker=self.marker,
            stdin=agent.stdin,
            prepare=self.watch.prepare(),
        )
        self.watch.began(running.process.pid)
        try:
            return running.until(point)
        finally:
            running.close()

    def _judged(self, point: InjectionPoint, repeat: int, kill: Kill) -> Injection:
        outside = self._written_outside()
        remains = self._look(outside)
        notes = _notes(point, kill, remains)
        in_world = remains.entries - frozenset(map(str, outside))
        if kill.counts.writes and not in_world and not remains.locks:
            notes = (*notes, self._rehearsed(outside))
        before, recovery = remains, ""
        if self.task.recover is not None:
            recovery = self._recovered(self.task.recover)
            outside = [path for path in outside if path.exists()]
            remains = self._look(outside)
        taken_back = len(before.entries - remains.entries)
        rule = judge(
            Facts(
                leftovers=len(remains.leftovers),
                locks=len(remains.locks),
                documents=len(remains.documents),
                unnamed=len(remains.unnamed),
                reversed_some=taken_back > 0,
            )
        )
        injection = self.injection(
            point,
            repeat,
            level=rule.level,
            says=rule.says,
            kill=kill,
            leftovers=remains.leftovers,
            locks=remains.locks,
            documents=remains.documents,
            unnamed=remains.unnamed,
            taken_back=taken_back,
            recovery=recovery,
            notes=notes,
            outside=tuple(map(str, outside)),
        )
        return self._by_person(injection)

    def _by_person(self, injection: Injection) -> Injection:
        """A person's score counts for what the person saw; where the rubric sees something else, it does not."""
        score = self.task.person.get(injection.point)
        if score is None:
            return injection
        if score.instead_of is injection.level:
            return replace(
                injection,
                person=score.score,
                notes=(*injection.notes, f"a person's score: {score.why}"),
            )
        note = f"a person's score for {score.instead_of} was left out: this is another case"
        return replace(injection, notes=(*injection.notes, note))

    def _look(self, outside: Sequence[Path]) -> Remains:
        try:
            held = [*held_locks(self.loaded), *self._asked(self.task.locks)]
        except InputError as fault:
            raise Unmeasurable(NotMeasured.LOCKS_UNREADABLE, str(fault)) from None
        try:
            different = differences(self.loaded, self.start, look(self.loaded))
            different += written_outside(outside)
            return sort_out(self.loaded, different, held)
        except InputError as fault:
            raise Unmeasurable(NotMeasured.STATE_UNREADABLE, str(fault)) from None

    def _rehearsed(self, outside: Sequence[Path]) -> str:
        """The agent wrote, and nothing shows: it takes that back by itself, or it writes elsewhere.

        A run that is let to its end tells which; it is made once a task.
        """
        if self.shows is None:
            if broken := self.reset():
                raise Unmeasurable(NotMeasured.NOT_RESET, broken)
            self.intact = False
            agent = self.task.agent
            try:
                self._run(agent, "whole-", agent.stdin)
                after = look(self.loaded)
            except OSError as fault:
                raise Unmeasurable(
                    NotMeasured.NOT_STARTED, f"it cannot be started: {fault.strerror}"
                ) from None
            except InputError as fault:
                raise Unmeasurable(NotMeasured.STATE_UNREADABLE, str(fault)) from None
            self.shows = bool(differences(self.loaded, self.start, after))
        if not self.shows:
            says = "it said that it wrote, and even a run that was let to its end changes nothing of this world"
            where = ", ".join(map(str, outside[:_MAX_NAMED]))
            seen = f" (it wrote {where})" if where else ""
            raise Unmeasurable(
                NotMeasured.NOTHING_WRITTEN, f"{says}; declare what it writes to{seen}"
            )
        return "nothing of what it wrote was there yet; a run that was let to its end does change this world"

    def _asked(self, locks: Locks) -> list[str]:
        """The spec's own command about locks: 0 for none, 1 while one is held."""
        if locks.check is None:
            return []
        name = locks.check.command[0]
        try:
            code = self._run(locks.check, "locks-")
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

    def _recovered(self, command: Command) -> str:
        try:
            code = self._run(command, "recover-")
        except OSError as fault:
            says = f"recover cannot be started: {fault.strerror}: {fault.filename or command.command[0]}"
            raise Unmeasurable(NotMeasured.RECOVERY_NOT_STARTED, says) from None
        if code is None:
            return f"did not end within {command.time_limit_s:g} s"
        return f"exit code {code}"

    def _run(
        self, command: Command, prefix: str, stdin: str | None = None
    ) -> int | None:
        work, base = self.workspace.work, self.loaded.folder
        return run(
            command,
            base=base,
            work=work,
            marker=self.marker,
            prefix=prefix,
            stdin=stdin,
        )

    def reset(self) -> str:
        """Put the world back for the next injection; empty, or why it is not as it was."""
        with undisturbed():
            try:
                put_back(self.items)
                if self.task.reset is not None:
                    make_world(self.task.reset, self.loaded.folder, self.workspace.work)
                if broken := self._look_again():
                    return broken
                different = differences(self.loaded, self.start, look(self.loaded))
            except (InputError, OSError, shutil.Error) as fault:
                return f"the world could not be put back: {fault}"
        self.intact = not different
        if different:
            return f"the world was not as before after it was put back: {different[0]}"
        return ""

    def _look_again(self) -> str:
        """End what still runs after the world was put back, and put it back again; or why it cannot be ended."""
        late = kill_marked(self.marker, 0, family=self.family)
        if late is None:
            return "a process of the agent still runs and cannot be ended"
        self.late = late
        if late:
            put_back(self.items)
            if self.task.reset is not None:
                make_world(self.task.reset, self.loaded.folder, self.workspace.work)
        return ""

    def end(self) -> None:
        """Put the world back for good, and let go of the copies once it is; else they and the journal stay."""
        with undisturbed():
            kill_marked(self.marker, 0, family=self.family)
            with suppress(InputError, OSError, shutil.Error):
                put_back(
                    self.items
                )  # also when it is as it was: looking at a SQLite file may have tidied it
                if self.touched and not self.intact and self.task.reset is not None:
                    with suppress(
                        InputError
                    ):  # it runs again before the next measurement
                        make_world(
                            self.task.reset, self.loaded.folder, self.workspace.work
                        )
                self.workspace.clear()

    def _keep(self, injection: Injection) -> None:
        """What the agent wrote in this injection, for people to look at."""
        if self.keep is None:
            return
        name = quote(injection.task_id, safe="")
        if len(name) > _LONGEST_NAME:
            name = f"{name[:_LONGEST_NAME]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
        folder = self.keep / f"{name}-{injection.point}-{injection.repeat}"
        if folder.is_dir():
            empty(folder)
        folder.mkdir(parents=True, exist_ok=True)
        events = self.loaded.events
        for name in _KEPT:
            if (self.workspace.work / name).is_file():
                shutil.copy2(self.workspace.work / name, folder / name)
        if events is not None and events.is_file():
            shutil.copy2(events, folder / "events.jsonl")
        for part in self.loaded.folders:
            with suppress(
                OSError, shutil.Error
            ):  # what cannot be copied (a socket) is in the list of leftovers
                kept = folder / "world" / part.name
                kept.parent.mkdir(exist_ok=True)
                copy_tree(part.path, kept)


def _notes(point: InjectionPoint, kill: Kill, remains: Remains) -> tuple[str, ...]:
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


def make_world(command: Command, base: Path, work: Path) -> None:
    """Run a reset command.

    Raises:
        InputError: it cannot be started, fails, or does not end.
    """
    began = time.monotonic()
    try:
        code = run(
            command, base=base, work=work, marker=uuid.uuid4().hex, prefix="reset-"
        )
    except OSError as fault:
        raise InputError(
            f"reset cannot be started: {fault.strerror}: {command.command[0]}"
        ) from None
    if code is None:
        elapsed_s = time.monotonic() - began
        raise InputError(f"the reset command did not end within {elapsed_s:.0f} s")
    if code != 0:
        raise InputError(f"the reset command ended with {code}")
