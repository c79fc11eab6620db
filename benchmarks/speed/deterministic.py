"""CPU time of a deterministic check, against a bare loop in the same process.

    python benchmarks/speed/deterministic.py [--results 2000] [--rounds 5] [--peer pydantic_evals --peer-python PATH]

Ways over the same JSONL text of 4 KB results with five required fields each, interleaved, every round on a fresh
ledger:

* `bare`: read the line into the result type, five RE2 searches, five rows into SQLite, a commit every 100 results;
* `memory`: `Mesh.grade_many` without a ledger;
* `ledger`: `Mesh.grade_many` with a SQLite ledger;
* a peer (with `--peer`): the script `peers/NAME_checks.py`, run by the interpreter that has the peer installed.

Prints one JSON line: medians over the rounds of CPU microseconds a check (`bare_us`, `memory_us`, `ledger_us`), the
ratios to the bare loop of the same round, `results_per_s` by the wall clock, and the ratio of `memory` to the peer. All
threads' CPU time is counted.
A check is one required field; the mesh makes one more (whether the run ended well) that the bare loop does not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import re2
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.results import AgentResult
from judgemesh.contracts.verdicts import Metric
from judgemesh.mesh import Mesh

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import workload

_COMMIT_EVERY = 100
_US_PER_S = 1e6
_PEERS = Path(__file__).parent / "peers"


def bare(lines: list[str], database: Path) -> int:
    """The checks by hand; returns how many passed."""
    patterns = [
        re2.compile(spec["pattern"]) for spec in workload.CONTRACT["fields"].values()
    ]
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(
        "CREATE TABLE verdict (result_id TEXT, name TEXT, passed INTEGER, evidence TEXT)"
    )
    passed = 0
    rows: list[tuple[str, str, bool, str]] = []
    for number, line in enumerate(lines, start=1):
        result = AgentResult.model_validate_json(line)
        for name, pattern in zip(workload.CONTRACT["fields"], patterns, strict=True):
            found = pattern.search(result.output.final_answer or "")
            passed += found is not None
            rows.append(
                (
                    result.result_id,
                    name,
                    found is not None,
                    found.group(0) if found else "",
                )
            )
        if number % _COMMIT_EVERY == 0 or number == len(lines):
            connection.executemany("INSERT INTO verdict VALUES (?, ?, ?, ?)", rows)
            connection.commit()
            rows.clear()
    connection.close()
    return passed


async def mesh(lines: list[str], ledger: Path | None) -> int:
    """The same through the public API; returns how many checks passed (a verdict's weight is its number of fields)."""
    contract = EvalContract.model_validate(workload.CONTRACT)
    results = (AgentResult.model_validate_json(line) for line in lines)
    passed = 0
    async with Mesh.from_config(contracts=[contract], ledger=ledger) as grader:
        async for report in grader.grade_many(results):
            passed += sum(
                round(row.verdict.weight)
                for row in report.verdicts
                if row.verdict.kind == "pass"
                and row.verdict.metric == Metric.COMPLETENESS
            )
    return passed


def timed(work: Callable[[], int], expected: int) -> tuple[float, float]:
    """CPU and wall seconds of `work`, which must find `expected` passed checks."""
    cpu, wall = time.process_time(), time.perf_counter()
    passed = work()
    spent = time.process_time() - cpu, time.perf_counter() - wall
    if passed != expected:
        message = f"expected {expected} passed checks, got {passed}: the ways do not do the same work"
        raise SystemExit(message)
    return spent


def peer(script: Path, python: str, lines: list[str]) -> tuple[float, float]:
    """CPU and wall seconds of a peer in a process of its own, its start not counted."""
    fields = workload.CONTRACT["fields"]
    patterns = {name: spec["pattern"] for name, spec in fields.items()}
    done = subprocess.run(
        [python, str(script)],
        input=json.dumps({"patterns": patterns, "lines": lines}),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{script.name}: {done.stderr.strip() or done.stdout}")
    found = json.loads(done.stdout.splitlines()[-1])
    if found["passed"] != len(lines) * workload.CHECKS:
        raise SystemExit(f"{script.name}: {found['passed']} checks passed")
    return found["cpu_s"], found["wall_s"]


def one_round(lines: list[str], folder: Path) -> dict[str, tuple[float, float]]:
    """Each way once."""
    checks = len(lines) * workload.CHECKS
    return {
        "bare": timed(lambda: bare(lines, folder / "bare.db"), checks),
        "memory": timed(lambda: asyncio.run(mesh(lines, None)), checks),
        "ledger": timed(lambda: asyncio.run(mesh(lines, folder / "ledger.db")), checks),
    }


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="CPU microseconds a deterministic check, against a bare loop."
    )
    parser.add_argument("--results", type=int, default=2_000, metavar="N")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument(
        "--size-bytes",
        type=int,
        default=4_096,
        metavar="BYTES",
        help="length of one result's line",
    )
    peers = sorted(
        path.stem.removesuffix("_checks") for path in _PEERS.glob("*_checks.py")
    )
    parser.add_argument("--peer", choices=peers, help="another library, same work")
    parser.add_argument(
        "--peer-python",
        default=sys.executable,
        metavar="PATH",
        help="the interpreter of an environment that has the peer",
    )
    arguments = parser.parse_args()
    warm_up = list(workload.lines(10, arguments.size_bytes))
    lines = list(workload.lines(arguments.results, arguments.size_bytes))
    rounds: list[dict[str, tuple[float, float]]] = []
    with tempfile.TemporaryDirectory(prefix="judgemesh_engine_") as scratch:
        for number in range(arguments.rounds + 1):
            folder = Path(scratch) / str(number)
            folder.mkdir()
            used = lines if number else warm_up
            measured = one_round(used, folder)
            if arguments.peer:
                script = _PEERS / f"{arguments.peer}_checks.py"
                measured["peer"] = peer(script, arguments.peer_python, used)
            if number:
                rounds.append(measured)
    checks = arguments.results * workload.CHECKS
    line: dict[str, float] = {
        "results": arguments.results,
        "checks": checks,
        "rounds": arguments.rounds,
    }
    for way in ("bare", "memory", "ledger"):
        line[f"{way}_us"] = round(
            median(one[way][0] for one in rounds) / checks * _US_PER_S, 2
        )
    for way in ("memory", "ledger"):
        line[f"{way}_ratio"] = round(
            median(one[way][0] / one["bare"][0] for one in rounds), 2
        )
        line[f"{way}_results_per_s"] = round(
            arguments.results / median(one[way][1] for one in rounds), 1
        )
    if arguments.peer:
        peer_us = median(one["peer"][0] for one in rounds) / checks * _US_PER_S
        line[f"{arguments.peer}_us"] = round(peer_us, 2)
        line[f"memory_x_{arguments.peer}"] = round(
            median(one["memory"][0] / one["peer"][0] for one in rounds), 2
        )
    print(json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
