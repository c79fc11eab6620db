"""The benchmark scripts run and report what they say they do; the figures themselves belong to whoever runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from judgemesh.contracts.validator import Stage
from judgemesh.mesh.grading.plugins import ValidatorRegistry

ROOT = Path(__file__).resolve().parents[2]


def line_of(script: str, *options: str) -> dict[str, Any]:
    command = [sys.executable, str(ROOT / "benchmarks" / script), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    measured: dict[str, Any] = json.loads(line)
    return measured


def test_memory_does_not_grow_with_the_number_of_results() -> None:
    """2,000 results of 4 KB would take 30 MB and more if they were kept."""
    line = line_of(
        "speed/memory.py",
        *("--small", "100", "--middle", "200", "--large", "2000"),
        *("--size-bytes", "4096"),
    )
    assert line["small"] == 100
    assert line["large"] == 2000
    assert line["ratio"] == pytest.approx(line["large_mb"] / line["small_mb"], abs=0.01)
    assert line["ratio"] < 1.3
    assert line["results_per_s"] > 0


def test_repeating_a_finished_run_grades_nothing() -> None:
    line = line_of("speed/resume.py", "--results", "300", "--rounds", "1")
    assert (line["graded_again"], line["judge_calls"]) == (0, 0)
    assert line["results_per_s"] > 0


def test_the_engine_benchmark_measures_the_same_work_three_ways() -> None:
    line = line_of("speed/deterministic.py", "--results", "200", "--rounds", "3")
    assert line["checks"] == 1000
    for way in ("bare", "memory", "ledger"):
        assert line[f"{way}_us"] > 0
    # Generous bounds: other work on the machine changes the ratios by a third.
    assert 1 < line["memory_ratio"] < 6
    assert line["ledger_ratio"] < 12


def test_the_validator_benchmark_asks_every_deterministic_validator() -> None:
    line = line_of("validators.py", "--results", "30", "--rounds", "1")
    assert line["checks"] == 30 * sum(
        one["checks"] for one in line["by_validator"].values()
    )
    found = ValidatorRegistry.discover().validators.values()
    assert {one.name for one in found if one.stage is Stage.DETERMINISTIC} - set(
        line["by_validator"]
    ) == set()
    assert line["median_us"] > 0
    assert line["mean_us"] > 0


def test_the_structure_keeps_its_bounds_and_is_measured_beside_other_packages() -> None:
    line = line_of("structure.py", "--against", "httpx", "h11", "pluggy", "--list")
    ours = line["judgemesh"]
    assert line["broken_bounds"] == []
    assert (ours["cycles"], ours["upward_arrows"]) == (0, 0)
    assert ours["top_of_mesh"] == 2
    assert ours["hidden_validators"] == 0
    frames = ours["lists"]["question_frames"]
    assert len(frames) == ours["question_frames"] > 3
    assert all(frame.startswith(("mesh.judging", "mesh.grading")) for frame in frames)
    assert ours["question_record_types"] > 3
    for peer in ("httpx", "h11", "pluggy"):
        assert line[peer]["modules"] > 5
        assert 4 < line[peer]["tokens_per_line"] < 9


def test_an_unknown_package_is_one_clear_line() -> None:
    command = [
        sys.executable,
        str(ROOT / "benchmarks" / "structure.py"),
        "--against",
        "no_such_package",
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "--against no_such_package: no package of that name is installed; `pip install` it first"
    ]
