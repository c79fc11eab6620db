"""The agent as a process: started in a session of its own, followed line by line, killed with its whole group.

A process that leaves the group is found by a variable that every child inherits ($JUDGEMESH_INJECTION), where the
system shows it (/proc); elsewhere it stays unseen. An agent that reads one byte of the pipe $JUDGEMESH_GATE after each
event line (the recorder does) cannot run past the point: it gets the byte only while the point is not reached.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from judgemesh.mesh.inputs.files.opening import open_file
from judgemesh.mesh.metrics.triangle import InjectionPoint
from judgemesh.mesh.rollback.adoption import Family, household
from judgemesh.mesh.rollback.following import Counts, Follower, passed
from judgemesh.mesh.rollback.interrupts import interrupts_wait
from judgemesh.mesh.rollback.killing import MARKER, kill_marked, signal_group
from judgemesh.mesh.rollback.outcome import Kill, NotMeasured
from judgemesh.mesh.rollback.processes import descendants
from judgemesh.mesh.rollback.spec import Command, ProgressSpec
from judgemesh.mesh.rollback.tail import OutputGate, Tail

_GATE: Final = "JUDGEMESH_GATE"
_EVENTS: Final = "JUDGEMESH_EVENTS"
_SHORTEST_S: Final = 0.001
_LONGEST_S: Final = 0.005
_REAPED_S: Final = 10.0
_MAX_OUTPUT: Final = 256 * 2**20
_LAST: Final = 500
_SOME: Final = 256


class Unmeasurable(Exception):
    """Nothing can be said about the agent, for this reason."""

    def __init__(self, fault: NotMeasured, says: str, kill: Kill | None = None) -> None:
        super().__init__(says)
        self.fault, self.says, self.kill = fault, says, kill or Kill()


@dataclass(slots=True)
class Running:
    """An agent at work, with everything that belongs to it."""

    process: subprocess.Popen[bytes]
    tail: Tail
    gate: OutputGate
    follower: Follower
    marker: str
    outputs: tuple[Path, ...]
    limit_s: float
    family: Family | None = None
    began: float = field(default_factory=time.monotonic)
    rest: list[str] = field(default_factory=list[str])

    def until(self, point: InjectionPoint) -> Kill:
        """Follow the agent, kill it at the point, and make sure that it was there.

        Raises:
            Unmeasurable: it never got there, was past it, or could not be killed.
        """
        at, text = self._reach(point)
        gated = self.gate.waited_at
        ended = self.process.poll()
        survivors = self.kill()
        after_s = time.monotonic() - self.began
        now = self._drained()
        kill = Kill(
            returncode=self.process.returncode,
            point_line=at.lines,
            point_text=text[:300],
            counts=now,
            gated=gated,
            after_s=round(after_s, 3),
            survivors=survivors,
        )
        if ended is not None or self.process.returncode != -signal.SIGKILL:
            says = f"it had {_how(self.process.returncode)} before the kill came; {_GATE_HINT}"
            raise Unmeasurable(NotMeasured.TOO_LATE, says, kill)
        if late := passed(point, at, now):
            hint = "" if gated else f"; {_GATE_HINT}"
            says = f"killed at line {now.lines}, {now.lines - at.lines} after the point: {late}{hint}"
            raise Unmeasurable(NotMeasured.TOO_LATE, says, kill)
        return kill

    def _reach(self, point: InjectionPoint) -> tuple[Counts, str]:
        pause = _SHORTEST_S
        while True:
            over = (
                self.process.poll() is not None
            )  # asked before reading, so that nothing is overlooked
            lines = self.tail.lines()
            self._check_size()
            for number, line in enumerate(lines, start=1):
                at = self.follower.see(line)
                if self.follower.reached(point):
                    self.rest = lines[number:]  # it is over: kill first, read on then
                    return at, line
                self.gate.let_on()
                if number % _SOME == 0:
                    self._check_size()
            if not lines:
                self._give_up(point, over=over)
            pause = _SHORTEST_S if lines else min(_LONGEST_S, pause * 2)
            if time.monotonic() - self.began > self.limit_s:
                self._stop(
                    NotMeasured.TIMED_OUT,
                    f"it did not reach the point within {self.limit_s:g} s",
                )
            if not lines:
                time.sleep(pause)

    def _give_up(self, point: InjectionPoint, *, over: bool) -> None:
        if over:
            how = _how(self.process.returncode)
            self._stop(
                NotMeasured.ENDED_BEFORE,
                f"it {how} before the {point} point was reached",
            )

    def _check_size(self) -> None:
        if self.tail.overfull or any(
            path.exists() and path.stat().st_size > _MAX_OUTPUT for path in self.outputs
        ):
            self._stop(
                NotMeasured.FLOODED,
                "it wrote more lines or output than can be followed",
            )

    def _stop(self, fault: NotMeasured, says: str) -> None:
        survivors = self.kill()
        seen = self.follower.counts
        counted = f"tool results {seen.tool_results}, writes {seen.writes}, steps {seen.steps}, lines {seen.lines}"
        kill = Kill(
            returncode=self.process.returncode, counts=seen, survivors=survivors
        )
        raise Unmeasurable(fault, f"{says} (seen: {counted}){self._last_words()}", kill)

    def _last_words(self) -> str:
        """The last line on standard error, which says why an agent gave up."""
        try:
            with open_file(self.outputs[-1]) as file:
                file.seek(max(0, self.outputs[-1].stat().st_size - _LAST))
                words = file.read().decode("utf-8", "replace").split("\n")
        except OSError:
            return ""
        lines = [line for line in words if line.strip()]
        return f"; its last words: {lines[-1].strip()}" if lines else ""

    def _drained(self) -> Counts:
        """How far it really was: what came after the point, until it was dead."""
        lines, until = self.rest or self.tail.lines(), time.monotonic() + _REAPED_S
        while lines:
            for line in lines:
                self.follower.see(line)
            if time.monotonic() > until:
                raise Unmeasurable(
                    NotMeasured.FLOODED,
                    "it wrote more lines around the kill than can be followed",
                )
            lines = self.tail.lines()
        return self.follower.counts

    def kill(self) -> tuple[str, ...]:
        """SIGKILL to the group, then to everything of the agent outside it; gives back what was outside.

        Raises:
            Unmeasurable: something outlives it.
        """
        signal_group(
            self.process, signal.SIGSTOP
        )  # at once; whose child is whose can only be asked of the living
        below = descendants(self.process.pid)
        signal_group(self.process, signal.SIGKILL)
        outside = kill_marked(self.marker, self.process.pid, below, self.family)
        try:
            self.process.wait(_REAPED_S)
        except subprocess.TimeoutExpired:
            raise Unmeasurable(
                NotMeasured.NOT_KILLED, "it outlived SIGKILL (it hangs in the system)"
            ) from None
        if outside is None:
            raise Unmeasurable(
                NotMeasured.NOT_KILLED,
                "a process of it outside its group cannot be ended",
            )
        return outside

    def close(self) -> None:
        """Kill what is left, and let go of the files."""
        try:
            self.kill()
        finally:
            self.gate.close()
            self.tail.close()


_GATE_HINT: Final = (
    "an agent that waits at $JUDGEMESH_GATE after each event cannot run ahead"
)


def _how(code: int | None) -> str:
    return (
        f"was ended by signal {-code}"
        if code is not None and code < 0
        else f"ended with exit code {code}"
    )


def start(
    agent: Command,
    progress: ProgressSpec,
    *,
    base: Path,
    work: Path,
    events: Path | None,
    marker: str,
    stdin: str | None = None,
    prepare: Callable[[], None] | None = None,
) -> Running:
    """Start the agent.

    Args:
        agent: what to start.
        progress: how it is followed.
        base: folder that `cwd` starts from.
        work: empty folder for events, outputs and the gate.
        events: the event file that the spec names, if it does.
        marker: tells this agent's processes from all others.
        stdin: what it reads.
        prepare: called in the new process before the command.

    Raises:
        Unmeasurable: it cannot be started.
    """
    own = work / "events.jsonl"
    followed = work / "stdout.txt" if progress.follow == "stdout" else events or own
    gate, family = OutputGate(work / "gate"), household()
    env = {_EVENTS: str(events or own), _GATE: str(work / "gate"), MARKER: marker}
    try:
        # Opened before the start: what the file holds already is not this run's.
        tail = Tail(
            followed, from_end=events is not None and progress.follow == "events"
        )
        process = spawn(
            agent, base=base, work=work, env=env, stdin=stdin, prepare=prepare
        )
    except OSError as fault:
        gate.close()
        says = f"it cannot be started: {fault.strerror or fault}: {fault.filename or agent.command[0]}"
        raise Unmeasurable(NotMeasured.NOT_STARTED, says) from None
    return Running(
        process=process,
        tail=tail,
        gate=gate,
        follower=Follower(progress),
        marker=marker,
        outputs=(work / "stdout.txt", work / "stderr.txt"),
        limit_s=agent.time_limit_s,
        family=family,
    )


def spawn(
    command: Command,
    *,
    base: Path,
    work: Path,
    env: Mapping[str, str],
    stdin: str | None = None,
    prefix: str = "",
    prepare: Callable[[], None] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, with its outputs in files of `work`.

    `{python}` stands for the running interpreter, `{events}` for the event file.

    Raises:
        OSError: it cannot be started.
    """
    given = work / f"{prefix}stdin.txt"
    given.write_text(stdin or "", encoding="utf-8")
    words = [
        word.replace("{events}", env[_EVENTS]).replace("{python}", sys.executable)
        for word in command.command
    ]
    with (
        given.open("rb") as reads,
        (work / f"{prefix}stdout.txt").open("ab") as out,
        (work / f"{prefix}stderr.txt").open("ab") as err,
    ):

        def begin() -> subprocess.Popen[bytes]:
            return subprocess.Popen(  # noqa: S603 (the command of the user's own spec, without a shell)
                words,
                cwd=base / command.cwd,
                env={**os.environ, **command.env, **env},
                stdin=reads,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=prepare,  # noqa: PLW1509 (it enters a mount namespace; no thread runs here)
            )

        return _unless_interrupted(begin)


def _unless_interrupted(
    begin: Callable[[], subprocess.Popen[bytes]],
) -> subprocess.Popen[bytes]:
    """Start a process. One that is started when an interrupt comes is killed.

    Raises:
        OSError: it cannot be started.
        KeyboardInterrupt: it came meanwhile.
    """
    process: subprocess.Popen[bytes] | None = None
    try:
        with interrupts_wait():
            process = begin()
    except KeyboardInterrupt:
        if process is not None:
            signal_group(process, signal.SIGKILL)
            process.wait()
        raise
    return process


def run(
    command: Command,
    *,
    base: Path,
    work: Path,
    marker: str,
    prefix: str,
    stdin: str | None = None,
) -> int | None:
    """Run a command to its end; gives back its exit code, None when its time ran out. Nothing of it stays.

    Raises:
        OSError: it cannot be started.
    """
    env = {
        _EVENTS: str(work / f"{prefix}events.jsonl"),
        _GATE: os.devnull,
        MARKER: marker,
    }
    family = household()
    process = spawn(command, base=base, work=work, env=env, stdin=stdin, prefix=prefix)
    try:
        return process.wait(command.time_limit_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        signal_group(process, signal.SIGKILL)
        kill_marked(marker, process.pid, family=family)
        process.wait()
