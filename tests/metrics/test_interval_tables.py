"""Intervals by hand: ends, arms, methods, errors, and what a shift of the scale does."""

from __future__ import annotations

import math

import numpy as np
import pytest

from judgemesh.mesh.metrics import intervals
from judgemesh.mesh.metrics.beta import beta_cdf, beta_quantile, student_quantile
from judgemesh.mesh.metrics.intervals import (
    Interval,
    anchored,
    clustered,
    jeffreys,
    percentile,
    wilson,
)


def test_the_ends_of_the_beta_distribution() -> None:
    assert [beta_cdf(x, 2, 3) for x in (-1.0, 0.0, 1.0, 2.0)] == [0.0, 0.0, 1.0, 1.0]
    assert [beta_quantile(p, 2, 3) for p in (-1.0, 0.0, 1.0, 2.0)] == [0, 0, 1, 1]
    assert beta_quantile(0.5, 1, 1) == pytest.approx(0.5, abs=1e-15)
    assert beta_quantile(0.3, 1, 1) == pytest.approx(0.3, abs=1e-14)
    assert beta_cdf(0.25, 1, 2) == pytest.approx(1 - 0.75**2, abs=1e-14)
    assert beta_cdf(0.25, 2, 1) == pytest.approx(0.25**2, abs=1e-14)


def test_quantiles_of_very_lopsided_shapes() -> None:
    """Newton's steps leave the bracket here: the quantile of Beta(a, 1) is p ** (1/a), of Beta(1, b) by symmetry."""
    for shape in (0.01, 0.5, 3.0, 1e4):
        for p in (1e-6, 0.2, 0.9, 1 - 1e-6):
            x = p ** (1 / shape)
            assert beta_quantile(p, shape, 1) == pytest.approx(x, rel=1e-9, abs=1e-12)
            mirrored = -math.expm1(math.log1p(-p) / shape)
            assert beta_quantile(p, 1, shape) == pytest.approx(mirrored, rel=1e-9)


def test_students_quantile_by_hand() -> None:
    assert student_quantile(0.5, 3) == 0.0
    assert student_quantile(0.75, 1) == pytest.approx(1.0, abs=1e-9)
    assert student_quantile(0.25, 1) == pytest.approx(-1.0, abs=1e-9)
    assert student_quantile(0.975, 2) == pytest.approx(4.30265272991, abs=1e-8)


def test_arms_and_width() -> None:
    one = Interval(0.25, 0.75, "m")
    assert (one.half_width, one.level) == (0.25, 0.95)
    assert one.arm(0.5, 2) == 0.25
    assert one.arm(0.51, 2) is None
    assert one.arm(0.25, 2) is None


@pytest.mark.parametrize("make", [wilson, jeffreys])
@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3), (0, 0), (0, -1)])
def test_counts_that_cannot_be(make: object, successes: int, trials: int) -> None:
    assert make in (wilson, jeffreys)
    with pytest.raises(ValueError, match="needs 0 <= successes"):
        (wilson if make is wilson else jeffreys)(successes, trials)


def test_methods_are_named_and_levels_kept() -> None:
    values, names = [0.0, 1.0, 1.0, 0.0], ["a", "a", "b", "b"]
    made = [
        wilson(1, 2, level=0.9),
        jeffreys(1, 2, level=0.9),
        percentile(values, seed=1, draws=50, level=0.9),
        anchored(values, seed=1, draws=50, level=0.9),
        clustered(values, names, level=0.9),
    ]
    assert {one.level for one in made} == {0.9}
    assert [one.method for one in made] == [
        "wilson",
        "jeffreys",
        "percentile bootstrap",
        "anchored Bayesian bootstrap",
        "clustered",
    ]
    assert (wilson(0, 3).low, wilson(3, 3).high) == (0.0, 1.0)
    assert (jeffreys(0, 3).low, jeffreys(3, 3).high) == (0.0, 1.0)
    assert wilson(1, 3).level == 0.95


def test_a_clustered_interval_by_hand() -> None:
    """Totals 2 and 1 of 2 and 3 items: mean 3/5, residuals 0.8 and -0.8, variance 2 * 1.28 / 25."""
    one = clustered([1.0, 1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "b", "b"])
    spread = student_quantile(0.975, 1) * math.sqrt(2 * 1.28 / 25)
    assert (one.low, one.high) == pytest.approx((0.6 - spread, 0.6 + spread))


def test_what_clustering_refuses() -> None:
    for values, names in (([1.0], ["a", "b"]), ([], [])):
        with pytest.raises(ValueError, match="one cluster for each value"):
            clustered(values, names)
    with pytest.raises(ValueError, match="one cluster alone"):
        clustered([1.0, 0.0], ["a", "a"])
    with pytest.raises(ValueError, match="got 1 for 2"):
        percentile([1.0, 0.0], seed=1, clusters=["a"])
    for bad in ([], [math.nan], [math.inf]):
        with pytest.raises(ValueError, match="finite values only"):
            percentile(bad, seed=1)
    for outside in ([-0.1, 0.5], [0.5, 1.1]):
        with pytest.raises(ValueError, match="values must lie in"):
            anchored(outside, seed=1)


@pytest.mark.parametrize("clusters", [None, ["a", "a", "a", "b", "c", "c"]])
def test_a_shift_of_the_scale_shifts_the_interval(clusters: list[str] | None) -> None:
    values = [0.0, 1.0, 0.5, 0.25, 1.0, 0.0]
    one = anchored(values, seed=3, draws=400, clusters=clusters)
    shifted = anchored(
        [value * 2 + 7 for value in values],
        seed=3,
        draws=400,
        low=7.0,
        high=9.0,
        clusters=clusters,
    )
    assert (shifted.low, shifted.high) == pytest.approx(
        (one.low * 2 + 7, one.high * 2 + 7)
    )
    assert 0 < one.low < one.high < 1


def test_draws_in_parts_are_the_same_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [0.0, 1.0, 0.5]
    whole = anchored(values, seed=5, draws=101)
    monkeypatch.setattr(intervals, "_CHUNK", 40)
    assert anchored(values, seed=5, draws=101) == whole
    assert anchored(values, seed=6, draws=101) != whole


def test_clusters_of_one_are_items() -> None:
    values = [0.0, 1.0, 0.5]
    alone = anchored(values, seed=5, draws=60, clusters=["a", "b", "c"])
    assert alone == anchored(values, seed=5, draws=60)
    together = anchored(values, seed=5, draws=60, clusters=["a", "a", "b"])
    assert together != alone


def test_one_draw_by_hand() -> None:
    """Weights of the distinct values and of the two ends, then the weighted mean."""
    random = np.random.Generator(np.random.PCG64(5))
    zeros, half, ones, low, high = random.standard_gamma([2.0, 1.0, 1.0, 0.5, 0.5])
    mean = (half / 2 + ones + high) / (zeros + half + ones + low + high)
    one = anchored([0.0, 0.5, 0.0, 1.0], seed=5, draws=1)
    assert (one.low, one.high) == pytest.approx((mean, mean))


def test_the_draws_that_are_made_where_none_are_named() -> None:
    values = [0.0, 1.0, 0.5]
    assert anchored(values, seed=1) == anchored(values, seed=1, draws=intervals.DRAWS)
    assert percentile(values, seed=1) == percentile(values, seed=1, draws=1_000)
