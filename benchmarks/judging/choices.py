"""Two votes in one request (the provider's `n=2`) against two requests with two wordings: what it saves, what it costs.

    python benchmarks/judging/choices.py [--results 40] [--criteria 5] [--trials 100000]

**Money.** Every criterion of every result gets its first two votes, once as the judge asks for them (a request each,
two wordings, one call of a result ahead to fill the provider's prefix cache) and once as one request with `n=2`. The
results have 1,000 or 6,000 tokens, and there are three price lists: the prefix cache read at a tenth of the price and
written at one and a quarter, read at a quarter, and no cache. `saved` is the share of the fake provider's own bill that
`n=2` saves, `requests` how many there were.

**Errors.** Both votes of one request have one wording. A judge whose accuracy of .8 differs from wording to wording (by
a normal deviate on the log-odds, drawn for each question anew) is simulated under the rule for a plain criterion,
lead-2 of 5: the first two votes with one wording, the later ones rotating, against all rotating. The figure is how
often the leader at the stop is the wrong side.

Prints one JSON line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, bill, contract, provider, result

from judgemesh.contracts.attempts import CallContext, JudgeAttempt
from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.needs import Ask, Material
from judgemesh.contracts.voting import SOFT
from judgemesh.mesh.judging.client.channel import Channels
from judgemesh.mesh.judging.gateways.openai_http import HttpGateway
from judgemesh.mesh.judging.voting.judge import VotingJudge
from judgemesh.mesh.judging.voting.rules import Count, VoteOutcome, decide

_PRICES = 'version = "benchmark"\n[models."gpt-4.1-mini"]\ninput = 1.0\noutput = 4.0\n'
PRICES: dict[str, tuple[str, tuple[str, ...]]] = {
    "read .1, written 1.25": (
        "cached_input = 0.1\ncache_write = 1.25\n",
        ("--cache-writes",),
    ),
    "read .25": ("cached_input = 0.25\n", ()),
    "no cache": ("", ("--no-prompt-cache",)),
}
_WORDINGS = 3
_ACCURACY = 0.8


def needs(arguments: argparse.Namespace, number: int, tokens: int) -> list[Ask]:
    """The questions about one result."""
    materials = (
        Material("final_answer", result(number, tokens * 4)["output"]["final_answer"]),
    )
    criteria = EvalContract.model_validate(contract(arguments.criteria)).criteria
    return [
        Ask(question_id=one.id, question=one.question, materials=materials)
        for one in criteria
    ]


async def in_turn(
    arguments: argparse.Namespace, base_url: str, tokens: int, *, twice: bool
) -> None:
    """Ask everything: two votes a criterion, or one vote of which the provider is asked for two."""
    parameters = {"n": 2} if twice else {}
    judge = VotingJudge(
        HttpGateway(api_base=base_url),
        model=MODEL,
        votes="single" if twice else "lead",
        temperature=0.7,
        parameters=parameters,
        channels=Channels(concurrency=64),
    )

    async def record(_attempt: JudgeAttempt) -> None:
        """Nobody reads them here."""

    context = CallContext(validator_name="criteria", record=record)
    for number in range(arguments.results):
        await judge.ask_many(needs(arguments, number, tokens), context)
    await judge.aclose()


def money(arguments: argparse.Namespace, tokens: int, prices: str) -> dict[str, Any]:
    """Both ways against fresh providers."""
    more, options = PRICES[prices]
    bills: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="judgemesh_choices_") as scratch:
        file = Path(scratch) / "prices.toml"
        file.write_text(_PRICES + more)
        for twice in (False, True):
            with provider("--prices", str(file), *options) as base_url:
                asyncio.run(in_turn(arguments, base_url, tokens, twice=twice))
                bills.append(bill(base_url))
    apart, together = bills
    return {
        "tokens": tokens,
        "prices": prices,
        "requests": [apart["requests"], together["requests"]],
        "cost": [round(apart["cost"], 6), round(together["cost"], 6)],
        "saved": round(1 - together["cost"] / apart["cost"], 3),
    }


def errors(spread: float, trials: int, *, shared: bool) -> float:
    """How often the leader is wrong, wordings differing by `spread` on the log-odds of being right."""
    draw = random.Random(f"{spread}:{shared}")  # noqa: S311 - a simulation
    # Whatever the spread, a vote with a wording drawn at random is right as often.
    middle = _middle(spread)
    wrong = 0.0
    for _ in range(trials):
        right = [
            1 / (1 + math.exp(-(middle + draw.gauss(0.0, spread))))
            for _ in range(_WORDINGS)
        ]
        passing = failing = 0
        while True:
            count = Count(passing=passing, failing=failing)
            outcome = decide(SOFT, count)
            if outcome is not None:
                break
            vote = passing + failing
            wording = max(0, vote - 1) % _WORDINGS if shared else vote % _WORDINGS
            good = draw.random() < right[wording]
            passing, failing = passing + good, failing + (not good)
        if outcome is VoteOutcome.UNSTABLE and passing == failing:
            wrong += 0.5
        else:
            wrong += failing > passing
    return wrong / trials


def _middle(spread: float) -> float:
    """The log-odds around which wordings are .8 right on average: found by halving, over a fixed grid of deviates."""
    grid = [(n + 0.5) / 200 * 8 - 4 for n in range(200)]
    weights = [math.exp(-z * z / 2) for z in grid]
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        chances = (
            w / (1 + math.exp(-(middle + spread * z)))
            for z, w in zip(grid, weights, strict=True)
        )
        low, high = (
            (middle, high) if sum(chances) / sum(weights) < _ACCURACY else (low, middle)
        )
    return (low + high) / 2


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Two votes in one request against two requests."
    )
    parser.add_argument("--results", type=int, default=40, metavar="N")
    parser.add_argument("--criteria", type=int, default=5, metavar="N")
    parser.add_argument(
        "--tokens",
        type=int,
        nargs="+",
        default=[1000, 6000],
        metavar="N",
        help="length of a result",
    )
    parser.add_argument(
        "--prices",
        nargs="+",
        choices=tuple(PRICES),
        default=list(PRICES),
        help="default all",
    )
    parser.add_argument("--trials", type=int, default=100_000, metavar="N")
    arguments = parser.parse_args()
    line: dict[str, Any] = {
        "money": [
            money(arguments, tokens, prices)
            for tokens in arguments.tokens
            for prices in arguments.prices
        ],
        "errors": [
            {
                "spread": spread,
                "rotating": round(errors(spread, arguments.trials, shared=False), 4),
                "shared": round(errors(spread, arguments.trials, shared=True), 4),
            }
            for spread in (0.0, 0.5, 1.0, 1.5)
        ],
    }
    print(json.dumps(line))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
