"""The world of one task: its copy, its start, and putting it back after every kill."""

from __future__ import annotations

import shutil
import signal
import threading
import time
import uuid
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from judgemesh.contracts.errors import ConfigError, InputError
from judgemesh.mesh.rollback.adoption import Family, household
from judgemesh.mesh.rollback.backup import Workspace, WorldItem, copy_away, put_back
from judgemesh.mesh.rollback.killing import kill_marked
from judgemesh.mesh.rollback.leftovers import differences
from judgemesh.mesh.rollback.process import run
from judgemesh.mesh.rollback.reading import Loaded
from judgemesh.mesh.rollback.spec import Command, RollbackTask
from judgemesh.mesh.rollback.world import look


@dataclass(slots=True, kw_only=True)
class TaskWorld:
    """One task's world, its copy, and what it was like at the start.

    intact: it was found as at the start after the last kill. touched: an agent was started. family: the processes below
    this one that are not the agent's. late: processes that still ran when the world had been put back.
    """

    loaded: Loaded
    workspace: Workspace
    items: Sequence[WorldItem]
    marker: str
    start: Mapping[str, object] = field(default_factory=dict[str, object])
    intact: bool = False
    touched: bool = False
    family: Family | None = field(default_factory=household)
    late: tuple[str, ...] = ()

    @property
    def task(self) -> RollbackTask:
        """What the spec says."""
        return self.loaded.task

    @property
    def work(self) -> Path:
        """The folder of the injection that is made."""
        return self.workspace.work

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
            self._make()
            self.start = look(self.loaded)
        except InputError as fault:
            raise ConfigError(
                f"{self.task.task_id}: there is no start: {fault}"
            ) from None

    def renew(self) -> None:
        """An empty folder for the next injection."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)

    def run(
        self, command: Command, prefix: str, stdin: str | None = None
    ) -> int | None:
        """Run a command of the spec in this world; its exit code, None where its time was up.

        Raises:
            OSError: it cannot be started.
        """
        base, marker = self.loaded.folder, self.marker
        return run(
            command,
            base=base,
            work=self.work,
            marker=marker,
            prefix=prefix,
            stdin=stdin,
        )

    def reset(self) -> str:
        """Put the world back for the next injection; empty, or why it is not as it was."""
        with undisturbed():
            try:
                put_back(self.items)
                self._make()
                if broken := self._look_again():
                    return broken
                different = differences(self.loaded, self.start, look(self.loaded))
            except (InputError, OSError, shutil.Error) as fault:
                return f"the world could not be put back: {fault}"
        self.intact = not different
        if different:
            return f"the world was not as before after it was put back: {different[0]}"
        return ""

    def _make(self) -> None:
        """Run the spec's `reset` command, if it has one."""
        if self.task.reset is not None:
            make_world(self.task.reset, self.loaded.folder, self.work)

    def _look_again(self) -> str:
        """End what still runs after the world was put back, and put it back again; or why it cannot be ended."""
        late = kill_marked(self.marker, 0, family=self.family)
        if late is None:
            return "a process of the agent still runs and cannot be ended"
        self.late = late
        if late:
            put_back(self.items)
            self._make()
        return ""

    def end(self) -> None:
        """Put the world back for good, and let go of the copies once it is; else they and the journal stay."""
        with undisturbed():
            kill_marked(self.marker, 0, family=self.family)
            with suppress(InputError, OSError, shutil.Error):
                # Also when it is as it was: looking at a SQLite file may have tidied it.
                put_back(self.items)
                if self.touched and not self.intact:
                    # It runs again before the next measurement.
                    with suppress(InputError):
                        self._make()
                self.workspace.clear()


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
