"""A mean over a run from labels drawn at random within strata, where results that are runs of one task depend.

The estimate is that of `strata`. Each draw weights whole tasks, the same weight for all results of a task and for all
of its labels, with half a pseudo-task at either end of what is possible beside the labels of each stratum. Beside the
draws stands the linearised estimate with the residual of each task scaled as in a jackknife (CR3), and t with as many
degrees of freedom as there are effective tasks: a task with half of the results leaves few.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.clusters import quantile_of_t
from judgemesh.mesh.metrics.intervals import LEVEL, Interval
from judgemesh.mesh.metrics.strata import Stratified, labels_for

DRAWS: Final = 4_000
METHOD: Final = "post-stratified, draws and t over tasks"
_HALF: Final = 0.5
_CALIBRATED: Final = 0.97

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ClusteredItem:
    """A result: its task, its stratum, and its value if it is labelled."""

    task: Hashable
    stratum: Hashable
    value: float | None = None


@dataclass(frozen=True, slots=True)
class LabelTable:
    """By task and stratum, shape (tasks, strata): results, labelled results, and the sum of the values of these."""

    items: Floats
    labelled: Floats
    totals: Floats


def clustered_mean(
    items: Sequence[ClusteredItem],
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
    low: float = 0.0,
    high: float = 1.0,
) -> Stratified:
    """The mean over all results, each 1 or more of a task.

    Raises:
        ValueError: there are no items, a stratum has no labels, or a value is out of range.
    """
    table = _table(items, low, high)
    return table_mean(table, seed=seed, draws=draws, level=level, low=low, high=high)


def table_mean(
    table: LabelTable,
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
    low: float = 0.0,
    high: float = 1.0,
) -> Stratified:
    """The same of a table. A stratum without results weighs nothing.

    Raises:
        ValueError: a stratum has results and no labels.
    """
    occurs = table.items.any(axis=0)
    order = np.lexsort((*table.items.T, *table.labelled.T, *table.totals.T))
    # Names and order of the tasks must not matter: the draws go to the tasks in the order of what they hold.
    table = LabelTable(
        table.items[order][:, occurs],
        table.labelled[order][:, occurs],
        table.totals[order][:, occurs],
    )
    sizes, labels = table.items.sum(axis=0), table.labelled.sum(axis=0)
    if not labels.all():
        raise ValueError("a stratum has no labels")
    means = table.totals.sum(axis=0) / labels
    shares = sizes / sizes.sum()
    rate = float(shares @ means)
    rates = _draws(table, seed, draws, low, high)
    tail = (1 - (_CALIBRATED if level == LEVEL else level)) / 2
    bottom, top = np.quantile(rates, [tail, 1 - tail])
    half = quantile_of_t(1 - tail, _degrees(table)) * _error(table, means, shares, rate)
    interval = Interval(
        max(low, min(float(bottom), rate - half)),
        min(high, max(float(top), rate + half)),
        METHOD,
        level,
    )
    spread = (rate - low) * (high - rate)
    variance = max(float(rates.var()), (interval.half_width / 2) ** 2)
    return Stratified(rate, interval, labels_for(spread, variance))


def _table(items: Sequence[ClusteredItem], low: float, high: float) -> LabelTable:
    if not items:
        raise ValueError("needs at least one item")
    tasks = {item.task: None for item in items}
    strata = {item.stratum: None for item in items}
    rows = {task: place for place, task in enumerate(tasks)}
    columns = {stratum: place for place, stratum in enumerate(strata)}
    shape = (len(rows), len(columns))
    table = LabelTable(np.zeros(shape), np.zeros(shape), np.zeros(shape))
    for item in items:
        cell = rows[item.task], columns[item.stratum]
        table.items[cell] += 1
        if item.value is None:
            continue
        if not low <= item.value <= high:
            raise ValueError(f"values must lie in {low:g}..{high:g}")
        table.labelled[cell] += 1
        table.totals[cell] += item.value
    return table


@lru_cache(maxsize=2)
def _weights(seed: int, draws: int, tasks: int) -> tuple[Floats, Any]:
    """Weights of tasks, and where the generator stands after them; kept, because they are the longest part."""
    generator = np.random.PCG64(seed)
    weights = np.random.Generator(generator).standard_exponential((draws, tasks))
    return weights, generator.state


def _draws(table: LabelTable, seed: int, draws: int, low: float, high: float) -> Floats:
    tasks, strata = table.items.shape
    weights, state = _weights(seed, draws, tasks)
    random = np.random.Generator(np.random.PCG64())
    random.bit_generator.state = state
    labelled_tasks = np.maximum((table.labelled > 0).sum(axis=0), 1)
    pseudo = table.labelled.sum(axis=0) / labelled_tasks
    ends = random.standard_gamma(_HALF, size=(2, draws, strata)) * pseudo
    totals = weights @ table.totals + low * ends[0] + high * ends[1]
    means = totals / (weights @ table.labelled + ends[0] + ends[1])
    present = np.maximum((table.items > 0).sum(axis=0), 1)
    extra = random.standard_gamma(_HALF, size=(draws, strata))
    sizes = weights @ table.items + extra * (table.items.sum(axis=0) / present)
    return np.asarray((sizes * means).sum(axis=1) / sizes.sum(axis=1))


def _leverage(table: LabelTable) -> Floats:
    """The larger of the share of the results and of the labels that each task has."""
    results = table.items.sum(axis=1) / table.items.sum()
    labels = table.labelled.sum(axis=1) / table.labelled.sum()
    return np.asarray(np.maximum(results, labels))


def _degrees(table: LabelTable) -> float:
    """Effective tasks less one, at least one; only tasks with a label tell anything of errors."""
    leverage = _leverage(table)
    labels = table.labelled.sum(axis=1)
    effective = min(
        float((table.labelled.sum(axis=1) > 0).sum()),
        float(leverage.sum() ** 2 / (leverage**2).sum()),
        float(labels.sum() ** 2 / (labels**2).sum()),
    )
    return max(1.0, effective - 1)


def _error(table: LabelTable, means: Floats, shares: Floats, rate: float) -> float:
    labels = table.labelled.sum(axis=0)
    from_labels = ((table.totals - table.labelled * means) * shares / labels).sum(
        axis=1
    )
    from_sizes = (table.items * (means - rate)).sum(axis=1) / table.items.sum()
    scaled = (from_labels + from_sizes) / (1 - np.minimum(_leverage(table), 0.9))
    tasks = len(scaled)
    return math.sqrt(float((scaled**2).sum()) * tasks / max(1, tasks - 1))
