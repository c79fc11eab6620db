"""Simulated sets of tasks and runs that the benchmarks of this folder share, and how their bars are read."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

COVERAGE = 0.93
FALSE_VERDICTS = 0.05
POWER = (0.75, 0.90)
TASKS = (5, 10, 20, 50, 200)
RUNS = (1, 5, 20)
SHAPES = ("balanced", "one task has half")
FULL = 400


@dataclass(frozen=True)
class Scenario:
    """How hard tasks are: the mean chance of success, and how it is spread over tasks.

    spread: the correlation of runs of one task for Beta chances; None for logistic chances with the heavy tail of t
        with two degrees of freedom.
    """

    name: str
    rate: float
    spread: float | None

    def chances(
        self, random: np.random.Generator, tasks: int | tuple[int, int]
    ) -> Floats:
        """The chance of success of each task, or of each of many sets."""
        if self.spread is None:
            return logistic(random.standard_t(2, tasks) * 2 + _centre(self.rate))
        total = 1 / self.spread - 1
        return random.beta(self.rate * total, (1 - self.rate) * total, tasks)

    @property
    def truth(self) -> float:
        """The mean chance."""
        return self.rate if self.spread is not None else _heavy_mean(self.rate)


SCENARIOS = (
    Scenario("mid, tasks alike", 0.7, 0.1),
    Scenario("mid, tasks unlike", 0.6, 0.6),
    Scenario("near 1", 0.97, 0.4),
    Scenario("near 0", 0.04, 0.3),
    Scenario("heavy-tailed difficulty", 0.75, None),
)


def logistic(values: Floats) -> Floats:
    """1 / (1 + exp(-x))."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -500, 500))))


def _centre(rate: float) -> float:
    return math.log(rate / (1 - rate))


@cache
def _heavy_mean(rate: float) -> float:
    """By quadrature over the quantiles of t with two degrees of freedom, which are known in closed form."""
    u = (np.arange(2_000_000) + 0.5) / 2_000_000
    quantiles = (2 * u - 1) / np.sqrt(2 * u * (1 - u))
    return float(logistic(quantiles * 2 + _centre(rate)).mean())


def sizes_of(tasks: int, runs: int, shape: str) -> Ints:
    """Runs of each task; with one giant, the first has as many as all others together."""
    sizes = np.full(tasks, runs, dtype=np.int64)
    if shape != SHAPES[0]:
        sizes[0] = (tasks - 1) * runs
    return sizes


def outcomes(random: np.random.Generator, chances: Floats, sizes: Ints) -> list[Floats]:
    """0 and 1 for each run of each task."""
    return [
        np.asarray(random.random(int(size)) < chance, dtype=float)
        for chance, size in zip(chances, sizes, strict=True)
    ]


def means(random: np.random.Generator, chances: Floats, sizes: Ints) -> Floats:
    """The mean of the 0 and 1 of the runs of each task, for chances of shape (sets, tasks)."""
    return np.asarray(random.binomial(sizes, chances) / sizes)


def values_of(means: Floats, sizes: Ints, name: str = "t") -> dict[str, list[float]]:
    """The 0 and 1 of one row of `means`, by the name of the task."""
    found: dict[str, list[float]] = {}
    for place, (mean, size) in enumerate(zip(means, sizes.tolist(), strict=True)):
        ones = round(float(mean) * size)
        found[f"{name}{place}"] = [1.0] * ones + [0.0] * (size - ones)
    return found


def by_task(runs: Sequence[Floats], name: str = "t") -> dict[str, list[float]]:
    """Values by the name of the task."""
    return {f"{name}{place}": values.tolist() for place, values in enumerate(runs)}


def at_least(share: float, bar: float, sets: int) -> bool:
    """Whether the share reaches the bar; few sets miss it only beyond three standard errors."""
    return share >= bar - _grace(bar, sets)


def at_most(share: float, bar: float, sets: int) -> bool:
    """Whether the share stays below the bar."""
    return share <= bar + _grace(bar, sets)


def _grace(bar: float, sets: int) -> float:
    return 3 * math.sqrt(bar * (1 - bar) / sets) if sets < FULL else 0.0


def generator(*seed: int) -> np.random.Generator:
    """A generator of its own for each cell."""
    return np.random.Generator(np.random.PCG64(list(seed)))


@dataclass(frozen=True)
class Form:
    """How long a benchmark runs."""

    sets: int
    tasks: tuple[int, ...]
    runs: tuple[int, ...]
    shapes: tuple[str, ...]
    seed: int
    quick: bool


def form_of(description: str) -> Form:
    """The form that the command line asks for."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--sets", type=int, default=FULL, metavar="N", help="simulated sets a cell"
    )
    parser.add_argument(
        "--quick", action="store_true", help="the short form: 24 sets, few cells"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    return form(given.sets, seed=given.seed, quick=given.quick)


def form(sets: int, *, seed: int, quick: bool) -> Form:
    """The full form with that many sets, or the short one."""
    if quick:
        return Form(24, (5, 20), (1, 5), SHAPES, seed, quick=True)
    return Form(sets, TASKS, RUNS, SHAPES, seed, quick=False)


def finish(
    form: Form, parts: Mapping[str, Sequence[Mapping[str, Any]]], **more: object
) -> int:
    """Print one line; the exit code is 1 where a bar is missed."""
    missed = [row for rows in parts.values() for row in rows if not row["ok"]]
    line = {"sets": form.sets, **parts, **more, "missed": len(missed), "ok": not missed}
    print(json.dumps(line))
    return 1 if missed else 0


Cell = tuple[int, int, str, Scenario]


def cells(form: Form) -> list[Cell]:
    """Tasks, runs, shape and scenario of every cell."""
    found: list[Cell] = []
    for tasks in form.tasks:
        for runs in form.runs:
            for shape in form.shapes:
                found += [(tasks, runs, shape, scenario) for scenario in SCENARIOS]
    return found


def seed_of(cell: Cell) -> tuple[int, int, int, int]:
    """What draws of a cell depend on beside the seed, so that they are the same whichever cells are run."""
    tasks, runs, shape, scenario = cell
    return tasks, runs, SHAPES.index(shape), SCENARIOS.index(scenario)


def named(cell: Cell) -> dict[str, Any]:
    """A cell as the keys of its row."""
    tasks, runs, shape, scenario = cell
    return {"tasks": tasks, "runs": runs, "shape": shape, "scenario": scenario.name}


def least(rows: Sequence[Mapping[str, Any]], key: str) -> float:
    """The smallest figure."""
    return min(float(row[key]) for row in rows)
