"""Intervals against scipy, and what they promise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judgemesh.mesh.metrics.beta import beta_cdf, beta_quantile, student_quantile
from judgemesh.mesh.metrics.intervals import (
    anchored,
    clustered,
    jeffreys,
    percentile,
    wilson,
)

shapes = st.floats(0.5, 2000)


@given(st.floats(0, 1 - 1e-12), shapes, shapes)
def test_the_beta_distribution_agrees_with_scipy(x: float, a: float, b: float) -> None:
    """Closer to 1 scipy's own figure is off: at 1 - 2**-53 the arcsine distribution is 1 - 6.708e-9."""
    assert beta_cdf(1 - 2**-53, 0.5, 0.5) == pytest.approx(
        1 - 2 / math.pi * math.sqrt(2**-53), abs=1e-12
    )
    assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-9)


@given(st.floats(0.001, 0.999), shapes, shapes)
def test_the_beta_quantile_agrees_with_scipy(
    probability: float, a: float, b: float
) -> None:
    assert beta_quantile(probability, a, b) == pytest.approx(
        stats.beta.ppf(probability, a, b), abs=1e-9
    )


@given(st.floats(0.001, 0.999), st.floats(1, 2000))
def test_students_quantile_agrees_with_scipy(
    probability: float, degrees: float
) -> None:
    assert student_quantile(probability, degrees) == pytest.approx(
        stats.t.ppf(probability, degrees), rel=1e-8, abs=1e-9
    )


@given(st.integers(1, 500), st.data())
def test_rate_intervals_agree_with_scipy(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    found = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    ours = wilson(successes, trials)
    assert (ours.low, ours.high) == pytest.approx((found.low, found.high), abs=1e-9)
    beta = stats.beta(successes + 0.5, trials - successes + 0.5)
    low, high = (
        (0.0 if successes == 0 else beta.ppf(0.025)),
        (1.0 if successes == trials else beta.ppf(0.975)),
    )
    assert (
        jeffreys(successes, trials).low,
        jeffreys(successes, trials).high,
    ) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.parametrize(
    ("successes", "trials"), [(50, 50), (97, 100), (1, 40), (0, 30)]
)
def test_the_anchored_interval_of_a_rate_is_the_jeffreys_interval(
    successes: int, trials: int
) -> None:
    values = [1.0] * successes + [0.0] * (trials - successes)
    found = anchored(values, seed=1, draws=200_000)
    draws = stats.beta(successes + 0.5, trials - successes + 0.5)
    assert found.low == pytest.approx(draws.ppf(0.025), abs=2e-3)
    assert found.high == pytest.approx(draws.ppf(0.975), abs=2e-3)


def test_perfect_results_leave_doubt_in_the_anchored_interval_only() -> None:
    assert (
        percentile([1.0] * 30, seed=1).low,
        percentile([1.0] * 30, seed=1).high,
    ) == (1.0, 1.0)
    assert anchored([1.0] * 30, seed=1).low < 0.97


def test_the_same_seed_gives_the_same_digits() -> None:
    values = [0.0, 0.4, 1.0] * 40
    assert anchored(values, seed=7) == anchored(list(reversed(values)), seed=7)
    assert anchored(values, seed=7) != anchored(values, seed=8)


def test_repeats_of_one_task_widen_the_clustered_interval() -> None:
    random = np.random.default_rng(3)
    tasks = random.random(60) < 0.8
    values = [float(one) for one in tasks for _ in range(6)]
    names = [f"t{task}" for task in range(60) for _ in range(6)]
    assert (
        clustered(values, names).half_width
        > 2 * wilson(int(sum(values)), len(values)).half_width
    )
    alone = clustered(values, [str(place) for place in range(len(values))])
    share = np.mean(values)
    assert alone.half_width == pytest.approx(
        stats.t.ppf(0.975, len(values) - 1)
        * np.sqrt(share * (1 - share) / (len(values) - 1)),
        rel=1e-6,
    )


def test_runs_of_one_task_widen_the_anchored_interval_too_and_perfect_ones_keep_their_doubt() -> (
    None
):
    random = np.random.default_rng(3)
    values = [float(one) for one in random.random(60) < 0.8 for _ in range(6)]
    names = [f"t{task}" for task in range(60) for _ in range(6)]
    by_task = anchored(values, seed=1, clusters=names)
    assert by_task.half_width > 2 * anchored(values, seed=1).half_width
    assert by_task.half_width == pytest.approx(
        clustered(values, names).half_width, rel=0.1
    )
    assert percentile(values, seed=1, clusters=names).half_width == pytest.approx(
        by_task.half_width, rel=0.1
    )
    perfect = anchored(
        [1.0] * 60, seed=1, clusters=[f"t{place // 6}" for place in range(60)]
    )
    assert perfect.low == pytest.approx(anchored([1.0] * 10, seed=1).low)
    assert anchored(
        values, seed=1, clusters=[str(place) for place in range(360)]
    ) == anchored(values, seed=1)
    with pytest.raises(ValueError, match="one cluster for each value, got 1 for 2"):
        anchored([1.0, 0.0], seed=1, clusters=["a"])


@pytest.mark.parametrize("values", [[], [float("nan")], [0.5, float("inf")], [1.2]])
def test_what_is_no_set_of_values_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"at least one value|must lie in"):
        anchored(values, seed=1)


def test_impossible_counts_are_refused() -> None:
    for successes, trials in ((1, 0), (-1, 5), (6, 5)):
        with pytest.raises(ValueError, match="needs 0 <= successes <= trials"):
            wilson(successes, trials)
    with pytest.raises(ValueError, match="one cluster alone"):
        clustered([1.0, 0.0], ["a", "a"])
