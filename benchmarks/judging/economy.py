"""What one warming call a result saves, with a provider that bills cached prompt tokens for less.

    python benchmarks/judging/economy.py [--results 200] [--criteria 8] [--tokens 6000]

Grades the same results three ways, one vote a criterion, every way against a fresh provider: `warm` (one call of a
result goes ahead, the rest follow together), `at_once` (all together), `uncached` (the provider caches nothing). The
price is that of a model that bills reading its prompt cache at a tenth and writing it at one and a quarter. Prints one
JSON line: each way's bill, `warm_ratio` (bar: at most 0.34 of the uncached cost), `at_once_ratio`, and seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, bill, contract, provider, result

from judgemesh.contracts.attempts import CallContext, JudgeAttempt
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Ask, Material
from judgemesh.mesh.judging.client.channel import Channels
from judgemesh.mesh.judging.gateways.openai_http import HttpGateway
from judgemesh.mesh.judging.voting.judge import VotingJudge

_BAR = 0.34
_PRICES = """
version = "benchmark"
[models."gpt-4.1-mini"]
input = 1.0
cached_input = 0.1
cache_write = 1.25
output = 4.0
"""
WAYS = {
    "warm": (True, ("--cache-writes",)),
    "at_once": (False, ("--cache-writes",)),
    "uncached": (False, ("--no-prompt-cache",)),
}


async def ask_all(arguments: argparse.Namespace, base_url: str, *, warm: bool) -> int:
    """Ask every criterion of every result once; how many answers came."""
    questions = EvalContract.model_validate(contract(arguments.criteria)).criteria
    channels = Channels(concurrency=64, warm_up=warm)
    judge = VotingJudge(
        HttpGateway(api_base=base_url),
        model=MODEL,
        votes="single",
        max_tokens=100,
        channels=channels,
    )
    answered = 0

    async def record(attempt: JudgeAttempt) -> None:
        nonlocal answered
        answered += attempt.status == "ok"

    async def grade(number: int) -> None:
        text = result(number, arguments.tokens * 4)["output"]["final_answer"]
        materials = (Material("final_answer", text),)
        needs = [
            Ask(question_id=one.id, question=one.question, materials=materials)
            for one in questions
        ]
        context = CallContext(validator_name="criteria", record=record)
        await judge.ask_many(needs, context)

    numbers = iter(range(arguments.results))

    async def worker() -> None:
        for number in numbers:
            await grade(number)

    await asyncio.gather(*(worker() for _ in range(16)))
    await judge.aclose()
    return answered


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="What one warming call a result saves."
    )
    parser.add_argument("--results", type=int, default=200, metavar="N")
    parser.add_argument("--criteria", type=int, default=8, metavar="N")
    parser.add_argument(
        "--tokens",
        type=int,
        default=6000,
        metavar="N",
        help="length of a result's answer",
    )
    parser.add_argument("--latency-ms", type=float, default=20.0, metavar="MS")
    arguments = parser.parse_args()
    line: dict[str, object] = {
        "results": arguments.results,
        "criteria": arguments.criteria,
        "result_tokens": arguments.tokens,
        "bar": _BAR,
    }
    costs: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="judgemesh_economy_") as scratch:
        prices = Path(scratch) / "prices.toml"
        prices.write_text(_PRICES)
        for way, (warm, options) in WAYS.items():
            given = (
                "--prices",
                str(prices),
                "--latency-ms",
                str(arguments.latency_ms),
                *options,
            )
            with provider(*given) as base_url:
                started = time.perf_counter()
                answered = asyncio.run(ask_all(arguments, base_url, warm=warm))
                line[f"{way}_s"] = round(time.perf_counter() - started, 2)
                costs[way] = bill(base_url)["cost"]
            if answered != arguments.results * arguments.criteria:
                message = f"{way}: {answered} answers, expected {arguments.results * arguments.criteria}"
                raise SystemExit(message)
    line |= {f"{way}_cost": round(cost, 6) for way, cost in costs.items()}
    line["warm_ratio"] = round(costs["warm"] / costs["uncached"], 3)
    line["at_once_ratio"] = round(costs["at_once"] / costs["uncached"], 3)
    print(json.dumps(line))
    return 0 if costs["warm"] <= _BAR * costs["uncached"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
