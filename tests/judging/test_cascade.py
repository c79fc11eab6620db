from __future__ import annotations

import math
import random
from collections.abc import Hashable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.calibration.drift import alarm_level, compare_verdicts
from judgemesh.mesh.calibration.thresholds import (
    Cascade,
    JudgedItem,
    NotCertified,
    Threshold,
    binomial_cdf,
    certify,
    certify_cascade,
    labels_needed,
    settle,
)


def test_fifty_nine_right_answers_are_the_least() -> None:
    assert labels_needed() == 59
    assert labels_needed(0.15, 0.1) == 15
    short = certify([(0.9, True)] * 58)
    assert isinstance(short, NotCertified)
    assert short.missing == 1
    assert isinstance(certify([(0.9, True)] * 59), Threshold)


@given(st.floats(0.01, 0.4), st.floats(0.01, 0.4))
def test_the_least_number_is_exactly_that(alpha: float, delta: float) -> None:
    needed = labels_needed(alpha, delta)
    assert (1 - alpha) ** needed <= delta
    assert needed == 1 or (1 - alpha) ** (needed - 1) > delta * (1 - 1e-9)


@given(st.integers(1, 40), st.floats(0.01, 0.99))
def test_the_binomial_tail(count: int, chance: float) -> None:
    for errors in range(count + 1):
        exact = sum(
            math.comb(count, j) * chance**j * (1 - chance) ** (count - j)
            for j in range(errors + 1)
        )
        assert binomial_cdf(errors, count, chance) == pytest.approx(exact, abs=1e-9)


def test_the_first_coverage_that_fails_ends_the_sequence() -> None:
    surest = [(1.0 - number / 1000, True) for number in range(200)]
    bad = [(0.5 - number / 1000, number % 2 == 0) for number in range(200)]
    found = certify(surest + bad)
    assert isinstance(found, Threshold)
    assert (found.coverage, found.errors) == (0.5, 0)
    assert isinstance(certify(bad + [(0.9, False)] * 100), NotCertified)


def test_equal_confidences_go_together() -> None:
    found = certify([(0.9, True)] * 300 + [(0.6, False)] * 30)
    assert isinstance(found, Threshold)
    assert found.threshold == 0.9
    assert found.coverage == pytest.approx(300 / 330)


def pair(draw: random.Random) -> list[JudgedItem | None]:
    """Two judges whose surest verdicts are right; the second one is better."""
    first, second = draw.random(), draw.random()
    said: list[JudgedItem | None] = [
        (0.5 + first / 2, draw.random() < 0.6 + 0.4 * first),
        (0.5 + second / 2, draw.random() < 0.8 + 0.2 * second),
    ]
    return said


def test_a_cascade_keeps_its_promise() -> None:
    """More than alpha wrong, at level delta, in at most delta of the calibrations: 5 of 100, and 5 more by chance."""
    broken = 0
    for seed in range(100):
        draw = random.Random(seed)  # noqa: S311 - a simulation
        items = [pair(draw) for _ in range(200)]
        found = certify_cascade(
            [[item[stage] for item in items] for stage in (0, 1)], alpha=0.1, delta=0.05
        )
        if isinstance(found, Cascade):
            settled = [
                right
                for _ in range(2000)
                if (right := settle(pair(draw), found.thresholds)) is not None
            ]
            broken += settled.count(False) > 0.1 * len(settled)
    assert broken <= 10


def test_a_stage_that_is_silent_settles_nothing() -> None:
    good: list[JudgedItem | None] = [
        (0.9 - number / 1000, True) for number in range(100)
    ]
    found = certify_cascade([[None] * 100, good])
    assert isinstance(found, Cascade)
    assert settle([None, (0.95, True)], found.thresholds) is True
    assert settle([None, None], found.thresholds) is None
    short = certify_cascade([good[:10]])
    assert isinstance(short, NotCertified)
    assert short.missing == 49


# --- drift ---


def test_seven_flips_of_a_hundred_are_an_alarm() -> None:
    before: dict[Hashable, bool | None] = {
        number: number % 2 == 0 for number in range(100)
    }
    for flips, alarm in ((6, False), (7, True)):
        after: dict[Hashable, bool | None] = {
            number: (number % 2 == 0) != (number < flips) for number in range(100)
        }
        drift = compare_verdicts(before, after)
        assert (drift.items, drift.flips, drift.alarm) == (100, flips, alarm)


def test_what_has_no_verdict_is_no_flip() -> None:
    drift = compare_verdicts({1: True, 2: False, 3: None}, {1: None, 2: False})
    assert (drift.items, drift.flips, drift.lost, drift.alarm) == (1, 0, 2, False)
    assert alarm_level(50) == 3


def test_a_flip_rate_of_ten_percent_is_noticed() -> None:
    tolerated = alarm_level(100)
    assert 1 - binomial_cdf(tolerated, 100, 0.1) == pytest.approx(0.88, abs=0.005)
    assert 1 - binomial_cdf(tolerated, 100, 0.02) < 0.01
