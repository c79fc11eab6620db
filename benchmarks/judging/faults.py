"""A provider that breaks one call in ten, in every way it can: does the run finish, and is every fault called a fault?

    python benchmarks/judging/faults.py [--results 1000] [--criteria 5] [--fault-rate 0.1] [--gateway http|litellm]
        [--batch-criteria 1]

The simulated judge is never wrong and the truth of each criterion is known, so a pass or fail that is not the truth can
only come from a fault. Prints one JSON line: `wrong` (must be 0), `lost` (verdicts that are no grade, by reason),
`attempts` in the ledger against `requests` the server counted (must be equal), `cost` in the ledger against the
server's own `bill` (equal to 1e-9), and seconds. The exit code is 1 when one of these does not hold.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, bill, contract, provider, result, truth

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import Report
from judgemesh.contracts.verdicts import Abstain, Error, Fail, Pass
from judgemesh.mesh import Mesh

_SAME_MONEY = 1e-9


def judged(report: Report, criteria: int, found: Counter[str]) -> int:
    """Count the verdicts of a report by kind; returns how many are a wrong grade."""
    wrong = 0
    seen = 0
    for row in report.verdicts:
        if row.validator_name != "criteria":
            continue
        seen += 1
        match row.verdict:
            case Pass() | Fail():
                expected = truth(int(row.verdict.check.removeprefix("criterion:c")))
                found[
                    "right"
                    if isinstance(row.verdict, Pass) == (expected == "yes")
                    else "wrong"
                ] += 1
                wrong += isinstance(row.verdict, Pass) != (expected == "yes")
            case Abstain() | Error():
                found[f"{row.verdict.kind}: {row.verdict.reason}"] += 1
            case _:
                found[row.verdict.kind] += 1
    return wrong + abs(criteria - seen)


async def grade(
    arguments: argparse.Namespace, base_url: str, ledger: Path
) -> tuple[Counter[str], int]:
    """Grade everything; verdicts by kind, and how many of them are wrong or missing."""
    spec = (
        f"openai-compatible:{MODEL}"
        if arguments.gateway == "http"
        else f"openai/{MODEL}"
    )
    found: Counter[str] = Counter()
    wrong = 0
    async with (
        Mesh.from_config(
            contracts=[EvalContract.model_validate(contract(arguments.criteria))],
            judge=spec,
            judge_api_base=base_url,
            ledger=ledger,
            judge_timeout_s=30.0,  # far above what a busy machine takes: an answer that was billed must not go unread
            judge_concurrency=64,
            max_retries=4,
            batch_criteria=arguments.batch_criteria,
        ) as mesh
    ):
        async for report in mesh.grade_many(
            result(number, 600) for number in range(arguments.results)
        ):
            wrong += judged(report, arguments.criteria, found)
    return found, wrong


def recorded(ledger: Path) -> tuple[int, float, int, int]:
    """Attempts in the ledger, what they cost, how many are of unknown cost, how many failed."""
    query = (
        "SELECT count(*), coalesce(sum(cost), 0), sum(cost IS NULL), sum(status = 'error') "
        "FROM judge_call WHERE NOT cache_hit"
    )
    with closing(sqlite3.connect(ledger)) as connection:
        attempts, cost, unknown, failed = connection.execute(query).fetchone()
    return int(attempts), float(cost), int(unknown or 0), int(failed or 0)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="A provider that breaks one call in ten."
    )
    parser.add_argument("--results", type=int, default=1000, metavar="N")
    parser.add_argument("--criteria", type=int, default=5, metavar="N")
    parser.add_argument("--fault-rate", type=float, default=0.1, metavar="SHARE")
    parser.add_argument("--gateway", choices=("http", "litellm"), default="http")
    parser.add_argument(
        "--batch-criteria",
        type=int,
        default=1,
        metavar="N",
        help="criteria of one call",
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    options = [
        "--fault-rate",
        str(arguments.fault_rate),
        "--seed",
        str(arguments.seed),
        "--latency-ms",
        "5",
    ]
    options += ["--hang-s", "1", "--retry-after-s", "0.05"]
    with (
        tempfile.TemporaryDirectory(prefix="judgemesh_faults_") as scratch,
        provider(*options) as base_url,
    ):
        ledger = Path(scratch) / "ledger.db"
        started = time.perf_counter()
        found, wrong = asyncio.run(grade(arguments, base_url, ledger))
        elapsed = time.perf_counter() - started
        billed = bill(base_url)
        attempts, cost, unknown, failed = recorded(ledger)
    verdicts = arguments.results * arguments.criteria
    lost: dict[str, Any] = {
        name: count
        for name, count in sorted(found.items())
        if name not in ("right", "wrong")
    }
    difference = abs(cost - billed["cost"])
    line = {
        "results": arguments.results,
        "criteria": arguments.criteria,
        "verdicts": verdicts,
        "right": found["right"],
        "wrong": wrong,
        "lost": lost,
        "attempts": attempts,
        "requests": billed["requests"],
        "faults": billed["faults"],
        "failed_attempts": failed,
        "cost": round(cost, 9),
        "bill": round(billed["cost"], 9),
        "cost_difference": difference,
        "cost_unknown": unknown,
        "elapsed_s": round(elapsed, 1),
    }
    print(json.dumps(line))
    holds = wrong == 0 and attempts == billed["requests"] and difference <= _SAME_MONEY
    return 0 if holds and sum(found.values()) == verdicts else 1


if __name__ == "__main__":
    raise SystemExit(main())
