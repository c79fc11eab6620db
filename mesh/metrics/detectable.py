"""The smallest true change that a comparison of this size and spread would find, by simulation with its own interval.

The tasks are drawn again with replacement from what was observed, with no change between the versions. Then runs of the
newer version fail (or succeed) at random, until 80 % of the simulated comparisons say so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.differences import (
    paired_signs,
    rate_limits,
    unpaired_limits,
)

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

POWER: Final = 0.8
_AIM: Final = 0.85
"""What the simulation aims at: its sets are as little spread as the tasks that happened to be drawn.

With an aim of 80 %, 73 % of true drops of the printed size were found with 20 tasks of 20 runs, 76 to 83 % elsewhere.
"""
_SETS: Final = 200
_LEAST_SETS: Final = 60
_CELLS: Final = 2_000_000
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
    """The values of the runs of each task, padded: `values` and `real` have shape (tasks, most runs)."""

    values: Floats
    real: Flags

    @property
    def means(self) -> Floats:
        """Of each task."""
        return means_of(self.values, self.real)


def run_table(tasks: Sequence[Sequence[float]]) -> RunTable:
    """The runs of tasks; the runs of a task are put in order."""
    most = max(map(len, tasks))
    values = np.zeros((len(tasks), most))
    real = np.zeros((len(tasks), most), dtype=bool)
    for row, runs in enumerate(tasks):
        values[row, : len(runs)] = sorted(runs)
        real[row, : len(runs)] = True
    return RunTable(values, real)


def run_tables(
    a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]
) -> tuple[RunTable, RunTable]:
    """The runs of the same tasks in two versions, with as many columns."""
    both = run_table([*a, *b])
    first, second = slice(None, len(a)), slice(len(a), None)
    return (
        RunTable(both.values[first], both.real[first]),
        RunTable(both.values[second], both.real[second]),
    )


def means_of(values: Floats, real: Flags) -> Floats:
    """Means over the last axis, of the real ones."""
    return np.asarray((values * real).sum(axis=-1) / real.sum(axis=-1))


def detectable_paired(
    a: RunTable, b: RunTable, *, low: float, high: float, seed: int = 0
) -> Detectable:
    """For versions paired by task: row t of `a` and of `b` are the same task, with as many columns.

    In each simulated set the two versions of every drawn task change places at random.
    """
    tasks = len(a.values)
    order = np.lexsort((b.real.sum(axis=1), b.means, a.means))
    random = np.random.Generator(np.random.PCG64([_SEED, seed]))
    sets = _sets(b.values.size)
    drawn = order[random.integers(tasks, size=(sets, tasks))]
    swapped = random.random((sets, tasks)) < 0.5
    older = np.where(swapped, b.means[drawn], a.means[drawn])
    columns = swapped[:, :, None]
    values = np.where(columns, a.values[drawn], b.values[drawn])
    real = np.where(columns, a.real[drawn], b.real[drawn])
    chance = random.random(values.shape)
    reach = high - low

    def power(share: float, end: float) -> float:
        newer = means_of(np.where(chance < share, end, values), real)
        signs = paired_signs(newer - older, reach)
        return float((signs == (-1 if end == low else 1)).mean())

    mean = float((a.means[order].mean() + b.means[order].mean()) / 2)
    return _both(power, mean, low, high)


def detectable_unpaired(
    a: RunTable, b: RunTable, *, low: float, high: float, seed: int = 0
) -> Detectable:
    """For two sets of tasks; both are drawn from all tasks of the two."""
    width = max(a.values.shape[1], b.values.shape[1])
    values = np.concatenate([_padded(a.values, width), _padded(b.values, width)])
    real = np.concatenate([_padded(a.real, width), _padded(b.real, width)]).astype(bool)
    means = means_of(values, real)
    order = np.lexsort((real.sum(axis=1), means))
    random = np.random.Generator(np.random.PCG64([_SEED, seed]))
    sets = _sets(values.size)
    first = order[random.integers(len(means), size=(sets, len(a.values)))]
    older = rate_limits(means[first], _weights(real[first]), low, high)
    second = order[random.integers(len(means), size=(sets, len(b.values)))]
    chance = random.random((*second.shape, width))

    def power(share: float, end: float) -> float:
        runs = np.where(chance < share, end, values[second])
        newer = means_of(runs, real[second])
        limits = rate_limits(newer, _weights(real[second]), low, high)
        bottom, top = unpaired_limits(older, limits)
        return float((top < 0).mean() if end == low else (bottom > 0).mean())

    mean = float((values * real).sum() / real.sum())
    return _both(power, mean, low, high)


def _padded(table: NDArray[np.generic], width: int) -> Floats:
    wide = np.zeros((len(table), width))
    wide[:, : table.shape[1]] = table
    return wide


def _weights(real: Flags) -> Floats:
    runs = real.sum(axis=-1)
    return np.asarray(runs / runs.sum(axis=-1, keepdims=True))


def _sets(cells: int) -> int:
    return max(_LEAST_SETS, min(_SETS, _CELLS // cells))


def _both(
    power: Callable[[float, float], float], mean: float, low: float, high: float
) -> Detectable:
    return Detectable(
        _least(lambda share: power(share, low), mean - low),
        _least(lambda share: power(share, high), high - mean),
    )


def _least(power: Callable[[float], float], room: float) -> float | None:
    """The least change, a share of `room`, that has the power; None if the whole of it has not."""
    if room <= 0 or power(1.0) < _AIM:
        return None
    enough, least = 1.0, 0.0
    for _ in range(_STEPS):
        middle = (least + enough) / 2
        if power(middle) < _AIM:
            least = middle
        else:
            enough = middle
    return enough * room
