"""Repeated runs of a task are one cluster: do rates, class changes and corrected rates know it?

    python benchmarks/statistics/clusters.py [--sets N] [--quick]

prints one JSON line; all cells have 5 to 200 tasks with 1 to 20 runs, balanced and with one task that has half of them:

    rates      coverage of the 95 % interval of `judgemesh asr` (bar .93), pass/fail with five kinds of difficulty;
               `as_results` is that of the same runs taken as independent
    costs      the same where half of the tasks earn part of the credit and costs are heavy-tailed
    classes    unchanged classes: coverage of the interval of a share's change (bar .93), sets in which some class is
               flagged as really changed (bar .02), and with two independent shares (`as_results`)
    corrected  a judge with errors and labels of a random third: coverage of the rate corrected by stratum and by Rogan
               and Gladen with effective counts (bar .93), and from the counts of runs (`as_results`)
    ok         whether every bar is met; the exit code is 1 when not
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from typing import Any

import numpy as np
from simulations.classes import unchanged_classes
from simulations.sets import (
    COVERAGE,
    SCENARIOS,
    Cell,
    Floats,
    Form,
    Ints,
    at_least,
    at_most,
    cells,
    finish,
    form_of,
    generator,
    means,
    named,
    seed_of,
    sizes_of,
)

from judgemesh.mesh.metrics.clustered_strata import LabelTable, table_mean
from judgemesh.mesh.metrics.clusters import TaskMeans, rate_interval
from judgemesh.mesh.metrics.correction import effective_counts, rogan_gladen
from judgemesh.mesh.metrics.differences import rate_limits
from judgemesh.mesh.metrics.intervals import LEVEL, Interval, wilson

FLAGS = 0.02
_LABEL_DRAWS = 1_000
_SETS_OF_COUNTS = 4
_COMPARED = 3
_DRAWS_DIFFER = 0.06
SE, SP = 0.92, 0.75


def tasks_of(
    random: np.random.Generator, cell: Cell, sets: int
) -> tuple[Floats, Ints, Floats]:
    """Means of tasks, shape (sets, tasks), the runs of each task, and its share of all runs."""
    tasks, runs, shape, scenario = cell
    sizes = sizes_of(tasks, runs, shape)
    found = means(random, scenario.chances(random, (sets, tasks)), sizes)
    return found, sizes, sizes / sizes.sum()


def rates(form: Form) -> list[dict[str, Any]]:
    """Rows of `rates`."""
    rows: list[dict[str, Any]] = []
    for cell in cells(form):
        truth = cell[3].truth
        random = generator(form.seed, 41, *seed_of(cell))
        found, sizes, weights = tasks_of(random, cell, form.sets)
        share = _held(found, weights, truth)
        naive = 0
        for row in found:
            plain = wilson(round(float(row @ sizes)), int(sizes.sum()))
            naive += plain.low <= truth <= plain.high
        line = {"covers": share, "as_results": round(naive / form.sets, 4)}
        ok = at_least(share, COVERAGE, form.sets)
        rows.append({**named(cell), **line, "ok": ok})
    return rows


def _held(found: Floats, weights: Floats, truth: float) -> float:
    """How often the truth is within the limits of the rate.

    `rate_interval`, which is printed, has the same limits from draws of its own; the first sets are held against it.
    """
    shares = np.tile(weights, (len(found), 1))
    _, low, high = rate_limits(found, shares, 0.0, 1.0, level=LEVEL)
    for row in range(min(_COMPARED, len(found))):
        ci = rate_interval(TaskMeans(found[row], weights))
        if max(abs(ci.low - low[row]), abs(ci.high - high[row])) > _DRAWS_DIFFER:
            raise AssertionError(f"{ci} is not {low[row]} to {high[row]}")
    return round(float(((low <= truth) & (truth <= high)).mean()), 4)


def costs(form: Form) -> list[dict[str, Any]]:
    """Rows of `costs`: a contribution is max(0, credit - penalty), the penalty of a lognormal cost."""
    rows: list[dict[str, Any]] = []
    chosen = [cell for cell in cells(form) if cell[3] is SCENARIOS[0]]
    for cell in chosen:
        tasks, runs, shape, scenario = cell
        truth = _mean_contribution(scenario.truth)
        sizes = sizes_of(tasks, runs, shape)
        names = np.repeat(np.arange(tasks), sizes)
        random = generator(form.seed, 43, *seed_of(cell))
        sets: list[Floats] = []
        for _ in range(form.sets):
            chances = scenario.chances(random, tasks)[names]
            passed = (random.random(names.size) < chances).astype(float)
            values = _contributions(random, passed)
            sets.append(np.bincount(names, weights=values) / sizes)
        share = _held(np.array(sets), sizes / sizes.sum(), truth)
        row = {"tasks": tasks, "runs": runs, "shape": shape, "truth": round(truth, 4)}
        rows.append(
            {**row, "covers": share, "ok": at_least(share, COVERAGE, form.sets)}
        )
    return rows


def _contributions(random: np.random.Generator, passed: Floats) -> Floats:
    credit = np.where(
        passed > 0, 1.0, np.where(random.random(passed.size) < 0.5, 0.4, 0)
    )
    cost = random.lognormal(-1, 1.5, passed.size)
    return np.asarray(np.maximum(0, credit - np.clip(cost - 1, 0, 1)))


@cache
def _mean_contribution(rate: float) -> float:
    """By many draws; the error is below .0005."""
    random = generator(99)
    ones, zeros = np.ones(2_000_000), np.zeros(2_000_000)
    passed = float(_contributions(random, ones).mean())
    failed = float(_contributions(random, zeros).mean())
    return rate * passed + (1 - rate) * failed


def classes(form: Form) -> list[dict[str, Any]]:
    """Rows of `classes`: two sets of tasks of one kind, whose failures are of three classes.

    By turns the second set has the tasks of the first, and others.
    """
    rows: list[dict[str, Any]] = []
    for cell in cells(form):
        random = generator(form.seed, 45, *seed_of(cell))
        shares = unchanged_classes(random, cell, form.sets)
        ok = at_least(shares["covers"], COVERAGE, form.sets)
        ok = ok and at_most(shares["flagged"], FLAGS, form.sets)
        rows.append({**named(cell), **shares, "ok": ok})
    return rows


def corrected(form: Form) -> list[dict[str, Any]]:
    """Rows of `corrected`: the judge errs three times as often on some tasks as on others.

    Rogan and Gladen's interval covers 94 to 95 % of large sets, so that it is asked of _SETS_OF_COUNTS times as many.
    """
    rows: list[dict[str, Any]] = []
    for cell in cells(form):
        truth = cell[3].truth
        held = made = held_rg = naive_rg = 0
        random = generator(form.seed, 47, *seed_of(cell))
        many = _SETS_OF_COUNTS * form.sets
        found, sizes, _ = tasks_of(random, cell, many)
        for number, row in enumerate(found):
            table = _labelled(random, np.rint(row * sizes).astype(np.int64), sizes)
            results, labels = table.items.sum(axis=0), table.labelled.sum(axis=0)
            enough = bool((labels >= np.minimum(2, results)).all())
            if enough and number < form.sets:
                ci = table_mean(table, seed=1, draws=_LABEL_DRAWS).ci
                made += 1
                held += ci.low <= truth <= ci.high
            by_tasks, by_runs = _by_counts(random, _yes(table), sizes)
            held_rg += by_tasks.low <= truth <= by_tasks.high
            naive_rg += by_runs.low <= truth <= by_runs.high
        share = round(held / made, 4) if made else None
        share_rg = round(held_rg / many, 4)
        line = {
            "covers": share,
            "refused": form.sets - made,
            "rogan_gladen": share_rg,
            "as_results": round(naive_rg / many, 4),
        }
        ok = share is None or at_least(share, COVERAGE, made)
        ok = ok and at_least(share_rg, COVERAGE, form.sets)
        rows.append({**named(cell), **line, "ok": ok})
    return rows


def _by_counts(
    random: np.random.Generator, said: Ints, sizes: Ints
) -> tuple[Interval, Interval]:
    """Rogan and Gladen's intervals from counts of runs, by task and as independent; 200 labels of each kind."""
    reference = {
        "true_yes": int(random.binomial(200, SE)),
        "positives": 200,
        "true_no": int(random.binomial(200, SP)),
        "negatives": 200,
    }
    by_task = list(zip(said.tolist(), sizes.tolist(), strict=True))
    counts = effective_counts(by_task)
    naive = int(said.sum()), int(sizes.sum())
    return rogan_gladen(*counts, **reference).ci, rogan_gladen(*naive, **reference).ci


def _labelled(random: np.random.Generator, good: Ints, sizes: Ints) -> LabelTable:
    """What the judge says of the good and the bad runs of each task, and the labels of a random third.

    The judge errs more on some tasks than on others. A verdict that does not occur is no stratum.
    """
    hard = random.choice([0.5, 1.5], len(sizes))
    said_good = random.binomial(good, 1 - (1 - SE) * hard)
    said_bad = random.binomial(sizes - good, (1 - SP) * hard)
    of_good = np.stack([good - said_good, said_good], axis=1)
    of_bad = np.stack([sizes - good - said_bad, said_bad], axis=1)
    labelled_good = random.binomial(of_good, 1 / 3)
    labelled_bad = random.binomial(of_bad, 1 / 3)
    table = (of_good + of_bad, labelled_good + labelled_bad, labelled_good)
    return LabelTable(*(np.asarray(part, dtype=float) for part in table))


def _yes(table: LabelTable) -> Ints:
    """Results of each task that the judge passed."""
    return np.rint(table.items[:, 1]).astype(np.int64)


def main() -> int:
    """Run the benchmark; exit code 1 when a bar is missed."""
    form = form_of("Runs of one task are one cluster: coverage and false flags.")
    parts = {
        "rates": rates(form),
        "costs": costs(form),
        "classes": classes(form),
        "corrected": corrected(form),
    }
    return finish(form, parts)


if __name__ == "__main__":
    raise SystemExit(main())
