"""Lead-d voting, simulated, against the exact dynamic programme and against its bars; and what faults do to it.

    python benchmarks/judging/votes.py

prints one JSON line:

    rules      for lead-3/9 and lead-2/5 at accuracy .9, .8 and .6: `error` and `votes` simulated, `exact_error` and
               `exact_votes` of the dynamic programme, `z_error` and `z_votes` their distance in standard errors (bar:
               3), and the bars on the exact figures
    fixed_9    error of nine votes whatever they say, for comparison
    faults     400 runs of 200 results with 10 % of the votes broken, the harder results more often: how many runs had
               the true rate outside [pass, pass + undecided] (bar: 0), and how many results were counted as pass or
               fail against the truth (bar: 0, by a judge that is never wrong when it answers)
    ok         whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from judging.operating_point import operating_point

from judgemesh.contracts.voting import SOFT, VotingRule
from judgemesh.mesh.judging.voting.rules import Count, VoteOutcome, decide

LEAD_3 = VotingRule(pass_lead=3, fail_lead=3, k_max=9)
NINE = VotingRule(pass_lead=9, fail_lead=9, k_max=9)

BARS: tuple[tuple[str, VotingRule, float, float, float], ...] = (
    ("lead-3/9", LEAD_3, 0.9, 0.0020, 3.75),
    ("lead-3/9", LEAD_3, 0.8, 0.026, 4.6),
    ("lead-3/9", LEAD_3, 0.6, 0.276, 6.1),
    ("lead-2/5", SOFT, 0.9, 0.0151, 2.40),
    ("lead-2/5", SOFT, 0.8, 0.0734, 2.75),
    ("lead-2/5", SOFT, 0.6, 0.330, 3.20),
)
"""Rule, accuracy, and the most that error and expected votes may be."""

MOST_Z = 3.0
FAULT_RATE = 0.1


def vote_until_decided(rule: VotingRule, cast: Callable[[], str]) -> Count:
    """The votes at the stop; `cast` names the field of `Count` that the next vote goes to."""
    count = Count()
    while decide(rule, count) is None:
        kind = cast()
        count = count._replace(**{kind: getattr(count, kind) + 1})
    return count


def simulate(
    name: str, rule: VotingRule, accuracy: float, *, trials: int, seed: int
) -> dict[str, Any]:
    """One row of `rules`; the passing side is the right one."""
    draw = random.Random(f"{seed}:{name}:{accuracy}")  # noqa: S311 - a simulation
    wrong = 0.0
    votes: list[int] = []
    for _ in range(trials):
        count = vote_until_decided(
            rule, lambda: "passing" if draw.random() < accuracy else "failing"
        )
        wrong += (
            0.5
            if count.passing == count.failing
            else float(count.passing < count.failing)
        )
        votes.append(count.cast)
    exact = operating_point(rule, accuracy)
    error, mean = wrong / trials, sum(votes) / trials
    spread = math.sqrt(sum((one - mean) ** 2 for one in votes) / trials)
    return {
        "rule": name,
        "accuracy": accuracy,
        "error": round(error, 5),
        "exact_error": round(exact.error, 5),
        "z_error": round(
            abs(error - exact.error)
            / math.sqrt(exact.error * (1 - exact.error) / trials),
            2,
        ),
        "votes": round(mean, 4),
        "exact_votes": round(exact.expected_votes, 4),
        "z_votes": round(
            abs(mean - exact.expected_votes) / (spread / math.sqrt(trials)), 2
        ),
    }


def faults(*, runs: int, results: int, seed: int) -> dict[str, Any]:
    """Votes that break on harder results more often, and harder results that fail more often, in every run."""
    outside = miscounted = broken = votes = undecided = 0
    for run in range(runs):
        draw = random.Random(f"{seed}:faults:{run}")  # noqa: S311 - a simulation
        passed = failed = true_passes = 0
        for _ in range(results):
            difficulty = draw.random()
            passes = draw.random() > difficulty
            answer = "passing" if passes else "failing"
            breaks = 2 * FAULT_RATE * difficulty  # 10 % on average

            def cast(
                breaks: float = breaks, answer: str = answer, draw: random.Random = draw
            ) -> str:
                return "broken" if draw.random() < breaks else answer

            count = vote_until_decided(SOFT, cast)
            outcome = decide(SOFT, count)
            true_passes += passes
            passed += outcome is VoteOutcome.PASSING
            failed += outcome is VoteOutcome.FAILING
            miscounted += outcome is (
                VoteOutcome.FAILING if passes else VoteOutcome.PASSING
            )
            broken += count.broken
            votes += count.broken + count.answered
        undecided += results - passed - failed
        outside += not passed <= true_passes <= results - failed
    return {
        "runs": runs,
        "fault_rate": round(broken / votes, 4),
        "undecided_rate": round(undecided / (runs * results), 4),
        "runs_outside_bounds": outside,
        "results_miscounted": miscounted,
    }


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    parser = argparse.ArgumentParser(
        description="Lead-d voting against its exact figures and its bars."
    )
    parser.add_argument("--trials", type=int, default=40_000, metavar="N")
    parser.add_argument(
        "--runs", type=int, default=400, metavar="N", help="runs with faults"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for name, rule, accuracy, most_error, most_votes in BARS:
        row = simulate(name, rule, accuracy, trials=given.trials, seed=given.seed)
        met = row["exact_error"] <= most_error and row["exact_votes"] <= most_votes
        close = row["z_error"] <= MOST_Z and row["z_votes"] <= MOST_Z
        rows.append(
            {
                **row,
                "bar_error": most_error,
                "bar_votes": most_votes,
                "ok": met and close,
            }
        )
    broken = faults(runs=given.runs, results=200, seed=given.seed)
    ok = all(row["ok"] for row in rows) and not (
        broken["runs_outside_bounds"] or broken["results_miscounted"]
    )
    fixed = {
        str(accuracy): round(operating_point(NINE, accuracy).error, 4)
        for accuracy in (0.9, 0.8, 0.6)
    }
    print(json.dumps({"rules": rows, "fixed_9": fixed, "faults": broken, "ok": ok}))
    return 0 if ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
