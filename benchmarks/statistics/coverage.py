"""Does the interval of the Agent Success Rate hold the truth as often as it says?

    python benchmarks/statistics/coverage.py [--sets N] [--quick]

prints one JSON line:

    scenarios  six mixtures of outcome classes and cost overruns whose true rate is known exactly, at five sizes: how
               often the nominal 95 % interval held it (`anchored`, bar .915; `percentile` and `bca` for comparison),
               and the mean widths
    jeffreys   plain pass/fail: the largest distance between the ends of the anchored interval and of the Jeffreys
               interval over a grid of counts, with many draws (bar: .002, Monte-Carlo error)
    bounds     runs with undecided tasks: how often the bounds missed the rate that deciding them all gives (bar: 0)
    seeds      whether two processes with the same seed print the same bytes, and another seed prints others
    bca_scipy  the largest distance between the BCa ends here and those of scipy (Monte-Carlo error; null without scipy)
    ok         whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import subprocess
import sys
from dataclasses import dataclass
from decimal import Decimal
from statistics import NormalDist
from typing import Any

import numpy as np

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import Task, agent_success, contribution
from judgemesh.mesh.metrics.intervals import DRAWS, anchored, jeffreys, percentile

BAR = 0.915
FULL = 2_000
JEFFREYS_BAR = 0.002
SIZES = (30, 50, 100, 300, 1000)
CEILING = Decimal("0.10")
PASS, PART = OutcomeClass.COMPLETE, OutcomeClass.PARTIAL_PLUS
WRONG, MADE_UP, GONE = (
    OutcomeClass.PARTIAL_MINUS,
    OutcomeClass.HALLUCINATED,
    OutcomeClass.ABANDONED,
)
NORMAL = NormalDist()
LOW, HIGH = 0.025, 0.975


@dataclass(frozen=True)
class Kind:
    """A share of the tasks: its class and its cost."""

    share: str
    outcome: OutcomeClass
    cost: str = "0.05"


SCENARIOS: dict[str, tuple[str, tuple[Kind, ...]]] = {
    "mid": (
        "0.695",
        (
            Kind("0.60", PASS),
            Kind("0.05", PASS, "0.13"),
            Kind("0.15", PART),
            Kind("0.12", WRONG),
            Kind("0.08", GONE),
        ),
    ),
    "high": (
        "0.905",
        (
            Kind("0.86", PASS),
            Kind("0.02", PASS, "0.125"),
            Kind("0.075", PART),
            Kind("0.045", WRONG),
        ),
    ),
    "ceiling .9865": (
        "0.9865",
        (Kind("0.9835", PASS), Kind("0.0075", PART), Kind("0.009", GONE)),
    ),
    "ceiling .992": (
        "0.992",
        (Kind("0.9896", PASS), Kind("0.006", PART), Kind("0.0044", WRONG)),
    ),
    "low": (
        "0.125",
        (
            Kind("0.09", PASS),
            Kind("0.02", PASS, "0.15"),
            Kind("0.0625", PART),
            Kind("0.8275", MADE_UP),
        ),
    ),
    "rare cost blow-ups": (
        "0.784",
        (
            Kind("0.74", PASS),
            Kind("0.04", PASS, "0.19"),
            Kind("0.10", PART),
            Kind("0.02", PART, "0.90"),
            Kind("0.10", GONE, "0.60"),
        ),
    ),
}
"""True rate, and the mixture that has it. The ceiling is 10 cents: 13 cents cost a penalty of .3, 90 cents one of 1."""


def mixture(name: str) -> tuple[float, np.ndarray, np.ndarray]:
    """True rate, distinct contributions in order, and how likely each is; the rate is checked exactly."""
    stated, kinds = SCENARIOS[name]
    worth: dict[Decimal, Decimal] = {}
    for kind in kinds:
        value = contribution(kind.outcome, Decimal(kind.cost), CEILING)
        worth[value] = worth.get(value, Decimal(0)) + Decimal(kind.share)
    true = sum((value * share for value, share in worth.items()), Decimal(0))
    if sum(worth.values()) != 1 or true != Decimal(stated):
        raise AssertionError(f"{name}: the true rate is {true}, not {stated}")
    ordered = sorted(worth)
    return (
        float(true),
        np.array([float(one) for one in ordered]),
        np.array([float(worth[one]) for one in ordered]),
    )


def bca(
    values: np.ndarray, counts: np.ndarray, *, seed: int, draws: int = DRAWS
) -> tuple[float, float]:
    """The bias-corrected and accelerated bootstrap of a mean (Efron 1987), from distinct values and their counts."""
    n = int(counts.sum())
    mean = float(counts @ values) / n
    random = np.random.Generator(np.random.PCG64(seed))
    means = random.multinomial(n, counts / n, size=draws) @ values / n
    below = (np.count_nonzero(means < mean) + np.count_nonzero(means <= mean)) / (
        2 * draws
    )
    if not 0 < below < 1:
        return mean, mean
    pulled = (values - mean) / (n - 1)
    spread = float(counts @ pulled**2)
    if spread == 0:
        return mean, mean
    acceleration = float(counts @ pulled**3) / (6 * spread**1.5)
    bias = NORMAL.inv_cdf(below)
    ends = [bias + NORMAL.inv_cdf(tail) for tail in (LOW, HIGH)]
    tails = [NORMAL.cdf(bias + end / (1 - acceleration * end)) for end in ends]
    low, high = np.quantile(means, tails)
    return float(low), float(high)


def scenario(name: str, size: int, *, runs: int, seed: int) -> dict[str, Any]:
    """One row of `scenarios`."""
    true, values, shares = mixture(name)
    random = np.random.Generator(
        np.random.PCG64([seed, size, list(SCENARIOS).index(name)])
    )
    held: dict[str, int] = dict.fromkeys(("anchored", "percentile", "bca"), 0)
    width: dict[str, float] = dict.fromkeys(held, 0.0)
    for run, counts in enumerate(random.multinomial(size, shares, size=runs)):
        sample = np.repeat(values, counts).tolist()
        seen = counts > 0
        one, two = anchored(sample, seed=run), percentile(sample, seed=run)
        ends = {
            "anchored": (one.low, one.high),
            "percentile": (two.low, two.high),
            "bca": bca(values[seen], counts[seen], seed=run),
        }
        for method, (low, high) in ends.items():
            held[method] += low - 1e-12 <= true <= high + 1e-12
            width[method] += (high - low) / runs
    coverage = {method: round(count / runs, 4) for method, count in held.items()}
    widths = {f"width_{method}": round(total, 4) for method, total in width.items()}
    return {
        "scenario": name,
        "true": true,
        "n": size,
        **coverage,
        **widths,
        "bar": BAR,
    } | {"ok": coverage["anchored"] >= BAR}


def plain(draws: int) -> dict[str, Any]:
    """Pass/fail: anchored against Jeffreys."""
    worst = 0.0
    for trials in (30, 100, 1000):
        for successes in sorted({1, trials // 10, trials // 2, trials - 1}):
            found = anchored(
                [1.0] * successes + [0.0] * (trials - successes),
                seed=trials,
                draws=draws,
            )
            exact = jeffreys(successes, trials)
            worst = max(worst, abs(found.low - exact.low), abs(found.high - exact.high))
    return {
        "draws": draws,
        "largest_difference": round(worst, 5),
        "bar": JEFFREYS_BAR,
        "ok": worst <= JEFFREYS_BAR,
    }


def undecided(*, runs: int, seed: int) -> dict[str, Any]:
    """Take the classes of up to half of the tasks away: the bounds must hold the rate of all of them."""
    random = np.random.Generator(np.random.PCG64([seed, 99]))
    missed = taken = 0
    for run in range(runs):
        kinds = SCENARIOS[list(SCENARIOS)[run % len(SCENARIOS)]][1]
        weights = np.array([float(kind.share) for kind in kinds])
        picked = [
            kinds[int(place)]
            for place in random.choice(len(kinds), 60, p=weights / weights.sum())
        ]
        tasks = [Task(kind.outcome, Decimal(kind.cost), CEILING) for kind in picked]
        hidden = random.random(len(tasks)) < random.random() / 2
        hidden[0] = False
        part = [
            Task(None, task.cost, task.ceiling) if gone else task
            for task, gone in zip(tasks, hidden, strict=True)
        ]
        truth = agent_success(tasks, seed=run, draws=10).asr
        low, high = agent_success(part, seed=run, draws=10).bounds
        missed += not low - 1e-12 <= truth <= high + 1e-12
        taken += int(hidden.sum())
    return {
        "runs": runs,
        "undecided": round(taken / (60 * runs), 3),
        "missed": missed,
        "bar": 0,
        "ok": missed == 0,
    }


def fingerprint(seed: int) -> str:
    """A digest of every figure of one run."""
    tasks = [
        Task(kind.outcome, Decimal(kind.cost), CEILING)
        for kind in SCENARIOS["rare cost blow-ups"][1] * 20
    ]
    return hashlib.sha256(repr(agent_success(tasks, seed=seed)).encode()).hexdigest()


def seeds() -> dict[str, Any]:
    """The same seed in another process, and another seed."""
    command = [sys.executable, __file__, "--fingerprint", "7"]
    elsewhere = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60
    ).stdout.strip()
    same, other = elsewhere == fingerprint(7), fingerprint(8) != fingerprint(7)
    return {"same_bytes": same, "other_seed_differs": other, "ok": same and other}


def against_scipy() -> float | None:
    """BCa here against scipy's, on one skewed sample."""
    try:
        from scipy import stats
    except ImportError:
        return None
    values, counts = np.array([0.0, 0.4, 0.7, 1.0]), np.array([6, 9, 5, 60])
    found = stats.bootstrap(
        (np.repeat(values, counts),), np.mean, n_resamples=20_000, method="BCa", rng=1
    )
    low, high = bca(values, counts, seed=1, draws=20_000)
    ends = found.confidence_interval
    return round(max(abs(low - float(ends.low)), abs(high - float(ends.high))), 5)


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    parser = argparse.ArgumentParser(
        description="Coverage of the interval of the Agent Success Rate."
    )
    parser.add_argument(
        "--sets",
        type=int,
        default=FULL,
        dest="runs",
        metavar="N",
        help="simulated samples a scenario and size",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the short form: 50 samples, the sizes 30 and 300",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fingerprint", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fingerprint is not None:
        print(fingerprint(given.fingerprint))
        return 0
    runs, sizes = (50, (30, 300)) if given.quick else (given.runs, SIZES)
    rows = [
        scenario(name, size, runs=runs, seed=given.seed)
        for name in SCENARIOS
        for size in sizes
    ]
    if runs < FULL:  # few samples say a bar is missed only beyond three standard errors
        slack = 3 * math.sqrt(BAR * (1 - BAR) / runs)
        rows = [
            {**row, "bar": round(BAR - slack, 4), "ok": row["anchored"] >= BAR - slack}
            for row in rows
        ]
    checks = {
        "jeffreys": plain(20_000 if given.quick else 200_000),
        "bounds": undecided(runs=30 if given.quick else 1_000, seed=given.seed),
        "seeds": seeds(),
    }
    ok = all(row["ok"] for row in rows) and all(
        check["ok"] for check in checks.values()
    )
    line = {
        "runs": runs,
        "nominal": HIGH - LOW,
        "scenarios": rows,
        **checks,
        "bca_scipy": against_scipy(),
        "ok": ok,
    }
    print(json.dumps(line))
    return 0 if ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
