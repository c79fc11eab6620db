"""How many labels, which, and in which order; and the rate that such labels give."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.metrics.label_plan import (
    AT_LEAST,
    Candidate,
    allocation_order,
    labelling_order,
    plan_labels,
)

strata = st.lists(
    st.tuples(st.integers(2, 12), st.floats(0.05, 0.5)), min_size=1, max_size=3
)


@given(strata, st.integers(0, 20))
def test_no_other_split_has_a_smaller_variance(
    found: list[tuple[int, float]], extra: int
) -> None:
    sizes, deviations = (
        [size for size, _ in found],
        [deviation for _, deviation in found],
    )
    labels = min(2 * len(sizes) + extra, sum(sizes))
    picked = list(itertools.islice(allocation_order(sizes, deviations), labels))
    counts = [picked.count(place) for place in range(len(sizes))]

    def variance(split: tuple[int, ...] | list[int]) -> float:
        return math.fsum(
            (n * s) ** 2 / k for n, s, k in zip(sizes, deviations, split, strict=True)
        )

    splits = itertools.product(*(range(AT_LEAST, size + 1) for size in sizes))
    assert (
        variance(counts)
        <= min(variance(one) for one in splits if sum(one) == labels) + 1e-9
    )


def test_every_item_is_reached_once_and_empty_strata_are_passed_over() -> None:
    order = list(allocation_order([3, 0, 5], [0.1, 0.5, 0.5]))
    assert sorted(order) == [0] * 3 + [2] * 5
    assert list(allocation_order([4, 4], [0.0, 0.0]))[:4] == [0, 1, 0, 1]
    for sizes, deviations in (([1], []), ([-1], [0.1]), ([1], [-0.1])):
        with pytest.raises(ValueError, match="one deviation for each stratum"):
            next(allocation_order(sizes, deviations))


def test_a_plan_saves_labels_and_narrower_needs_more() -> None:
    plans = [
        plan_labels(734, 1000, sensitivity=0.92, specificity=0.70, half_width=width)
        for width in (0.1, 0.07, 0.05)
    ]
    assert [plan.labels for plan in plans] == sorted(plan.labels for plan in plans)
    for plan, width in zip(plans, (0.1, 0.07, 0.05), strict=True):
        assert 0.95 * width < plan.half_width <= width
        assert plan.labels < 0.75 * plan.human_only
        assert plan.success == pytest.approx(0.7)
    assert (
        plan_labels(1000, 1000, sensitivity=1, specificity=0.5, half_width=0.1).no == 0
    )


@pytest.mark.parametrize(
    ("yes", "se", "sp", "width", "message"),
    [
        (500, 0.55, 0.55, 0.1, r"is 0.10, below 0.2: the judge says too little"),
        (
            100,
            0.9,
            0.7,
            0.1,
            r"passes between 0.300 and 0.900 of any run, this one passed 0.100",
        ),
        (
            734,
            0.92,
            0.7,
            0.01,
            r"labelling all 1000 results would give a half-width of 0.028; 0.01 needs a larger run",
        ),
        (1001, 0.9, 0.9, 0.1, "needs 0 <= judged_yes <= judged"),
        (500, 0.9, 0.9, 0.0, r"a half-width in 0\.\.1"),
        (500, 1.2, 0.9, 0.1, r"lie in 0\.\.1"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    yes: int, se: float, sp: float, width: float, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        plan_labels(yes, 1000, sensitivity=se, specificity=sp, half_width=width)


def candidates(chances: list[float]) -> list[Candidate]:
    return [
        Candidate(f"r{place:03}", one, math.sqrt(one * (1 - one)))
        for place, one in enumerate(chances)
    ]


def spread(many: int) -> list[float]:
    return [0.001 + 0.998 * place / (many - 1) for place in range(many)]


def test_the_doubtful_ones_come_sooner_and_the_sure_ones_are_never_left_out() -> None:
    order = labelling_order(candidates(spread(300)), seed=1, bands=5)
    chances = order.inclusion(60)
    assert sum(chances.values()) == pytest.approx(60)
    assert chances["r150"] > 1.5 * chances["r002"] > 0
    assert sorted(order.items) == sorted(chances)


def test_the_stated_chances_are_those_of_the_draw() -> None:
    chances = labelling_order(candidates(spread(40)), seed=0).inclusion(10)
    seen = dict.fromkeys(chances, 0)
    for seed in range(1500):
        for item in labelling_order(candidates(spread(40)), seed=seed).items[:10]:
            seen[item] += 1
    assert all(abs(count / 1500 - chances[item]) < 0.05 for item, count in seen.items())


def test_the_order_depends_on_the_seed_and_not_on_the_order_of_the_candidates() -> None:
    given_order = candidates(spread(50))
    assert labelling_order(given_order, seed=3) == labelling_order(
        given_order[::-1], seed=3
    )
    assert labelling_order(given_order, seed=3) != labelling_order(given_order, seed=4)


def test_a_rate_comes_from_the_first_of_the_order_and_from_nothing_else() -> None:
    order = labelling_order(candidates(spread(300)), seed=1)
    first = {item: float(int(item[1:]) >= 100) for item in order.items[:90]}
    found = order.rate(first, seed=1)
    assert found.ci.low < 2 / 3 < found.ci.high
    without = {
        item: worth for item, worth in first.items() if item not in order.items[2:8]
    }
    with pytest.raises(
        ValueError, match=r"and 3 more should have been labelled before others that are"
    ):
        order.rate(without, seed=1)
    with pytest.raises(ValueError, match="label the first 6 of the order"):
        order.rate(dict.fromkeys(order.items[:4], 1.0), seed=1)
    with pytest.raises(ValueError, match="needs 1 to 300 labels of this order, got 0"):
        order.rate({}, seed=1)
    with pytest.raises(ValueError, match=r"lie in 0\.\.1"):
        order.rate({**first, order.items[0]: 3.0}, seed=1)


def test_everything_labelled_and_few_candidates() -> None:
    order = labelling_order(candidates([0.5]), seed=1)
    assert order.rate({"r000": 1.0}, seed=1).rate == 1.0
    same = labelling_order(candidates([0.9] * 30), seed=1)
    assert sum(same.sizes) == 30
    assert set(same.inclusion(30).values()) == {1.0}
    for wrong in (
        [],
        [*candidates([0.5]), *candidates([0.5])],
        [Candidate("x", 1.5, 0.1)],
    ):
        with pytest.raises(ValueError, match=r"at least one candidate|lie in 0\.\.1"):
            labelling_order(wrong, seed=1)
