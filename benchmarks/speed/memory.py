"""Peak memory and cost of `judgemesh grade` over few and many results: neither may grow with their number.

    python benchmarks/speed/memory.py [--small 1000] [--middle 10000] [--large 1000000] [--size-bytes 1024]

Generates the results, grades them with deterministic validators in a process of its own each, with a ledger and a
report file in a temporary folder, and prints one JSON line: `small`, `middle`, `large` (how many results), `small_mb`,
`large_mb` (peak resident memory), `ratio` of the two, `cost_ratio` (CPU time of one result of the large run to one of
the middle run, each without the start of the command, which is measured by the small run), `results_per_s` and
`cpu_us_per_result` (of the large run). With `--max-ratio` or `--max-cost-ratio` the exit code is 1 above it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import workload
from speed.command import Measured, measured_grade


def measure(count: int, size_bytes: int) -> Measured:
    """Grade `count` generated results in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="judgemesh_memory_") as scratch:
        folder = Path(scratch)
        results, contract = workload.write(folder, count, size_bytes)
        reports = folder / "reports.jsonl"
        measured = measured_grade(folder, results, contract, "-o", str(reports))
        with reports.open("rb") as lines:
            written = sum(1 for _ in lines)
    graded = measured.summary["passed"]
    if written != count or graded != count:
        message = f"of {count} results {graded} passed, and {written} have a report"
        raise SystemExit(message)
    return measured


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Peak memory and cost of grading few and many results."
    )
    parser.add_argument("--small", type=int, default=1_000, metavar="N")
    parser.add_argument("--middle", type=int, default=10_000, metavar="N")
    parser.add_argument("--large", type=int, default=1_000_000, metavar="N")
    parser.add_argument(
        "--size-bytes",
        type=int,
        default=1_024,
        metavar="BYTES",
        help="length of one result's line",
    )
    parser.add_argument("--max-ratio", type=float, default=None, metavar="X")
    parser.add_argument("--max-cost-ratio", type=float, default=None, metavar="X")
    arguments = parser.parse_args()
    counts = (arguments.small, arguments.middle, arguments.large)
    small, middle, large = (measure(count, arguments.size_bytes) for count in counts)
    ratio = large.peak_mb / small.peak_mb
    each = (large.cpu_s - small.cpu_s) / (arguments.large - arguments.small)
    middle_each = (middle.cpu_s - small.cpu_s) / (arguments.middle - arguments.small)
    line = {
        "small": arguments.small,
        "middle": arguments.middle,
        "large": arguments.large,
        "small_mb": round(small.peak_mb, 1),
        "large_mb": round(large.peak_mb, 1),
        "ratio": round(ratio, 3),
        "cost_ratio": round(each / middle_each, 3),
        "results_per_s": round(arguments.large / large.wall_s, 1),
        "cpu_us_per_result": round(large.cpu_s / arguments.large * 1e6, 1),
    }
    print(json.dumps(line))
    too_large = arguments.max_ratio is not None and ratio > arguments.max_ratio
    bound = arguments.max_cost_ratio
    too_dear = bound is not None and each / middle_each > bound
    return 1 if too_large or too_dear else 0


if __name__ == "__main__":
    raise SystemExit(main())
