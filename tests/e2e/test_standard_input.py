"""Results by standard input: graded as they come, and Ctrl-C while there are none."""

from __future__ import annotations

import json
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("judgemesh")
WAIT_S = 60.0


@pytest.fixture
def grading(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """`judgemesh grade -`, whose standard input stays open."""
    (tmp_path / "contracts.yaml").write_text(
        "task_id: t\nsop: {forbidden_tools: [pay]}\n"
    )
    process = subprocess.Popen(
        [str(COMMAND), "grade", "-", "-c", "contracts.yaml", "--ledger", "l.db", "--json"],
        cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    yield process
    process.kill()
    process.communicate()


def send(process: subprocess.Popen[str], text: str) -> None:
    assert process.stdin is not None
    process.stdin.write(text)
    process.stdin.flush()


def line(result_id: str) -> str:
    row: dict[str, object] = {
        "result_id": result_id,
        "task_id": "t",
        "output": "It is done.",
        "trace": [],
    }
    return json.dumps(row) + "\n"


def wait_for_rows(process: subprocess.Popen[str], ledger: Path, count: int) -> None:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        assert process.poll() is None
        try:
            address = f"file:{ledger}?mode=ro"
            with closing(sqlite3.connect(address, uri=True)) as database:
                query = "SELECT count(*) FROM eval_task_result"
                if database.execute(query).fetchone()[0] == count:
                    return
        except sqlite3.Error:
            pass
        time.sleep(0.02)
    raise AssertionError(f"no {count} results within {WAIT_S:g} s")


def test_results_are_graded_as_they_come(
    grading: subprocess.Popen[str], tmp_path: Path
) -> None:
    ledger = tmp_path / "l.db"
    send(grading, line("a"))
    wait_for_rows(grading, ledger, 1)
    both = line("b") + line("c")
    send(grading, both[:100])  # the second line is not whole yet
    wait_for_rows(grading, ledger, 2)
    send(grading, both[100:])
    wait_for_rows(grading, ledger, 3)
    send(grading, line("d").rstrip("\n"))
    stdout, stderr = grading.communicate(timeout=WAIT_S)
    assert grading.returncode == 0, stderr
    assert json.loads(stdout)["passed"] == 4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_that_waits_for_results(
    grading: subprocess.Popen[str], tmp_path: Path, number: signal.Signals
) -> None:
    send(grading, line("a"))
    wait_for_rows(grading, tmp_path / "l.db", 1)
    grading.send_signal(number)
    # `communicate` would close standard input.
    assert grading.wait(WAIT_S) == 130
    assert grading.stdout is not None
    assert json.loads(grading.stdout.read())["passed"] == 1


def test_a_standard_input_that_is_closed_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "contracts.yaml").write_text(
        "task_id: t\nsop: {forbidden_tools: [pay]}\n"
    )
    command = f"exec {shlex.quote(str(COMMAND))} grade - -c contracts.yaml -q <&-"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "error: <stdin>: is closed: pipe results into it\n"
