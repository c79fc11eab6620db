"""Judged rates corrected by human labels: do the intervals hold, what do they save, and what must be refused?

    python benchmarks/statistics/correction.py [--sets N] [--quick]

prints one JSON line:

    post_stratified  labels drawn from the run itself, at random and half from each verdict: coverage of nominal 95 %
                     (bar .925), `human_only` and `ppi` (prediction-powered, tuned) for comparison, `width_ratio` of its
                     width and that of the labels alone; for Se .92 and Sp .70 of 5,000 results a bar of .85
    rogan_gladen     a reference set in which success is as common as not, another prevalence in the run: coverage (bar
                     .925) and width beside that of as many labels from the run
    shift            labels from a run of another prevalence: what the correction by verdict covers when nobody says so,
                     that it refuses when told (bar: all), and what Rogan-Gladen covers on the same labels (bar .925)
    classes          the Agent Success Rate with complete, partial and failed confused, and costs: coverage corrected
                     (bar .925) and of the judge's classes taken for the truth; effective labels a label
    judge_noise      class probabilities that are calibrated, and a little too sure: coverage of the interval that
                     redraws the classes (bar .925), of their expected worth alone, and of the likeliest class taken
                     for the truth
    ok               whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import argparse
import json
import math
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import Task, contribution, with_judge_noise
from judgemesh.mesh.metrics.correction import (
    Drawn,
    LabelCounts,
    post_stratified,
    rogan_gladen,
)
from judgemesh.mesh.metrics.intervals import Interval, anchored, jeffreys
from judgemesh.mesh.metrics.outcome_correction import JudgedTask, corrected_success

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COVERAGE = 0.925
WIDTH = 0.85
SIZES = (30, 50, 100, 200, 400)
FEW = (30, 100, 400)
Z = 1.959963984540054
_FULL = 1_000

SETTINGS = ((0.7, 0.92, 0.70), (0.9, 0.95, 0.60), (0.3, 0.85, 0.90))
"""True rate, sensitivity, specificity."""


def at_least(share: float, runs: int) -> dict[str, Any]:
    """The bar of coverage; few runs miss it only beyond three standard errors."""
    slack = 3 * math.sqrt(COVERAGE * (1 - COVERAGE) / runs) if runs < _FULL else 0.0
    return {"bar": COVERAGE, "ok": bool(share >= COVERAGE - slack)}


def covers(found: Interval, truth: float) -> bool:
    """Whether it holds the truth."""
    return found.low <= truth <= found.high


def judged(
    random: np.random.Generator, results: int, truth: float, se: float, sp: float
) -> tuple[Flags, Flags]:
    """What is good, and what the judge passed."""
    good = random.random(results) < truth
    return good, np.where(
        good, random.random(results) < se, random.random(results) >= sp
    )


@cache
def human_only(true: int, labels: int) -> Interval:
    """The labels alone."""
    return jeffreys(true, labels)


def labelled(good: Flags, verdicts: Flags, chosen: Ints) -> LabelCounts:
    """The labels of the chosen results, by verdict."""
    yes = verdicts[chosen]
    true = good[chosen]
    return LabelCounts(
        int(yes.sum()),
        int((yes & true).sum()),
        int((~yes).sum()),
        int((~yes & true).sum()),
    )


def choose(
    random: np.random.Generator, verdicts: Flags, labels: int, drawn: Drawn
) -> Ints:
    """Places of the results to label."""
    if drawn is Drawn.AT_RANDOM:
        return random.permutation(len(verdicts))[:labels]
    halves = [
        random.permutation(np.flatnonzero(verdicts == side))[: labels // 2]
        for side in (True, False)
    ]
    return np.concatenate(halves)


def prediction_powered(
    good: Flags, verdicts: Flags, chosen: Ints
) -> tuple[float, float]:
    """PPI++ (Angelopoulos, Duchi, Zrnic 2023) with its normal interval, the labelled results left out of the rest."""
    rest = np.ones(len(good), dtype=bool)
    rest[chosen] = False
    y, f, g = (
        good[chosen].astype(float),
        verdicts[chosen].astype(float),
        verdicts[rest].astype(float),
    )
    n, m = len(y), len(g)
    spread = f.var(ddof=1)
    tuned = float(np.cov(y, f)[0, 1] / ((1 + n / m) * spread)) if spread > 0 else 0.0
    rate = tuned * g.mean() + (y - tuned * f).mean()
    half = Z * math.sqrt(tuned**2 * g.var() / m + (y - tuned * f).var(ddof=1) / n)
    return float(rate - half), float(rate + half)


def post_stratification(
    *, runs: int, sizes: tuple[int, ...], seed: int
) -> list[dict[str, Any]]:
    """Rows of `post_stratified`."""
    rows: list[dict[str, Any]] = []
    for truth, se, sp in SETTINGS:
        for labels in sizes:
            for drawn in (Drawn.AT_RANDOM, Drawn.BY_VERDICT):
                random = np.random.Generator(
                    np.random.PCG64([seed, labels, int(100 * truth), len(drawn.value)])
                )
                held = alone = ppi = refused = 0
                width = wide = effective = 0.0
                for run in range(runs):
                    good, verdicts = judged(random, 5_000, truth, se, sp)
                    chosen = choose(random, verdicts, labels, drawn)
                    try:
                        known = labelled(good, verdicts, chosen)
                        found = post_stratified(
                            int(verdicts.sum()), len(good), known, seed=run, drawn=drawn
                        )
                    except ValueError:
                        refused += 1
                        continue
                    random_ones = (
                        chosen
                        if drawn is Drawn.AT_RANDOM
                        else random.permutation(len(good))[:labels]
                    )
                    human = human_only(int(good[random_ones].sum()), labels)
                    low, high = prediction_powered(good, verdicts, random_ones)
                    held += covers(found.ci, truth)
                    alone += covers(human, truth)
                    ppi += low <= truth <= high
                    width += found.ci.high - found.ci.low
                    wide += human.high - human.low
                    effective += found.effective_labels
                made = runs - refused
                coverage, ratio = round(held / made, 4), round(width / wide, 4)
                row = {
                    "truth": truth,
                    "se": se,
                    "sp": sp,
                    "labels": labels,
                    "drawn": drawn.value,
                    "refused": refused,
                }
                row |= {
                    "covers": coverage,
                    "human_only": round(alone / made, 4),
                    "ppi": round(ppi / made, 4),
                }
                row |= {"width": round(width / made, 4), "width_ratio": ratio}
                row |= {
                    "effective_labels": round(effective / made, 1),
                    **at_least(coverage, runs),
                }
                if (se, sp) == SETTINGS[0][1:]:
                    row |= {
                        "bar_width": WIDTH,
                        "ok": bool(row["ok"] and ratio <= WIDTH),
                    }
                rows.append(row)
    return rows


def reference(*, runs: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `rogan_gladen`."""
    rows: list[dict[str, Any]] = []
    for se, sp in ((0.92, 0.70), (0.85, 0.90)):
        for items in (100, 400):
            for truth in (0.1, 0.35, 0.7, 0.95):
                random = np.random.Generator(
                    np.random.PCG64([seed, 11, items, int(100 * truth), int(100 * se)])
                )
                held = made = 0
                width = wide = 0.0
                for _ in range(runs):
                    positives = int(random.binomial(items, 0.5))
                    true_yes = int(random.binomial(positives, se))
                    true_no = int(random.binomial(items - positives, sp))
                    good, verdicts = judged(random, 1_000, truth, se, sp)
                    try:
                        found = rogan_gladen(
                            int(verdicts.sum()),
                            1_000,
                            true_yes=true_yes,
                            positives=positives,
                            true_no=true_no,
                            negatives=items - positives,
                        )
                    except ValueError:
                        continue
                    made += 1
                    held += covers(found.ci, truth)
                    width += found.ci.half_width
                    wide += human_only(int(good[:items].sum()), items).half_width
                coverage = round(held / made, 4)
                row = {
                    "truth": truth,
                    "reference_truth": 0.5,
                    "se": se,
                    "sp": sp,
                    "reference_items": items,
                }
                row |= {
                    "refused": runs - made,
                    "covers": coverage,
                    "half_width": round(width / made, 4),
                }
                rows.append(
                    row
                    | {
                        "human_only_half_width": round(wide / made, 4),
                        **at_least(coverage, runs),
                    }
                )
    return rows


def shift(*, runs: int, seed: int) -> list[dict[str, Any]]:
    """Labels of a run of 85 % success, used on a run that is worse."""
    rows: list[dict[str, Any]] = []
    for truth in (0.75, 0.65, 0.5, 0.35):
        random = np.random.Generator(np.random.PCG64([seed, 13, int(100 * truth)]))
        silent = refused = right = made = 0
        for run in range(runs):
            old, old_verdicts = judged(random, 400, 0.85, 0.92, 0.7)
            known = labelled(old, old_verdicts, np.arange(400))
            _, verdicts = judged(random, 2_000, truth, 0.92, 0.7)
            passed = int(verdicts.sum())
            silent += covers(post_stratified(passed, 2_000, known, seed=run).ci, truth)
            try:
                post_stratified(passed, 2_000, known, seed=run, drawn=Drawn.ANOTHER_RUN)
            except ValueError:
                refused += 1
            positives = known.yes_true + known.no_true
            try:
                found = rogan_gladen(
                    passed,
                    2_000,
                    true_yes=known.yes_true,
                    positives=positives,
                    true_no=known.no_labelled - known.no_true,
                    negatives=400 - positives,
                )
            except ValueError:
                continue
            made += 1
            right += covers(found.ci, truth)
        coverage = round(right / made, 4)
        bar = at_least(coverage, runs)
        rows.append(
            {
                "labels_truth": 0.85,
                "run_truth": truth,
                "labels": 400,
                "untold": round(silent / runs, 4),
            }
            | {"refused_when_told": round(refused / runs, 4), "rogan_gladen": coverage}
            | {**bar, "ok": bool(bar["ok"] and refused == runs)}
        )
    return rows


PASS, PART, FAIL = (
    OutcomeClass.COMPLETE,
    OutcomeClass.PARTIAL_PLUS,
    OutcomeClass.PARTIAL_MINUS,
)
NAMES = (PASS, PART, FAIL)
CEILING = Decimal("0.10")
CONFUSED = np.array([[0.90, 0.08, 0.02], [0.30, 0.55, 0.15], [0.12, 0.18, 0.70]])
"""A lenient judge: rows are true classes, columns what it says."""


def confused(
    random: np.random.Generator, tasks: int, shares: tuple[float, ...]
) -> tuple[Ints, Ints, Floats]:
    """True classes, judged ones and costs; failed runs cost more, and more so where the judge errs."""
    true = random.choice(3, tasks, p=shares)
    said = (
        random.random(tasks)[:, None] >= np.cumsum(CONFUSED[true], axis=1)[:, :-1]
    ).sum(axis=1)
    dear = random.random(tasks) < 0.05 + 0.10 * (true == 2) + 0.10 * (true != said)
    return true, said, np.where(dear, 0.15, 0.06)


def classes(*, runs: int, sizes: tuple[int, ...], seed: int) -> list[dict[str, Any]]:
    """Rows of `classes`."""
    rows: list[dict[str, Any]] = []
    for shares in ((0.60, 0.20, 0.20), (0.88, 0.07, 0.05), (0.15, 0.25, 0.60)):
        truth = true_success(shares)
        for labels in sizes:
            random = np.random.Generator(
                np.random.PCG64([seed, 17, labels, int(100 * shares[0])])
            )
            held = naive = made = 0
            width = wide = effective = 0.0
            for run in range(runs):
                true, said, cost = confused(random, 1_000, shares)
                chosen = set(random.permutation(1_000)[:labels].tolist())
                tasks = [
                    JudgedTask(
                        NAMES[int(said[place])],
                        NAMES[int(true[place])] if place in chosen else None,
                        Decimal(str(cost[place])),
                        CEILING,
                    )
                    for place in range(1_000)
                ]
                try:
                    found = corrected_success(tasks, drawn=Drawn.AT_RANDOM, seed=run)
                except ValueError:
                    continue
                made += 1
                held += covers(found.ci, truth)
                naive += covers(
                    anchored([worth(task.judged, task) for task in tasks], seed=run),
                    truth,
                )
                alone = anchored(
                    [
                        worth(task.human, task)
                        for task in tasks
                        if task.human is not None
                    ],
                    seed=run,
                )
                width += found.ci.high - found.ci.low
                wide += alone.high - alone.low
                effective += found.effective_labels
            coverage = round(held / made, 4)
            row = {
                "shares": list(shares),
                "truth": round(truth, 4),
                "tasks": 1_000,
                "labels": labels,
            }
            row |= {
                "refused": runs - made,
                "covers": coverage,
                "judge_as_truth": round(naive / made, 4),
            }
            row |= {
                "width_ratio": round(width / wide, 4),
                "effective_labels": round(effective / made, 1),
            }
            rows.append(row | at_least(coverage, runs))
    return rows


def worth(outcome: OutcomeClass | None, task: JudgedTask) -> float:
    """The contribution of a task of that class."""
    return 0.0 if outcome is None else _WORTH[outcome, task.cost or Decimal(0)]


_WORTH = {
    (one, cost): float(contribution(one, cost, CEILING))
    for one in NAMES
    for cost in map(Decimal, ("0.15", "0.06"))
}


def true_success(shares: tuple[float, ...]) -> float:
    """The exact rate of `confused`: over true classes, judged ones and whether a task is dear."""
    total = 0.0
    for true, share in enumerate(shares):
        for said, chance in enumerate(CONFUSED[true]):
            dear = 0.05 + 0.10 * (true == 2) + 0.10 * (true != said)
            mean = (
                dear * _WORTH[NAMES[true], Decimal("0.15")]
                + (1 - dear) * _WORTH[NAMES[true], Decimal("0.06")]
            )
            total += share * float(chance) * mean
    return total


def noise(*, runs: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `judge_noise`: probabilities are drawn, then classes from them, so they are calibrated by construction.

    The judge that is too sure tells p^1.2, scaled to sum to 1, where p is right.
    """
    rows: list[dict[str, Any]] = []
    credit = np.array([1.0, 0.4, 0.0])
    for weights, power in (
        ((4.0, 1.0, 1.0), 1.0),
        ((9.0, 0.5, 0.5), 1.0),
        ((4.0, 1.0, 1.0), 1.2),
    ):
        truth = (weights[0] + 0.4 * weights[1]) / sum(weights)
        for tasks in (50, 200):
            random = np.random.Generator(
                np.random.PCG64([seed, 19, tasks, int(10 * weights[0] * power)])
            )
            held = dict.fromkeys(("covers", "expected_only", "likeliest"), 0)
            width = wide = 0.0
            for run in range(runs):
                chances = random.dirichlet(weights, tasks)
                true = (
                    random.random(tasks)[:, None] >= np.cumsum(chances, axis=1)[:, :-1]
                ).sum(axis=1)
                told = chances**power / (chances**power).sum(axis=1, keepdims=True)
                found = with_judge_noise(
                    [
                        Task(None, chances=dict(zip(NAMES, row, strict=True)))
                        for row in told.tolist()
                    ],
                    seed=run,
                )
                if found is None:
                    raise AssertionError("every task has probabilities")
                human = anchored(credit[true].tolist(), seed=run)
                held["covers"] += covers(found.ci, truth)
                held["expected_only"] += covers(
                    anchored((told @ credit).clip(0, 1).tolist(), seed=run), truth
                )
                held["likeliest"] += covers(
                    anchored(credit[told.argmax(axis=1)].tolist(), seed=run), truth
                )
                width += found.ci.high - found.ci.low
                wide += human.high - human.low
            shares = {name: round(count / runs, 4) for name, count in held.items()}
            row = {
                "truth": round(truth, 4),
                "judge": "calibrated" if power == 1 else "too sure",
                "tasks": tasks,
            }
            rows.append(
                row
                | shares
                | {
                    "width_over_human": round(width / wide, 4),
                    **at_least(shares["covers"], runs),
                }
            )
    return rows


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    parser = argparse.ArgumentParser(
        description="Correction of judged rates by human labels."
    )
    parser.add_argument(
        "--sets",
        type=int,
        default=_FULL,
        dest="runs",
        metavar="N",
        help="simulated runs a row",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="the short form: 12 runs a row, fewer rows, bars widened",
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    runs, sizes, few = (12, (50,), (50,)) if given.quick else (given.runs, SIZES, FEW)
    parts = {
        "post_stratified": post_stratification(runs=runs, sizes=sizes, seed=given.seed),
        "rogan_gladen": reference(runs=runs, seed=given.seed),
        "shift": shift(runs=runs, seed=given.seed),
        "classes": classes(runs=runs, sizes=few, seed=given.seed),
        "judge_noise": noise(runs=runs, seed=given.seed),
    }
    ok = all(row["ok"] for rows in parts.values() for row in rows)
    print(json.dumps({"runs": runs, **parts, "ok": ok}))
    return 0 if ok else 1


if __name__ == "__main__":
    raise SystemExit(main())
