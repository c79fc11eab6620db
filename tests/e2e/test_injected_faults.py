"""The command with a fault in its process: `python -m judgemesh.mesh.testing.faults FAULT -- COMMAND`."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "judgemesh.mesh.testing.faults"]
CHECK = ["--", "contract", "check", "contract.yaml"]


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "contract.yaml").write_text("task_id: t\nvalidators: [completion]\n")
    return tmp_path


def test_the_command_runs_with_the_fault_and_counts_its_moments(folder: Path) -> None:
    done = _run(folder, "--count", str(folder / "count"), "open:io_error@1", *CHECK)

    assert done.returncode == 2, done.stderr
    assert "Input/output error" in done.stderr
    assert json.loads((folder / "count").read_text()) == {"moments": 1, "struck": 1}


def test_a_kill_ends_the_command_at_once(folder: Path) -> None:
    assert _run(folder, "open:kill@1", *CHECK).returncode == -signal.SIGKILL


def test_an_unknown_fault_is_one_line(folder: Path) -> None:
    done = _run(folder, "open:fire@1", *CHECK)

    assert done.returncode == 2
    assert "no kind 'fire' at open; there are: io_error" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cancelled_command_is_no_failed_gate(folder: Path) -> None:
    (folder / "results.jsonl").write_text('{"result_id": "a", "task_id": "t"}\n')
    grade = ["--", "grade", "results.jsonl", "-c", "contract.yaml", "--ledger", "l.db"]

    done = _run(folder, "await:cancel@5", *grade)

    assert done.returncode == 70, done.stderr
    assert "internal error: CancelledError" in done.stderr
    assert "Traceback" not in done.stderr
