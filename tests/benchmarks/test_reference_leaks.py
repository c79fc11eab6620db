"""The leak test of the reference set finds a planted leak, and none in the metadata of the set."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SET = ROOT / "examples" / "reference_set"


def measured(folder: Path) -> dict[str, Any]:
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "accuracy" / "reference_leaks.py"),
        *("--data", str(folder), "--seeds", "1", "--trees", "40"),
        *("--only", "all metadata"),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=120
    )
    groups: dict[str, dict[str, Any]] = json.loads(done.stdout)["groups"]
    return groups["all metadata"]


def test_metadata_of_the_set_say_nothing_of_the_class() -> None:
    found = measured(SET)

    assert found["low"] <= 0
    assert found["auc_low"] <= 0.5


def test_a_version_that_gives_the_class_away_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(SET, folder)
    for file in folder.glob("*/results.jsonl"):
        labels = {
            row["result_id"]: row["outcome_class"]
            for row in map(json.loads, _lines(file.with_name("labels.jsonl")))
        }
        rows = list(map(json.loads, _lines(file)))
        for number, row in enumerate(rows):
            good = labels[row["result_id"]] == "complete"
            # One run in six has the other version, as where versions only tend to give the class away.
            row["agent_version"] = "2" if good != (number % 6 == 0) else "1"
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")

    assert measured(folder)["auc_low"] > 0.6


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()
