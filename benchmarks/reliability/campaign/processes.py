"""The command in a forked process: the modules are loaded once, and every run has a process, session and limits."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from judgemesh.mesh.testing.faults import Fault, Open, injected, left_open

_POLL_S: Final = 0.01
_GRACE_S: Final = 5.0
_CODE_OF_RAISED: Final = 98


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of the command in `folder`.

    limit: called in the new process before the command. stdin, stdout: files to open for them.
    """

    folder: Path
    arguments: Sequence[str]
    fault: Fault | None = None
    limit: Callable[[], None] | None = None
    stdin: str = os.devnull
    stdout: str = "stdout"
    deadline_s: float = 60.0


@dataclass(kw_only=True)
class Ended:
    """How a run ended. code: its exit code, negative for a signal. left: what it left open, as far as it could say."""

    code: int
    seconds: float
    stdout: str
    stderr: str
    moments: int = 0
    struck: int = 0
    left: list[str] = field(default_factory=list[str])
    survivors: list[int] = field(default_factory=list[int])
    in_time: bool = True
    modules: list[str] = field(default_factory=list[str])


def run(given: Run) -> Ended:
    """Run the command to its end, or kill it at its deadline."""
    for name in ("left.json", "stdout", "stderr"):
        (given.folder / name).unlink(missing_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        _be_the_command(given)
    status, in_time = _waited(child, given.deadline_s)
    seconds = time.monotonic() - started
    ended = Ended(
        code=os.waitstatus_to_exitcode(status),
        seconds=seconds,
        stdout=_text(given.folder / "stdout"),
        stderr=_text(given.folder / "stderr"),
        survivors=_survivors(child),
        in_time=in_time,
    )
    report = _text(given.folder / "left.json")
    if report:
        for name, value in json.loads(report).items():
            setattr(ended, name, value)
    return ended


def load(modules: Sequence[str]) -> None:
    """Import the modules that a run has needed, so that the next one finds them loaded."""
    for name in modules:
        if name not in sys.modules:
            with suppress(ImportError):
                importlib.import_module(name)
    # Patterns that are compiled once in a process.
    from judgemesh.mesh.judging.prompting.injection import find

    find("warm")
    gc.collect()
    gc.freeze()


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def _waited(child: int, deadline_s: float) -> tuple[int, bool]:
    until = time.monotonic() + deadline_s
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status, True
        time.sleep(_POLL_S)
    os.kill(child, signal.SIGKILL)
    return os.waitpid(child, 0)[1], False


def _survivors(session: int) -> list[int]:
    """Processes of the session that outlive the command for more than a moment; they are killed."""
    until = time.monotonic() + _GRACE_S
    while found := _of_session(session):
        if time.monotonic() > until:
            for each in found:
                os.kill(each, signal.SIGKILL)
            return found
        time.sleep(_POLL_S)
    return []


def _of_session(session: int) -> list[int]:
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(of) == session and state != "Z":
            found.append(int(path.parent.name))
    return found


# --- inside the new process ---


def _be_the_command(given: Run) -> None:
    end = os._exit
    code = _CODE_OF_RAISED
    try:
        os.setsid()
        os.chdir(given.folder)
        _open_streams(given)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        warnings.simplefilter("always", ResourceWarning)
        sys.argv = ["judgemesh", *given.arguments]
        if given.limit is not None:
            given.limit()
        code = _command(given)
    except BaseException:  # noqa: BLE001 (the process must end here, whatever happens)
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                continue
        end(code)


def _open_streams(given: Run) -> None:
    for number, name, flags in (
        (0, given.stdin, os.O_RDONLY),
        (1, given.stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND),
    ):
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)


def _command(given: Run) -> int:
    from judgemesh.mesh.cli.app import main

    code = 0
    before = Open.now()
    injection: Any = nullcontext() if given.fault is None else injected(given.fault)
    with injection as moments:
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
    for what in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (hard, hard))
    gc.collect()
    # What the interpreter calls at its end; there is no public way to do it earlier.
    atexit._run_exitfuncs()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    report = {
        "left": left_open(before),
        "moments": moments.count if moments else 0,
        "struck": moments.struck if moments else 0,
        "modules": sorted(sys.modules) if given.fault is None else [],
    }
    Path("left.json").write_text(json.dumps(report))
    return code
