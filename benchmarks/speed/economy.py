"""Calls of a judge that economy mode saves, and what that does to the gates and to the rates.

    python benchmarks/speed/economy.py [--results 200] [--seeds 400] [--accuracy .9] [--table]

Results have a required field, which one in three lacks, and three gating criteria, each true of 85 in 100. A
simulated judge gives the right vote with a fixed probability. Ways to grade the same results:

    fixed_5   five votes a criterion in all wordings; every vote on one wording against the leader holds a gate open
    majority  five votes a criterion in one wording, which are only counted
    lead      the default votes
    economy   `--mode economy` with its own votes
    labels    the same where 100 labels say how often the judge's votes are right (with `--table`)

Prints one JSON line: for each way its `calls`; the share of gates that are as they should be (`accuracy`); and what the
others are: passed although they should fail (`false_pass`), failed although they should pass (`false_fail`), left open
(`undecided`). `saved` is the share of the calls of `fixed_5` that `economy` does without (bar: .60), `lost` the points
of accuracy that costs (bar: .5). `bias_z` is the distance of the mean rate of each criterion over all seeds from the
truth in standard errors, weighted by the sample of the mode; the largest of the three counts (bar: 3).

`--table` prints several lines instead: the same for other accuracies, numbers of criteria, shares of true criteria and
of results with the field, and for votes of one question that repeat each other (`correlation`).

`ok` says whether all bars are met; it does not change the exit code, which is 1 only where rates are biased.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from judgemesh.contracts.gateway import ModelCall
from judgemesh.contracts.opinions import Opinion
from judgemesh.contracts.report import Gate, Report
from judgemesh.contracts.voting import (
    ECONOMY,
    GATE,
    LEAD,
    SINGLE_VOTE,
    VotingPolicy,
    VotingRule,
)
from judgemesh.mesh import Mesh
from judgemesh.mesh.calibration.vote_fit import fit_votes
from judgemesh.mesh.grading.economy.sample import sampling_weight
from judgemesh.mesh.judging.voting.rules import Count, decide
from judgemesh.mesh.judging.voting.sequential import fewest_votes
from judgemesh.mesh.testing import ScriptedJudge

_BAR_SAVED, _BAR_LOST, _BAR_Z = 0.60, 0.5, 3.0
_FIVE = VotingRule(pass_lead=1, fail_lead=1, k_max=5, k_min=5)
_FIXED = VotingPolicy(soft=_FIVE, gate=_FIVE, negated=None)
_MAJORITY = replace(_FIXED, rotate=False)
_AUDIT = 0.2
_LABELS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is graded, and by what judge. Shares are 0..1.

    correlation: between the votes on one question of one result.
    """

    accuracy: float = 0.9
    criteria: int = 3
    true: float = 0.85
    has_field: float = 2 / 3
    correlation: float = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        """The criteria."""
        return ("polite", "complete", "correct", "brief", "clear")[: self.criteria]

    def contract(self) -> Mapping[str, Any]:
        """The contract of all results."""
        return {
            "task_id": "t",
            "success_criteria": {"must_include": ["order"]},
            "fields": {"order": {"find_by": ["pattern"], "pattern": r"Order: (\d+)"}},
            "criteria": [
                {"id": name, "question": f"Is the answer {name}?", "gate": True}
                for name in self.names
            ],
        }

    def has_order(self, seed: int, number: int) -> bool:
        """Whether a result has the required field."""
        return coin(f"order {seed} {number}", self.has_field)

    def is_true(self, seed: int, number: int, criterion: str) -> bool:
        """What is true of a result."""
        return coin(f"{criterion} {seed} {number}", self.true)

    def result(self, seed: int, number: int) -> Mapping[str, Any]:
        """A result; the judge reads in it which one it is."""
        order = f" Order: {number}." if self.has_order(seed, number) else ""
        answer = f"Case {seed}/{number} is settled.{order}"
        return {"result_id": f"r{number}", "task_id": "t", "output": answer}

    def vote_accuracy(self, name: str) -> float:
        """How often the votes on one question of one result are right."""
        if not self.correlation:
            return self.accuracy
        size = 1 / self.correlation - 1
        draw = random.Random(f"accuracy {name}")  # noqa: S311 (a simulation)
        return draw.betavariate(self.accuracy * size, (1 - self.accuracy) * size)


def coin(name: str, share: float) -> bool:
    """A coin that follows from its name alone."""
    return random.Random(name).random() < share  # noqa: S311 (a simulation)


def judge(setting: Setting) -> ScriptedJudge:
    """A judge whose votes are right as often as the setting says."""

    def vote(call: ModelCall) -> str:
        text = call.messages[-1]["content"].partition("Case ")[2].partition(" is ")[0]
        seed, number = map(int, text.split("/"))
        name = f"{text} {call.question_id}"
        right = coin(f"{name} {call.sample_index}", setting.vote_accuracy(name))
        holds = setting.is_true(seed, number, call.question_id)
        return "yes" if holds == right else "no"

    return ScriptedJudge(vote)


async def graded(
    setting: Setting, results: int, seed: int, **options: Any
) -> tuple[list[Report], int]:
    """The reports of one run, and its calls."""
    gateway = judge(setting)
    rows = [setting.result(seed, number) for number in range(results)]
    async with Mesh.from_config(
        contracts=[setting.contract()], judge=gateway, seed=seed, **options
    ) as mesh:
        reports = [report async for report in mesh.grade_many(rows, ordered=True)]
    return reports, len(gateway.calls)


def shares(setting: Setting, reports: list[Report], seed: int) -> dict[str, float]:
    """How often the gate is right, and what it is otherwise."""
    counts = dict.fromkeys(("accuracy", "false_pass", "false_fail", "undecided"), 0)
    for number, report in enumerate(reports):
        passes = setting.has_order(seed, number) and all(
            setting.is_true(seed, number, name) for name in setting.names
        )
        if report.gate is Gate.UNDECIDED:
            counts["undecided"] += 1
        elif (report.gate is Gate.PASS) == passes:
            counts["accuracy"] += 1
        else:
            counts["false_fail" if passes else "false_pass"] += 1
    return {name: round(count / len(reports), 4) for name, count in counts.items()}


def rates(setting: Setting, reports: list[Report]) -> dict[str, float]:
    """How often each criterion holds, each verdict weighted by one over its probability of being there."""
    passed = dict.fromkeys(setting.names, 0.0)
    total = dict.fromkeys(setting.names, 0.0)
    for report in reports:
        for row in report.verdicts:
            name = row.verdict.check.removeprefix("criterion:")
            if name in passed and row.verdict.kind in {"pass", "fail"}:
                weight = sampling_weight(row.verdict)
                passed[name] += weight * (row.verdict.kind == "pass")
                total[name] += weight
    return {name: passed[name] / total[name] for name in setting.names}


async def bias_z(setting: Setting, results: int, seeds: int) -> float:
    """The mean error of the rates over all seeds, in standard errors, of the criterion where it is largest.

    By a judge that is never wrong: what is measured is the sample.
    """
    setting = replace(setting, accuracy=1.0)
    errors: dict[str, list[float]] = {name: [] for name in setting.names}
    for seed in range(seeds):
        reports, _ = await graded(
            setting,
            results,
            seed,
            votes=SINGLE_VOTE,
            mode="economy",
            audit_share=_AUDIT,
        )
        found = rates(setting, reports)
        for name in setting.names:
            truth = fmean(setting.is_true(seed, n, name) for n in range(results))
            errors[name].append(found[name] - truth)
    return max(
        (fmean(each) / (stdev(each) / sqrt(seeds)) for each in errors.values()),
        key=abs,
    )


@cache
def rule_by_labels(accuracy: float, correlation: float) -> VotingRule:
    """The votes that labels allow: half of them of questions whose answer is yes, judged by the default votes."""
    setting = Setting(accuracy=accuracy, correlation=correlation)
    pairs: list[tuple[Opinion, bool]] = []
    for number in range(_LABELS):
        chance = setting.vote_accuracy(f"label {number}")
        right = wrong = 0
        while decide(GATE, Count(passing=right, failing=wrong)) is None:
            vote = coin(f"label {number} {right + wrong}", chance)
            right, wrong = right + vote, wrong + (not vote)
        truth = number % 2 == 0
        opinion = Opinion(
            question_id="q",
            question="?",
            criterion="q",
            gating=True,
            model="m",
            prompts="p",
            votes_yes=right if truth else wrong,
            votes_no=wrong if truth else right,
        )
        pairs.append((opinion, truth))
    return fewest_votes(fit_votes(pairs))


def measured(
    setting: Setting, results: int, ways: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Calls and gates of each way, and what `economy` saves and loses."""
    line: dict[str, Any] = {}
    for way, options in ways.items():
        reports, calls = asyncio.run(graded(setting, results, 0, **options))
        line[way] = {"calls": calls, **shares(setting, reports, 0)}
    fixed = line["fixed_5"]
    for way, suffix in (("economy", ""), ("labels", "_labels")):
        if way in line:
            lost = 100 * (fixed["accuracy"] - line[way]["accuracy"])
            line[f"saved{suffix}"] = round(1 - line[way]["calls"] / fixed["calls"], 3)
            line[f"lost{suffix}"] = round(lost, 2)
    return line


def table(results: int) -> Iterator[dict[str, Any]]:
    """The rows of `--table`."""
    for setting in (
        *(Setting(accuracy=accuracy) for accuracy in (0.8, 0.9, 0.95)),
        *(Setting(criteria=criteria) for criteria in (1, 2, 4, 5)),
        *(Setting(true=true) for true in (0.5, 0.7, 0.97)),
        *(Setting(has_field=share) for share in (0.3, 1.0)),
        *(Setting(correlation=correlation) for correlation in (0.3, 0.7)),
        Setting(accuracy=0.8, correlation=0.5),
        Setting(accuracy=0.8, criteria=5, has_field=1.0),
        Setting(accuracy=0.95, criteria=5, true=0.97, has_field=1.0),
    ):
        rule = rule_by_labels(setting.accuracy, setting.correlation)
        ways: dict[str, dict[str, Any]] = {
            "fixed_5": {"votes": _FIXED},
            "economy": {"mode": "economy"},
            "labels": {"mode": "economy", "votes": replace(ECONOMY, gate=rule)},
        }
        lead = [rule.pass_lead, rule.k_max]
        row = {**asdict(setting), "has_field": round(setting.has_field, 2)}
        yield {**row, **measured(setting, results, ways), "rule_labels": lead}


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="What economy saves and costs.")
    parser.add_argument("--results", type=int, default=200, metavar="N")
    parser.add_argument("--seeds", type=int, default=400, metavar="N")
    parser.add_argument("--accuracy", type=float, default=0.9, metavar="P")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    line: dict[str, Any] = {"results": arguments.results, "seeds": arguments.seeds}
    if arguments.table:
        del line["seeds"]
        for row in table(arguments.results):
            print(json.dumps(line | row), flush=True)
        return 0
    ways: dict[str, dict[str, Any]] = {
        "fixed_5": {"votes": _FIXED},
        "majority": {"votes": _MAJORITY},
        "lead": {"votes": LEAD},
        "economy": {"mode": "economy"},
    }
    setting = Setting(accuracy=arguments.accuracy)
    line |= measured(setting, arguments.results, ways)
    distance = asyncio.run(bias_z(setting, 40, arguments.seeds))
    line |= {
        "bias_z": round(distance, 2),
        "ok": line["saved"] >= _BAR_SAVED
        and line["lost"] <= _BAR_LOST
        and abs(distance) <= _BAR_Z,
    }
    print(json.dumps(line))
    return 0 if abs(distance) <= _BAR_Z else 1


if __name__ == "__main__":
    raise SystemExit(main())
