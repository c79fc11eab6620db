"""Intervals of a difference between two versions: paired by task, or of two sets without common tasks.

Every function takes many sets at once, one row each, because the smallest detectable change is found by simulation with
the very interval that is printed. Rows are ordered by value, so that names and order of tasks do not matter.

Which method where, and its measured coverage: docs/decisions/0018.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from judgemesh.mesh.metrics.clusters import quantile_of_t

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

STRICT: Final = 0.97
"""The level of the quantiles of a 95 % interval of a difference.

Task differences are skewed and take few values; t of 95 % then covers 93 to 94 %, and calls 5 to 6 % of unchanged
versions changed.
"""
DIFFERING: Final = 8
"""With fewer differing tasks than this their spread says too little, and the anchored interval is held as well.

Of ten tasks or fewer, all but three are enough, and three of five or six.
"""
_FEWEST: Final = 3
DRAWS: Final = 4_000
_DENSE: Final = 300
_MANY: Final = 1_000
_FEWEST_DRAWS: Final = 400
_FEW_ROWS: Final = 8
_FEW_UNITS: Final = 20
_SEED: Final = 18


def paired_limits(differences: Floats, reach: float) -> tuple[Floats, Floats]:
    """Both limits of the mean difference of each row of shape (sets, tasks); differences lie in -reach..reach.

    Student's t over tasks decides on which side of zero the limits lie. They hold those of the anchored Bayesian
    bootstrap as well, half a task at either end of what is possible: a change may show in tasks of a kind that no run
    has met. Where DIFFERING tasks or more differ from the most common difference, that does not take a limit across
    zero; where fewer do, their spread says too little, and it does.
    """
    # Sums of floats depend on their order; ordered values make it that of the names no longer.
    differences = np.sort(differences, axis=1)
    tasks = differences.shape[1]
    means = differences.mean(axis=1)
    half = np.full(len(means), math.inf)
    if tasks > 1:
        spread = differences.std(axis=1, ddof=1)
        half = quantile_of_t((1 + STRICT) / 2, tasks - 1) * spread / math.sqrt(tasks)
    low, high = means - half, means + half
    few = too_few_differ(differences)
    # With many tasks the pseudo-tasks weigh less than what is printed shows.
    anchored = few | (tasks <= _DENSE)
    if tasks == 1:
        low, high = _anchored(differences, reach)
    elif anchored.any():
        bottom, top = _anchored(differences[anchored], reach)
        few = few[anchored]
        low[anchored] = _held(low[anchored], np.minimum(low[anchored], bottom), few)
        high[anchored] = -_held(-high[anchored], -np.maximum(high[anchored], top), few)
    return np.maximum(low, -reach), np.minimum(high, reach)


def _held(low: Floats, lower: Floats, few: Flags) -> Floats:
    """The lower limit, with zero kept outside where it was and enough tasks differ."""
    return np.where(few | (low <= 0), lower, low)


def paired_signs(differences: Floats, reach: float) -> NDArray[np.int64]:
    """What `paired_limits` say of each row, quicker: 1 above zero, -1 below, 0 neither."""
    tasks = differences.shape[1]
    means = differences.mean(axis=1)
    spread = differences.std(axis=1, ddof=1) if tasks > 1 else np.inf
    half = quantile_of_t((1 + STRICT) / 2, max(1, tasks - 1)) * spread
    signs: NDArray[np.int64] = np.sign(means).astype(np.int64)
    signs[np.abs(means) <= half / math.sqrt(tasks)] = 0
    if tasks > _DENSE:
        return signs
    doubtful = np.flatnonzero(signs)
    doubtful = doubtful[too_few_differ(differences[doubtful])]
    if doubtful.size:
        means = _anchored_draws(differences[doubtful], reach)
        wrong = (np.sign(means) != signs[doubtful][:, None]).mean(axis=1)
        signs[doubtful[wrong > (1 - STRICT) / 2]] = 0
    return signs


def too_few_differ(differences: Floats) -> Flags:
    """Whether too few tasks of a row differ from the most common value of the row for t alone."""
    enough = min(DIFFERING, max(_FEWEST, differences.shape[1] - _FEWEST))
    return np.asarray(_differing(differences) < enough)


def _differing(differences: Floats) -> NDArray[np.int64]:
    """How many tasks of each row differ from the most common value of the row."""
    if not len(differences):
        return np.zeros(0, dtype=np.int64)
    ordered = np.sort(np.round(differences, 9), axis=1)
    sets, tasks = ordered.shape
    starts = np.ones((sets, tasks), dtype=bool)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    # The groups of equal values are numbered through all rows; a row starts a new one.
    group = np.asarray(np.cumsum(starts.reshape(-1)), dtype=np.int64) - 1
    sizes = np.bincount(group)
    largest = sizes[group].reshape(sets, tasks).max(axis=1)
    return np.asarray(tasks - largest, dtype=np.int64)


def _anchored_draws(differences: Floats, reach: float) -> Floats:
    """Draws of the mean of each row, shape (sets, draws)."""
    draws = _weights(differences.shape[1], _draws_of(differences.shape[1]))
    totals = np.sort(differences, axis=1) @ draws.weights
    totals += (draws.ends[1] - draws.ends[0]) * reach
    totals /= draws.sums + draws.ends[0] + draws.ends[1]
    return np.asarray(totals)


def _draws_of(tasks: int) -> int:
    """Fewer draws for many tasks, which have no need of as many."""
    return DRAWS if tasks <= _MANY else max(_FEWEST_DRAWS, DRAWS * _MANY // tasks)


def _anchored(differences: Floats, reach: float) -> tuple[Floats, Floats]:
    differences, back = _distinct(np.sort(differences, axis=1))
    means = _anchored_draws(differences, reach)
    low, high = np.quantile(means, [(1 - STRICT) / 2, (1 + STRICT) / 2], axis=1)
    return low[back], high[back]


@dataclass(frozen=True, slots=True)
class _Draws:
    """Weights of tasks, shape (tasks, draws), their sums, of two half pseudo-tasks, and of one whole."""

    weights: Floats
    sums: Floats
    ends: Floats
    whole: Floats


@lru_cache(maxsize=16)
def _weights(tasks: int, draws: int) -> _Draws:
    random = np.random.Generator(np.random.PCG64(_SEED))
    ends = random.standard_gamma(0.5, size=(draws, 2)).T
    weights = random.standard_exponential((draws, tasks)).T
    whole = np.random.Generator(np.random.PCG64(_SEED + 1)).standard_exponential(draws)
    return _Draws(weights, weights.sum(axis=0), ends, whole)


def bounded_limits(
    means: Floats, low: float, high: float, draws: int = DRAWS, level: float = STRICT
) -> tuple[Floats, Floats]:
    """Gaffke's limits (see `bounded`) of the mean of each row."""
    units = means.shape[1]
    if units > _DENSE:
        half = quantile_of_t((1 + level) / 2, units - 1) * means.std(axis=1, ddof=1)
        centre, half = means.mean(axis=1), half / math.sqrt(units)
        return np.maximum(centre - half, low), np.minimum(centre + half, high)
    means, back = _distinct(np.sort(means, axis=1))
    drawn = _weights(units, draws)
    totals = means @ drawn.weights
    sizes = drawn.sums + drawn.whole
    tail = (1 - level) / 2
    bottom = np.quantile((totals + low * drawn.whole) / sizes, tail, axis=1)
    top = np.quantile((totals + high * drawn.whole) / sizes, 1 - tail, axis=1)
    # Draws have an error: a mean lies within its own limits.
    centre = means.mean(axis=1)
    return np.minimum(bottom, centre)[back], np.maximum(top, centre)[back]


def _distinct(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The distinct rows, and the place of each row among them; few runs of few tasks have few outcomes."""
    if len(rows) <= _FEW_ROWS or rows.shape[1] > _FEW_UNITS:
        return rows, np.arange(len(rows))
    found, back = np.unique(rows, axis=0, return_inverse=True)
    return found, np.asarray(back, dtype=np.int64).reshape(-1)


def rate_limits(
    means: Floats,
    weights: Floats,
    low: float,
    high: float,
    draws: int = DRAWS,
    level: float = STRICT,
) -> tuple[Floats, Floats, Floats]:
    """The rate over runs of each row of task means, and its limits, as `clusters.rate_interval` but for many sets.

    Args:
        means: of the tasks of each set, shape (sets, tasks).
        weights: share of the runs of a set that each task has, of the same shape; rows sum to 1.
        low: the least a value can be.
        high: the most a value can be.
        draws: of the weights of tasks; a simulation takes fewer.
        level: of the limits.
    """
    rates = (means * weights).sum(axis=1)
    bottom, top = bounded_limits(means, low, high, draws, level)
    tasks = means.shape[1]
    if tasks > 1:
        squares = (weights**2).sum(axis=1)
        uneven = squares > (1 + 1e-9) / tasks
        half = quantile_of_t((1 + level) / 2, tasks - 1) * means.std(axis=1, ddof=1)
        half = half * np.sqrt(squares)
        bottom = np.where(uneven, np.minimum(bottom, rates - half), bottom)
        top = np.where(uneven, np.maximum(top, rates + half), top)
    bottom, top = np.minimum(bottom, rates), np.maximum(top, rates)
    return rates, np.maximum(bottom, low), np.minimum(top, high)


def unpaired_limits(
    before: tuple[Floats, Floats, Floats], after: tuple[Floats, Floats, Floats]
) -> tuple[Floats, Floats]:
    """Limits of after - before, from the rate and the limits of both: the square-and-add rule.

    Source: G. Zou, A. Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27
    (2008); for Wilson's limits it is Newcombe's method 10.
    """
    rate_a, low_a, high_a = before
    rate_b, low_b, high_b = after
    change = rate_b - rate_a
    down = np.hypot(rate_b - low_b, high_a - rate_a)
    up = np.hypot(high_b - rate_b, rate_a - low_a)
    return change - down, change + up


def unpaired_signs(
    before: tuple[Floats, Floats, Floats],
    means: Floats,
    weights: Floats,
    low: float,
    high: float,
) -> NDArray[np.int64]:
    """What `unpaired_limits` of `rate_limits` say of each row, quicker: 1 above zero, -1 below, 0 neither.

    Args:
        before: the rate and the limits of the older sets.
        means: of the tasks of the newer sets, shape (sets, tasks).
        weights: share of the runs of a set that each task has, of the same shape.
        low: the least a value can be.
        high: the most a value can be.
    """
    tasks = means.shape[1]
    if tasks > _DENSE:
        after = rate_limits(means, weights, low, high)
        bottom, top = unpaired_limits(before, after)
        return (bottom > 0).astype(np.int64) - (top < 0)
    rate_a, low_a, high_a = before
    rates = (means * weights).sum(axis=1)
    change = rates - rate_a
    arms = np.where(change < 0, rate_a - low_a, high_a - rate_a)
    # Zero is left out if the limit of the newer rate is nearer to it than this.
    room = np.sqrt(np.maximum(0.0, change**2 - arms**2))
    half = np.zeros(len(means))
    if tasks > 1:
        squares = (weights**2).sum(axis=1)
        uneven = squares > (1 + 1e-9) / tasks
        spread = means.std(axis=1, ddof=1) * np.sqrt(squares)
        half = quantile_of_t((1 + STRICT) / 2, tasks - 1) * spread * uneven
    signs = np.where((room > 0) & (half < room), np.sign(change), 0).astype(np.int64)
    doubtful = np.flatnonzero(signs)
    if doubtful.size:
        drawn = _weights(tasks, DRAWS)
        away, limit = signs[doubtful], (rates - signs * room)[doubtful]
        ends = np.where(away < 0, high, low)
        # A drawn mean lies beyond the limit where this sum of its weights is above 0.
        rows = np.column_stack([np.sort(means[doubtful], axis=1), -limit, ends - limit])
        rows, back = _distinct(rows * -away[:, None])
        weights = np.vstack([drawn.weights, drawn.sums, drawn.whole])
        beyond = np.count_nonzero(rows @ weights > 0, axis=1) / DRAWS
        signs[doubtful[beyond[back] > (1 - STRICT) / 2]] = 0
    return signs
