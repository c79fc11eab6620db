"""Short forms of the reliability benchmarks; their limits of time are wide, because the machine does other work."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from .test_benchmarks import ROOT, line_of


def last_line_of(script: str, *options: str) -> dict[str, Any]:
    """The JSON line after the lines of the cases."""
    command = [sys.executable, str(ROOT / "benchmarks/reliability" / script), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    line: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return line


def test_runs_and_long_words_are_read_in_little_time() -> None:
    line = line_of(
        "reliability/slow_texts.py",
        *("--places", "final_answer", "claims", "arguments and results"),
        *("--shapes", "mixed blanks", "letter", "digit"),
        *("--sizes", "10000", "--bar-s", "2", "--limit", "10"),
    )
    assert line["cases"] == 9
    assert line["findings"] == []


@pytest.mark.skipif(sys.platform != "linux", reason="processes that are forked")
def test_no_pattern_grows_with_the_square_of_a_text() -> None:
    line = last_line_of("slow_patterns.py", "--static")
    assert line["patterns"] > 1_000
    assert line["findings"] == []


@pytest.mark.skipif(sys.platform != "linux", reason="limits and processes of Linux")
def test_no_fault_breaks_a_promise() -> None:
    line = last_line_of("faults.py", "--short", "--no-server")
    assert line["cases"] >= 10
    assert line["violations"] == 0
    assert all(not each["violations"] for each in line["promises"].values())


@pytest.mark.skipif(sys.platform != "linux", reason="limits and processes of Linux")
def test_misbehaving_plugins_and_files_end_in_time() -> None:
    line = last_line_of("misbehaviour.py", "--short", "--load", "15")
    assert line["cases"] == 6
    assert line["violations"] == 0


@pytest.mark.skipif(sys.platform != "linux", reason="limits and processes of Linux")
def test_ctrl_c_ends_every_phase() -> None:
    line = last_line_of("interrupts.py", "--short", "--results", "300", "--load", "10")
    assert line["phases"] == 4
    assert line["violations"] == 0
