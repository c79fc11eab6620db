"""The rate that class probabilities imply, with the doubt about every class inside its interval."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from judgemesh.contracts.report import OutcomeClass
from judgemesh.mesh.metrics.asr import Task, agent_success, with_judge_noise
from judgemesh.mesh.metrics.intervals import anchored
from judgemesh.mesh.metrics.judge_noise import noisy_mean

Class = OutcomeClass
D = Decimal


def test_certain_classes_give_the_anchored_interval() -> None:
    tasks = (
        [Task(Class.COMPLETE)] * 40
        + [Task(Class.PARTIAL_PLUS)] * 10
        + [Task(Class.ABANDONED)] * 10
    )
    sure = [Task(None, chances={task.outcome: 1.0}) for task in tasks if task.outcome]
    found = with_judge_noise(sure, seed=1, draws=40_000)
    expected = anchored([1.0] * 40 + [0.4] * 10 + [0.0] * 10, seed=2, draws=40_000)
    assert found is not None
    assert found.uncertain == 0
    assert found.rate == pytest.approx(44 / 60)
    assert (found.ci.low, found.ci.high) == pytest.approx(
        (expected.low, expected.high), abs=0.004
    )


def test_doubt_widens_the_interval_by_the_variance_of_the_classes() -> None:
    """One fair coin an item: sampling gives p (1 - p) / (n + 2) as ever, and the redrawn coins as much again."""
    n = 200
    coins = noisy_mean([[1.0, 0.0]] * n, [[0.5, 0.5]] * n, seed=1, draws=20_000)
    known = anchored([1.0, 0.0] * (n // 2), seed=1, draws=20_000)
    assert coins.rate == 0.5
    assert coins.ci.half_width / known.half_width == pytest.approx(np.sqrt(2), rel=0.03)


def test_it_is_the_expected_rate_and_not_that_of_the_likeliest_class() -> None:
    tasks = [
        Task(Class.COMPLETE, chances={Class.COMPLETE: 0.7, Class.HALLUCINATED: 0.3})
    ] * 100
    found = agent_success(tasks, seed=1)
    assert found.asr == 1.0
    assert found.with_judge_noise is not None
    assert found.with_judge_noise.rate == pytest.approx(0.7)
    assert found.with_judge_noise.ci.low < 0.7 < found.with_judge_noise.ci.high < 0.85


def test_costs_are_certain_and_tasks_with_neither_class_nor_chances_are_left_out() -> (
    None
):
    dear = Task(
        None, D("0.15"), D("0.10"), {Class.COMPLETE: 0.5, Class.PARTIAL_PLUS: 0.5}
    )
    found = with_judge_noise([dear, Task(Class.COMPLETE), Task(None)], seed=1)
    assert found is not None
    assert (found.items, found.uncertain) == (2, 1)
    assert found.rate == pytest.approx((0.5 * 0.5 + 1) / 2)


def test_runs_of_one_task_count_as_one() -> None:
    runs = [
        Task(None, chances={Class.COMPLETE: one, Class.ABANDONED: 1 - one})
        for one in (0.99, 0.01) * 15
    ]
    named = [
        Task(None, chances=run.chances, name=f"t{place}")
        for place, run in enumerate(runs)
        for _ in range(6)
    ]
    few = with_judge_noise(runs, seed=1, draws=8000)
    many = with_judge_noise(named, seed=1, draws=8000)
    alone = with_judge_noise(
        [Task(None, chances=run.chances) for run in named], seed=1, draws=8000
    )
    assert few is not None
    assert many is not None
    assert alone is not None
    assert many.ci.half_width == pytest.approx(few.ci.half_width, rel=0.08)
    assert many.ci.half_width > 2 * alone.ci.half_width
    with pytest.raises(ValueError, match="one cluster for each item, got 1 for 2"):
        noisy_mean([[1.0, 0.0]] * 2, [[0.5, 0.5]] * 2, seed=1, clusters=["a"])


def test_without_probabilities_there_is_no_such_rate() -> None:
    assert agent_success([Task(Class.COMPLETE)], seed=1).with_judge_noise is None


def test_the_same_seed_gives_the_same_digits() -> None:
    rows = [[0.2, 0.3, 0.5]] * 30
    assert noisy_mean([[1, 0.4, 0]] * 30, rows, seed=1) == noisy_mean(
        [[1, 0.4, 0]] * 30, rows, seed=1
    )
    assert noisy_mean([[1, 0.4, 0]] * 30, rows, seed=1) != noisy_mean(
        [[1, 0.4, 0]] * 30, rows, seed=2
    )


@pytest.mark.parametrize(
    ("values", "chances", "message"),
    [
        ([], [], "at least one item"),
        ([[1.0]], [[0.5, 0.5]], "as many values as probabilities"),
        ([[1.0, 2.0]], [[0.5, 0.5]], r"lie in 0\.\.1"),
        (
            [[1.0, 0.0]] * 2,
            [[0.5, 0.5], [0.9, 0.2]],
            r"of item 2 must lie in 0\.\.1 and sum to 1, they sum to 1.1",
        ),
        ([[1.0, 0.0]], [[1.5, -0.5]], r"of item 1 must lie in 0\.\.1"),
        ([[1.0, 0.0]], [[float("nan"), 1.0]], "of item 1"),
    ],
)
def test_what_are_no_probabilities_is_refused(
    values: list[list[float]], chances: list[list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        noisy_mean(values, chances, seed=1)
