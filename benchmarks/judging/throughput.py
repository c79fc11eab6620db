"""CPU time of a judge call, against the same requests made with bare aiohttp in the same process.

    python benchmarks/judging/throughput.py [--results 200] [--criteria 5] [--latency-ms 50] [--at-once 64] [--rounds 3]

Ways, interleaved, one vote a criterion, 4 KB results: `bare` (aiohttp, the same bodies, the answer's JSON read),
`http` (the whole mesh with a SQLite ledger through the lean gateway), and with `--litellm` the same through litellm.
Prints one JSON line: medians of CPU milliseconds a call (all threads), and wall time over the ideal
`calls * latency / at once`. The provider runs in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, contract, provider, result

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh import Mesh

_MS = 1000.0


async def bare(arguments: argparse.Namespace, base_url: str) -> int:
    """The requests by hand; how many answers had a verdict."""
    import aiohttp

    questions = [
        one.question
        for one in EvalContract.model_validate(contract(arguments.criteria)).criteria
    ]
    bodies = [
        json.dumps(
            {
                "model": MODEL,
                "messages": [
                    {
                        "role": "user",
                        "content": f"{result(number)['output']['final_answer']}\nQuestion: {asked}",
                    }
                ],
                "response_format": {"type": "json_object"},
            }
        ).encode()
        for number in range(arguments.results)
        for asked in questions
    ]
    waiting = iter(bodies)
    found = 0

    async def worker(session: aiohttp.ClientSession) -> None:
        nonlocal found
        for body in waiting:
            async with session.post(
                f"{base_url}/chat/completions", data=body
            ) as response:
                data = json.loads(await response.read())
            found += json.loads(data["choices"][0]["message"]["content"])[
                "verdict"
            ] in ("yes", "no")

    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0)
    ) as session:
        await asyncio.gather(*(worker(session) for _ in range(arguments.at_once)))
    return found


async def mesh(arguments: argparse.Namespace, base_url: str, spec: str) -> int:
    """The same through the public API, with a ledger; how many criteria were judged."""
    found = 0
    with tempfile.TemporaryDirectory(prefix="judgemesh_throughput_") as scratch:
        async with Mesh.from_config(
            contracts=[EvalContract.model_validate(contract(arguments.criteria))],
            judge=spec,
            judge_api_base=base_url,
            ledger=Path(scratch) / "ledger.db",
            judge_concurrency=arguments.at_once,
            votes="single",
        ) as grader:
            async for report in grader.grade_many(
                result(number) for number in range(arguments.results)
            ):
                found += sum(
                    row.validator_name == "criteria"
                    and row.verdict.kind in ("pass", "fail", "abstain")
                    for row in report.verdicts
                )
    return found


def timed(work: Callable[[], Awaitable[int]], expected: int) -> tuple[float, float]:
    """CPU and wall seconds of `work`, which must come to `expected`."""

    async def run() -> int:
        return await work()

    cpu, wall = time.process_time(), time.perf_counter()
    found = asyncio.run(run())
    spent = time.process_time() - cpu, time.perf_counter() - wall
    if found != expected:
        message = f"expected {expected} answers, got {found}: the ways do not do the same work"
        raise SystemExit(message)
    return spent


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="CPU milliseconds of a judge call.")
    parser.add_argument("--results", type=int, default=200, metavar="N")
    parser.add_argument("--criteria", type=int, default=5, metavar="N")
    parser.add_argument("--latency-ms", type=float, default=50.0, metavar="MS")
    parser.add_argument("--at-once", type=int, default=64, metavar="N")
    parser.add_argument("--rounds", type=int, default=3, metavar="N")
    parser.add_argument(
        "--litellm",
        action="store_true",
        help="through litellm too, which takes seconds to import",
    )
    arguments = parser.parse_args()
    calls = arguments.results * arguments.criteria
    with provider(
        "--latency-ms", str(arguments.latency_ms), "--no-prompt-cache"
    ) as base_url:
        ways: dict[str, Callable[[], Awaitable[int]]] = {
            "bare": lambda: bare(arguments, base_url),
            "http": lambda: mesh(arguments, base_url, f"openai-compatible:{MODEL}"),
        }
        if arguments.litellm:
            ways["litellm"] = lambda: mesh(arguments, base_url, f"openai/{MODEL}")
        for way in ways.values():
            timed(way, calls)  # imports, and the first connections
        rounds = [
            {name: timed(way, calls) for name, way in ways.items()}
            for _ in range(arguments.rounds)
        ]
    ideal = calls * arguments.latency_ms / _MS / arguments.at_once
    line: dict[str, float] = {
        "calls": calls,
        "at_once": arguments.at_once,
        "rounds": arguments.rounds,
    }
    for name in ways:
        line[f"{name}_cpu_ms"] = round(
            median(one[name][0] for one in rounds) / calls * _MS, 3
        )
        line[f"{name}_wall_x_ideal"] = round(
            median(one[name][1] for one in rounds) / ideal, 2
        )
    print(json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
