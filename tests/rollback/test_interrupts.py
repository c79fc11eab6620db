"""A signal ends a measurement, also where Python drops what its handler raises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from judgemesh.mesh.rollback.interrupts import interrupts_wait, signals_as_interrupts

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_interrupts_and_its_handler_comes_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with pytest.raises(KeyboardInterrupt), signals_as_interrupts():
        os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_a_signal_waits_until_the_outermost_context_ends() -> None:
    reached: list[str] = []

    def held() -> None:
        with interrupts_wait():
            with interrupts_wait():
                os.kill(os.getpid(), signal.SIGTERM)
                reached.append("inner")
            reached.append("outer")
        reached.append("never")

    with signals_as_interrupts():
        with pytest.raises(KeyboardInterrupt):
            held()
        with interrupts_wait():
            reached.append("later")
    assert reached == ["inner", "outer", "later"]


FORKING = """
import os, signal, subprocess, sys
from judgemesh.mesh.rollback.interrupts import interrupts_wait, signals_as_interrupts

os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))
try:
    with signals_as_interrupts(), interrupts_wait():
        subprocess.Popen(["true"], preexec_fn=lambda: None).wait()
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_signal_during_a_fork_is_not_lost() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("interrupted\n", "")
