"""Repeating the command of a finished run: results a second, and what of it is bare reading.

    python benchmarks/speed/resume.py [--results 100000] [--size-bytes 1024] [--min-results-per-s N]

Grades generated results with deterministic checks once, then runs the same command again, which has nothing left to
grade, and compares its CPU time with that of reading every line, parsing it as JSON and digesting it. Prints one JSON
line: `results`, `results_per_s` (start of the command included), `cpu_us_per_result`, `bare_us_per_result`, `ratio`
(medians of the rounds), `graded_again` and `judge_calls` (both 0). Exit code 1 where something was graded again, or
where `--min-results-per-s` or `--max-ratio` is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import jiter
import workload
from speed.command import Measured, measured_grade

_US_PER_S = 1e6


def bare_s(results: Path) -> float:
    """CPU seconds of reading, parsing and digesting every line."""
    started = time.process_time()
    with results.open("rb") as lines:
        for line in lines:
            jiter.from_json(line)
            hashlib.sha256(line).hexdigest()
    return time.process_time() - started


def again(folder: Path, results: Path, contract: Path) -> Measured:
    """The same command on the same ledger."""
    return measured_grade(folder, results, contract)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Repeat a finished run.")
    parser.add_argument("--results", type=int, default=100_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--size-bytes", type=int, default=1_024, metavar="BYTES")
    parser.add_argument("--min-results-per-s", type=float, default=None, metavar="N")
    parser.add_argument("--max-ratio", type=float, default=None, metavar="X")
    arguments = parser.parse_args()
    runs: list[Measured] = []
    bare: list[float] = []
    with tempfile.TemporaryDirectory(prefix="judgemesh_resume_") as scratch:
        folder = Path(scratch)
        results, contract = workload.write(
            folder, arguments.results, arguments.size_bytes
        )
        again(folder, results, contract)
        for _ in range(arguments.rounds):
            runs.append(again(folder, results, contract))
            bare.append(bare_s(results))
    graded = sum(run.summary["attempted"] - run.summary["resumed"] for run in runs)
    calls = sum(run.summary["judge_calls"] for run in runs)
    rate = arguments.results / median(run.wall_s for run in runs)
    ratio = median(run.cpu_s / own for run, own in zip(runs, bare, strict=True))
    per_result = _US_PER_S / arguments.results
    line = {
        "results": arguments.results,
        "results_per_s": round(rate, 1),
        "cpu_us_per_result": round(median(run.cpu_s for run in runs) * per_result, 1),
        "bare_us_per_result": round(median(bare) * per_result, 1),
        "ratio": round(ratio, 2),
        "graded_again": graded,
        "judge_calls": calls,
    }
    print(json.dumps(line))
    too_slow = rate < (arguments.min_results_per_s or 0.0)
    too_dear = arguments.max_ratio is not None and ratio > arguments.max_ratio
    return 1 if graded or calls or too_slow or too_dear else 0


if __name__ == "__main__":
    raise SystemExit(main())
