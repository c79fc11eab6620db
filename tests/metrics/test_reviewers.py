"""Reviewers against each other: the coefficients are those of `agreement`, and so are their bootstraps."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgemesh.mesh.metrics.agreement import (
    Labels,
    cohen_kappa,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from judgemesh.mesh.metrics.reviewers import MIN_ITEMS, Reviews

CLASSES = ("complete", "partial+", "partial-")


def noisy(
    items: int,
    seed: int,
    *,
    reviewers: int = 3,
    right: float = 0.7,
    missing: float = 0.1,
) -> dict[str, list[str | None]]:
    dice = random.Random(seed)  # noqa: S311 - a simulation
    truth = [dice.choice(CLASSES) for _ in range(items)]
    return {
        f"r{number}": [
            None
            if dice.random() < missing
            else one
            if dice.random() < right
            else dice.choice(CLASSES)
            for one in truth
        ]
        for number in range(reviewers)
    }


def kappa(both: Sequence[Labels]) -> float | None:
    return cohen_kappa(*both)


def ac1(both: Sequence[Labels]) -> float | None:
    return gwet_ac1(*both)


def bootstrap(
    statistic: Callable[[Sequence[Labels]], float | None],
    reviewers: Sequence[Labels],
    *,
    seed: int,
    draws: int,
) -> tuple[float, float]:
    """The 95 % percentile bootstrap by item, item after item."""
    items = list(zip(*reviewers, strict=True))
    dice = random.Random(seed)  # noqa: S311 - a simulation
    values: list[float] = []
    for _ in range(draws):
        resample = dice.choices(items, k=len(items))
        value = statistic(list(zip(*resample, strict=True)))
        if value is not None:
            values.append(value)
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def test_intervals_are_those_of_the_plain_bootstrap() -> None:
    labels = noisy(60, 3)
    found = Reviews(labels, seed=1, draws=4000)
    pair = found.pair("r0", "r1")
    both = [labels["r0"], labels["r1"]]
    for ours, plain in ((pair.kappa, kappa), (pair.ac1, ac1)):
        assert ours.value == pytest.approx(plain(both))
        reference = bootstrap(plain, both, seed=2, draws=1000)
        assert ours.ci is not None
        assert (ours.ci.low, ours.ci.high) == pytest.approx(reference, abs=0.03)
    assert pair.raw[0] == pytest.approx(raw_agreement(*both))
    alpha = found.alpha(["r0", "r1", "r2"])
    assert alpha.value == pytest.approx(krippendorff_alpha(list(labels.values())))
    reference = bootstrap(krippendorff_alpha, list(labels.values()), seed=2, draws=1000)
    assert alpha.ci is not None
    assert (alpha.ci.low, alpha.ci.high) == pytest.approx(reference, abs=0.03)


@settings(max_examples=60)
@given(
    st.integers(1, 40).flatmap(
        lambda size: st.lists(
            st.lists(st.sampled_from([*CLASSES, None]), min_size=size, max_size=size),
            min_size=2,
            max_size=4,
        )
    )
)
def test_counts_add_up_and_nothing_invalid_is_given(
    lists: list[list[str | None]],
) -> None:
    labels = {f"r{number}": one for number, one in enumerate(lists)}
    found = Reviews(labels, seed=0, draws=50)
    shared = found.shared("r0", "r1")
    if not shared:
        with pytest.raises(ValueError, match="no item in common"):
            found.pair("r0", "r1")
        return
    pair = found.pair("r0", "r1")
    assert pair.items == shared == sum(pair.table.values())
    assert (
        pair.agreed
        == sum(one.both for one in pair.classes.values())
        == round(pair.raw[0] * shared)
    )
    assert (
        sum(one.first for one in pair.classes.values())
        == sum(one.second for one in pair.classes.values())
        == shared
    )
    for one in (pair.kappa, pair.ac1, found.alpha(list(labels))):
        assert (one.value is None) <= bool(one.why_not)
        assert one.ci is None or one.ci.low <= one.ci.high
    if shared < MIN_ITEMS:
        assert pair.kappa.value is None


def test_what_has_no_value_says_why() -> None:
    one = Reviews({"a": ["x"] * 20, "b": ["x"] * 20}, seed=0).pair("a", "b")
    assert one.kappa.value is None
    assert "one label, x" in one.kappa.why_not
    same = Reviews({"a": ["x", "y"] * 10, "b": ["x", "y"] * 10}, seed=0).pair("a", "b")
    assert (same.kappa.value, same.kappa.ci) == (1.0, None)
    assert "no interval" in same.kappa.why_not
    assert (
        Reviews({"a": ["x", "y"] * 10}, seed=0).alpha(["a"]).why_not
        == "needs two reviewers"
    )
    with pytest.raises(ValueError, match="for each item"):
        Reviews({"a": ["x"], "b": []}, seed=0)


def test_a_judge_beside_people() -> None:
    labels = noisy(200, 5, reviewers=3, missing=0)
    judge: list[str | None] = [
        "complete" if number % 2 else one for number, one in enumerate(labels["r0"])
    ]
    gap = Reviews({**labels, "judge": judge}, seed=0).kappa_gap("judge", list(labels))
    assert gap is not None
    machine, people, interval = gap
    assert interval is not None
    assert interval.low < machine - people < interval.high
    assert Reviews(labels, seed=0).kappa_gap("r0", ["r1"]) is None
