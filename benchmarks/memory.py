"""Peak memory of `judgemesh grade` for few and for many results: it must not grow with their number.

    python benchmarks/memory.py [--small 1000] [--large 100000] [--size-bytes 4096] [--max-ratio 1.3]

Generates the results, grades them with deterministic validators in a process of its own each, with a ledger and a
report file in a temporary folder, and prints one JSON line: `small`, `large` (numbers of results), `small_mb`,
`large_mb` (peak resident memory), `ratio`, `results_per_s` and `cpu_us_per_result` (of the large run). With
`--max-ratio` the exit code is 1 when the ratio is above it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import workload

_BYTES_PER_MB = 1e6
_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


@dataclass(frozen=True)
class Measured:
    """One graded file. Memory in MB, times in seconds."""

    peak_mb: float
    wall_s: float
    cpu_s: float


def measure(count: int, size_bytes: int) -> Measured:
    """Grade `count` generated results in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="judgemesh_memory_") as scratch:
        folder = Path(scratch)
        results, contract = workload.write(folder, count, size_bytes)
        command = [
            *(_judgemesh(), "grade", str(results), "--contracts", str(contract)),
            *(
                "--ledger",
                f"sqlite:///{folder / 'ledger.db'}",
                "-o",
                str(folder / "reports.jsonl"),
            ),
            *("--no-progress", "--quiet"),
        ]
        started = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - started
        graded = sum(1 for _ in (folder / "reports.jsonl").open("rb"))
    if process.returncode != 0 or graded != count:
        message = f"grading {count} results ended with exit code {process.returncode} and {graded} reports"
        raise SystemExit(message)
    return Measured(
        usage.ru_maxrss * _RSS_UNIT_BYTES / _BYTES_PER_MB,
        wall_s,
        usage.ru_utime + usage.ru_stime,
    )


def _judgemesh() -> str:
    beside = Path(sys.executable).with_name("judgemesh")
    found = str(beside) if beside.is_file() else shutil.which("judgemesh")
    if found is None:
        message = "the command `judgemesh` is not installed; `pip install -e .` at the repository's root installs it"
        raise SystemExit(message)
    return found


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Peak memory of grading few and many results."
    )
    parser.add_argument("--small", type=int, default=1_000, metavar="N")
    parser.add_argument("--large", type=int, default=100_000, metavar="N")
    parser.add_argument(
        "--size-bytes",
        type=int,
        default=4_096,
        metavar="BYTES",
        help="length of one result's line",
    )
    parser.add_argument(
        "--max-ratio", type=float, default=None, help="exit with 1 above this ratio"
    )
    arguments = parser.parse_args()
    small = measure(arguments.small, arguments.size_bytes)
    large = measure(arguments.large, arguments.size_bytes)
    ratio = large.peak_mb / small.peak_mb
    line = {
        "small": arguments.small,
        "large": arguments.large,
        "small_mb": round(small.peak_mb, 1),
        "large_mb": round(large.peak_mb, 1),
        "ratio": round(ratio, 3),
        "results_per_s": round(arguments.large / large.wall_s, 1),
        "cpu_us_per_result": round(large.cpu_s / arguments.large * 1e6, 1),
    }
    print(json.dumps(line))
    return 1 if arguments.max_ratio is not None and ratio > arguments.max_ratio else 0


if __name__ == "__main__":
    raise SystemExit(main())
