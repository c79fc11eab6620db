"""Agent Success Rate: completion, partial credit and cost in one rate (article 000, SPEC section 8).

contribution_i = max(0, credit_i - penalty_i), penalty_i = min(1, max(0, (cost_i - ceiling) / ceiling)).

The article's printed formula sums the penalties of failed tasks too and can fall below 0, while its text promises
[0, 1]; `asr_unfloored` is that literal sum, `asr` the floored one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

import numpy as np

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.intervals import DRAWS, Interval, anchored, percentile
from judgemesh.mesh.metrics.judge_noise import NoisyMean, noisy_mean

CREDITS: Final[Mapping[OutcomeClass, Decimal]] = MappingProxyType(
    {
        OutcomeClass.COMPLETE: Decimal(1),
        OutcomeClass.PARTIAL_PLUS: Decimal("0.4"),
        OutcomeClass.PARTIAL_MINUS: Decimal(0),
        OutcomeClass.HALLUCINATED: Decimal(0),
        OutcomeClass.ABANDONED: Decimal(0),
    }
)
SCORES: Final[Mapping[int, OutcomeClass]] = MappingProxyType(
    {
        5: OutcomeClass.COMPLETE,
        4: OutcomeClass.PARTIAL_PLUS,
        3: OutcomeClass.PARTIAL_MINUS,
        2: OutcomeClass.PARTIAL_MINUS,
        1: OutcomeClass.PARTIAL_MINUS,
    }
)
"""A 1..5 evaluation score as a class: 5 complete, 4 partial, 3 to 1 no credit."""


@dataclass(frozen=True, slots=True)
class Task:
    """One graded task. `outcome` None is undecided; `cost` and `ceiling` are amounts of one currency, or unknown.

    chances: calibrated probability of each class, where a judge gave it; a class that is not named has 0.
    name: which task it is, if known. Several runs of one task are not independent: the intervals then resample tasks.
        A run without a name is a task of its own.
    """

    outcome: OutcomeClass | None
    cost: Decimal | None = None
    ceiling: Decimal | None = None
    chances: Mapping[OutcomeClass, float] | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class CostSpread:
    """The distribution of known costs (linear interpolation), and the share of tasks above their ceiling."""

    p50: float
    p90: float
    p99: float
    known: int
    over_ceiling: float | None


@dataclass(frozen=True, slots=True)
class AgentSuccess:
    """The rate and what stands beside it. Rates are 0..1 over the decided tasks.

    bounds: the rate if every undecided task had contributed nothing, and if every one had contributed fully.
    cost_per_success: total known cost over the number of complete tasks; None when a cost is unknown or none succeeded.
    with_judge_noise: where tasks have class probabilities, the rate they imply, with the doubt about every class inside
        its interval; tasks without them count as certain. None when no task has any.
    """

    tasks: int
    decided: int
    asr: float
    asr_unfloored: float
    bounds: tuple[float, float]
    ci: Interval
    ci_percentile: Interval
    shares: Mapping[OutcomeClass, float]
    counts: Mapping[OutcomeClass, int]
    cost: CostSpread | None
    cost_per_success: float | None
    with_judge_noise: NoisyMean | None = None


def penalty(cost: Decimal | None, ceiling: Decimal | None) -> Decimal:
    """The cost penalty of one task, 0..1: none without a ceiling or a known cost.

    Raises:
        ValueError: the ceiling is not above 0, or the cost is negative.
    """
    if ceiling is not None and ceiling <= 0:
        raise ValueError(f"a cost ceiling must be above 0, got {ceiling}")
    if cost is not None and cost < 0:
        raise ValueError(f"a cost must be 0 or more, got {cost}")
    if cost is None or ceiling is None:
        return Decimal(0)
    return min(Decimal(1), max(Decimal(0), (cost - ceiling) / ceiling))


def contribution(
    outcome: OutcomeClass,
    cost: Decimal | None,
    ceiling: Decimal | None,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
) -> Decimal:
    """What one decided task adds to the rate, 0..1."""
    return max(Decimal(0), credit[outcome] - penalty(cost, ceiling))


def agent_success(
    tasks: Sequence[Task],
    *,
    seed: int,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
    draws: int = DRAWS,
) -> AgentSuccess:
    """The Agent Success Rate of a set of tasks.

    Args:
        tasks: what was graded; undecided ones count in `bounds` only.
        seed: of the two bootstraps; the same seed gives the same digits.
        credit: credit of each class; the structure is fixed, the weights may be a workflow's own.
        draws: bootstrap resamples.

    Raises:
        ValueError: no task is decided, or a cost, ceiling or credit is impossible.
    """
    check_credit(credit)
    decided = [(task.outcome, task) for task in tasks if task.outcome is not None]
    if not decided:
        raise ValueError("no task is decided, so there is no rate")
    worth = [
        contribution(outcome, task.cost, task.ceiling, credit)
        for outcome, task in decided
    ]
    literal = [
        credit[outcome] - penalty(task.cost, task.ceiling) for outcome, task in decided
    ]
    values = [float(one) for one in worth]
    clusters = _clusters([task for _, task in decided])
    open_tasks = len(tasks) - len(decided)
    earned = sum(worth, Decimal(0))
    counts = {
        one: sum(outcome is one for outcome, _ in decided) for one in OutcomeClass
    }
    return AgentSuccess(
        tasks=len(tasks),
        decided=len(decided),
        asr=float(earned / len(decided)),
        asr_unfloored=float(sum(literal, Decimal(0)) / len(decided)),
        bounds=(float(earned / len(tasks)), float((earned + open_tasks) / len(tasks))),
        ci=anchored(values, seed=seed, draws=draws, clusters=clusters),
        ci_percentile=percentile(values, seed=seed, draws=draws, clusters=clusters),
        shares={one: count / len(decided) for one, count in counts.items()},
        counts=counts,
        cost=cost_spread(tasks),
        cost_per_success=cost_per_success(tasks),
        with_judge_noise=with_judge_noise(tasks, seed=seed, credit=credit, draws=draws),
    )


def with_judge_noise(
    tasks: Sequence[Task],
    *,
    seed: int,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
    draws: int = DRAWS,
) -> NoisyMean | None:
    """The rate that the tasks' class probabilities imply, and its interval; None when no task has any.

    A task without probabilities counts with its class; one with neither is left out, as in `asr`.

    Raises:
        ValueError: a task's probabilities do not lie in 0..1 and sum to 1.
    """
    if all(task.chances is None for task in tasks):
        return None
    known = [
        task for task in tasks if task.chances is not None or task.outcome is not None
    ]
    return noisy_mean(
        [
            [
                float(contribution(one, task.cost, task.ceiling, credit))
                for one in OutcomeClass
            ]
            for task in known
        ],
        [[_chance(task, one) for one in OutcomeClass] for task in known],
        seed=seed,
        draws=draws,
        clusters=_clusters(known),
    )


def _clusters(tasks: Sequence[Task]) -> list[str] | None:
    """The task of each run; None where no task has more than one."""
    names = [
        f"{place}" if task.name is None else f"={task.name}"
        for place, task in enumerate(tasks)
    ]
    return names if len(set(names)) < len(names) else None


def _chance(task: Task, one: OutcomeClass) -> float:
    return (
        float(task.outcome is one)
        if task.chances is None
        else task.chances.get(one, 0.0)
    )


def cost_spread(tasks: Iterable[Task]) -> CostSpread | None:
    """Quantiles of the known costs; None when none is known."""
    priced = [(task.cost, task.ceiling) for task in tasks if task.cost is not None]
    if not priced:
        return None
    p50, p90, p99 = np.quantile(
        np.array([float(cost) for cost, _ in priced]), [0.5, 0.9, 0.99]
    )
    held = [cost > ceiling for cost, ceiling in priced if ceiling is not None]
    over = sum(held) / len(held) if held else None
    return CostSpread(float(p50), float(p90), float(p99), len(priced), over)


def cost_per_success(tasks: Iterable[Task]) -> float | None:
    """Total cost over the number of complete tasks; None when any cost is unknown, or nothing is complete."""
    known = list(tasks)
    complete = sum(task.outcome is OutcomeClass.COMPLETE for task in known)
    if not complete or any(task.cost is None for task in known):
        return None
    return float(
        sum((task.cost for task in known if task.cost is not None), Decimal(0))
        / complete
    )


def check_credit(credit: Mapping[OutcomeClass, Decimal]) -> None:
    """Every class needs a credit in 0..1.

    Raises:
        ValueError: one has none, or one out of range.
    """
    missing = [one.value for one in OutcomeClass if one not in credit]
    if missing:
        raise ValueError(f"no credit is given for {', '.join(missing)}")
    if any(not 0 <= one <= 1 for one in credit.values()):
        raise ValueError("every credit must lie in 0..1")
