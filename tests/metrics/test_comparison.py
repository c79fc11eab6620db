"""Comparison of two versions, against scipy and against definitions."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from judgemesh.mesh.metrics.comparison import (
    ComparisonVerdict,
    minimum_detectable,
    paired,
)
from judgemesh.mesh.metrics.gates import gates, mcnemar_mid_p
from judgemesh.mesh.metrics.repeats import pass_at_k, pass_hat_k
from judgemesh.mesh.metrics.shares import (
    benjamini_hochberg,
    newcombe,
    share_changes,
    two_shares,
)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_mid_p_is_the_exact_p_less_half_of_the_observed_point(
    only_a: int, only_b: int
) -> None:
    n, fewer = only_a + only_b, min(only_a, only_b)
    exact = 2 * stats.binom.cdf(fewer, n, 0.5) - stats.binom.pmf(fewer, n, 0.5)
    assert mcnemar_mid_p(only_a, only_b) == pytest.approx(
        min(1.0, exact) if n else 1.0, abs=1e-9
    )


def test_gates_count_discordant_tasks_only() -> None:
    a = (
        {f"t{n}": True for n in range(10)}
        | {f"u{n}": False for n in range(4)}
        | {"only a": True}
    )
    b = {f"t{n}": n >= 2 for n in range(10)} | {f"u{n}": True for n in range(4)}
    found = gates(a, b)
    assert (found.only_a_passed, found.only_b_passed) == (2, 4)
    assert found.p_value == pytest.approx(mcnemar_mid_p(2, 4))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_benjamini_hochberg_agrees_with_scipy(p_values: list[float]) -> None:
    adjusted = stats.false_discovery_control(p_values)
    found = benjamini_hochberg(
        {str(place): value for place, value in enumerate(p_values)}
    )
    for place, value in enumerate(adjusted):
        if abs(value - 0.05) > 1e-12:
            assert found[str(place)] is bool(value <= 0.05)


def test_newcombes_published_example() -> None:
    """Newcombe (1998), table II: 56/70 against 48/80, method 10: .0524 to .3339."""
    found = newcombe(48, 80, 56, 70)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(st.integers(1, 300), st.integers(1, 300), st.data())
def test_two_shares_is_the_chi_square_test_without_correction(
    n: int, m: int, data: st.DataObject
) -> None:
    k, j = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    if 0 < k + j < n + m:
        expected = stats.chi2_contingency(
            [[k, n - k], [j, m - j]], correction=False
        ).pvalue
        assert two_shares(k, n, j, m) == pytest.approx(expected, abs=1e-9)
    else:
        assert two_shares(k, n, j, m) == 1.0


@given(st.integers(1, 9), st.data())
def test_pass_at_k_and_pass_hat_k_by_counting_every_draw(
    trials: int, data: st.DataObject
) -> None:
    correct, k = data.draw(st.integers(0, trials)), data.draw(st.integers(1, trials))
    draws = list(
        itertools.combinations([True] * correct + [False] * (trials - correct), k)
    )
    assert pass_at_k(correct, trials, k) == pytest.approx(
        sum(map(any, draws)) / len(draws)
    )
    assert pass_hat_k(correct, trials, k) == pytest.approx(
        sum(map(all, draws)) / len(draws)
    )


def outcomes(rate: float, tasks: int, seed: int) -> dict[str, list[float]]:
    random = np.random.default_rng(seed)
    return {
        f"t{task}": (random.random(3) < rate).astype(float).tolist()
        for task in range(tasks)
    }


def test_a_clear_change_is_seen_and_a_small_suite_says_what_it_could_have_seen() -> (
    None
):
    better = paired(outcomes(0.5, 100, 1), outcomes(0.8, 100, 2))
    worse = paired(outcomes(0.8, 100, 2), outcomes(0.5, 100, 1))
    few = paired(outcomes(0.80, 10, 1), outcomes(0.82, 10, 2))
    assert (better.change, worse.change) == (
        ComparisonVerdict.IMPROVED,
        ComparisonVerdict.REGRESSED,
    )
    assert better.delta == pytest.approx(-worse.delta)
    assert few.change is ComparisonVerdict.NO_EVIDENCE
    assert few.minimum_detectable is not None
    assert few.minimum_detectable > 0.1


def test_only_shared_tasks_are_compared() -> None:
    a, b = {"x": [1.0], "y": [0.0], "z": [1.0]}, {"x": [1.0], "y": [1.0], "w": [0.0]}
    found = paired(a, b)
    assert (found.tasks, found.delta, found.only_a, found.only_b) == (2, 0.5, 1, 1)
    with pytest.raises(ValueError, match="these share 0"):
        paired(a, {"v": [1.0]})
    with pytest.raises(ValueError, match=r"needs values in 0\.\.1"):
        paired({"x": [2.0], "y": [1.0]}, {"x": [1.0], "y": [1.0]})


def test_the_minimum_detectable_effect_of_a_hundred_tasks() -> None:
    assert minimum_detectable(math.sqrt(0.2), 100) == pytest.approx(0.1253, abs=1e-4)


def test_class_shares_are_flagged_and_tested() -> None:
    before = {
        "complete": 58,
        "partial+": 12,
        "partial-": 8,
        "hallucinated": 4,
        "abandoned": 18,
    }
    after = {
        "complete": 40,
        "partial+": 13,
        "partial-": 8,
        "hallucinated": 4,
        "abandoned": 35,
    }
    found = share_changes(before, after)
    assert {name for name, change in found.items() if change.large} == {
        "complete",
        "abandoned",
    }
    assert {name for name, change in found.items() if change.real} == {
        "complete",
        "abandoned",
    }
    noise = share_changes({"a": 13, "b": 12}, {"a": 12, "b": 13})
    assert [change.large for change in noise.values()] == [True, True]
    assert not any(change.real for change in noise.values())
    with pytest.raises(ValueError, match="at least one task on each side"):
        share_changes({}, before)
