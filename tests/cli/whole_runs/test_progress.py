"""What a run shows while it goes, on a real terminal and elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from judgemesh.contracts.money import Money
from judgemesh.mesh.cli.progress import (
    ProgressDisplay,
    gates_line,
    rate_line,
    shows_bar,
)
from judgemesh.mesh.runs.progress import RunProgress

if TYPE_CHECKING:
    from ..conftest import Cli

AT_WORK = RunProgress(
    done=60,
    total=100,
    passed=40,
    failed=8,
    undecided=2,
    rejected=0,
    resumed=10,
    cost=Money(Decimal("0.0123")),
    cost_avoided=None,
    elapsed_s=10.0,
)


def test_lines() -> None:
    assert (
        gates_line(AT_WORK) == "[green]40 pass[/] [red]8 fail[/] [yellow]2 undecided[/]"
    )
    assert gates_line(replace(AT_WORK, rejected=1)).endswith(" [red]1 rejected[/]")


@pytest.mark.parametrize(
    ("progress", "line"),
    [
        (AT_WORK, "5.0/s · 0.0123 USD · 8.0 s left"),
        (replace(AT_WORK, total=None), "5.0/s · 0.0123 USD"),
        (replace(AT_WORK, cost=None), "5.0/s · cost unknown · 8.0 s left"),
        (replace(AT_WORK, cost=Money(Decimal(0)), elapsed_s=0.1), "500/s · 0.1 s left"),
        (replace(AT_WORK, resumed=60, cost=None), "0.0/s"),
        (replace(AT_WORK, elapsed_s=0.0), "0.0/s · 0.0123 USD"),
        (replace(AT_WORK, done=120), "11/s · 0.0123 USD · 0.0 s left"),
    ],
)
def test_rate(progress: RunProgress, line: str) -> None:
    assert rate_line(progress) == line


def test_problems_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    display = ProgressDisplay(shows_bar=False)
    for number in range(13):
        display(replace(AT_WORK, problem=f"in.jsonl:{number}: \x1b[31mbad\nline"))
    display.close()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "rejected: in.jsonl:0: \\x1b[31mbad line"
    assert lines[10:] == ["and 3 more rejected lines"]


def on_a_terminal(cli: Cli, *arguments: str, **env: str) -> str:
    """What a terminal on stderr receives."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [cli.command, *arguments],
        cwd=cli.folder,
        env={**cli.env, "TERM": "xterm", **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    received = bytearray()
    try:
        while chunk := os.read(ours, 65_536):
            received += chunk
    except OSError:  # Linux says so when the other end is closed
        pass
    finally:
        os.close(ours)
    assert process.wait(timeout=60) == 0
    return received.decode()


def test_bar_on_a_terminal(slow_cli: Cli) -> None:
    command = (
        "grade",
        "results.jsonl",
        "-c",
        "contracts.yaml",
        "--validator",
        "slow",
        "-j",
        "1",
        "--limit",
        "80",
    )
    shown = on_a_terminal(slow_cli, *command)
    assert "/80" in shown
    assert "pass" in shown
    assert "left" in shown
    assert "[32m" not in shown, "NO_COLOR is set"
    assert shown.endswith("exit 0: all 80 gates passed\r\n")


def test_the_bar_does_not_wait_for_the_first_result(slow_cli: Cli) -> None:
    slow = 'import asyncio\n\nasync def slow(case):\n    """Takes its time."""\n    await asyncio.sleep(3)\n    return True\n'
    (slow_cli.folder / "site/slow_check.py").write_text(slow)
    command = ("grade", "results.jsonl", "-c", "contracts.yaml", "--validator", "slow")
    shown = on_a_terminal(slow_cli, *command, "--limit", "1")
    assert "no result yet" in shown
    assert shown.endswith("exit 0: 1 gate passed\r\n")


def test_writing_on_a_terminal(slow_cli: Cli) -> None:
    graded = ("grade", "results.jsonl", "-c", "contracts.yaml", "--limit", "80")
    on_a_terminal(slow_cli, *graded, "--no-progress")
    shown = on_a_terminal(slow_cli, "report", "-o", "r.csv")
    assert "writing r.csv: read " in shown


@pytest.mark.parametrize(
    ("no_progress", "quiet", "env", "wanted"),
    [
        (False, False, {}, True),
        (True, False, {}, False),
        (False, True, {}, False),
        (False, False, {"CI": "true"}, False),
        (False, False, {"TERM": "dumb"}, False),
        (False, False, {"NO_COLOR": "1"}, True),
    ],
)
def test_when_a_bar_is_wanted(
    no_progress: bool,
    quiet: bool,
    env: dict[str, str],
    wanted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("CI", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        assert shows_bar(no_progress=no_progress, quiet=quiet) is wanted
    with Path(os.devnull).open("w") as nowhere:
        monkeypatch.setattr(sys, "stderr", nowhere)
        assert shows_bar(no_progress=no_progress, quiet=quiet) is False
