"""Deterministic grading in one process and by several workers: how much faster, and what it costs.

    python benchmarks/speed/cluster.py [--results 4000] [--rounds 5] [--workers 2 4] [--cluster local:2]

Every round grades the same generated results of 1 KB with `judgemesh grade` into a fresh ledger: in one process, by
each number of workers, and with `--cluster` on a Dask cluster too. The start of the command is measured by a run over
100 results, and taken off. Prints one JSON line: for each way `speedup` (wall time of one process to its own, median
of the rounds), `cpu_ratio` (CPU time of all its processes to that of one process) and `start_s`. With `--min-speedup`
the exit code is 1 where the first number of workers is slower than that.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import workload
from speed.command import Measured, measured_grade

_FEW = 100
_ONE = "workers_1"


@dataclass(frozen=True)
class Cost:
    """Seconds of grading, without the start, which `start_s` is."""

    wall_s: float
    cpu_s: float
    start_s: float


def cost(folder: Path, count: int, size_bytes: int, options: Sequence[str]) -> Cost:
    """Grade few results and many, each into a fresh ledger; the difference is the grading."""
    measured: list[Measured] = []
    for number in (_FEW, count):
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            results, contract = workload.write(Path(scratch), number, size_bytes)
            run = measured_grade(Path(scratch), results, contract, *options)
        if run.summary["passed"] != number:
            message = f"{options}: {run.summary['passed']} of {number} results passed"
            raise SystemExit(message)
        measured.append(run)
    few, many = measured
    wall_s, cpu_s = many.wall_s - few.wall_s, many.cpu_s - few.cpu_s
    return Cost(wall_s, cpu_s, few.wall_s)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="One process and several workers.")
    parser.add_argument("--results", type=int, default=4_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--size-bytes", type=int, default=1_024, metavar="BYTES")
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4], metavar="N")
    parser.add_argument("--cluster", default=None, metavar="ADDRESS")
    parser.add_argument("--min-speedup", type=float, default=None, metavar="X")
    arguments = parser.parse_args()
    ways: dict[str, Sequence[str]] = {
        f"workers_{number}": ("--workers", str(number))
        for number in (1, *arguments.workers)
    }
    if arguments.cluster is not None:
        ways["cluster"] = ("--cluster", arguments.cluster)
    rounds: list[dict[str, Cost]] = []
    with tempfile.TemporaryDirectory(prefix="judgemesh_cluster_") as scratch:
        for _ in range(arguments.rounds):
            rounds.append(
                {
                    way: cost(
                        Path(scratch), arguments.results, arguments.size_bytes, options
                    )
                    for way, options in ways.items()
                }
            )
    line: dict[str, object] = {
        "results": arguments.results,
        "rounds": arguments.rounds,
        "cpu_us_per_result": round(
            median(costs[_ONE].cpu_s for costs in rounds)
            / (arguments.results - _FEW)
            * 1e6,
            1,
        ),
    }
    speedups: dict[str, float] = {}
    for way in ways:
        speedups[way] = median(
            costs[_ONE].wall_s / costs[way].wall_s for costs in rounds
        )
        ratio = median(costs[way].cpu_s / costs[_ONE].cpu_s for costs in rounds)
        line[way] = {
            "speedup": round(speedups[way], 2),
            "cpu_ratio": round(ratio, 2),
            "start_s": round(median(costs[way].start_s for costs in rounds), 2),
        }
    print(json.dumps(line))
    bound = arguments.min_speedup
    too_slow = bound is not None and speedups[f"workers_{arguments.workers[0]}"] < bound
    return 1 if too_slow else 0


if __name__ == "__main__":
    raise SystemExit(main())
