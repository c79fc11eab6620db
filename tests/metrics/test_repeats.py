"""pass@k and pass^k of a suite."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.metrics.repeats import Trials, pass_at, pass_hat

SUITE = {
    "easy": Trials(4, 4),
    "fair": Trials(3, 4),
    "hard": Trials(0, 4),
    "longer": Trials(4, 8),
}


def test_tasks_are_the_units() -> None:
    once, twice, either = (
        pass_hat(SUITE, 1, seed=1),
        pass_hat(SUITE, 2, seed=1),
        pass_at(SUITE, 2, seed=1),
    )
    assert once.rate == pytest.approx((1 + 0.75 + 0 + 0.5) / 4)
    assert twice.rate == pytest.approx((1 + 3 / 6 + 0 + 6 / 28) / 4)
    assert either.rate == pytest.approx((1 + 1 + 0 + 1 - 6 / 28) / 4)
    assert (once.tasks, twice.k) == (4, 2)
    assert twice.ci.low < twice.rate < twice.ci.high


@given(
    st.dictionaries(st.text(max_size=3), st.integers(0, 5), min_size=1, max_size=8),
    st.integers(1, 4),
)
def test_more_runs_are_harder_to_pass_and_easier_to_pass_once(
    correct: dict[str, int], k: int
) -> None:
    suite = {name: Trials(count, 5) for name, count in correct.items()}
    assert (
        pass_hat(suite, k + 1, seed=1, draws=10).rate
        <= pass_hat(suite, k, seed=1, draws=10).rate + 1e-12
    )
    assert (
        pass_at(suite, k + 1, seed=1, draws=10).rate
        >= pass_at(suite, k, seed=1, draws=10).rate - 1e-12
    )
    once = pass_hat(suite, 1, seed=1, draws=10).rate
    assert once == pytest.approx(pass_at(suite, 1, seed=1, draws=10).rate)


def test_tasks_with_too_few_runs_are_named() -> None:
    with pytest.raises(
        ValueError,
        match=r"k = 5 needs 5 runs of every task; easy, fair, hard have fewer",
    ):
        pass_hat(SUITE, 5, seed=1)
    with pytest.raises(ValueError, match=r"easy, fair, hard and 1 more have fewer"):
        pass_at(SUITE, 9, seed=1)
    with pytest.raises(ValueError, match="at least one task"):
        pass_at({}, 1, seed=1)
    with pytest.raises(ValueError, match="needs 0 <= correct <= trials and 1 <= k"):
        pass_at(SUITE, 0, seed=1)
