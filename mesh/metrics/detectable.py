"""The smallest true change that a comparison of this size and spread would find, by simulation with its own interval.

The tasks are drawn again with replacement from what was observed, with no change between the versions. Then runs of the
newer version fail (or succeed) at random, until 80 % of the simulated comparisons say so.

Sets without common tasks are compared by the mean over runs, so that a task with many runs weighs more. Every place of
a set keeps its number of runs, and a drawn task says how often they succeed there (`_redrawn`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.differences import (
    paired_signs,
    rate_limits,
    unpaired_signs,
)

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
_Power = Callable[[int], Callable[[float], float]]

POWER: Final = 0.8
_AIM_UNPAIRED: Final = 0.82
_FEW: Final = 10
_AIM_PAIRED: Final = {True: (0.8, 0.86), False: (0.815, 0.92)}
_PER_TASK: Final = 0.3
"""What simulations aim at, so that 80 % are found on average over the sets that may be drawn.

A spread that is estimated from few tasks is now and then too small, and then more is lost than is won where it is too
large. For paired tasks that grows with the kurtosis of their differences over the number of tasks (`_aim_of`): the
least and the greatest aim, for _FEW tasks at most, and for more. For unpaired ones: docs/decisions/0021.
"""
_ENDS: Final = 0.25
_SETS: Final = 200
_KINDS: Final = 24
_POOLED: Final = 8
_STEPS: Final = 8
_SEED: Final = 81


@dataclass(frozen=True, slots=True)
class Detectable:
    """True changes that would be found with 80 % power, both above 0; None where no change there can be is found."""

    drop: float | None
    rise: float | None

    @property
    def change(self) -> float | None:
        """A change of this size would be found in whichever direction it can go; None if it would in neither."""
        found = [size for size in (self.drop, self.rise) if size is not None]
        return max(found, default=None)

    def widened(self, drop: float, rise: float, reach: float) -> Detectable:
        """The same where undecided results add to both; None for a change beyond `reach`."""
        return Detectable(_more(self.drop, drop, reach), _more(self.rise, rise, reach))


def _more(size: float | None, extra: float, reach: float) -> float | None:
    if size is None or size + extra > reach:
        return None
    return size + extra


@dataclass(frozen=True, slots=True)
class RunTable:
    """The distinct values of the runs of each task and how many runs have them, both of shape (most values, tasks).

    A task with more than _KINDS distinct values has as many groups of neighbours, each with its mean.
    """

    values: Floats
    counts: Counts

    @property
    def means(self) -> Floats:
        """Of each task."""
        return np.asarray((self.values * self.counts).sum(axis=0) / self.runs)

    @property
    def runs(self) -> Counts:
        """Of each task."""
        return np.asarray(self.counts.sum(axis=0))

    def rows(self, index: Counts) -> RunTable:
        """The tasks of an index; its shape follows the first axis."""
        return RunTable(self.values[:, index], self.counts[:, index])

    def ending(self, end: float) -> Callable[[float, np.random.Generator], Floats]:
        """The mean of each task where a share of its runs, drawn at random, ends at `end` instead."""
        movable = (self.values != end) & (self.counts > 0)
        counts, steps = self.counts[movable], end - self.values[movable]
        means, runs = self.means, self.runs

        def ended(share: float, random: np.random.Generator) -> Floats:
            shifts = np.zeros(movable.shape)
            shifts[movable] = random.binomial(counts, share) * steps
            return np.asarray(means + shifts.sum(axis=0) / runs)

        return ended


def run_table(tasks: Sequence[Sequence[float]]) -> RunTable:
    """The runs of tasks, in whatever order."""
    grouped = [_kinds(runs) for runs in tasks]
    most = max(len(values) for values, _ in grouped)
    values = np.zeros((most, len(tasks)))
    counts = np.zeros((most, len(tasks)), dtype=np.int64)
    for column, (kinds, runs) in enumerate(grouped):
        values[: len(kinds), column] = kinds
        counts[: len(runs), column] = runs
    return RunTable(values, counts)


def _kinds(runs: Sequence[float]) -> tuple[Floats, Counts]:
    values, counts = np.unique(np.asarray(runs, dtype=float), return_counts=True)
    if len(values) <= _KINDS:
        return values, np.asarray(counts, dtype=np.int64)
    groups = np.array_split(np.sort(np.asarray(runs, dtype=float)), _KINDS)
    return (
        np.array([group.mean() for group in groups]),
        np.array([group.size for group in groups], dtype=np.int64),
    )


def run_tables(
    a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]
) -> tuple[RunTable, RunTable]:
    """The runs of two versions, with as many rows."""
    both = run_table([*a, *b])
    places = np.arange(len(a) + len(b))
    return both.rows(places[: len(a)]), both.rows(places[len(a) :])


def detectable_paired(
    a: RunTable, b: RunTable, *, low: float, high: float, seed: int = 0
) -> Detectable:
    """For versions paired by task: column t of `a` and of `b` is the same task.

    In each simulated set the two versions of every drawn task change places at random.
    """
    tasks = a.values.shape[1]
    order = np.lexsort((b.runs, b.means, a.means))
    random = _generator(seed)
    drawn = order[random.integers(tasks, size=(_SETS, tasks))]
    swapped = random.random((_SETS, tasks)) < 0.5
    older = np.where(swapped, b.means[drawn], a.means[drawn])
    first, second = a.rows(drawn), b.rows(drawn)
    newer = RunTable(
        np.where(swapped, first.values, second.values),
        np.where(swapped, first.counts, second.counts),
    )
    reach = high - low

    def power(wanted: int) -> Callable[[float], float]:
        ended = newer.ending(low if wanted < 0 else high)

        def found(share: float) -> float:
            signs = paired_signs(ended(share, _generator(seed + 1)) - older, reach)
            return float((signs == wanted).mean())

        return found

    mean = float((a.means[order].mean() + b.means[order].mean()) / 2)
    aim = _aim_of((b.means - a.means)[order])
    return _both(power, aim, mean - low, high - mean)


def _aim_of(differences: Floats) -> float:
    """The aim for paired tasks; the error of an estimated variance is that of kurtosis - 1 over tasks."""
    squares = differences**2
    least, most = _AIM_PAIRED[differences.size <= _FEW]
    if not squares.any():
        return least
    kurtosis = float((squares**2).mean() / squares.mean() ** 2)
    return min(most, least + _PER_TASK * (kurtosis - 1) / differences.size)


def detectable_unpaired(
    a: RunTable, b: RunTable, *, low: float, high: float, seed: int = 0
) -> Detectable:
    """For two sets of tasks with as many rows; both are drawn from all tasks of the two."""
    every = RunTable(
        np.concatenate([a.values, b.values], axis=1),
        np.concatenate([a.counts, b.counts], axis=1),
    )
    every = every.rows(np.lexsort((every.runs, every.means)))
    random = _generator(seed)
    runs_a, runs_b = np.sort(a.runs), np.sort(b.runs)
    first = _redrawn(every, runs_a, low, high, random)
    second = _redrawn(every, runs_b, low, high, random)
    older = rate_limits(first.means, _shares(runs_a), low, high)
    shares = _shares(runs_b)

    def power(wanted: int) -> Callable[[float], float]:
        ended = second.ending(low if wanted < 0 else high)

        def found(share: float) -> float:
            newer = ended(share, _generator(seed + 1))
            signs = unpaired_signs(older, newer, shares, low, high)
            return float((signs == wanted).mean())

        return found

    mean = float((second.means * shares).sum(axis=1).mean())
    return _both(power, _AIM_UNPAIRED, mean - low, high - mean)


def _redrawn(
    tasks: RunTable,
    runs: Counts,
    low: float,
    high: float,
    random: np.random.Generator,
) -> RunTable:
    """Sets of tasks of which place i has runs[i] runs, shape of the counts (kinds, sets, places).

    A task is drawn for each place, and each run there is one of its runs or, more often the less tasks differ, one of
    any task: the means of tasks vary by chance as well, which must not count twice. A set in which all runs end alike
    says little of how tasks vary; a quarter of a task in which all runs are worth the least, and of one in which they
    are worth the most, are drawn as well.
    """
    own = _alike(tasks)
    values, pooled = _pooled(tasks)
    kinds, many = len(tasks.values), tasks.runs.size
    table = np.zeros((kinds + len(values), many + 2))
    chances = np.zeros_like(table)
    table[:kinds, :many], table[kinds:] = tasks.values, values[:, None]
    table[0, many:] = low, high
    chances[:kinds, :many] = own * tasks.counts / tasks.runs
    chances[kinds:, :many] = (1 - own) * pooled[:, None]
    chances[0, many:] = 1.0
    weights = np.append(np.ones(many), (_ENDS, _ENDS))
    drawn = random.choice(many + 2, size=(_SETS, runs.size), p=weights / weights.sum())
    found = random.multinomial(np.broadcast_to(runs, drawn.shape), chances.T[drawn])
    return RunTable(table[:, drawn], np.moveaxis(found, -1, 0))


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64([_SEED, seed]))


def _pooled(tasks: RunTable) -> tuple[Floats, Floats]:
    """The values of the runs of all tasks, each of which counts once, and their shares; at most _POOLED groups."""
    shares = (tasks.counts / tasks.runs / tasks.runs.size).reshape(-1)
    values, index = np.unique(tasks.values.reshape(-1), return_inverse=True)
    weights = np.bincount(index.reshape(-1), weights=shares)
    if len(values) > _POOLED:
        index = np.minimum(_POOLED - 1, _POOLED * np.cumsum(weights)).astype(np.int64)
    else:
        index = np.arange(len(values))
    sums = np.bincount(index, weights=weights)
    means = np.bincount(index, weights=weights * values) / np.where(sums, sums, 1.0)
    return means, sums / sums.sum()


def _alike(tasks: RunTable) -> float:
    """How much of the spread of the means of tasks is one of their chances: a ratio of standard deviations, at most 1.

    What runs of one task differ, over their number, is chance. 1 where no task has a second run.
    """
    runs, means = tasks.runs, tasks.means
    spread = float(means.var(ddof=1)) if runs.size > 1 else 0.0
    several = runs > 1
    if not several.any() or not spread:
        return 1.0
    squares = (tasks.counts * (tasks.values - means) ** 2).sum(axis=0)
    within = squares / np.maximum(1, runs - 1)
    within[~several] = within[several].mean()
    return math.sqrt(max(0.0, 1 - float((within / runs).mean()) / spread))


def _shares(runs: Counts) -> Floats:
    """Of all runs, the same in every set; shape (sets, tasks)."""
    return np.tile(runs / runs.sum(), (_SETS, 1))


def _both(power: _Power, aim: float, down: float, up: float) -> Detectable:
    """The least drop and the least rise, of which `down` and `up` are the largest."""
    # The ends are those of the range: a run that fails is worth the least, one that succeeds the most.
    return Detectable(_least(power(-1), aim, down), _least(power(1), aim, up))


def _least(power: Callable[[float], float], aim: float, room: float) -> float | None:
    """The least change, a share of `room`, that has the power; None if the whole of it has not."""
    if room <= 0 or power(1.0) < aim:
        return None
    enough, least = 1.0, 0.0
    for _ in range(_STEPS):
        middle = (least + enough) / 2
        if power(middle) < aim:
            least = middle
        else:
            enough = middle
    return enough * room
