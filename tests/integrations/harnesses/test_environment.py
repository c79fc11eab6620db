"""The environment itself: judgemesh works beside the packages that it shares the environment with."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.executable).parent
DESK = ROOT / "examples/support_desk"


def test_the_command_grades_with_the_library_versions_of_this_environment(
    tmp_path: Path,
) -> None:
    run = subprocess.run(
        [
            BIN / "judgemesh",
            "grade",
            DESK / "results.jsonl",
            *("--contracts", DESK / "contracts.yaml"),
            *("--judge", f"replay:{DESK / 'judge.jsonl'}"),
            *("--ledger", tmp_path / "ledger.db"),
            *("-o", tmp_path / "reports.jsonl"),
            *("--fail-under", "0"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    lines = (tmp_path / "reports.jsonl").read_text(encoding="utf-8").splitlines()
    gates = sorted(json.loads(line)["gate"] for line in lines)
    assert gates == ["fail"] * 9 + ["pass"] * 6 + ["undecided"]
