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
from judgemesh.mesh.metrics.clusters import rate_interval, task_means
from judgemesh.mesh.metrics.intervals import DRAWS, Interval, percentile
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

    bounds: the rate if every undecided task had contributed nothing, and if every one had contributed fully; the same
        of tasks whose cost is unknown under a ceiling, which `asr` counts as free.
    uncosted: how many tasks that earn credit have a ceiling and no known cost.
    cost_per_success: total known cost over the number of complete tasks; None when a cost is unknown or none succeeded.
    with_judge_noise: where tasks have class probabilities, the rate they imply, with the doubt about every class inside
        its interval; tasks without them count as certain. None when no task has any.
    units: what the intervals take as independent: tasks that have names, else results.
    mean_over_tasks: the rate in which every task counts once; None where runs are not grouped by task.
    largest_share: share of the decided runs that the task with most of them has.
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
    units: int = 0
    mean_over_tasks: float | None = None
    largest_share: float = 0.0
    uncosted: int = 0

    @property
    def is_bounded(self) -> bool:
        """Whether some task could be worth something else: it is undecided, or its cost is unknown under a ceiling."""
        return self.decided < self.tasks or self.uncosted > 0


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


def cost_is_missing(
    outcome: OutcomeClass | None,
    cost: Decimal | None,
    ceiling: Decimal | None,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
) -> bool:
    """Whether a ceiling cannot be applied: the task earns credit, and its cost is unknown."""
    earns = outcome is not None and credit[outcome] > 0
    return earns and ceiling is not None and cost is None


def most_of(task: Task, credit: Mapping[OutcomeClass, Decimal] = CREDITS) -> Decimal:
    """The most that a task can contribute: an undecided one as the best class, one without a known cost as free."""
    best = max(credit, key=lambda outcome: credit[outcome])
    return contribution(task.outcome or best, task.cost, task.ceiling, credit)


def agent_success(
    tasks: Sequence[Task],
    *,
    seed: int,
    credit: Mapping[OutcomeClass, Decimal] = CREDITS,
    draws: int = DRAWS,
) -> AgentSuccess:
    """The Agent Success Rate of a set of tasks.

    Args:
        tasks: what was graded; undecided ones count in `bounds` only, and one whose cost is unknown under a ceiling
            counts as free in the rate and from nothing to that in `bounds`.
        seed: of the two bootstraps; the same seed gives the same digits.
        credit: credit of each class; the structure is fixed, the weights may be a workflow's own.
        draws: bootstrap resamples.

    Raises:
        ValueError: no task is decided, or a cost, ceiling or credit is impossible.
    """
    check_credit(credit)
    earned = unfloored = doubtful = Decimal(0)
    uncosted = 0
    values: list[float] = []
    decided: list[Task] = []
    counts = dict.fromkeys(OutcomeClass, 0)
    for task in tasks:
        if task.outcome is None:
            continue
        decided.append(task)
        counts[task.outcome] += 1
        share = contribution(task.outcome, task.cost, task.ceiling, credit)
        values.append(float(share))
        earned += share
        unfloored += credit[task.outcome] - penalty(task.cost, task.ceiling)
        if cost_is_missing(task.outcome, task.cost, task.ceiling, credit):
            uncosted += 1
            doubtful += share
    if not decided:
        raise ValueError("no task is decided, so there is no rate")
    clusters = _clusters(decided)
    most = sum((most_of(task, credit) for task in tasks), Decimal(0))
    found = task_means(values, clusters)
    return AgentSuccess(
        tasks=len(tasks),
        decided=len(decided),
        asr=float(earned / len(decided)),
        asr_unfloored=float(unfloored / len(decided)),
        bounds=(float((earned - doubtful) / len(tasks)), float(most / len(tasks))),
        ci=rate_interval(found, high=float(max(credit.values())), seed=seed),
        ci_percentile=percentile(values, seed=seed, draws=draws, clusters=clusters),
        shares={outcome: count / len(decided) for outcome, count in counts.items()},
        counts=counts,
        cost=cost_spread(tasks),
        cost_per_success=cost_per_success(tasks),
        with_judge_noise=with_judge_noise(tasks, seed=seed, credit=credit, draws=draws),
        units=found.tasks,
        mean_over_tasks=None if clusters is None else found.mean,
        largest_share=float(found.weights.max()),
        uncosted=uncosted,
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
    known: list[Task] = []
    values: list[list[float]] = []
    chances: list[list[float]] = []
    for task in tasks:
        if task.chances is None and task.outcome is None:
            continue
        known.append(task)
        values.append(_value_by_class(task, credit))
        chances.append(_chance_by_class(task))
    clusters = _clusters(known)
    return noisy_mean(values, chances, seed=seed, draws=draws, clusters=clusters)


def _clusters(tasks: Sequence[Task]) -> list[str] | None:
    """The task of each run; None where no task has more than one."""
    names: list[str] = []
    for position, task in enumerate(tasks):
        # The equals sign keeps the number of an unnamed run apart from a task named by a number.
        names.append(str(position) if task.name is None else f"={task.name}")
    return names if len(set(names)) < len(names) else None


def _value_by_class(task: Task, credit: Mapping[OutcomeClass, Decimal]) -> list[float]:
    return [
        float(contribution(outcome, task.cost, task.ceiling, credit))
        for outcome in OutcomeClass
    ]


def _chance_by_class(task: Task) -> list[float]:
    if task.chances is None:
        return [float(task.outcome is outcome) for outcome in OutcomeClass]
    return [task.chances.get(outcome, 0.0) for outcome in OutcomeClass]


def cost_spread(tasks: Iterable[Task]) -> CostSpread | None:
    """Quantiles of the known costs; None when none is known."""
    costs: list[float] = []
    above_ceiling: list[bool] = []
    for task in tasks:
        if task.cost is None:
            continue
        costs.append(float(task.cost))
        if task.ceiling is not None:
            above_ceiling.append(task.cost > task.ceiling)
    if not costs:
        return None
    p50, p90, p99 = np.quantile(np.array(costs), [0.5, 0.9, 0.99])
    share = sum(above_ceiling) / len(above_ceiling) if above_ceiling else None
    return CostSpread(float(p50), float(p90), float(p99), len(costs), share)


def cost_per_success(tasks: Iterable[Task]) -> float | None:
    """Total cost over the number of complete tasks; None when any cost is unknown, or nothing is complete."""
    total = Decimal(0)
    complete = 0
    for task in tasks:
        if task.cost is None:
            return None
        total += task.cost
        complete += task.outcome is OutcomeClass.COMPLETE
    return float(total / complete) if complete else None


def check_credit(credit: Mapping[OutcomeClass, Decimal]) -> None:
    """Every class needs a credit in 0..1.

    Raises:
        ValueError: one has none, or one out of range.
    """
    missing = [outcome.value for outcome in OutcomeClass if outcome not in credit]
    if missing:
        raise ValueError(f"no credit is given for {', '.join(missing)}")
    if not all(0 <= share <= 1 for share in credit.values()):
        raise ValueError("every credit must lie in 0..1")
