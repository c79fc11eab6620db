"""Short forms of the statistics benchmarks: the same code and checks with fewer draws, and bars as wide as these need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "statistics"


def quick(script: str) -> dict[str, Any]:
    command = [sys.executable, str(FOLDER / script), "--quick"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=240
    )
    assert done.returncode == 0, done.stderr or done.stdout
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert found["ok"] is True
    return found


def test_coverage() -> None:
    found = quick("coverage.py")
    assert len(found["scenarios"]) == 12
    ceiling = [
        row
        for row in found["scenarios"]
        if row["scenario"] == "ceiling .992" and row["n"] == 30
    ]
    assert ceiling[0]["percentile"] < 0.5 < ceiling[0]["anchored"]
    assert (found["bounds"]["missed"], found["seeds"]["same_bytes"]) == (0, True)
    assert found["bca_scipy"] < 0.01


def test_comparison() -> None:
    found = quick("comparison.py")
    assert all(row["as_independent"] < row["by_task"] for row in found["repeats"])
    assert found["power"][0]["minimum_detectable"] == 0.129
    twelve = found["classes"][0]
    assert twelve["corrected"] < 0.1
    assert twelve["raw"] > 0.4
    assert found["mcnemar"][0]["worst"] <= 0.055


def test_correction() -> None:
    found = quick("correction.py")
    assert all(row["refused_when_told"] == 1.0 for row in found["shift"])
    assert all(
        row["untold"] <= 0.15 for row in found["shift"] if row["run_truth"] < 0.7
    )
    assert all(
        row["width_ratio"] <= 0.85
        for row in found["post_stratified"]
        if row["sp"] == 0.70
    )
