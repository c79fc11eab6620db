"""Exports of real instrumentation packages give the bill of the provider that served them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
BENCHMARK = ROOT / "benchmarks/tracing/exports.py"

COMBINATIONS = (
    "openai+two astream",
    "anthropic+openllmetry sync",
    "agents+judgemesh astream",
    "langchain+judgemesh stream",
    "mcp+judgemesh async",
    "openai+judgemesh two processes",
)
# opentelemetry-instrumentation-openai-v2 does not export cached tokens.
BOUNDED = ("openai+opentelemetry sync",)


@pytest.mark.parametrize("combination", COMBINATIONS + BOUNDED)
def test_the_counted_bill_is_the_provider_s(combination: str) -> None:
    arguments = ["--python", sys.executable, "--only", combination, "--json"]
    run = subprocess.run(
        [sys.executable, str(BENCHMARK), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    (line,) = run.stdout.splitlines()
    row = json.loads(line)
    assert row["calls"] > 0
    assert row["tokens_true"] == row["tokens_counted"]
    assert (row["cost_true"] == row["cost_counted"]) == (combination not in BOUNDED)
    assert row["verdict"] == ("bounded" if combination in BOUNDED else "equal")
