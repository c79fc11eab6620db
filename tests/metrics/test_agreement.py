"""Agreement coefficients on published examples, and what they must satisfy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgemesh.mesh.metrics.agreement import (
    Labels,
    cohen_kappa,
    confusion,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: nominal data, four observers, .743.
OBSERVERS: list[list[int | None]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def test_krippendorffs_published_example() -> None:
    assert krippendorff_alpha(OBSERVERS) == pytest.approx(0.743, abs=5e-4)


def table(
    yes_yes: int, yes_no: int, no_yes: int, no_no: int
) -> tuple[list[str], list[str]]:
    cells = (
        ("y", "y", yes_yes),
        ("y", "n", yes_no),
        ("n", "y", no_yes),
        ("n", "n", no_no),
    )
    return [a for a, _, count in cells for _ in range(count)], [
        b for _, b, count in cells for _ in range(count)
    ]


def test_kappa_and_ac1_where_nearly_everything_has_one_label() -> None:
    """Gwet (2008), the paradox of kappa: 118/5/2/0 agrees in .944, kappa is about -.02, AC1 .94."""
    one, two = table(118, 5, 2, 0)
    assert raw_agreement(one, two) == pytest.approx(0.944)
    assert cohen_kappa(one, two) == pytest.approx(-0.0234, abs=5e-4)
    assert gwet_ac1(one, two) == pytest.approx(0.9408, abs=5e-4)


def test_one_label_alone_has_no_coefficient() -> None:
    same = ["y"] * 5
    assert (
        cohen_kappa(same, same),
        gwet_ac1(same, same),
        krippendorff_alpha([same, same]),
    ) == (None, None, None)


def alpha_of_two(one: Labels, two: Labels) -> float | None:
    return krippendorff_alpha([one, two])


labels = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=2, max_size=40
)


@given(labels)
def test_coefficients_are_symmetric_at_most_one_and_one_only_for_agreement(
    pairs: list[tuple[str, str]],
) -> None:
    one, two = [a for a, _ in pairs], [b for _, b in pairs]
    for coefficient in (cohen_kappa, gwet_ac1, alpha_of_two):
        value = coefficient(one, two)
        if value is None:
            continue
        assert value == pytest.approx(coefficient(two, one))
        assert value <= 1 + 1e-12
        assert (value == pytest.approx(1)) is (one == two)


def test_a_judge_no_better_than_a_constant_is_named() -> None:
    human = [True] * 90 + [False] * 10
    always = confusion([True] * 100, human)
    assert (always.accuracy, always.constant_accuracy) == (0.9, 0.9)
    sensitivity, specificity = always.sensitivity(), always.specificity()
    assert sensitivity is not None
    assert specificity is not None
    assert (sensitivity[0], specificity[0]) == (1.0, 0.0)
    assert confusion([True, False], [True, True]).specificity() is None
    with pytest.raises(ValueError, match="one verdict for each label"):
        confusion([True], [])


def test_lists_of_other_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="every reviewer needs a label"):
        krippendorff_alpha([["y"], ["y", "n"]])
    with pytest.raises(ValueError, match="every reviewer needs a label"):
        krippendorff_alpha([])
