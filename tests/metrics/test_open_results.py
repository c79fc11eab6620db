"""Undecided results and unknown costs: they widen bounds, keep weeks paired, and are never free or failures."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import Task, agent_success
from judgemesh.mesh.metrics.comparison import (
    ComparisonVerdict,
    PairedComparison,
    UnpairedComparison,
    unpaired,
)
from judgemesh.mesh.metrics.differences import (
    rate_limits,
    unpaired_limits,
    unpaired_signs,
)
from judgemesh.mesh.metrics.intervals import Interval
from judgemesh.mesh.metrics.rate_changes import rate_change

CEILING = Decimal("0.10")
OUTCOMES = st.none() | st.sampled_from(list(OutcomeClass))
COSTS = st.none() | st.sampled_from([Decimal("0.05"), Decimal("0.13"), Decimal(9)])
TASKS = st.builds(Task, OUTCOMES, COSTS, st.sampled_from([None, CEILING]))


@given(st.lists(TASKS, min_size=1, max_size=8), st.data())
def test_the_bounds_hold_the_rate_however_open_tasks_end(
    tasks: list[Task], data: st.DataObject
) -> None:
    if all(task.outcome is None for task in tasks):
        return
    found = agent_success(tasks, seed=1, draws=10)
    known = [
        Task(
            task.outcome or data.draw(st.sampled_from(list(OutcomeClass))),
            data.draw(COSTS) if task.cost is None else task.cost,
            task.ceiling,
        )
        for task in tasks
    ]
    low, high = found.bounds
    assert low - 1e-9 <= agent_success(known, seed=1, draws=10).asr <= high + 1e-9
    assert low <= found.asr + 1e-9 or found.decided < found.tasks


def test_an_unknown_cost_under_a_ceiling_is_not_free_in_the_bounds() -> None:
    tasks = [Task(OutcomeClass.COMPLETE, Decimal("0.05"), CEILING)] * 3
    tasks += [Task(OutcomeClass.COMPLETE, None, CEILING)]
    tasks += [Task(OutcomeClass.ABANDONED, None, CEILING)]
    found = agent_success(tasks, seed=1)
    assert (found.asr, found.bounds, found.uncosted) == (0.8, (0.6, 0.8), 1)
    assert found.is_bounded
    assert not agent_success(tasks[:3], seed=1).is_bounded


def week(outcomes: Sequence[Sequence[OutcomeClass | None]]) -> list[Task]:
    return [
        Task(outcome, name=f"t{task}")
        for task, runs in enumerate(outcomes)
        for outcome in runs
    ]


def test_a_week_whose_failures_became_undecided_is_still_paired() -> None:
    good, bad = OutcomeClass.COMPLETE, OutcomeClass.PARTIAL_MINUS
    before = [[good, good] if task % 2 else [bad, bad] for task in range(20)]
    after = [[good, good] if task % 2 else [None, None] for task in range(20)]
    found = rate_change(week(before), week(after))
    assert isinstance(found, PairedComparison)
    assert found.delta == 0
    assert found.change is ComparisonVerdict.NO_EVIDENCE
    assert found.bounds == pytest.approx((0.0, 0.5))
    others = [Task(task.outcome, name=f"other {task.name}") for task in week(after)]
    assert isinstance(rate_change(week(before), others), UnpairedComparison)


def test_the_change_of_a_week_holds_unknown_costs() -> None:
    before = [
        Task(OutcomeClass.COMPLETE, CEILING, CEILING, name=f"t{n}") for n in range(9)
    ]
    after = [Task(OutcomeClass.COMPLETE, None, CEILING, name=f"t{n}") for n in range(9)]
    after[0] = before[0]
    after[1] = before[1]
    found = rate_change(before, after)
    assert (found.undecided, found.delta) == (7, 0.0)
    assert found.bounds == pytest.approx((-7 / 9, 0.0))


@pytest.mark.parametrize(
    ("low", "high", "arm"),
    [(0.4, 0.6, 0.1), (0.403, 0.604, 0.1), (0.375, 0.543, None), (0.0, 1.0, 0.5)],
)
def test_a_lopsided_interval_has_no_arm(
    low: float, high: float, arm: float | None
) -> None:
    assert Interval(low, high, "").arm((0.438 if arm is None else 0.5), 2) == arm


@given(
    st.integers(2, 30),
    st.booleans(),
    st.integers(0, 1_000),
    st.sampled_from([(0.0, 1.0), (0.0, 0.8)]),
)
def test_signs_are_those_of_the_limits(
    tasks: int, balanced: bool, seed: int, ends: tuple[float, float]
) -> None:
    random = np.random.default_rng(seed)
    low, high = ends
    sizes = np.ones(tasks) if balanced else np.r_[tasks - 1.0, np.ones(tasks - 1)]
    weights = np.tile(sizes / sizes.sum(), (20, 1))
    a = high * random.beta(3, 1, (20, tasks))
    b = np.clip(a + random.uniform(-0.9, 0.9, (20, 1)), low, high)
    before = rate_limits(a, weights, low, high)
    bottom, top = unpaired_limits(before, rate_limits(b, weights, low, high))
    nearest = np.minimum(np.abs(bottom), np.abs(top))
    signs = unpaired_signs(before, b, weights, low, high)
    expected = (bottom > 0).astype(int) - (top < 0)
    # A quantile lies between two draws; a limit that near to zero may be counted on either side.
    assert ((signs == expected) | (nearest < 2e-3)).all()


def test_the_detectable_change_keeps_the_sizes_of_tasks() -> None:
    """Half of the runs in one task: a set whose rate hangs on it must see less than the same runs spread evenly."""
    random = np.random.default_rng(5)
    chances = random.beta(8, 2, 24)

    def side(name: str, sizes: list[int]) -> dict[str, list[float]]:
        return {
            f"{name}{n}": (random.random(size) < chances[n]).astype(float).tolist()
            for n, size in enumerate(sizes)
        }

    sizes = [4] * 23
    even = unpaired(side("a", [8, *sizes]), side("b", [8, *sizes])).detectable.drop
    giant = unpaired(side("a", [92, *sizes]), side("b", [92, *sizes])).detectable.drop
    assert even is not None
    assert giant is None or giant > 1.2 * even
