"""A plug-in of pytest that runs the collected tests once for each mutant, each time in a forked process."""

from __future__ import annotations

import importlib
import inspect
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import pytest
from reliability.mutating.mutants import Mutant, mutants_of
from reliability.mutating.patching import put_in_place


class End(StrEnum):
    """How the tests of a mutant ended. A mutant that cannot be imported, or does not end, is killed too."""

    KILLED = "killed"
    SURVIVED = "survived"
    TOO_LONG = "too long"


_KILLED_CODE = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """A mutant and how its tests ended."""

    module: str
    mutant: Mutant
    end: End

    def line(self) -> dict[str, Any]:
        """The outcome as data."""
        return {
            "module": self.module.removeprefix("judgemesh."),
            "line": self.mutant.line,
            "before": self.mutant.before,
            "after": self.mutant.after,
        }


@dataclass
class Mutation:
    """The plug-in.

    limit_s: seconds for the tests of one mutant. slowest_s: CPU seconds of a test that is used. every,
    first: only each n-th mutant is run, from that one on.
    """

    modules: Sequence[str]
    limit_s: float
    slowest_s: float
    every: int = 1
    first: int = 0
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    is_green: bool = False
    tests: int = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests as they are, then for each mutant."""
        session.items = self._quick_first(session)
        self.tests = len(session.items)
        self.is_green = not session.testsfailed
        if not self.is_green:
            return True
        for number, (name, mutant) in enumerate(self._mutants()):
            if number % self.every == self.first % self.every:
                module = importlib.import_module(name)
                end = self._end(session, module, mutant)
                self.outcomes.append(Outcome(name, mutant, end))
        return True

    def _quick_first(self, session: pytest.Session) -> list[pytest.Item]:
        """The tests in the order of the time they take, without the slow ones. They run once, as they are."""
        spent: list[tuple[float, int, pytest.Item]] = []
        for position, item in enumerate(session.items):
            started = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            spent.append((time.process_time() - started, position, item))
        return [item for took_s, _, item in sorted(spent) if took_s <= self.slowest_s]

    def _mutants(self) -> Iterator[tuple[str, Mutant]]:
        for name in self.modules:
            source = inspect.getsource(importlib.import_module(name))
            for mutant in mutants_of(source):
                yield name, mutant

    def _end(self, session: pytest.Session, module: Any, mutant: Mutant) -> End:
        """How the tests end in a process of their own, which has everything imported."""
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.setsid()
            os._exit(_run(session, module, mutant))
        until = time.monotonic() + self.limit_s
        while time.monotonic() < until:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                passed = os.waitstatus_to_exitcode(status) == 0
                return End.SURVIVED if passed else End.KILLED
            time.sleep(0.005)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return End.TOO_LONG


def _run(session: pytest.Session, module: Any, mutant: Mutant) -> int:
    """Run the tests until one fails; what they write is dropped."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        put_in_place(module, mutant.tree)
        for item in session.items:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            if session.testsfailed:
                return _KILLED_CODE
    except BaseException:  # noqa: BLE001 (a mutant may do anything)
        return _KILLED_CODE
    return 0
