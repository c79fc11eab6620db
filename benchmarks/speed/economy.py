"""Calls of a judge that a run saves, and what that does to the gates and to the rates.

    python benchmarks/speed/economy.py [--results 200] [--seeds 400] [--accuracy .9]

Results have a required field, which one in three lacks, and three gating criteria, each true of 85 in 100. A
simulated judge gives the right vote with a fixed probability, every vote on its own. Three ways grade the same
results: `fixed_5` (five votes a criterion, all counted), `lead` (the default votes) and `economy` (the default votes,
and `--mode economy`). Prints one JSON line: for each way the calls and the share of gates that are as they should be
(`accuracy`) and of those left undecided; `saved`, the share of the calls of `fixed_5` that `economy` does without
(bar: .60); `lost`, the points of accuracy that costs (bar: .5); and `bias_z`, the distance of the mean rate of a
criterion over all seeds from the truth in standard errors, weighted by the sample of the mode (bar: 3). `ok` says
whether all bars are met; it does not change the exit code, which is 1 only where rates are biased.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Mapping
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.voting import (
    LEAD,
    SINGLE_VOTE,
    VotingPolicy,
    VotingRule,
)
from judgemesh.mesh import Mesh
from judgemesh.mesh.grading.economy.sample import AUDIT_SAMPLE
from judgemesh.mesh.testing import ScriptedJudge

_BAR_SAVED, _BAR_LOST, _BAR_Z = 0.60, 0.5, 3.0
_CRITERIA = ("polite", "complete", "correct")
_FIVE = VotingRule(pass_lead=1, fail_lead=1, k_max=5, k_min=5)
_FIXED = VotingPolicy(soft=_FIVE, gate=_FIVE, negated=None)
_AUDIT = 0.2
_CONTRACT = {
    "task_id": "t",
    "success_criteria": {"must_include": ["order"]},
    "fields": {"order": {"find_by": ["pattern"], "pattern": r"Order: (\d+)"}},
    "criteria": [
        {"id": name, "question": f"Is the answer {name}?", "gate": True}
        for name in _CRITERIA
    ],
}


def coin(name: str, share: float) -> bool:
    """A coin that follows from its name alone."""
    return random.Random(name).random() < share  # noqa: S311 (a simulation)


def has_order(seed: int, number: int) -> bool:
    """Whether a result has the required field."""
    return coin(f"order {seed} {number}", 2 / 3)


def is_true(seed: int, number: int, criterion: str) -> bool:
    """What is true of a result."""
    return coin(f"{criterion} {seed} {number}", 0.85)


def result(seed: int, number: int) -> Mapping[str, Any]:
    """A result; the judge reads in it which one it is."""
    order = f" Order: {number}." if has_order(seed, number) else ""
    answer = f"Case {seed}/{number} is settled.{order}"
    return {"result_id": f"r{number}", "task_id": "t", "output": answer}


def judge(accuracy: float) -> ScriptedJudge:
    """A judge whose votes are right with that probability, each on its own."""

    def vote(call: ModelCall) -> str:
        text = call.messages[-1]["content"].partition("Case ")[2].partition(" is ")[0]
        seed, number = map(int, text.split("/"))
        right = coin(f"{text} {call.question_id} {call.sample_index}", accuracy)
        return "yes" if is_true(seed, number, call.question_id) == right else "no"

    return ScriptedJudge(vote)


async def graded(
    results: int, seed: int, accuracy: float, **options: Any
) -> tuple[list[Report], int]:
    """The reports of one run, and its calls."""
    gateway = judge(accuracy)
    rows = [result(seed, number) for number in range(results)]
    async with Mesh.from_config(
        contracts=[_CONTRACT], judge=gateway, seed=seed, **options
    ) as mesh:
        reports = [report async for report in mesh.grade_many(rows, ordered=True)]
    return reports, len(gateway.calls)


def shares(reports: list[Report], seed: int) -> dict[str, float]:
    """How often the gate is right, and how often there is none."""
    right = undecided = 0
    for number, report in enumerate(reports):
        holds = all(is_true(seed, number, name) for name in _CRITERIA)
        truth = Gate.PASS if holds and has_order(seed, number) else Gate.FAIL
        right += report.gate is truth
        undecided += report.gate is Gate.UNDECIDED
    count = len(reports)
    return {
        "accuracy": round(right / count, 4),
        "undecided": round(undecided / count, 4),
    }


def rate(reports: list[Report]) -> float:
    """How often the first criterion holds, each judged verdict weighted by one over its share in the sample."""
    passed = total = 0.0
    for report in reports:
        for row in report.verdicts:
            if row.verdict.check != f"criterion:{_CRITERIA[0]}":
                continue
            if row.verdict.kind not in {"pass", "fail"}:
                continue
            share = row.verdict.details.get(AUDIT_SAMPLE)
            weight = 1.0 / share if isinstance(share, float) else 1.0
            passed += weight * (row.verdict.kind == "pass")
            total += weight
    return passed / total


async def bias_z(results: int, seeds: int) -> float:
    """The mean error of the rate over all seeds, in standard errors; a judge that is never wrong."""
    errors: list[float] = []
    for seed in range(seeds):
        reports, _ = await graded(
            results,
            seed,
            1.0,
            votes=SINGLE_VOTE,
            mode="economy",
            audit_share=_AUDIT,
        )
        truth = fmean(is_true(seed, number, _CRITERIA[0]) for number in range(results))
        errors.append(rate(reports) - truth)
    return fmean(errors) / (stdev(errors) / sqrt(seeds))


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="What economy saves and costs.")
    parser.add_argument("--results", type=int, default=200, metavar="N")
    parser.add_argument("--seeds", type=int, default=400, metavar="N")
    parser.add_argument("--accuracy", type=float, default=0.9, metavar="P")
    arguments = parser.parse_args()
    ways: dict[str, dict[str, Any]] = {
        "fixed_5": {"votes": _FIXED},
        "lead": {"votes": LEAD},
        "economy": {"mode": "economy"},
    }
    line: dict[str, Any] = {"results": arguments.results, "seeds": arguments.seeds}
    for way, options in ways.items():
        reports, calls = asyncio.run(
            graded(arguments.results, 0, arguments.accuracy, **options)
        )
        line[way] = {"calls": calls, **shares(reports, 0)}
    saved = 1 - line["economy"]["calls"] / line["fixed_5"]["calls"]
    lost = 100 * (line["fixed_5"]["accuracy"] - line["economy"]["accuracy"])
    distance = asyncio.run(bias_z(40, arguments.seeds))
    line |= {
        "saved": round(saved, 3),
        "lost": round(lost, 2),
        "bias_z": round(distance, 2),
        "ok": saved >= _BAR_SAVED and lost <= _BAR_LOST and abs(distance) <= _BAR_Z,
    }
    print(json.dumps(line))
    return 0 if abs(distance) <= _BAR_Z else 1


if __name__ == "__main__":
    raise SystemExit(main())
