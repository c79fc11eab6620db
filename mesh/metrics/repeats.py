"""Several runs of each task: pass@k and pass^k over a suite, with tasks as the units.

pass@k asks whether the agent can (at least one of k), pass^k whether one can rely on it (all of k). Per task both are
the unbiased estimates of Chen et al. (2021) and of tau-bench (2024); the interval resamples tasks, for the runs of one
task are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from judgemesh.mesh.metrics.intervals import DRAWS, LEVEL, Interval, anchored

_NAMED: Final = 3


@dataclass(frozen=True, slots=True)
class Trials:
    """The runs of one task: how many, and how many of them were correct."""

    correct: int
    runs: int


@dataclass(frozen=True, slots=True)
class PassRate:
    """Mean over tasks, 0..1, with the interval over tasks. `k` is how many runs are asked of each."""

    k: int
    rate: float
    ci: Interval
    tasks: int


def pass_at(
    tasks: Mapping[str, Trials],
    k: int,
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> PassRate:
    """pass@k of a suite: the mean chance that at least one of k runs of a task is correct.

    Raises:
        ValueError: there are no tasks, or one has fewer than k runs.
    """
    return _rate(pass_at_k, tasks, k, seed=seed, draws=draws, level=level)


def pass_hat(
    tasks: Mapping[str, Trials],
    k: int,
    *,
    seed: int,
    draws: int = DRAWS,
    level: float = LEVEL,
) -> PassRate:
    """pass^k of a suite: the mean chance that all of k runs of a task are correct.

    Raises:
        ValueError: there are no tasks, or one has fewer than k runs.
    """
    return _rate(pass_hat_k, tasks, k, seed=seed, draws=draws, level=level)


def _rate(
    of_task: Callable[[int, int, int], float],
    tasks: Mapping[str, Trials],
    k: int,
    *,
    seed: int,
    draws: int,
    level: float,
) -> PassRate:
    if not tasks:
        raise ValueError("needs at least one task")
    short = sorted(name for name, trials in tasks.items() if trials.runs < k)
    if short:
        more = ""
        if len(short) > _NAMED:
            more = f" and {len(short) - _NAMED} more"
        raise ValueError(
            f"k = {k} needs {k} runs of every task; {', '.join(short[:_NAMED])}{more} have fewer: leaving them out "
            "would change which tasks are measured"
        )
    values = [of_task(trials.correct, trials.runs, k) for trials in tasks.values()]
    interval = anchored(values, seed=seed, draws=draws, level=level)
    return PassRate(k, sum(values) / len(values), interval, len(values))


def pass_hat_k(correct: int, trials: int, k: int) -> float:
    """pass^k: the chance that k trials drawn without replacement are all correct, C(c, k) / C(n, k)."""
    _check_trials(correct, trials, k)
    return math.comb(correct, k) / math.comb(trials, k)


def pass_at_k(correct: int, trials: int, k: int) -> float:
    """pass@k: the chance that at least one of k trials is correct, 1 - C(n - c, k) / C(n, k)."""
    _check_trials(correct, trials, k)
    return 1 - math.comb(trials - correct, k) / math.comb(trials, k)


def _check_trials(correct: int, trials: int, k: int) -> None:
    if not (0 <= correct <= trials and 1 <= k <= trials):
        raise ValueError(
            f"needs 0 <= correct <= trials and 1 <= k <= trials, got {correct}, {trials}, {k}"
        )
