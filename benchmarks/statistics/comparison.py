"""Comparing two versions: do the intervals hold, how often is there a false alarm, and what can be seen at all?

    python benchmarks/statistics/comparison.py [--sets N] [--quick]

prints one JSON line. The first four parts ask of `paired`, from which `judgemesh compare` prints:

    coverage     5 to 200 tasks with 1 to 20 runs, balanced and with one task that has half of the runs, five kinds of
                 difficulty, chances kept, half drawn again and all drawn again, missing runs: coverage of 95 %
                 intervals of a change of 0, of a true drop, and of 5 % of tasks that break wholly (bar .93); how often
                 an unchanged version is called improved or regressed (bar .05)
    power_at     how often a true drop of the printed detectable size is called regressed (bars .75 and .90); null
                 where fewer than half of the sets print a size
    undecided    failures that became undecided: verdicts where the bounds straddle zero (bar: none)
    names        other names and another order of tasks and runs: results that differ (bar: none)
    repeats      T tasks run K times each: coverage of nominal 95 % intervals of one version's rate and of the change
                 between two, with tasks as the units (`clustered`, `paired`, bar .935) and with T x K runs taken as
                 independent (`as_independent`)
    ceiling      rates of .95 and .98 with several runs a task: the anchored interval by task (bar .935), the clustered
                 one, and the anchored one of independent runs
    false_alarms share of comparisons without a true change that were called improved or regressed (bar: .075)
    power        100 tasks of which 20 % differ: the minimum detectable effect (bar: .13) and how often a true change
                 of that size is called improved (bar: .75, planned .80)
    mcnemar      exact type-I error of the mid-p test at .05 (bar: .055), and of the exact test for comparison
    classes      12 classes of 25 items before and after, nothing changed: share of weeks with a false alarm raw and
                 after Benjamini-Hochberg (bar: .06); the same for five outcome classes of one report, beside the flag
                 of two points
    newcombe     exact coverage of the difference of two shares: mean and least over a grid (bars: .945, .91), and of
                 the Wald interval for comparison
    pass_hat_k   coverage of pass^k with tasks as the units (bar .935)
    ok           whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from numpy.typing import NDArray
from simulations import sets as simulated
from simulations import versions

from judgemesh.mesh.metrics.comparison import (
    ComparisonVerdict,
    minimum_detectable,
    paired,
)
from judgemesh.mesh.metrics.differences import STRICT, paired_limits
from judgemesh.mesh.metrics.gates import mcnemar_mid_p
from judgemesh.mesh.metrics.intervals import Interval, anchored, clustered, wilson
from judgemesh.mesh.metrics.repeats import Trials, pass_hat, pass_hat_k
from judgemesh.mesh.metrics.shares import (
    benjamini_hochberg,
    newcombe,
    share_changes,
    two_shares,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COVERAGE = 0.935
FALSE_ALARMS = 0.075
POWER = 0.75
EFFECT = 0.13
MID_P = 0.055
CLASSES = 0.06
NEWCOMBE = 0.945, 0.91
ALARM = 0.05
Z = 1.959963984540054
_FULL = 1_000
SUITES = ((20, 5), (50, 5), (100, 4), (100, 6), (200, 6))
STEADY, RELIABLE = 0.45, 0.7
"""Tasks differ: abilities are Beta with this correlation between runs of one task; hard tasks stay hard."""


def slack(bar: float, runs: int) -> float:
    """Few runs say that a bar is missed only beyond three standard errors; the full form has no such grace."""
    return 3 * math.sqrt(bar * (1 - bar) / runs) if runs < _FULL else 0.0


def at_least(share: float, bar: float, runs: int) -> dict[str, Any]:
    """The bar, and whether a measured share reaches it."""
    return {"bar": bar, "ok": bool(share >= bar - slack(bar, runs))}


def at_most(share: float, bar: float, runs: int) -> dict[str, Any]:
    """The bar, and whether a measured share stays below it."""
    return {"bar": bar, "ok": bool(share <= bar + slack(bar, runs))}


def abilities(
    random: np.random.Generator, tasks: int, *, mean: float, alike: float
) -> Floats:
    """The chance of success of each task; runs of one task correlate by `alike`."""
    total = 1 / alike - 1
    return random.beta(mean * total, (1 - mean) * total, tasks)


def runs_of(random: np.random.Generator, chances: Floats, repeats: int) -> Floats:
    """Outcomes, one row a task."""
    return (random.random((len(chances), repeats)) < chances[:, None]).astype(float)


def by_task(outcomes: Floats) -> dict[str, list[float]]:
    """What `paired` takes."""
    return {f"t{place}": row for place, row in enumerate(outcomes.tolist())}


def repeats_of(
    tasks: int, repeats: int, *, runs: int, seed: int
) -> list[dict[str, Any]]:
    """Two rows of `repeats`: the rate of one version, and the change between two."""
    rows: list[dict[str, Any]] = []
    names = [f"t{task}" for task in range(tasks) for _ in range(repeats)]
    for alike in (STEADY, RELIABLE):
        random = np.random.Generator(
            np.random.PCG64([seed, tasks, repeats, int(100 * alike)])
        )
        rate_held = rate_naive = held = naive = 0
        for _run in range(runs):
            before = runs_of(
                random, abilities(random, tasks, mean=0.7, alike=alike), repeats
            )
            after = runs_of(
                random, abilities(random, tasks, mean=0.75, alike=alike), repeats
            )
            one = clustered(before.ravel().tolist(), names)
            two = wilson(int(before.sum()), before.size)
            rate_held += one.low <= 0.7 <= one.high
            rate_naive += two.low <= 0.7 <= two.high
            change = paired(by_task(before), by_task(after), power=False).ci
            held += change.low <= 0.05 <= change.high
            differences = (after - before).ravel()
            half = Z * differences.std(ddof=1) / math.sqrt(differences.size)
            naive += bool(abs(differences.mean() - 0.05) <= half)
        common = {"tasks": tasks, "repeats": repeats, "runs_alike": alike}
        for what, good, bad in (
            ("rate", rate_held, rate_naive),
            ("change", held, naive),
        ):
            coverage = round(good / runs, 4)
            rows.append(
                {
                    "of": what,
                    **common,
                    "by_task": coverage,
                    "as_independent": round(bad / runs, 4),
                }
                | at_least(coverage, COVERAGE, runs)
            )
    return rows


def ceiling(*, runs: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `ceiling`: rates near 1, several runs a task."""
    rows: list[dict[str, Any]] = []
    for tasks, repeats, rate in ((30, 5, 0.95), (50, 4, 0.98), (200, 6, 0.98)):
        random = np.random.Generator(np.random.PCG64([seed, 8, tasks, repeats]))
        names = [f"t{task}" for task in range(tasks) for _ in range(repeats)]
        held: dict[str, int] = dict.fromkeys(
            ("anchored", "clustered", "as_independent"), 0
        )
        for run in range(runs):
            values = (
                runs_of(
                    random, abilities(random, tasks, mean=rate, alike=STEADY), repeats
                )
                .ravel()
                .tolist()
            )
            found = {
                "anchored": anchored(values, seed=run, clusters=names),
                "clustered": clustered(values, names),
                "as_independent": anchored(values, seed=run),
            }
            for method, interval in found.items():
                held[method] += interval.low <= rate <= interval.high
        shares = {method: round(count / runs, 4) for method, count in held.items()}
        row = {"rate": rate, "tasks": tasks, "repeats": repeats, "runs_alike": STEADY}
        rows.append(row | shares | at_least(shares["anchored"], COVERAGE, runs))
    return rows


def false_alarms(*, runs: int, seed: int) -> list[dict[str, Any]]:
    """Two versions whose tasks differ and whose mean does not."""
    rows: list[dict[str, Any]] = []
    for tasks, repeats in ((30, 1), (100, 1), (100, 4)):
        random = np.random.Generator(np.random.PCG64([seed, 2, tasks, repeats]))
        called = 0
        for _run in range(runs):
            first = abilities(random, tasks, mean=0.8, alike=STEADY)
            other = np.where(
                random.random(tasks) < 0.5,
                abilities(random, tasks, mean=0.8, alike=STEADY),
                first,
            )
            found = paired(
                by_task(runs_of(random, first, repeats)),
                by_task(runs_of(random, other, repeats)),
                power=False,
            )
            called += found.change is not ComparisonVerdict.NO_EVIDENCE
        share = round(called / runs, 4)
        rows.append(
            {
                "tasks": tasks,
                "repeats": repeats,
                "called": share,
                **at_most(share, FALSE_ALARMS, runs),
            }
        )
    return rows


def minimum_detectable_flips(differ: float, tasks: int) -> float:
    """The least true change of a pass rate that is found with a power of .80 when a share `differ` of the tasks flips.

    Solves effect = z sqrt((differ - effect^2) / tasks): differences of -1, 0 and 1 that are
    not 0 with chance `differ` and have mean `effect` have the variance differ - effect^2.
    100 tasks of which 20 % differ: .129 at the level of the printed interval, .121 at 95 %.
    """
    z = minimum_detectable(1.0, 1, level=STRICT)
    return z * math.sqrt(differ / (tasks + z * z))


def power(*, runs: int, seed: int) -> dict[str, Any]:
    """A true change of the minimum detectable effect."""
    tasks, differ = 100, 0.2
    effect = minimum_detectable_flips(differ, tasks)
    random = np.random.Generator(np.random.PCG64([seed, 3]))
    gains = (differ + effect) / 2
    improved = 0
    for _run in range(runs):
        pick = random.random(tasks)
        before = ((pick >= gains) & ((pick < differ) | (pick < 0.8))).astype(float)
        after = np.where(pick < gains, 1.0, np.where(pick < differ, 0.0, before))
        found = paired(by_task(before[:, None]), by_task(after[:, None]), power=False)
        improved += found.change is ComparisonVerdict.IMPROVED
    share = round(improved / runs, 4)
    seen = at_least(share, POWER, runs)
    planned = {
        "tasks": tasks,
        "differ": differ,
        "minimum_detectable": round(effect, 4),
        "bar_minimum": EFFECT,
    }
    return planned | {
        "power": share,
        "bar": POWER,
        "ok": seen["ok"] and effect <= EFFECT,
    }


def mcnemar() -> dict[str, Any]:
    """Exact: over how many of the tasks differ, and how these split."""
    rows: list[dict[str, Any]] = []
    for tasks in (25, 100, 400):
        for differ in (0.1, 0.2, 0.4):
            many = binomial(tasks, differ)
            middle = exact = 0.0
            for pairs in range(1, tasks + 1):
                if many[pairs] < 1e-12:
                    continue
                split = binomial(pairs, 0.5)
                for fewer in range(pairs // 2 + 1):
                    ways = split[fewer] * (1 if 2 * fewer == pairs else 2)
                    chance = many[pairs] * ways
                    middle += chance * (mcnemar_mid_p(fewer, pairs - fewer) <= ALARM)
                    exact += chance * (min(1.0, 2 * split[: fewer + 1].sum()) <= ALARM)
            rows.append(
                {
                    "tasks": tasks,
                    "differ": differ,
                    "mid_p": round(float(middle), 4),
                    "exact": round(float(exact), 4),
                }
            )
    worst = max(row["mid_p"] for row in rows)
    return {"rows": rows, "worst": worst, "bar": MID_P, "ok": bool(worst <= MID_P)}


@cache
def binomial(trials: int, chance: float) -> Floats:
    """All probabilities of a binomial."""
    counts = np.arange(trials + 1)
    logs = np.array(
        [
            math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
            for k in counts
        ]
    )
    return np.asarray(
        np.exp(
            logs + counts * math.log(chance) + (trials - counts) * math.log1p(-chance)
        )
    )


@cache
def p_value(before: int, after: int) -> float:
    """Of 25 and 25 items."""
    return two_shares(before, 25, after, 25)


def classes(*, runs: int, seed: int) -> list[dict[str, Any]]:
    """Weeks in which nothing changed."""
    random = np.random.Generator(np.random.PCG64([seed, 5]))
    raw = corrected = 0
    for _ in range(runs):
        rates = random.uniform(0.5, 0.9, 12)
        before, after = (
            random.binomial(25, rates).tolist(),
            random.binomial(25, rates).tolist(),
        )
        tests = {
            str(place): p_value(before[place], after[place]) for place in range(12)
        }
        raw += min(tests.values()) <= ALARM
        corrected += any(benjamini_hochberg(tests).values())
    rows: list[dict[str, Any]] = [
        {
            "of": "12 classes of 25",
            "raw": round(raw / runs, 4),
            "corrected": round(corrected / runs, 4),
        }
    ]
    flagged = raw = corrected = 0
    shares = np.array([0.58, 0.12, 0.08, 0.04, 0.18])
    some = max(1, runs // 4)
    for _ in range(some):
        weeks = [named(random.multinomial(200, shares)) for _ in range(2)]
        changes = share_changes(*weeks).values()
        flagged += any(change.large for change in changes)
        raw += any(change.p_value <= ALARM for change in changes)
        corrected += any(change.real for change in changes)
    outcome = {"raw": round(raw / some, 4), "corrected": round(corrected / some, 4)}
    rows.append(
        {
            "of": "5 outcome classes, 200 tasks a week",
            "two_points": round(flagged / some, 4),
            **outcome,
        }
    )
    return [row | at_most(float(row["corrected"]), CLASSES, some) for row in rows]


def named(counts: Ints) -> Mapping[str, int]:
    """Counts by class."""
    return {str(place): int(count) for place, count in enumerate(counts)}


def newcombe_coverage(sizes: tuple[tuple[int, int], ...]) -> dict[str, Any]:
    """Exact coverage over a grid of true shares."""
    rows: list[dict[str, Any]] = []
    rates = (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95)
    for n, m in sizes:
        ends = np.array(
            [
                [interval_of(newcombe, k, n, j, m) for j in range(m + 1)]
                for k in range(n + 1)
            ]
        )
        plain = np.array(
            [
                [interval_of(wald, k, n, j, m) for j in range(m + 1)]
                for k in range(n + 1)
            ]
        )
        hits: list[float] = []
        wald_hits: list[float] = []
        for before in rates:
            for after in rates:
                chance = binomial(n, before)[:, None] * binomial(m, after)[None, :]
                hits.append(float(chance[held(ends, after - before)].sum()))
                wald_hits.append(float(chance[held(plain, after - before)].sum()))
        rows.append(
            {
                "n": n,
                "m": m,
                "mean": round(float(np.mean(hits)), 4),
                "least": round(min(hits), 4),
            }
            | {
                "wald_mean": round(float(np.mean(wald_hits)), 4),
                "wald_least": round(min(wald_hits), 4),
            }
        )
    ok = all(row["mean"] >= NEWCOMBE[0] and row["least"] >= NEWCOMBE[1] for row in rows)
    return {"rows": rows, "bar_mean": NEWCOMBE[0], "bar_least": NEWCOMBE[1], "ok": ok}


def interval_of(
    method: Callable[[int, int, int, int], Interval], *counts: int
) -> tuple[float, float]:
    """Both ends."""
    found = method(*counts)
    return found.low, found.high


def wald(k: int, n: int, j: int, m: int) -> Interval:
    """The textbook interval."""
    p, q = k / n, j / m
    half = Z * math.sqrt(p * (1 - p) / n + q * (1 - q) / m)
    return Interval(q - p - half, q - p + half, "wald")


def held(ends: Floats, truth: float) -> NDArray[np.bool_]:
    """Which intervals hold the truth."""
    return np.asarray((ends[..., 0] <= truth + 1e-12) & (truth - 1e-12 <= ends[..., 1]))


def reliability(*, runs: int, seed: int) -> list[dict[str, Any]]:
    """pass^k over a suite; the truth is the k-th moment of the abilities."""
    rows: list[dict[str, Any]] = []
    for tasks, repeats, k in ((50, 4, 2), (100, 8, 4), (50, 8, 8)):
        random = np.random.Generator(np.random.PCG64([seed, 7, tasks, k]))
        total = 1 / STEADY - 1
        truth = math.prod((0.7 * total + step) / (total + step) for step in range(k))
        covered = naive = 0
        for run in range(runs):
            outcomes = runs_of(
                random, abilities(random, tasks, mean=0.7, alike=STEADY), repeats
            ).sum(axis=1)
            suite = {
                str(place): Trials(int(correct), repeats)
                for place, correct in enumerate(outcomes)
            }
            found = pass_hat(suite, k, seed=run).ci
            covered += found.low <= truth <= found.high
            pooled = wilson(int(outcomes.sum()), tasks * repeats)
            naive += pooled.low**k <= truth <= pooled.high**k
        coverage = round(covered / runs, 4)
        row = {
            "tasks": tasks,
            "runs": repeats,
            "k": k,
            "by_task": coverage,
            "rate_to_the_k": round(naive / runs, 4),
        }
        rows.append(row | at_least(coverage, COVERAGE, runs))
    return rows


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    parser = argparse.ArgumentParser(
        description="Comparison of two versions: coverage, false alarms, power."
    )
    parser.add_argument(
        "--runs",
        type=int,
        default=2_000,
        metavar="N",
        help="simulated comparisons a row",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the short form: 100 comparisons a row, bars widened",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--sets", type=int, default=400, metavar="N", help="simulated sets a cell"
    )
    given = parser.parse_args()
    runs = 100 if given.quick else given.runs
    form = simulated.form(given.sets, seed=given.seed, quick=given.quick)
    assert_pass_hat_k()
    method = versions.Method(paired, limits, unchanged=4)
    parts: dict[str, list[dict[str, Any]]] = {
        "coverage": versions.coverage(form, method, 31),
        "power_at": versions.power_of(form, method, 33),
        "undecided": versions.undecided(form, paired, 35),
        "names": versions.names(form, paired, 36),
        "repeats": [
            row
            for tasks, repeats in (SUITES[1:2] if given.quick else SUITES)
            for row in repeats_of(tasks, repeats, runs=runs, seed=given.seed)
        ],
        "ceiling": ceiling(runs=runs, seed=given.seed),
        "false_alarms": false_alarms(runs=runs, seed=given.seed),
        "power": [power(runs=runs, seed=given.seed)],
        "mcnemar": [mcnemar()],
        "classes": classes(runs=2_000 if given.quick else 20_000, seed=given.seed),
        "newcombe": [
            newcombe_coverage(
                ((25, 25),) if given.quick else ((25, 25), (25, 60), (100, 100))
            )
        ],
        "pass_hat_k": reliability(runs=runs, seed=given.seed),
    }
    ok = all(row["ok"] for rows in parts.values() for row in rows)
    print(json.dumps({"runs": runs, "sets": form.sets, **parts, "ok": ok}))
    return 0 if ok else 1


def limits(a: Floats, b: Floats, _runs_a: Ints, _runs_b: Ints) -> tuple[Floats, Floats]:
    """Of many sets; `paired` takes them from the same function."""
    return paired_limits(b - a, 1.0)


def assert_pass_hat_k() -> None:
    """The truth that `reliability` uses is that of the estimator: its mean over all outcomes of one task."""
    many = binomial(8, 0.7)
    if abs(sum(many[c] * pass_hat_k(c, 8, 4) for c in range(9)) - 0.7**4) > 1e-12:
        raise AssertionError("pass^k is not unbiased")


if __name__ == "__main__":
    raise SystemExit(main())
