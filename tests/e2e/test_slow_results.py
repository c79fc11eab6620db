"""A run over results that take long to read still ends at Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from .command import start

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from reliability.slow_shapes import catalogue_text, contract_of, result_of

WITHIN_S = 3.0


@pytest.mark.parametrize("shell", [":", "trap '' INT"])
def test_an_interrupt_ends_a_run_over_slow_results(tmp_path: Path, shell: str) -> None:
    """Twenty results, each of several seconds of CPU."""
    slow = [
        ("final_answer", "identifiers"),
        ("final_answer", "key lines"),
        ("arguments and results", "base64"),
        ("claims", "claims"),
    ]
    with (tmp_path / "results.jsonl").open("w") as file:
        for number in range(20):
            result = result_of(*slow[number % len(slow)], 150_000)
            file.write(json.dumps({**result, "result_id": f"r{number}"}) + "\n")
    catalogue = tmp_path / "catalogue.jsonl"
    catalogue.write_text(catalogue_text())
    contract = contract_of(str(catalogue))
    (tmp_path / "contract.yaml").write_text(json.dumps(contract))
    ledger = tmp_path / "ledger.db"
    process = start(
        *("grade", "results.jsonl", "--contracts", "contract.yaml"),
        *("--ledger", ledger, "--no-preflight"),
        cwd=tmp_path,
        shell=shell,
    )
    while not ledger.exists() and process.poll() is None:
        time.sleep(0.05)
    time.sleep(1.5)
    assert process.poll() is None, process.communicate()
    os.kill(process.pid, signal.SIGINT)
    interrupted_at = time.monotonic()
    _, stderr = process.communicate(timeout=60)
    assert time.monotonic() - interrupted_at < WITHIN_S
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
