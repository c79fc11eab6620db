from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from judgemesh.mesh.calibration.effective_votes import (
    FEW_VOTES,
    effective_votes,
    errors_of,
    nearly_one,
)
from judgemesh.mesh.calibration.panel_choice import choose
from judgemesh.mesh.calibration.panel_methods import (
    METHODS,
    accuracy,
    best_judge,
    credit,
    majority,
    panel_chances,
)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from accuracy import recorded_panels

if TYPE_CHECKING:
    from judgemesh.mesh.calibration.panel_methods import Bools, Floats

NAN = float("nan")


def votes_of(
    items: int, rates: tuple[float, ...], *, shared: float = 0.0, seed: int = 0
) -> tuple[Floats, Bools]:
    """Judges of those accuracies; on a share of the items all of them say what the first says."""
    draw = np.random.default_rng(seed)
    truth = draw.random(items) < 0.5
    right = draw.random((items, len(rates))) < np.array(rates)
    together = draw.random(items) < shared
    right[together] = right[together][:, :1]
    return np.where(right, truth[:, None], ~truth[:, None]).astype(np.float64), truth


def test_more_than_half_of_the_valid_votes_and_a_tie_is_an_abstention() -> None:
    votes = np.array(
        [[1.0, 1.0, 0.0], [1.0, 0.0, NAN], [NAN, NAN, 0.2], [NAN, NAN, NAN]]
    )
    share = majority(votes)
    assert share[:3].tolist() == [pytest.approx(2 / 3), 0.5, 0.0]
    assert np.isnan(share[3])
    truth = np.array([True, True, False, True])
    assert accuracy(share, truth) == 1.0
    assert credit(share, truth).tolist() == [1.0, 0.5, 1.0, 0.5]


def test_the_effective_number_of_votes() -> None:
    """Errors with a correlation of .57 make three judges 1.4."""
    draw = np.random.default_rng(0)
    common, own = draw.random(40_000) < 0.2, draw.random((40_000, 3)) < 0.2
    errors = np.where(
        draw.random((40_000, 3)) < np.sqrt(0.57), common[:, None], own
    ).astype(np.float64)
    assert effective_votes(errors) == pytest.approx(3 / (1 + 2 * 0.57), abs=0.05)
    independent, truth = votes_of(20_000, (0.8, 0.8, 0.8))
    assert effective_votes(errors_of(independent, truth)) > 2.8
    copied, truth = votes_of(2_000, (0.8, 0.8, 0.8), shared=1.0)
    assert effective_votes(errors_of(copied, truth)) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("items", "methods"),
    [(20, {"majority"}), (400, {"log_odds", "stacking", "best_single"})],
)
def test_the_choice_follows_the_labels(items: int, methods: set[str]) -> None:
    votes, truth = votes_of(items, (0.95, 0.6, 0.6))
    assert choose(votes, truth).method in methods


@pytest.mark.parametrize(
    ("rates", "shared"),
    [
        ((0.9, 0.85, 0.8), 0.0),
        ((0.9, 0.6, 0.6), 0.0),
        ((0.8, 0.8, 0.8), 0.6),
        ((0.7, 0.9), 0.3),
    ],
)
def test_the_default_panel_is_hardly_ever_worse_than_the_best_judge(
    rates: tuple[float, ...], shared: float
) -> None:
    worse: list[float] = []
    for seed in range(4):
        votes, truth = votes_of(600, rates, shared=shared, seed=seed)
        chances, _ = recorded_panels.cross_fitted(votes, truth, seed=seed)
        best = accuracy(votes[:, best_judge(votes, truth)], truth)
        worse.append((best or 0.0) - float(credit(chances, truth).mean()))
    assert sum(worse) / len(worse) <= 0.01


def test_a_panel_of_copies_says_so() -> None:
    votes, truth = votes_of(200, (0.8, 0.8, 0.8), shared=1.0)
    choice = choose(votes, truth)
    assert choice.method == "majority"
    assert choice.n_eff < FEW_VOTES
    assert "nearly one judge" in nearly_one(choice.n_eff, 3)


def test_weights_stay_finite_for_a_judge_that_was_never_wrong() -> None:
    votes, truth = votes_of(40, (1.0, 0.6))
    for name in ("log_odds", "stacking"):
        weights = METHODS[name].fit(votes, truth)
        assert np.isfinite(panel_chances(weights, votes)).all()
        assert np.isnan(panel_chances(weights, np.array([[NAN, NAN]]))).all()


def test_dawid_skene_finds_the_good_judges() -> None:
    votes, truth = votes_of(1500, (0.95, 0.7, 0.65, 0.6))
    found = recorded_panels.dawid_skene(votes)
    plain = accuracy(majority(votes), truth)
    assert plain is not None
    assert (accuracy(found.chances, truth) or 0.0) > plain
    assert found.sensitivity[0] == max(found.sensitivity)


def test_flipped_labels_are_warned_about() -> None:
    votes, truth = votes_of(
        600, (0.9, 0.2, 0.25, 0.15)
    )  # most judges are wrong most of the time
    found = recorded_panels.dawid_skene(votes)
    assert "may have flipped" in found.warning
    assert "flipped its labels" in recorded_panels.contradicted_by_labels(
        found, majority(votes), truth
    )
    good, truth = votes_of(600, (0.9, 0.8, 0.85))
    fine = recorded_panels.dawid_skene(good)
    assert (
        fine.warning
        == recorded_panels.contradicted_by_labels(fine, majority(good), truth)
        == ""
    )


def test_no_labels_no_choice() -> None:
    with pytest.raises(ValueError, match="labels"):
        choose(np.ones((3, 2)), np.array([], dtype=np.bool_))
