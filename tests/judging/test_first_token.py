"""P(yes) from log-probabilities: the formula, and what is no log-probability."""

from __future__ import annotations

from math import exp, inf, log, nan

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from judgemesh.contracts.opinions import Vote
from judgemesh.mesh.judging.replies.first_token import (
    normal,
    read_first_token,
    saturated,
)


def of(**shares: float) -> list[tuple[str, float]]:
    return [(token, log(share)) for token, share in shares.items()]


def test_spellings_add_up() -> None:
    found = read_first_token(
        [
            ("Yes", log(0.5)),
            (' "yes"', log(0.3)),
            ("\u2581no", log(0.1)),
            ("The", log(0.06)),
        ]
    )
    assert found is not None
    assert found.p == pytest.approx(0.8 / 0.9)
    assert found.mass == pytest.approx(0.9)
    assert found.low == pytest.approx(0.8 / 0.94)
    assert found.high == pytest.approx(0.84 / 0.94)
    assert found.valid
    assert found.vote is Vote.YES


@pytest.mark.parametrize(
    ("alternatives", "valid", "vote"),
    [
        (of(yes=0.97, no=0.02), True, Vote.YES),
        (of(no=0.9, yes=0.05, The=0.05), True, Vote.NO),
        (
            of(yes=0.5, The=0.4, no=0.05),
            False,
            Vote.CANNOT_ASSESS,
        ),  # about to say something else
        (
            of(yes=0.6, no=0.28),
            False,
            Vote.CANNOT_ASSESS,
        ),  # too much that is not listed
        (
            of(yes=0.47, no=0.46),
            True,
            Vote.CANNOT_ASSESS,
        ),  # the interval holds one half
        (of(true=0.99), True, Vote.YES),
    ],
)
def test_a_probability_is_valid_when_the_first_token_was_the_verdict(
    alternatives: list[tuple[str, float]], valid: bool, vote: Vote
) -> None:
    found = read_first_token(alternatives)
    assert found is not None
    assert (found.valid, found.vote) == (valid, vote)


@pytest.mark.parametrize(
    "alternatives",
    [
        [],
        [("yes", 0.0), ("no", 0.0)],
        [("yes", -1.0), ("no", -1.0), ("a", -1.0)],
        [("yes", 0.3), ("no", -2.0)],
        [("yes", nan), ("no", -2.0)],
        [("yes", -inf), ("no", -2.0)],
        [("yes", log(0.9)), ("no", log(0.8))],
        [("The", log(0.9)), ("A", log(0.05))],
    ],
)
def test_what_is_no_log_probability_is_not_read_as_one(
    alternatives: list[tuple[str, float]],
) -> None:
    assert read_first_token(alternatives) is None


@given(
    shares=st.lists(st.floats(0.001, 1.0), min_size=3, max_size=5),
    hidden=st.floats(0, 0.5),
)
@example(
    shares=[
        0.5598675268314544,
        0.19935572134283866,
        0.19935572134283866,
        0.5598675268314544,
    ],
    hidden=0.0,
)
def test_the_interval_holds_whatever_the_hidden_mass_is(
    shares: list[float], hidden: float
) -> None:
    scale = (1 - hidden) / sum(shares)
    tokens = ["yes", "no", "Yes", "The", "A"]
    found = read_first_token(
        [(token, log(one * scale)) for token, one in zip(tokens, shares, strict=False)]
    )
    if found is None:
        return  # all the same
    assert 0 <= found.low <= found.p <= found.high <= 1
    yes = sum(
        one * scale
        for token, one in zip(tokens, shares, strict=False)
        if normal(token) == "yes"
    )
    for extra in (0.0, hidden):  # nothing of what is hidden is a yes, or all of it
        assert (
            found.low - 1e-9
            <= (yes + extra) / (found.mass + hidden)
            <= found.high + 1e-9
        )


def test_saturation_is_a_share_of_the_calibration_set() -> None:
    sure, unsure = 1 / (1 + exp(-7)), 0.9
    assert saturated([sure] * 8 + [unsure] * 2)
    assert saturated([1.0, 0.0])
    assert not saturated([sure] * 7 + [unsure] * 3)
    assert not saturated([])
