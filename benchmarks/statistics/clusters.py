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
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from typing import Any

import numpy as np
from simulations.sets import (
    COVERAGE,
    Cell,
    Floats,
    Form,
    at_least,
    at_most,
    cells,
    finish,
    form_of,
    generator,
    named,
    outcomes,
    sizes_of,
)

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.class_changes import ClassRun, class_changes
from judgemesh.mesh.metrics.clustered_strata import ClusteredItem, clustered_mean
from judgemesh.mesh.metrics.clusters import rate_interval, task_means
from judgemesh.mesh.metrics.comparison import share_changes
from judgemesh.mesh.metrics.correction import effective_counts, rogan_gladen
from judgemesh.mesh.metrics.intervals import wilson

FLAGS = 0.02
CLASSES = (
    OutcomeClass.COMPLETE,
    OutcomeClass.PARTIAL_PLUS,
    OutcomeClass.PARTIAL_MINUS,
    OutcomeClass.HALLUCINATED,
)
SE, SP = 0.92, 0.75


def runs_of(cell: Cell, *seed: int) -> tuple[list[Floats], list[str]]:
    """Outcomes by task, and the task of every run."""
    tasks, runs, shape, scenario = cell
    random = generator(*seed)
    sizes = sizes_of(tasks, runs, shape)
    found = outcomes(random, scenario.chances(random, tasks), sizes)
    return found, np.repeat(np.arange(tasks), sizes).astype(str).tolist()


def rates(form: Form) -> list[dict[str, Any]]:
    """Rows of `rates`."""
    rows: list[dict[str, Any]] = []
    for place, cell in enumerate(cells(form)):
        truth = cell[3].truth
        held = naive = 0
        for number in range(form.sets):
            found, names = runs_of(cell, form.seed, 41, place, number)
            values = np.concatenate(found)
            ci = rate_interval(task_means(values.tolist(), names))
            plain = wilson(int(values.sum()), values.size)
            held += ci.low <= truth <= ci.high
            naive += plain.low <= truth <= plain.high
        share = round(held / form.sets, 4)
        row = {"covers": share, "as_results": round(naive / form.sets, 4)}
        ok = at_least(share, COVERAGE, form.sets)
        rows.append({**named(cell), **row, "ok": ok})
    return rows


def costs(form: Form) -> list[dict[str, Any]]:
    """Rows of `costs`: a contribution is max(0, credit - penalty), the penalty of a lognormal cost."""
    rows: list[dict[str, Any]] = []
    seen: set[tuple[int, int, str]] = set()
    for place, cell in enumerate(cells(form)):
        tasks, runs, shape, scenario = cell
        if cell[:3] in seen:
            continue
        seen.add(cell[:3])
        truth = _mean_contribution(scenario.truth)
        held = 0
        for number in range(form.sets):
            found, names = runs_of(cell, form.seed, 43, place, number)
            random = generator(form.seed, 44, place, number)
            passed = np.concatenate(found)
            values = _contributions(random, passed)
            ci = rate_interval(task_means(values.tolist(), names))
            held += ci.low <= truth <= ci.high
        share = round(held / form.sets, 4)
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


def _mean_contribution(rate: float) -> float:
    """By many draws; the error is below .0005."""
    random = generator(99)
    ones, zeros = np.ones(2_000_000), np.zeros(2_000_000)
    passed = float(_contributions(random, ones).mean())
    failed = float(_contributions(random, zeros).mean())
    return rate * passed + (1 - rate) * failed


def classes(form: Form) -> list[dict[str, Any]]:
    """Rows of `classes`: two sets of tasks of one kind, whose failures are of three classes."""
    rows: list[dict[str, Any]] = []
    for place, cell in enumerate(cells(form)):
        held = asked = flagged = naive = 0
        for number in range(form.sets):
            sides = [
                _class_runs(cell, form.seed, 45 + side, place, number)
                for side in (0, 1)
            ]
            changes = class_changes(*sides)
            held += sum(
                change.ci.low <= 0 <= change.ci.high for change in changes.values()
            )
            asked += len(changes)
            flagged += any(change.real for change in changes.values())
            counts = [_counts(side) for side in sides]
            naive += any(change.real for change in share_changes(*counts).values())
        shares = {
            "covers": round(held / asked, 4),
            "flagged": round(flagged / form.sets, 4),
            "as_results": round(naive / form.sets, 4),
        }
        ok = at_least(shares["covers"], COVERAGE, form.sets)
        ok = ok and at_most(shares["flagged"], FLAGS, form.sets)
        rows.append({**named(cell), **shares, "ok": ok})
    return rows


def _class_runs(cell: Cell, *seed: int) -> list[ClassRun]:
    found, names = runs_of(cell, *seed)
    random = generator(*seed, 7)
    # A task mostly fails in one way.
    ways = {name: int(random.integers(1, 4)) for name in dict.fromkeys(names)}
    runs: list[ClassRun] = []
    for name, passed in zip(names, np.concatenate(found).tolist(), strict=True):
        way = ways[name] if random.random() < 0.8 else int(random.integers(1, 4))
        runs.append(ClassRun(name, CLASSES[0 if passed else way]))
    return runs


def _counts(runs: list[ClassRun]) -> dict[str, int]:
    counts = dict.fromkeys((one.value for one in CLASSES), 0)
    for run in runs:
        if run.outcome is not None:
            counts[run.outcome.value] += 1
    return counts


def corrected(form: Form) -> list[dict[str, Any]]:
    """Rows of `corrected`: the judge errs three times as often on some tasks as on others."""
    rows: list[dict[str, Any]] = []
    for place, cell in enumerate(cells(form)):
        truth = cell[3].truth
        held = made = held_rg = made_rg = naive_rg = 0
        for number in range(form.sets):
            found, names = runs_of(cell, form.seed, 47, place, number)
            random = generator(form.seed, 48, place, number)
            good = np.concatenate(found)
            said = _judged(random, good, names)
            labelled = random.random(good.size) < 1 / 3
            items = [
                ClusteredItem(name, bool(verdict), float(value) if known else None)
                for name, verdict, value, known in zip(
                    names, said, good, labelled, strict=True
                )
            ]
            if all(
                (labelled & (said == side)).sum() >= min(2, (said == side).sum())
                for side in (0, 1)
            ):
                ci = clustered_mean(items, seed=number, draws=1_000).ci
                made += 1
                held += ci.low <= truth <= ci.high
            by_name = _by_task(names, said)
            ones, zeros = int(random.binomial(200, SE)), int(random.binomial(200, SP))
            reference = {
                "true_yes": ones,
                "positives": 200,
                "true_no": zeros,
                "negatives": 200,
            }
            ci = rogan_gladen(*effective_counts(by_name), **reference).ci
            plain = rogan_gladen(int(said.sum()), said.size, **reference).ci
            made_rg += 1
            held_rg += ci.low <= truth <= ci.high
            naive_rg += plain.low <= truth <= plain.high
        share = round(held / made, 4) if made else None
        share_rg = round(held_rg / made_rg, 4)
        row = {
            "covers": share,
            "refused": form.sets - made,
            "rogan_gladen": share_rg,
            "as_results": round(naive_rg / made_rg, 4),
        }
        ok = share is None or at_least(share, COVERAGE, made)
        ok = ok and at_least(share_rg, COVERAGE, made_rg)
        rows.append({**named(cell), **row, "ok": ok})
    return rows


def _judged(random: np.random.Generator, good: Floats, names: list[str]) -> Floats:
    """What the judge says; it errs more on some tasks than on others."""
    index = np.unique(np.asarray(names), return_inverse=True)[1]
    hard = random.choice([0.5, 1.5], index.max() + 1)[index]
    wrong = np.where(good > 0, 1 - SE, 1 - SP) * hard
    chance = random.random(good.size)
    return np.asarray(np.abs(good - (chance < wrong)))


def _by_task(names: list[str], said: Floats) -> list[tuple[int, int]]:
    index = np.unique(np.asarray(names), return_inverse=True)[1]
    sizes = np.bincount(index)
    yes = np.bincount(index, weights=said)
    return [(int(k), int(n)) for k, n in zip(yes, sizes, strict=True)]


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
