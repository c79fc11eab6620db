"""What asking several criteria in one call saves, and whether a judge whose answers then sway each other is noticed.

    python benchmarks/judging/halo.py [--runs 400] [--calls 50] [--criteria 8] [--results 200]

The check is put to simulated judges (those of the fake provider, sensitivity and specificity .8) on results that are
good throughout, bad throughout and everything between, so that true answers agree with each other too: `clean`, whose
answers to one call know nothing of each other; `milder`, likewise, but one that says yes more readily in a long reply;
and judges with a halo, of which a share of the later answers only follows the earlier ones. Of each, `--runs` runs with
`--calls` calls asked both ways: how often the check raises an alarm (bar: .05 of the clean ones at most; the halo of .4
in at least .8), and the mean excess of correlation.

The cost is that of grading `--results` results for real, over HTTP, one vote and then votes until a side leads, each
criterion alone and together: the provider's own bill and requests, the tokens in the ledger. Prints one JSON line; the
exit code is 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.provider import MODEL, bill, provider, result

from judgemesh.contracts.contract import EvalContract
from judgemesh.mesh import Mesh
from judgemesh.mesh.calibration.batch_effect import Answered, Halo, measure
from judgemesh.mesh.judging.gateways.simulated import Behaviour, verdict_of, verdicts_of
from judgemesh.mesh.judging.replies.several import order

_FALSE_ALARMS = 0.05
_POWER = 0.8
_NOTICED = 0.4
WAYS = (("lead", 1), ("lead", 4), ("lead", 8), ("single", 1), ("single", 8))
JUDGES: dict[str, tuple[Behaviour, Behaviour]] = {
    # together, alone
    "clean": (
        Behaviour(sensitivity=0.8, specificity=0.8),
        Behaviour(sensitivity=0.8, specificity=0.8),
    ),
    "milder": (
        Behaviour(sensitivity=0.95, specificity=0.6),
        Behaviour(sensitivity=0.8, specificity=0.8),
    ),
    **{
        f"halo_{share}": (
            Behaviour(sensitivity=0.8, specificity=0.8, halo=share),
            Behaviour(sensitivity=0.8, specificity=0.8),
        )
        for share in (0.2, 0.4, 0.6)
    },
}


def one_run(name: str, seed: int, arguments: argparse.Namespace) -> Halo:
    """The check on one run of a judge."""
    together, alone = JUDGES[name]
    draw = random.Random(f"{name}:{seed}")  # noqa: S311 - a simulation
    calls: list[list[Answered]] = []
    for call in range(arguments.calls):
        good = draw.betavariate(1.5, 1.5)
        texts = {
            f"c{k}": f"Question: TRUTH:{'yes' if draw.random() < good else 'no'}"
            for k in range(arguments.criteria)
        }
        asked = order(sorted(texts), 0, key=f"{seed}:{call}")
        key = f"{name}:{seed}:{call}"
        words = verdicts_of([texts[one] for one in asked], key, together)
        calls.append(
            [
                Answered(
                    one,
                    place,
                    word,
                    verdict_of(texts[one], f"{key}:alone:{one}", alone),
                )
                for place, (one, word) in enumerate(zip(asked, words, strict=True))
            ]
        )
    return measure(calls, seed=seed)


def check(name: str, runs: int, arguments: argparse.Namespace) -> dict[str, float]:
    """How often a judge is accused."""
    found = [one_run(name, seed, arguments) for seed in range(runs)]
    return {
        "runs": runs,
        "alarms": round(sum(one.alarm for one in found) / runs, 4),
        "excess": round(sum(one.excess or 0.0 for one in found) / runs, 3),
    }


async def graded(
    arguments: argparse.Namespace, base_url: str, votes: str, most: int
) -> dict[str, float]:
    """Grade everything; what it came to."""
    criteria = [
        {
            "id": f"c{k}",
            "question": f"Is point {k} kept? TRUTH:{'no' if k % 3 else 'yes'}",
        }
        for k in range(arguments.criteria)
    ]
    contract = EvalContract.model_validate({"task_id": "booking", "criteria": criteria})
    before = bill(base_url)
    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="judgemesh_halo_") as scratch:
        async with Mesh.from_config(
            contracts=[contract],
            judge=f"openai-compatible:{MODEL}",
            judge_api_base=base_url,
            ledger=Path(scratch) / "ledger.db",
            votes=votes,
            batch_criteria=most,
            judge_concurrency=64,
        ) as mesh:
            reports = [
                report
                async for report in mesh.grade_many(
                    result(number, arguments.tokens * 4)
                    for number in range(arguments.results)
                )
            ]
            assert mesh.run is not None  # noqa: S101 - a ledger was given
            summary = await mesh.run.ledger.summary(mesh.run.run_id)
        tokens = spent(Path(scratch) / "ledger.db")
    after = bill(base_url)
    asked = arguments.results * arguments.criteria
    decided = sum(
        row.verdict.kind in ("pass", "fail") for one in reports for row in one.verdicts
    )
    if decided < asked:
        message = f"{decided} of {asked} criteria were decided"
        raise SystemExit(message)
    cost = after["cost"] - before["cost"]
    (known,) = summary.evaluator_cost
    if (
        abs(float(known.amount) - cost) > 1e-9
        or summary.judge_calls != after["requests"] - before["requests"]
    ):
        message = f"the ledger says {known.amount} for {summary.judge_calls} calls, the bill {cost}"
        raise SystemExit(message)
    return {
        "calls": summary.judge_calls,
        "tokens": tokens,
        "cost": round(cost, 6),
        "seconds": round(time.perf_counter() - started, 1),
    }


def spent(ledger: Path) -> int:
    """Tokens of all calls, in and out."""
    columns = "input_tokens_uncached + input_tokens_cached + input_tokens_cache_write + output_tokens"
    with closing(sqlite3.connect(ledger)) as connection:
        return int(
            connection.execute(f"SELECT sum({columns}) FROM judge_call").fetchone()[0]  # noqa: S608
        )


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description="Several criteria in one call: what it saves, and the halo check."
    )
    parser.add_argument(
        "--runs",
        type=int,
        default=400,
        metavar="N",
        help="of the judges without a halo; a quarter else",
    )
    parser.add_argument(
        "--calls",
        type=int,
        default=50,
        metavar="N",
        help="asked both ways, in each run",
    )
    parser.add_argument("--criteria", type=int, default=8, metavar="N")
    parser.add_argument("--results", type=int, default=200, metavar="N")
    parser.add_argument(
        "--tokens",
        type=int,
        default=1500,
        metavar="N",
        help="length of a result's answer",
    )
    arguments = parser.parse_args()
    line: dict[str, Any] = {"calls": arguments.calls, "criteria": arguments.criteria}
    for name in JUDGES:
        runs = (
            arguments.runs
            if name in ("clean", "milder")
            else max(1, arguments.runs // 4)
        )
        line[name] = check(name, runs, arguments)
    for votes, most in WAYS:
        with provider("--latency-ms", "5") as base_url:
            line[f"{votes}_{most}"] = asyncio.run(
                graded(arguments, base_url, votes, most)
            )
    line["cost_share"] = round(line["lead_8"]["cost"] / line["lead_1"]["cost"], 3)
    line["call_share"] = round(line["lead_8"]["calls"] / line["lead_1"]["calls"], 3)
    accused = max(line["clean"]["alarms"], line["milder"]["alarms"])
    line["ok"] = (
        accused <= _FALSE_ALARMS and line[f"halo_{_NOTICED}"]["alarms"] >= _POWER
    )
    print(json.dumps(line))
    return 0 if line["ok"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
