"""Mutation testing of the pure core: how many small changes of a module its own tests notice.

    python benchmarks/reliability/mutation.py [--group NAME ...] [--every N [--first K]] [--survivors]

Each group (aggregate, coverage, votes, intervals, cost) names modules and the tests that are theirs. The tests are
collected once; each mutant (`mutating/mutants.py`) runs in a forked process, until the first test fails, with the same
examples of hypothesis each time. The gate table is in `aggregate`. Survivors that `docs/evidence/fuzzing.md` explains
count as survivors here too.

Prints one JSON line: by group `mutants`, `killed`, `share` and, with `--survivors`, the changes that no test noticed.
Exit code 1 when a group has less than `--least` killed, or its tests fail without a change.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

_TOP: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Group:
    """Modules, below `judgemesh`, and the files of their tests, below `tests`."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


GROUPS: Final = {
    "aggregate": Group(
        ("mesh.grading.aggregate", "mesh.grading.soft_score"),
        ("grading/test_soft_score.py", "grading/test_aggregate.py"),
    ),
    "coverage": Group(
        (
            "mesh.grading.coverage.guards",
            "mesh.grading.coverage.codes",
            "mesh.grading.coverage.places",
            "mesh.grading.coverage.rows",
        ),
        ("grading/test_coverage_rows.py",),
    ),
    "votes": Group(
        ("contracts.voting", "mesh.judging.voting.ballot", "mesh.judging.voting.rules"),
        (
            "judging/test_ballot.py",
            "judging/test_votes.py",
            "judging/test_sequential.py",
            "judging/test_voting.py",
        ),
    ),
    "intervals": Group(
        ("mesh.metrics.intervals", "mesh.metrics.beta"),
        ("metrics/test_interval_tables.py", "metrics/test_intervals.py"),
    ),
    "cost": Group(
        ("contracts.usage", "mesh.grading.costs", "mesh.tracing.bill.cost"),
        (
            "contracts/test_usage.py",
            "grading/test_costs.py",
            "tracing/test_step_cost.py",
        ),
    ),
}
_LIMIT_S: Final = 60.0
_SLOWEST_S: Final = 0.4


def measured(group: Group, every: int, first: int) -> dict[str, Any]:
    """The figures of a group, with its survivors."""
    import pytest
    from reliability.mutating.loop import End, Mutation

    modules = [f"judgemesh.{name}" for name in group.modules]
    plugin = Mutation(
        modules, limit_s=_LIMIT_S, slowest_s=_SLOWEST_S, every=every, first=first
    )
    files = [str(_TOP / "tests" / name) for name in group.tests]
    started = time.monotonic()
    os.environ["HYPOTHESIS_PROFILE"] = "repeatable"
    options = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:xdist"]
    with _silent():
        pytest.main([*options, f"--rootdir={_TOP}", *files], plugins=[plugin])
    survivors = [one for one in plugin.outcomes if one.end is End.SURVIVED]
    count = len(plugin.outcomes)
    return {
        "green": plugin.is_green,
        "tests": plugin.tests,
        "mutants": count,
        "killed": count - len(survivors),
        "share": round(1 - len(survivors) / count, 4) if count else 0.0,
        "seconds": round(time.monotonic() - started),
        "survivors": [one.line() for one in survivors],
    }


@contextmanager
def _silent() -> Generator[None]:
    """What is written to standard output, also by a copy of the descriptor, is dropped."""
    sys.stdout.flush()
    kept, null = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(null)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="Mutation testing of the pure core.")
    parser.add_argument("--group", nargs="+", default=list(GROUPS), choices=GROUPS)
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER")
    parser.add_argument("--least", type=float, default=0.9, metavar="SHARE")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(
            json.dumps(measured(GROUPS[options.group[0]], options.every, options.first))
        )
        return 0
    by_group: dict[str, Any] = {}
    for name in options.group:
        by_group[name] = _apart(name, options.every, options.first)
        figures = by_group[name]
        print(
            f"{name}: {figures['killed']} of {figures['mutants']}"
            f" in {figures['seconds']} s",
            file=sys.stderr,
        )
        if not options.survivors:
            del figures["survivors"]
    print(json.dumps(by_group))
    is_enough = all(
        one["green"] and one["share"] >= options.least for one in by_group.values()
    )
    return 0 if is_enough else 1


def _apart(name: str, every: int, first: int) -> dict[str, Any]:
    """The figures of a group, measured by a process of its own: pytest runs once in a process."""
    command = [sys.executable, __file__, "--alone", "--group", name]
    command += ["--every", str(every), "--first", str(first)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"{name}: {done.stderr[-2000:]}{done.stdout[-2000:]}")
    figures: dict[str, Any] = json.loads(lines[-1])
    return figures


if __name__ == "__main__":
    raise SystemExit(main())
