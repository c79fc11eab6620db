"""The trust benchmark: no case comes out wrong, in any other form that means the same either."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def line_of(*options: str) -> dict[str, Any]:
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "accuracy" / "trust.py"),
        *options,
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    line: dict[str, Any] = json.loads(done.stdout)
    return line


@pytest.mark.parametrize("judge", ["none", "agreeable", "adversarial"])
def test_no_case_comes_out_wrong(judge: str) -> None:
    line = line_of("--judge", judge)
    assert line["cases"] >= 2 * line["honest"] * 0.8
    assert (line["false_passes"], line["false_fails"], line["unexpected"]) == (0, 0, 0)


def test_no_other_form_of_a_dishonest_case_passes() -> None:
    line = line_of("--rewritten")
    assert line["false_passes"] == 0
    assert line["cases"] > 5 * len(line["families"])


def test_a_wrong_case_is_counted_and_named(tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text(
        "family: wrong\ncases:\n"
        "  - {id: passes, honest: false, contract: {criteria: [], success_criteria: "
        "{required_outputs: [final_answer]}}, result: {output: The pump was replaced.}}\n"
    )
    command = [sys.executable, str(ROOT / "benchmarks" / "accuracy" / "trust.py")]
    done = subprocess.run(
        [*command, "--cases", str(tmp_path), "--list"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["false_passes"] == 1
    assert "false_pass: wrong/passes: pass" in done.stderr
