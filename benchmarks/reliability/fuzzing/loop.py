"""The loop: an input is changed, the target is called, what it raises is a finding, new lines keep the input."""

from __future__ import annotations

import base64
import hashlib
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final, NoReturn

from reliability.fuzzing.changes import changed

_TOP: Final = str(Path(__file__).resolve().parents[3]) + "/"
_OWN: Final = str(Path(__file__).resolve().parent) + "/"
_TRACED_SHARE: Final = 0.02
"""Tracing lines takes about ten times as long, so that only some executions are traced."""
_MAX_JOINED: Final = 1_000


class TooSlow(BaseException):
    """An execution was interrupted. No `Exception`, so that nothing in between takes it for an answer."""


@dataclass(slots=True)
class Finding:
    """Executions that ended alike. `input` is the shortest."""

    target: str
    error: str
    place: str
    input: bytes
    times: int = 1

    def line(self) -> dict[str, Any]:
        """The finding as data."""
        return {
            "target": self.target,
            "error": self.error,
            "place": self.place,
            "times": self.times,
            "input": base64.b64encode(self.input).decode(),
        }

    @property
    def file_name(self) -> str:
        """A name by the content."""
        return hashlib.sha256(self.input).hexdigest()[:12]


@dataclass(slots=True)
class Fuzzed:
    """What a target has been through. cpu_s: of all executions; slowest_s: CPU seconds of one that was not traced."""

    executions: int = 0
    inputs: int = 0
    cpu_s: float = 0.0
    slowest_s: float = 0.0
    findings: dict[tuple[str, str], Finding] = field(
        default_factory=dict[tuple[str, str], Finding]
    )

    def line(self) -> dict[str, Any]:
        """The figures as data."""
        return {
            "executions": self.executions,
            "inputs": self.inputs,
            "cpu_s": round(self.cpu_s, 1),
            "slowest_s": round(self.slowest_s, 3),
        }

    def add(self, found: Finding) -> None:
        """Count a finding, and keep the shorter input."""
        known = self.findings.setdefault((found.error, found.place), found)
        if known is not found:
            known.times += 1
            if len(found.input) < len(known.input):
                known.input = found.input


class Lines:
    """The lines of the project that were reached, as a trace function."""

    def __init__(self) -> None:
        self._missing: dict[CodeType, set[int]] = {}
        self.is_new = False

    def __call__(self, frame: FrameType, event: str, _: object) -> Lines | None:
        """Note a line. A function of which no line is missing is not traced."""
        code = frame.f_code
        missing = self._missing.get(code)
        if missing is None:
            missing = self._missing[code] = _lines_of(code)
        if event == "line" and frame.f_lineno in missing:
            missing.discard(frame.f_lineno)
            self.is_new = True
        return self if missing else None


def _lines_of(code: CodeType) -> set[int]:
    """The lines of a function of the project; none of another."""
    name = code.co_filename
    if not name.startswith(_TOP) or "/site-packages/" in name or name.startswith(_OWN):
        return set()
    # The line of `def` is an event of its own kind.
    lines = {line for _, _, line in code.co_lines() if line is not None}
    return lines - {code.co_firstlineno}


def fuzz(
    name: str,
    target: Callable[[bytes], None],
    seeds: Sequence[bytes],
    *,
    executions: int,
    seed: int,
    limit_s: float,
) -> Fuzzed:
    """Call a target so many times, each seed first. The same seed gives the same inputs."""
    chance = random.Random(f"{seed} {name}")  # noqa: S311 (repeatable, not secret)
    inputs = list(seeds)
    most = len(inputs) + _MAX_JOINED
    lines = Lines()
    fuzzed = Fuzzed()
    with _interrupted(limit_s):
        for data in _inputs(inputs, executions, chance):
            is_traced = chance.random() < _TRACED_SHARE
            lines.is_new = False
            found = _run(target, data, fuzzed, limit_s, lines if is_traced else None)
            if found is not None:
                error, place = found
                fuzzed.add(Finding(name, error, place, data))
            elif lines.is_new and len(inputs) < most:
                inputs.append(data)
    fuzzed.inputs = len(inputs)
    return fuzzed


def _inputs(
    inputs: list[bytes], executions: int, chance: random.Random
) -> Iterator[bytes]:
    """The seeds, then changed inputs; the list grows meanwhile."""
    seeds = inputs[:executions]
    yield from seeds
    for _ in range(executions - len(seeds)):
        yield changed(chance.choice(inputs), inputs, chance)


@contextmanager
def _interrupted(limit_s: float) -> Generator[None]:
    """Where the process is interrupted when its timer, which `_run` sets, has run down."""

    def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise TooSlow(f"more than {limit_s:g} CPU seconds")

    before = signal.signal(signal.SIGVTALRM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGVTALRM, before)


def _run(
    target: Callable[[bytes], None],
    data: bytes,
    fuzzed: Fuzzed,
    limit_s: float,
    lines: Lines | None,
) -> tuple[str, str] | None:
    """The error and the place of one execution that went wrong."""
    # Tracing takes its time too.
    allowed_s = limit_s if lines is None else limit_s * 10
    started = time.thread_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, allowed_s)
    sys.settrace(lines)
    try:
        target(data)
    except (Exception, TooSlow) as error:  # noqa: BLE001 (whatever is not declared is a finding)
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return _described(error)
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        spent = time.thread_time() - started
        fuzzed.executions += 1
        fuzzed.cpu_s += spent
    if lines is None:
        fuzzed.slowest_s = max(fuzzed.slowest_s, spent)
    return None


def _described(error: BaseException) -> tuple[str, str]:
    """The error, without what differs from input to input, and where in the project it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [
        frame
        for frame in frames
        if frame.filename.startswith(_TOP) and "/site-packages/" not in frame.filename
    ]
    # Where something takes too long is seen best from outside.
    last = (ours or list(frames))[-1]
    place = f"{last.filename.removeprefix(_TOP)}:{last.lineno}"
    words = str(error) if isinstance(error, TooSlow) else type(error).__name__
    if type(error).__name__ == "Broken":
        words = f"Broken: {error}"
    return words, place
