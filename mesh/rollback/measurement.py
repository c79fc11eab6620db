"""The measurement of one task: kill the agent again and again, judge what it left, and keep it for people."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from judgemesh.contracts.errors import InputError
from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.leftovers import differences
from judgemesh.mesh.rollback.observation import (
    files_outside,
    not_seen,
    notes_of,
    remains_of,
)
from judgemesh.mesh.rollback.outcome import Injection, Kill, NotMeasured
from judgemesh.mesh.rollback.outside import OutsideWatch
from judgemesh.mesh.rollback.process import Unmeasurable, start
from judgemesh.mesh.rollback.restoration import TaskWorld
from judgemesh.mesh.rollback.rubric import Facts, judge
from judgemesh.mesh.rollback.spec import Command, RollbackTask
from judgemesh.mesh.rollback.world import look
from judgemesh.mesh.state.trees import copy_tree, empty

_MAX_NAMED: Final = 5
_LONGEST_NAME: Final = 120
_KEPT: Final = (
    "events.jsonl",
    "stdout.txt",
    "stderr.txt",
    "recover-stdout.txt",
    "recover-stderr.txt",
)


@dataclass(slots=True, kw_only=True)
class TaskMeasurement:
    """The kills of one task.

    keep: a folder for what each injection wrote and left. shows: whether a run that was let to its end changes the
    world; None while nobody had to know. watch: of the agent at work.
    """

    world: TaskWorld
    keep: Path | None
    shows: bool | None = None
    watch: OutsideWatch = field(default_factory=OutsideWatch)

    @property
    def task(self) -> RollbackTask:
        """What the spec says."""
        return self.world.task

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
        self.world.intact, self.world.touched = False, True
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
        return replace(injection, not_seen=not_seen(self.world, self.watch))

    def completed(self, injection: Injection) -> Injection:
        """The injection with what was found when the world had been put back."""
        if not self.world.late:
            return injection
        note = f"still running after the world was put back, killed then: {', '.join(self.world.late)}"
        return replace(injection, notes=(*injection.notes, note))

    def _killed(self, point: InjectionPoint) -> Kill:
        agent = self.task.agent
        running = start(
            agent,
            self.task.progress,
            base=self.world.loaded.folder,
            work=self.world.work,
            events=self.world.loaded.events,
            marker=self.world.marker,
            stdin=agent.stdin,
            prepare=self.watch.prepare(),
        )
        self.watch.began(running.process.pid)
        try:
            return running.until(point)
        finally:
            running.close()

    def _judged(self, point: InjectionPoint, repeat: int, kill: Kill) -> Injection:
        outside = files_outside(self.world, self.watch)
        remains = remains_of(self.world, outside)
        notes = notes_of(point, kill, remains)
        in_world = remains.entries - frozenset(map(str, outside))
        if kill.counts.writes and not in_world and not remains.locks:
            notes = (*notes, self._rehearsed(outside))
        before, recovery = remains, ""
        if self.task.recover is not None:
            recovery = self._recovered(self.task.recover)
            outside = [path for path in outside if path.exists()]
            remains = remains_of(self.world, outside)
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

    def _rehearsed(self, outside: Sequence[Path]) -> str:
        """The agent wrote, and nothing shows: it takes that back by itself, or it writes elsewhere.

        A run that is let to its end tells which; it is made once a task.
        """
        if self.shows is None:
            if broken := self.world.reset():
                raise Unmeasurable(NotMeasured.NOT_RESET, broken)
            self.world.intact = False
            agent = self.task.agent
            try:
                self.world.run(agent, "whole-", agent.stdin)
                after = look(self.world.loaded)
            except OSError as fault:
                raise Unmeasurable(
                    NotMeasured.NOT_STARTED, f"it cannot be started: {fault.strerror}"
                ) from None
            except InputError as fault:
                raise Unmeasurable(NotMeasured.STATE_UNREADABLE, str(fault)) from None
            self.shows = bool(differences(self.world.loaded, self.world.start, after))
        if not self.shows:
            says = "it said that it wrote, and even a run that was let to its end changes nothing of this world"
            where = ", ".join(map(str, outside[:_MAX_NAMED]))
            seen = f" (it wrote {where})" if where else ""
            raise Unmeasurable(
                NotMeasured.NOTHING_WRITTEN, f"{says}; declare what it writes to{seen}"
            )
        return "nothing of what it wrote was there yet; a run that was let to its end does change this world"

    def _recovered(self, command: Command) -> str:
        try:
            code = self.world.run(command, "recover-")
        except OSError as fault:
            says = f"recover cannot be started: {fault.strerror}: {fault.filename or command.command[0]}"
            raise Unmeasurable(NotMeasured.RECOVERY_NOT_STARTED, says) from None
        if code is None:
            return f"did not end within {command.time_limit_s:g} s"
        return f"exit code {code}"

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
        events = self.world.loaded.events
        for name in _KEPT:
            if (self.world.work / name).is_file():
                shutil.copy2(self.world.work / name, folder / name)
        if events is not None and events.is_file():
            shutil.copy2(events, folder / "events.jsonl")
        for part in self.world.loaded.folders:
            with suppress(
                OSError, shutil.Error
            ):  # what cannot be copied (a socket) is in the list of leftovers
                kept = folder / "world" / part.name
                kept.parent.mkdir(exist_ok=True)
                copy_tree(part.path, kept)
