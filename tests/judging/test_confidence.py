from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.judging.confidence.stability import stability

VOTES = st.integers(0, 40)


@pytest.mark.parametrize(
    ("yes", "no", "expected"),
    [
        (1, 0, 0.75),
        (0, 1, 0.75),
        (2, 0, 0.875),
        (2, 1, 0.6875),
        (1, 1, 0.5),
        (5, 0, 63 / 64),
    ],
)
def test_known_values(yes: int, no: int, expected: float) -> None:
    assert stability(yes, no) == expected


@given(VOTES, VOTES)
def test_it_is_the_beta_probability(yes: int, no: int) -> None:
    if yes + no == 0:
        return
    lead, trail = max(yes, no), min(yes, no)
    # The integral of the Beta density over (1/2, 1), by Simpson's rule on the polynomial itself.
    steps = 2000
    norm = math.comb(lead + trail, lead) * (lead + trail + 1)
    points = [0.5 + 0.5 * step / steps for step in range(steps + 1)]
    weights = [
        1 if step in (0, steps) else 4 if step % 2 else 2 for step in range(steps + 1)
    ]
    integral = (
        sum(
            w * norm * p**lead * (1 - p) ** trail
            for p, w in zip(points, weights, strict=True)
        )
        * 0.5
        / steps
        / 3
    )
    assert stability(yes, no) == pytest.approx(integral, abs=1e-6)


@given(VOTES, VOTES)
def test_symmetric_growing_and_never_certain(yes: int, no: int) -> None:
    if yes + no == 0:
        return
    value = stability(yes, no)
    assert value == stability(no, yes)
    assert 0.5 <= value < 1
    if yes >= no:
        assert stability(yes + 1, no) > value


def test_a_thousand_equal_votes_are_still_not_certain() -> None:
    assert 0.99 < stability(1000, 0) < 1


@pytest.mark.parametrize(("yes", "no"), [(0, 0), (-1, 2)])
def test_no_vote_has_no_stability(yes: int, no: int) -> None:
    with pytest.raises(ValueError, match="at least one vote"):
        stability(yes, no)
