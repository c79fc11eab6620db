"""The data of the plots: the bundled reference set and simulated votes, through public functions of judgemesh."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from judging.operating_point import OperatingPoint, operating_point

from judgemesh.contracts.contract import EvalContract
from judgemesh.contracts.report import OutcomeClass
from judgemesh.contracts.voting import SOFT, VotingRule
from judgemesh.mesh.calibration.platt_fit import LabelledQuestion, fit
from judgemesh.mesh.calibration.reliability import Bin, reliability_table
from judgemesh.mesh.grading.contract_check.check import load_contracts
from judgemesh.mesh.judging.confidence.platt import Calibration
from judgemesh.mesh.judging.signals import Signals
from judgemesh.mesh.metrics.asr import (
    AgentSuccess,
    CostSpread,
    Task,
    agent_success,
    cost_spread,
)

ROOT: Final = Path(__file__).resolve().parents[2]
REFERENCE_SET: Final = ROOT / "examples/reference_set"
SEED: Final = 7

RULES: Final[Mapping[str, VotingRule]] = {
    "plain criterion: lead of 2, at most 5 votes": SOFT,
    "hard gate: lead of 3, at most 9 votes": VotingRule(
        pass_lead=3, fail_lead=3, k_max=9
    ),
}


def versions() -> dict[str, AgentSuccess]:
    """By agent version: the success rate of the canonical classes of the reference set, with its interval."""
    tasks: dict[str, list[Task]] = defaultdict(list)
    for family, result, task in _reference_tasks():
        tasks[f"{family}: {result['agent_version'].split()[-1]}"].append(task)
    return {
        name: agent_success(found, seed=SEED) for name, found in sorted(tasks.items())
    }


def costs() -> dict[str, tuple[list[float], CostSpread]]:
    """By family of the reference set: the cost of every run in USD, and its percentiles."""
    tasks: dict[str, list[Task]] = defaultdict(list)
    for family, _, task in _reference_tasks():
        tasks[family].append(task)
    found: dict[str, tuple[list[float], CostSpread]] = {}
    for family, of_family in sorted(tasks.items()):
        spread = cost_spread(of_family)
        known = [float(task.cost) for task in of_family if task.cost is not None]
        if spread is not None:
            found[family] = (known, spread)
    return found


def vote_curves() -> dict[str, list[tuple[float, OperatingPoint]]]:
    """By voting rule: the exact error and number of votes at each accuracy of a single vote, from .5 to 1."""
    accuracies = [0.5 + step / 100 for step in range(51)]
    return {
        name: [(accuracy, operating_point(rule, accuracy)) for accuracy in accuracies]
        for name, rule in RULES.items()
    }


@dataclass(frozen=True, slots=True)
class Reliability:
    """Claimed and observed shares of "yes" before and after calibration, on labels that were not fitted."""

    before: list[Bin]
    after: list[Bin]


def reliability(labels: int = 1200) -> Reliability:
    """A simulated judge that is surer than it is right: five votes a question, one half fitted, the other shown."""
    draw = random.Random(SEED)  # noqa: S311 (a simulation)
    asked = [_asked(draw) for _ in range(labels)]
    half = labels // 2
    labelled = [
        LabelledQuestion(signals=signals, truth=truth, criterion="criterion")
        for signals, truth in asked[:half]
    ]
    fitted = fit(labelled, model="simulated", prompts="none")
    if fitted is None:
        raise ValueError(f"{half} labels are too few")
    shown = asked[half:]
    truth = [true for _, true in shown]
    return Reliability(
        before=reliability_table(
            [signals.yes / (signals.yes + signals.no) for signals, _ in shown], truth
        ),
        after=reliability_table(
            [_calibrated(fitted, signals) for signals, _ in shown], truth
        ),
    )


def _calibrated(fitted: Calibration, signals: Signals) -> float:
    chance = fitted.p_yes(signals, "criterion")
    if chance is None:
        raise ValueError("the criterion was not fitted")
    return chance


def _asked(draw: random.Random) -> tuple[Signals, bool]:
    """Votes on one question, and whether "yes" is right: the votes lean further than the truth does."""
    lean = draw.betavariate(0.8, 0.8)
    votes = sum(draw.random() < lean for _ in range(5))
    return Signals(yes=votes, no=5 - votes), draw.random() < 0.2 + 0.6 * lean


def _reference_tasks() -> Iterator[tuple[str, dict[str, Any], Task]]:
    for folder in sorted(path for path in REFERENCE_SET.iterdir() if path.is_dir()):
        labels = {
            row["result_id"]: row["outcome_class"]
            for row in _rows(folder / "labels.jsonl")
        }
        contracts = {
            found.contract.task_id: found.contract
            for found in load_contracts([folder / "contracts.yaml"]).contracts
        }
        for result in _rows(folder / "results.jsonl"):
            yield (
                folder.name,
                result,
                _task(
                    result, labels[result["result_id"]], contracts[result["task_id"]]
                ),
            )


def _task(result: dict[str, Any], outcome: str, contract: EvalContract) -> Task:
    ceiling = contract.budget.ceiling if contract.budget else None
    return Task(
        outcome=OutcomeClass(outcome),
        cost=Decimal(str(result["cost"]["amount"])) if result.get("cost") else None,
        ceiling=ceiling.amount if ceiling else None,
        name=result["task_id"],
    )


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())
